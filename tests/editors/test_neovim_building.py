"""The picker while an index is being built, and when there is nothing to show."""

from __future__ import annotations

import re

import pytest

from tests.helpers.documents import many
from tests.helpers.neovim import TEST_SERVER

pytestmark = pytest.mark.editors


def test_the_picker_tells_how_far_the_index_is_and_renews_its_answer(start, tmp_path):
    root = many(tmp_path / "workspace", 40)
    (root / ".git").mkdir()
    watch = """
    progress, pushed = {}, 0
    vim.api.nvim_create_autocmd('LspProgress', { callback = function(event)
      table.insert(progress, event.data.params.value.kind)
      words = vim.lsp.status()
    end })
    vim.api.nvim_create_autocmd('User', { pattern = 'DdgStatus', callback = function(event)
      pushed = pushed + 1
      line = require('ddg').statusline()
    end })"""
    with start(root, server=(*TEST_SERVER, "--slow", "0.08"), before=watch) as nvim:
        nvim.edit(root / "docs" / "d0001.md")
        nvim.attached()
        nvim.command("Ddg ask property gamma")

        def footer() -> str:
            return nvim.picker()["results"]["footer"]

        nvim.until(lambda: re.search(r"hits?.* indexing \d+ of 200", footer()))
        early = nvim.rows()
        assert re.fullmatch(r"docs: (indexing \d+ of 200|reading documents)", nvim.lua("return line"))
        nvim.until(lambda: "40 documents" in footer())
        nvim.until(lambda: nvim.rows() != early)
        assert len(nvim.rows()) == 30
        nvim.until(lambda: nvim.lua("return progress[#progress]") == "end")
        assert nvim.lua("return progress[1]") == "begin"
        assert nvim.lua("return pushed") > 1
        assert not nvim.messages().strip()


def test_a_question_without_hits_and_an_error_are_said_in_words(start, tmp_path):
    root = tmp_path / "empty"
    root.mkdir()
    (root / ".git").mkdir()
    with start(root) as nvim:
        nvim.command("Ddg ask anything at all")
        nvim.until(lambda: "Nothing was found." in " ".join(nvim.rows()))
        nvim.keys("<CR><C-q><C-y><Down><PageDown><C-f>")
        nvim.until(nvim.picker)
        nvim.keys("<Esc>")
        nvim.closed()
        assert not nvim.messages().strip()
        nvim.lua("for _, client in ipairs(vim.lsp.get_clients()) do client:stop(true) end")
        nvim.lua("vim.lsp.config('ddg_lsp', { cmd = { '/no/such/program' } })")
        nvim.until(lambda: not nvim.lua("return #vim.lsp.get_clients() > 0"))
        nvim.command("Ddg ask anything")
        nvim.until(lambda: "no program /no/such/program" in " ".join(" ".join(nvim.rows()).split()))
