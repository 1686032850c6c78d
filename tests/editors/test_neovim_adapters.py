"""The adapters for other pickers. Their plugins cannot be installed from a package index, so stand-ins with the
interface those plugins document (`stand_ins/`) take their place here; what they show is theirs to test."""

from __future__ import annotations

from pathlib import Path

import pytest

pytestmark = pytest.mark.editors

STAND_INS = Path(__file__).parent / "stand_ins"
COUNT = """
sent = {}
vim.opt.rtp:append(...)
vim.api.nvim_create_autocmd('LspRequest', { group = vim.api.nvim_create_augroup('count', {}), callback = function(event)
  local request = event.data.request
  if request.method:find('semanticDocQuery') then table.insert(sent, request.type) end
end })"""


@pytest.fixture
def adapted(nvim):
    nvim.lua(COUNT, str(STAND_INS))
    nvim.lua("opened, entries, type_prompt = nil, nil, nil")
    yield nvim
    nvim.lua("vim.g.ddg = vim.empty_dict()")


def opened(nvim, picker: str, words: str = "") -> None:
    nvim.lua("vim.g.ddg = { picker = ... }", picker)
    nvim.command(f"Ddg ask {words}")
    assert nvim.picker() is None
    nvim.until(lambda: nvim.lua("return opened ~= nil"))


TYPE = """
entries = nil
local prompts = ...
for number, text in ipairs(prompts) do
  type_prompt(text)
  if number < #prompts then -- the next letter comes as soon as this question is under way
    vim.wait(5000, function() return select(2, table.concat(sent, ' '):gsub('pending', '')) >= number end, 1)
  end
end"""


def typed(nvim, *prompts: str) -> None:
    """Type each prompt while the question before it is under way; wait for the last answer."""
    nvim.lua(TYPE, list(prompts))
    nvim.until(lambda: nvim.lua("return entries ~= nil"))


@pytest.mark.parametrize("picker", ["telescope", "fzf-lua", "snacks"])
def test_only_the_newest_answer_arrives_and_the_older_requests_are_cancelled(adapted, picker):
    opened(adapted, picker)
    typed(adapted, "apple", "apple pie", "nightly backup")
    first = "local one = entries[1]; return type(one) == 'string' and one or one.ordinal or one.text"
    adapted.until(lambda: "Nightly backup" in (adapted.lua(first) or ""))
    sent = adapted.lua("return sent")
    assert (sent.count("pending"), sent.count("cancel")) == (3, 2)
    typed(adapted, "")
    assert adapted.lua("return #entries") == 0
    assert not adapted.messages().strip()


def test_telescope_gets_entries_its_previewer_and_actions_read(adapted):
    opened(adapted, "telescope", "nightly backup")
    assert adapted.lua("return opened.options.default_text") == "nightly backup"
    assert adapted.lua("return { opened.picker.sorter, opened.picker.previewer }") == ["empty", "grep_previewer"]
    typed(adapted, "nightly backup")
    entry = adapted.lua("local one = entries[1]; return { one.filename, one.lnum, one.col, (one.display(one)) }")
    path = str(adapted.root / "docs" / "ops.md")
    assert entry == [path, 5, 1, "  Operations > Nightly backup  docs/ops.md:5"]
    marks = (
        "local shown = {}; for i, one in ipairs(entries) do shown[i] = (one.display(one)):sub(1, 2) end; return shown"
    )
    assert "~ " in adapted.lua(marks)
    extension = "opened = nil; require('telescope._extensions.ddg').exports.ddg({ default_text = 'x' }); return opened"
    assert adapted.lua(f"{extension}.options.default_text") == "x"


@pytest.mark.parametrize("old", [False, True])
def test_fzf_lua_gets_lines_its_previewer_and_actions_read(adapted, old):
    opened(adapted, "fzf-lua", "nightly backup")
    assert adapted.lua("return { opened.options.query, opened.options.actions.enter }") == [
        "nightly backup",
        "file_edit",
    ]
    adapted.lua("entries = nil; type_prompt(...)", "nightly backup", old)
    adapted.until(lambda: adapted.lua("return entries ~= nil"))
    lines = adapted.lua("return entries")
    assert lines[0] == f"{adapted.root}/docs/ops.md:5:1:Operations > Nightly backup"
    assert any(":~ " in line for line in lines)


def test_snacks_gets_items_its_previewer_and_actions_read(adapted):
    opened(adapted, "snacks", "nightly backup")
    assert adapted.lua("return { opened.options.search, opened.options.live, opened.options.sort.fields }") == [
        "nightly backup",
        True,
        ["idx"],
    ]
    typed(adapted, "nightly backup")
    item = adapted.lua("local one = entries[1]; return { one.idx, one.file, one.pos }")
    assert item == [1, str(adapted.root / "docs" / "ops.md"), [5, 0]]
    shown = adapted.lua("""
      local shown = {}
      for number, item in ipairs(entries) do
        shown[number] = table.concat(vim.tbl_map(function(part) return part[1] end, opened.options.format(item)))
      end
      return shown""")
    assert shown[0] == "  Operations > Nightly backup  docs/ops.md:5"
    assert any(line.startswith("~ ") for line in shown)


def test_neovims_own_input_and_select(adapted):
    adapted.lua("""
      vim.ui.input = function(options, done) asked = options.prompt; done('nightly backup') end
      vim.ui.select = function(items, options, choose)
        shown = vim.tbl_map(options.format_item, items); prompt = options.prompt; choose(items[1])
      end
      vim.g.ddg = { picker = 'select' }""")
    adapted.command("Ddg ask")
    assert (adapted.at("ops.md"), adapted.line) == (5, "## Nightly backup")
    assert adapted.lua("return { asked, prompt, shown[1] }") == [
        "Ask the docs: ",
        "Docs (6 documents)",
        "Operations > Nightly backup  docs/ops.md:5",
    ]


def test_an_unknown_picker_and_an_unknown_option_are_said(adapted):
    adapted.lua("vim.g.ddg = { picker = 'nonsense', colour = 'red' }")
    adapted.keys(":Ddg ask<CR>")
    adapted.until(lambda: 'no picker "nonsense"' in adapted.messages())
    assert "no option colour" in adapted.messages()
