"""Ranges follow unsaved edits: what lies outside the edited stretch is exactly where it is on the screen."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ddg_lsp.core.text import LineIndex
from ddg_lsp.server.ranges import Ranges

ENCODINGS = ("utf-8", "utf-16", "utf-32")
PIECES = st.text(alphabet="ab# \n\r🎉é\u2028", max_size=30)


# Where old and new text are alike, more than one edit explains the difference; so here they are not.
OLD, NEW = st.text(alphabet="xy𝔘\t", max_size=20), st.text(alphabet="uv\n🚀-", max_size=20)


@given(PIECES, OLD, NEW, PIECES, st.sampled_from(ENCODINGS))
def test_places_outside_the_edit_move_with_it(before, old, new, after, encoding):
    text, screen = before + old + after, before + new + after
    ranges, shown = Ranges(text, screen, encoding), LineIndex(screen)
    for offset in range(len(before)):
        assert _at(ranges, offset) == shown.position(offset, encoding)
    for back in range(len(after)):
        expected = shown.position(len(screen) - back, encoding)
        assert _at(ranges, len(text) - back) == expected


@given(PIECES, PIECES, st.sampled_from(ENCODINGS))
def test_every_place_is_one_that_exists(text, screen, encoding):
    ranges, shown = Ranges(text, screen, encoding), LineIndex(screen)
    for offset in range(len(text) + 1):
        line, character = _at(ranges, offset)
        assert (line, character) == shown.position(shown.offset(line, character, encoding), encoding)


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_a_document_that_is_not_open_is_taken_as_it_was_indexed(encoding):
    assert _at(Ranges("# A\n\n# B\n", None, encoding), 5) == (2, 0)


def test_forty_lines_above_a_heading_move_it_by_forty():
    text = "# A\n\nbody\n\n## 🎉 B\n\nmore\n"
    screen = text.replace("body", "body\n" * 40 + "body")
    assert Ranges(text, screen, "utf-16").range(11, 17) == {
        "start": {"line": 44, "character": 0},
        "end": {"line": 44, "character": 7},
    }


def _at(ranges: Ranges, offset: int) -> tuple[int, int]:
    start = ranges.range(offset, offset)["start"]
    return start["line"], start["character"]
