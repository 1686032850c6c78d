"""The built-in picker, used as a person would: keys in, screen out."""

from __future__ import annotations

import time

import pytest

pytestmark = pytest.mark.editors


def test_a_question_typed_is_answered_previewed_and_opened(nvim):
    rows = nvim.ask("nightly backup", containing="Nightly backup")
    assert rows[0].startswith("  Operations > Nightly backup")
    assert rows[0].rstrip().endswith("docs/ops.md:5")
    picker = nvim.picker()
    assert picker["prompt"]["lines"] == ["nightly backup"]
    assert picker["preview"]["title"] == "docs/ops.md:5"
    assert picker["preview"]["lines"][picker["preview"]["top"] - 1] == "## Nightly backup"
    assert not any("\r" in line for line in picker["preview"]["lines"])
    nvim.keys("<CR>")
    nvim.closed()
    assert (nvim.at("ops.md"), nvim.line) == (5, "## Nightly backup")
    nvim.keys("<C-o>")
    assert nvim.at("app.py") == 1


def test_a_heading_behind_an_emoji_and_a_name_with_blanks(nvim):
    assert "𝔘nicode 🎉 retry policy" in nvim.ask("retry policy failed requests", containing="retry")[0]
    nvim.keys("<CR>")
    assert nvim.at("guide 🚀.md") == 5
    assert nvim.line.startswith("## 𝔘nicode")
    nvim.ask("apple pie cinnamon", containing="Apple pie")
    nvim.keys("<CR>")
    assert (nvim.at("küche #1.md"), nvim.line) == (5, "## Apple pie")


@pytest.mark.parametrize(("key", "windows", "tabs"), [("<C-x>", 2, 1), ("<C-v>", 2, 1), ("<C-t>", 1, 2)])
def test_splits_and_tabs(nvim, key, windows, tabs):
    nvim.ask("nightly backup", containing="Nightly")
    nvim.keys(key)
    nvim.closed()
    assert nvim.at("ops.md") == 5
    assert len(nvim.nvim.current.tabpage.windows) == windows
    assert len(nvim.nvim.tabpages) == tabs
    if windows == 2:
        layout = nvim.lua("return vim.fn.winlayout()[1]")
        assert layout == ("row" if key == "<C-v>" else "col")


def test_the_quickfix_list_has_every_hit_in_its_order(nvim):
    rows = nvim.ask("nightly backup", containing="Nightly")
    nvim.keys("<C-q>")
    nvim.closed()
    nvim.until(lambda: nvim.lua("return vim.bo.buftype") == "quickfix")
    items = nvim.lua("return vim.fn.getqflist()")
    assert len(items) == len(rows)
    assert items[0]["lnum"] == 5
    assert items[0]["text"] == "Operations > Nightly backup"
    assert nvim.lua("return vim.fn.getqflist({title = 0}).title") == "Docs: nightly backup"
    marked = [row.startswith("~") for row in rows]
    assert [item["text"].startswith("(weak)") for item in items] == marked
    assert True in marked
    assert False in marked
    nvim.command("cfirst")
    assert nvim.at("ops.md") == 5


def gone_after(nvim, key):
    """Press it as a person does, who presses again: Neovim takes Ctrl-C for a script that runs at that moment."""
    nvim.keys(key)
    give_up = time.monotonic() + 5.0
    while (here := nvim.picker() is not None) and time.monotonic() < give_up:
        time.sleep(0.01)
    return not here


@pytest.mark.parametrize("key", ["<Esc>", "<C-c>"])
@pytest.mark.parametrize("mode", ["n", "i"])
def test_leaving_restores_everything(nvim, key, mode):
    nvim.edit(nvim.root / "docs" / "ops.md")
    nvim.lua("vim.api.nvim_win_set_cursor(0, {5, 7})")
    before = nvim.lua("return {vim.fn.winsaveview(), vim.api.nvim_list_bufs(), vim.api.nvim_list_wins()}")
    if mode == "i":
        nvim.lua("vim.keymap.set('i', '<F2>', '<Cmd>Ddg ask<CR>')")
        nvim.keys("i<F2>")
        nvim.until(nvim.picker)
        nvim.keys("backup")
        nvim.answered()
    else:
        nvim.ask("backup")
    nvim.keys("<Down>")
    nvim.until(lambda: gone_after(nvim, key))
    nvim.until(lambda: nvim.lua("return vim.api.nvim_get_mode().mode") == mode)
    after = "return {vim.fn.winsaveview(), vim.api.nvim_list_bufs(), vim.api.nvim_list_wins()}"
    nvim.until(lambda: nvim.lua(after) == before)
    nvim.keys("<Esc>")
    assert nvim.lua("return vim.fn.execute('autocmd ddg.picker')").count("\n") <= 2


def test_moving_goes_through_the_list_and_round(nvim):
    rows = nvim.ask("nightly backup", containing="Nightly")
    last = len(rows)
    for keys, row in (
        ("<Down>", 2),
        ("<C-n>", 3),
        ("<Up><C-p>", 1),
        ("<Up>", last),
        ("<Tab>", 1),
        ("<PageDown>", last),
    ):
        nvim.keys(keys)
        nvim.until(lambda row=row: nvim.picker()["results"]["cursor"] == row)
    preview = nvim.picker()["preview"]["title"]
    assert rows[-1].split()[-1].split("…")[-1] in preview


def test_the_newest_question_wins_and_the_older_ones_are_cancelled(start, tmp_path):
    from tests.editors.conftest import documents
    from tests.helpers.neovim import TEST_SERVER

    root = documents(tmp_path / "workspace")
    record = """
    vim.g.ddg = { debounce_ms = 0 }
    seen = {}
    vim.api.nvim_create_autocmd('LspRequest', { callback = function(event)
      local request = event.data.request
      if request.method:find('semanticDocQuery') then table.insert(seen, request.type) end
    end })"""
    with start(root, server=(*TEST_SERVER, "--slow", "0.05"), before=record) as nvim:
        nvim.edit(root / "app.py")
        nvim.ready()
        nvim.command("Ddg ask")
        nvim.until(nvim.picker)
        for letter in "nightly backup":
            nvim.keys(letter if letter != " " else "<Space>")
        assert "Nightly backup" in nvim.answered(containing="Nightly backup")[0]
        assert nvim.picker()["prompt"]["lines"] == ["nightly backup"]
        seen = nvim.lua("return seen")
        assert seen.count("cancel") >= 1
        assert seen.count("pending") - seen.count("cancel") >= 1
        assert not nvim.messages().strip()


def test_typing_further_leaves_no_answer_to_an_older_question(nvim):
    nvim.ask("apple pie", containing="Apple pie")
    nvim.keys("<C-u>nightly backup")
    assert "Nightly" in nvim.answered(containing="Nightly")[0]
    nvim.keys("<C-w>")
    nvim.until(lambda: nvim.picker()["prompt"]["lines"] == ["nightly "])
    nvim.keys("<C-u>")
    nvim.until(lambda: "your own words" in nvim.rows()[0])
    assert nvim.picker()["preview"]["lines"] == [""]


def test_pasted_lines_are_one_question(nvim):
    nvim.command("Ddg ask")
    nvim.until(nvim.picker)
    nvim.nvim.api.paste("nightly\nbackup\tof the\n database", True, -1)
    nvim.answered(containing="Nightly")
    nvim.until(lambda: len(nvim.picker()["prompt"]["lines"]) == 1)
    nvim.keys("s")
    nvim.until(lambda: nvim.picker()["prompt"]["lines"][0].endswith("databases"))


def test_unsaved_text_is_found_and_previewed(nvim):
    nvim.edit(nvim.root / "docs" / "ops.md")
    nvim.attached()
    nvim.lua("vim.api.nvim_buf_set_lines(0, 0, 0, false, {'# Zebra crossing', '', 'Stripes on a road.', ''})")
    nvim.command("split | enew")
    rows = nvim.ask("zebra crossing stripes", containing="Zebra")
    assert rows[0].split()[-1] == "docs/ops.md:1"
    assert nvim.picker()["preview"]["lines"][0] == "# Zebra crossing"
    nvim.keys("<C-u>nightly copied database")
    assert "docs/ops.md:9" in nvim.answered(containing="Nightly backup")[0]
    nvim.keys("<CR>")
    assert (nvim.at("ops.md"), nvim.line) == (9, "## Nightly backup")
    nvim.command("edit!")


def test_a_hit_is_never_opened_in_the_window_of_a_list(nvim):
    nvim.command("Ddg quickfix nightly backup")
    nvim.until(lambda: nvim.lua("return vim.bo.buftype") == "quickfix")
    nvim.ask("nightly backup", containing="Nightly")
    nvim.keys("<CR>")
    nvim.closed()
    assert nvim.at("ops.md") == 5
    kinds = """return vim.tbl_map(function(win)
      return vim.bo[vim.api.nvim_win_get_buf(win)].buftype
    end, vim.api.nvim_tabpage_list_wins(0))"""
    assert sorted(nvim.lua(kinds)) == ["", "quickfix"]
    nvim.command("only | setlocal winfixbuf")
    nvim.ask("apple pie cinnamon", containing="Apple")
    nvim.keys("<CR>")
    assert nvim.at("küche #1.md") == 5
    assert len(nvim.nvim.current.tabpage.windows) == 2


def test_the_preview_is_of_that_very_file(nvim):
    other = nvim.root / "docs" / "ops.md.orig"
    other.write_text("# Another\n\n\n\nline five of another file\n")
    try:
        nvim.edit(other)
        nvim.edit(nvim.root / "app.py")
        nvim.ask("nightly backup", containing="Nightly")
        assert nvim.picker()["preview"]["lines"][4] == "## Nightly backup"
    finally:
        other.unlink()


def test_a_file_that_is_gone_is_said_in_the_preview(nvim):
    page = nvim.root / "docs" / "gone.md"
    page.write_text("# Vanishing lady\n\nA trick with a trapdoor.\n")
    nvim.command("Ddg reindex")
    nvim.until(lambda: "Looked for changes" in nvim.messages())
    nvim.ask("vanishing lady trapdoor", containing="Vanishing lady")
    page.unlink()
    nvim.keys("<Down><Up>")
    nvim.until(lambda: nvim.picker()["preview"]["lines"] == ["The file cannot be read."])


def test_resume_opens_what_was_left(nvim):
    nvim.ask("nightly backup", containing="Nightly")
    nvim.keys("<Down><Down>")
    nvim.until(lambda: nvim.picker()["results"]["cursor"] == 3)
    nvim.keys("<Esc>")
    nvim.closed()
    nvim.command("Ddg resume")
    nvim.answered(containing="Nightly")
    picker = nvim.picker()
    assert picker["prompt"]["lines"] == ["nightly backup"]
    nvim.until(lambda: nvim.picker()["results"]["cursor"] == 3)


def test_a_link_is_copied(nvim):
    nvim.ask("apple pie cinnamon", containing="Apple pie")
    nvim.keys("<C-y>")
    link = "[Apple pie](docs/k%c3%bcche%20%231.md#L5)"
    nvim.until(lambda: nvim.lua("return vim.fn.getreg('\"')") == link)


def test_going_elsewhere_closes_the_picker(nvim):
    nvim.ask("backup")
    nvim.lua("vim.api.nvim_set_current_win(vim.fn.win_getid(1))")
    nvim.closed()


def test_asking_while_the_picker_is_open_begins_anew(nvim):
    nvim.ask("backup", containing="Nightly")
    nvim.command("Ddg ask apple pie")
    nvim.answered(containing="Apple")
    nvim.keys("s")
    nvim.until(lambda: nvim.picker()["prompt"]["lines"] == ["apple pies"])
    assert len(nvim.lua("return vim.api.nvim_list_wins()")) == 4
    nvim.keys("<Esc>")
    nvim.closed()
    assert nvim.at("app.py") == 1
