"""Rows, windows and the help: what must hold for every width, every heading and every document of the plugin."""

from __future__ import annotations

import re

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.helpers.neovim import PLUGIN

pytestmark = pytest.mark.editors

WORDS = st.text(st.sampled_from("abcXY 0#>/…한글日本語🎉é\u0301\u200d\t\u2028👩‍👧[]()"), max_size=60)
HITS = st.builds(
    lambda headings, folders, name, line, match: {
        "headings": headings,
        "path": "/".join([*folders, name]),
        "selectionRange": {"start": {"line": line, "character": 0}},
        "match": match,
    },
    st.lists(WORDS, max_size=5),
    st.lists(WORDS.map(lambda word: word.replace("/", "") or "x"), max_size=6),
    WORDS.map(lambda word: word.replace("/", "") + ".md"),
    st.integers(0, 100_000),
    st.sampled_from(["strong", "weak"]),
)
ROWS = """
local rows, found = require('ddg.picker.rows'), {}
for number, hit in ipairs(select(1, ...)) do
  local cells = select(2, ...)
  local row, marks = rows.row(hit, cells)
  found[number] = { row, vim.fn.strdisplaywidth(row), marks }
end
return found"""


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(HITS, min_size=1, max_size=8), st.integers(24, 200))
def test_every_row_is_one_line_that_fits_whatever_the_heading(editor, hits, cells):
    for hit, (row, width, marks) in zip(hits, editor.lua(ROWS, hits, cells), strict=True):
        assert width <= cells
        assert not re.search(r"[\x00-\x1f]", row)
        assert row.startswith("~ " if hit["match"] == "weak" else "  ")
        assert all(0 <= first <= last <= len(row.encode()) for _, first, last in marks)


def test_what_is_cut_is_cut_where_it_is_missed_least(editor):
    def row(headings: list[str], path: str, cells: int) -> str:
        hit = {"headings": headings, "path": path, "selectionRange": {"start": {"line": 8}}, "match": "strong"}
        return editor.lua(ROWS, [hit], cells)[0][0]

    long = ["Operations", "Incidents", "Restoring the backup"]
    assert row(long, "docs/a.md", 80) == f"  {' > '.join(long)}".ljust(68) + "docs/a.md:9"
    assert row(long, "docs/a.md", 54) == "  … > Incidents > Restoring the backup".ljust(42) + "docs/a.md:9"
    assert row(long, "docs/a.md", 40) == "  … > Restoring the backup".ljust(28) + "docs/a.md:9"
    assert row(long, "docs/a.md", 33) == "  Restoring the ba…".ljust(21) + "docs/a.md:9"
    assert row(["Short"], "docs/one/two/three.md", 29).endswith("…/two/three.md:9")
    assert row(["Short"], "docs/one/a-very-long-name-of-a-page.md", 33).endswith("  …ng-name-of-a-page.md:9")
    assert (
        row(["재시도 정책과 시간 제한"], "docs/ko/설치-안내.md", 36).rstrip() == "  재시도 정책과 시…   …치-안내.md:9"
    )


@pytest.mark.parametrize("columns", [20, 30, 40, 60, 79, 80, 110, 111, 200])
@pytest.mark.parametrize("lines", [4, 6, 10, 20, 24, 50])
def test_windows_lie_inside_the_editor_and_not_on_one_another(editor, columns, lines):
    options = {"width": 0.9, "height": 0.85, "preview": True}
    boxes = editor.lua("return require('ddg.picker.layout').compute(...)", columns, lines, options)
    cells: set[tuple[int, int]] = set()
    for box in boxes.values():
        height, width = box["height"] + 2, box["width"] + 2
        assert box["width"] >= 1
        assert box["height"] >= 1
        own = {(box["row"] + y, box["col"] + x) for y in range(height) for x in range(width)}
        assert not own & cells
        cells |= own
    if lines >= 6:
        assert all(0 <= row < lines and 0 <= col < columns for row, col in cells)


@pytest.mark.parametrize(("columns", "lines"), [(40, 20), (200, 50), (120, 40)])
def test_the_open_picker_follows_the_size_of_the_editor(nvim, columns, lines):
    nvim.lua("vim.o.columns, vim.o.lines = 90, 30")
    nvim.ask("nightly backup", containing="Nightly backup")
    nvim.lua("vim.o.columns, vim.o.lines = ...", columns, lines)
    nvim.command("doautocmd VimResized")
    picker = nvim.picker()
    assert picker["prompt"]["width"] <= columns - 2
    widths = nvim.lua("return vim.tbl_map(vim.fn.strdisplaywidth, ...)", picker["results"]["lines"])
    assert max(widths) <= picker["results"]["width"] <= columns - 2
    assert "Nightly backup" in picker["results"]["lines"][0]
    if "preview" in picker:
        assert picker["preview"]["title"].endswith("ops.md:5")
    nvim.lua("vim.o.columns, vim.o.lines = 120, 40")


def test_the_tags_of_the_help_are_up_to_date(editor, tmp_path):
    copy = tmp_path / "doc"
    copy.mkdir()
    (copy / "ddg.txt").write_text((PLUGIN / "doc" / "ddg.txt").read_text("utf-8"), "utf-8")
    editor.command(f"helptags {copy}")
    assert (copy / "tags").read_text("utf-8") == (PLUGIN / "doc" / "tags").read_text("utf-8")


def test_the_help_names_every_subcommand_option_key_picker_and_colour(editor):
    text = (PLUGIN / "doc" / "ddg.txt").read_text("utf-8")
    for name in editor.lua("return require('ddg.command').names"):
        assert f"*:Ddg-{name}*" in text
    block = text.split("vim.g.ddg = {\n")[1].split("}\n")[0]
    assert set(re.findall(r"^ +(\w+) =", block, re.MULTILINE)) == set(
        editor.lua("return require('ddg.config').defaults")
    )
    for key, *_ in editor.lua("return require('ddg.picker.keys').all"):
        assert key in text.split("*ddg-keys*")[1].split("====")[0]
    sources = "".join(path.read_text("utf-8") for path in PLUGIN.rglob("*.lua"))
    assert set(re.findall(r"\bDdg(?:[A-Z]\w+)", text)) >= set(re.findall(r"'(Ddg[A-Z]\w+)'", sources))
    used = set(re.findall(r"\|(:?ddg[\w.()-]*|:Ddg[\w-]*)\|", text))
    assert used <= set(re.findall(r"\*([^*\s]+)\*", text))


@pytest.mark.parametrize("path", sorted(PLUGIN.rglob("*.lua")), ids=lambda path: str(path.relative_to(PLUGIN)))
def test_lua_files_load_stay_small_and_narrow(editor, path):
    assert editor.lua("local chunk, why = loadfile(...); return why or ''", str(path)) == ""
    lines = path.read_text("utf-8").splitlines()
    assert len(lines) <= 300
    assert max(map(len, lines)) <= 120
    assert lines[0].startswith("-- ")
