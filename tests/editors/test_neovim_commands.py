"""`:Ddg` and what comes through Neovim's own LSP client: code actions, symbols, changes on disk."""

from __future__ import annotations

import pytest

from tests.editors.conftest import documents

pytestmark = pytest.mark.editors

PROGRAM = "# the nightly copy of the database\nx = 1\n# bake apples\n"


def test_completion_and_words_that_are_no_subcommand(nvim):
    complete = "return vim.fn.getcompletion(..., 'cmdline')"
    names = ["ask", "log", "quickfix", "reindex", "resume", "selection", "status"]
    assert nvim.lua(complete, "Ddg ") == names
    assert nvim.lua(complete, "Ddg re") == ["reindex", "resume"]
    assert nvim.lua(complete, "'<,'>Ddg s") == ["selection", "status"]
    assert nvim.lua(complete, "Ddg ask s") == []
    nvim.keys(":Ddg nonsense<CR>")
    nvim.until(lambda: "there is no :Ddg nonsense" in nvim.messages())
    assert nvim.picker() is None


@pytest.mark.parametrize(
    ("keys", "question"),
    [
        ("3Gw:Ddg selection<CR>", "bake"),
        ("1Gwwve:Ddg selection<CR>", "nightly"),
        ("1GV:Ddg selection<CR>", "# the nightly copy of the database"),
        ("1Gwvj:Ddg selection<CR>", "the nightly copy of the database x ="),
        (":1,2Ddg selection<CR>", "# the nightly copy of the database x = 1"),
        ("1Gwwve<Plug>(DdgSelection)", "nightly"),
        ("1Gwwve<F3>", "nightly"),
        ("3Gw<Plug>(DdgSelection)", "bake"),
    ],
)
def test_what_is_selected_is_asked(nvim, keys, question):
    nvim.lua("vim.cmd('enew'); vim.api.nvim_buf_set_lines(0, 0, -1, false, vim.split(..., '\\n'))", PROGRAM)
    nvim.lua("vim.keymap.set('x', '<F3>', '<Cmd>Ddg selection<CR>')")
    nvim.lua("vim.api.nvim_feedkeys(vim.keycode(...), 'm', false)", keys)
    picker = nvim.until(nvim.picker)
    assert picker["prompt"]["lines"] == [question]
    nvim.until(lambda: nvim.lua("return vim.api.nvim_get_mode().mode") == "i")


def test_a_selection_longer_than_a_question_may_be_is_cut(nvim):
    nvim.lua("vim.cmd('enew'); vim.api.nvim_buf_set_lines(0, 0, -1, false, {string.rep('백업 ', 3000)})")
    nvim.command("1Ddg selection")
    nvim.answered()
    assert len(nvim.picker()["prompt"]["lines"][0]) == 2000
    assert not nvim.messages().strip()


def test_status_names_what_is_indexed_and_what_is_left_out(nvim):
    secret = nvim.root / "docs" / "credentials.md"
    secret.write_text("# Not for you\n")
    try:
        nvim.command("Ddg reindex")
        nvim.until(lambda: "Looked for changes" in nvim.messages())
        nvim.command("Ddg status")
        nvim.until(lambda: nvim.lua("return vim.bo.filetype") == "ddg-status")
        page = "\n".join(nvim.nvim.current.buffer[:])
        assert "documents   6" in page
        assert "hashed-words (deterministic)" in page
        assert f"{nvim.root}: 6 documents" in page
        assert "secret-name" in page
        assert "docs/credentials.md" in page
        assert nvim.lua("return vim.bo.modifiable") is False
        nvim.keys("q")
        nvim.until(lambda: nvim.lua("return vim.bo.filetype") == "python")
    finally:
        secret.unlink()


def test_rebuilding_is_told_and_questions_are_answered_meanwhile(nvim):
    nvim.command("Ddg! reindex")
    nvim.until(lambda: "Every vector is made anew" in nvim.messages())
    nvim.ask("nightly backup", containing="Nightly backup")
    nvim.keys("<Esc>")
    nvim.closed()
    nvim.ready()


def test_hits_go_straight_to_the_quickfix_list(nvim):
    nvim.command("Ddg quickfix nightly backup")
    nvim.until(lambda: nvim.lua("return vim.bo.buftype") == "quickfix")
    assert nvim.lua("return vim.fn.getqflist()[1].text") == "Operations > Nightly backup"
    assert "docs/ops.md|5 col 1" in nvim.nvim.current.buffer[0]


def test_the_log_is_opened(nvim):
    nvim.command("Ddg log")
    nvim.until(lambda: nvim.nvim.current.buffer.name.endswith("lsp.log"))


def test_the_code_action_opens_the_heading(nvim):
    nvim.lua("vim.fn.search('backup')")
    nvim.lua("vim.lsp.buf.code_action({ apply = true })")
    assert (nvim.at("ops.md"), nvim.line) == (5, "## Nightly backup")
    nvim.keys("<C-o>")
    nvim.at("app.py")


def test_changes_on_disk_are_found_though_nothing_is_watched(nvim):
    watched = "return vim.lsp.get_clients()[1].capabilities.workspace.didChangeWatchedFiles.dynamicRegistration"
    assert nvim.lua(watched) is False
    page = nvim.root / "docs" / "new.md"
    page.write_text("# Quokka\r\n\r\nA small marsupial.\r\n")
    try:
        nvim.command("Ddg ask quokka marsupial")

        def again() -> bool:
            nvim.keys("<Space>quokka<C-w><C-h>")
            return "Quokka" in nvim.answered()[0]

        nvim.until(again)
    finally:
        page.unlink()


def test_workspace_symbols_answer_by_meaning_where_they_are_switched_on(start, tmp_path):
    root = documents(tmp_path / "workspace")
    switch = "vim.lsp.config('ddg_lsp', { init_options = { workspaceSymbols = true } })"
    with start(root, before=switch) as nvim:
        nvim.edit(root / "docs" / "ops.md")
        nvim.ready()
        nvim.lua("vim.lsp.buf.workspace_symbol('nightly backup')")
        nvim.until(lambda: nvim.lua("return #vim.fn.getqflist() > 0"))
        first = nvim.lua("return vim.fn.getqflist()[1]")
        assert (first["lnum"], first["text"]) == (5, "[String] Nightly backup")
        nvim.command("cfirst")
        assert (nvim.at("ops.md"), nvim.line) == (5, "## Nightly backup")
