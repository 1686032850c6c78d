"""LineIndex: LSP's line endings, three encodings, and places that do not exist."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ddg_lsp.core.text import Encoding, LineIndex
from tests.helpers.markdown_samples import any_text

ENCODINGS: tuple[Encoding, ...] = ("utf-8", "utf-16", "utf-32")


def widths(encoding: Encoding, text: str) -> int:
    """An independent count of a text's characters in an encoding."""
    if encoding == "utf-8":
        return sum(1 + (ord(c) > 0x7F) + (ord(c) > 0x7FF) + (ord(c) > 0xFFFF) for c in text)
    return sum(1 + (encoding == "utf-16" and ord(c) > 0xFFFF) for c in text)


def test_the_three_line_endings_and_no_other() -> None:
    index = LineIndex("a\nb\r\nc\rd\u2028e\x0bf\x85g\x0ch")
    assert index.line_count == 4
    assert [index.line_start(line) for line in range(4)] == [0, 2, 5, 7]
    assert [index.line_end(line) for line in range(4)] == [1, 3, 6, 16]


def test_a_line_ending_at_the_end_opens_an_empty_line() -> None:
    index = LineIndex("a\n")
    assert (index.line_count, index.line_start(1), index.line_end(1)) == (2, 2, 2)
    assert LineIndex("").line_count == 1


def test_mixed_endings_that_touch() -> None:
    index = LineIndex("\n\r\r\n\n")
    assert [(index.line_start(line), index.line_end(line)) for line in range(index.line_count)] == [
        (0, 0),
        (1, 1),
        (2, 2),
        (4, 4),
        (5, 5),
    ]


@pytest.mark.parametrize(("encoding", "character"), [("utf-8", 14), ("utf-16", 10), ("utf-32", 8)])
def test_row_67_columns_after_astral_characters(encoding: Encoding, character: int) -> None:
    text = "first\n# 𝔘ni 🎉 end"
    index = LineIndex(text)
    offset = text.index(" end") + 1
    assert index.position(offset, encoding) == (1, character)
    assert index.offset(1, character, encoding) == offset


def test_inside_a_character_is_its_start() -> None:
    index = LineIndex("a🎉b")
    assert [index.offset(0, character, "utf-16") for character in range(6)] == [0, 1, 1, 2, 3, 3]
    assert [index.offset(0, character, "utf-8") for character in range(8)] == [0, 1, 1, 1, 1, 2, 3, 3]


def test_beyond_a_line_is_its_end_and_beyond_the_text_is_its_end() -> None:
    index = LineIndex("ab\r\ncdé")
    assert index.offset(0, 99, "utf-16") == 2
    assert index.offset(1, 99, "utf-8") == 7
    assert index.offset(7, 0, "utf-16") == 7
    assert index.offset(-1, 5, "utf-16") == 0
    assert index.offset(1, -5, "utf-16") == 4


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_a_place_inside_a_line_ending_is_the_end_of_its_line(encoding: Encoding) -> None:
    index = LineIndex("é\r\nb")
    assert index.position(2, encoding) == index.position(1, encoding)
    assert index.position(-4, encoding) == (0, 0)
    assert index.position(99, encoding) == (1, 1)


def test_two_lone_surrogates_are_two_characters() -> None:
    index = LineIndex("\ud83d\ude00x")
    assert index.position(2, "utf-16") == (0, 2)
    assert [index.offset(0, character, "utf-16") for character in (1, 2, 3)] == [1, 2, 3]
    assert [index.offset(0, character, "utf-8") for character in (3, 6, 7)] == [1, 2, 3]


@settings(deadline=None)
@given(any_text, st.sampled_from(ENCODINGS))
def test_every_place_survives_the_round_trip(text: str, encoding: Encoding) -> None:
    index = LineIndex(text)
    for offset in range(0, len(text) + 1, 1 + len(text) // 100):
        line, character = index.position(offset, encoding)
        assert character == widths(encoding, text[index.line_start(line) : min(offset, index.line_end(line))])
        assert index.offset(line, character, encoding) == min(offset, index.line_end(line))


@settings(deadline=None)
@given(any_text, st.integers(-2, 300), st.integers(-2, 500), st.sampled_from(ENCODINGS))
def test_any_position_is_a_place_on_its_line(text: str, line: int, character: int, encoding: Encoding) -> None:
    index = LineIndex(text)
    offset = index.offset(line, character, encoding)
    if 0 <= line < index.line_count:
        assert index.line_start(line) <= offset <= index.line_end(line)
        assert index.position(offset, encoding)[1] <= max(character, 0)
    else:
        assert offset == (0 if line < 0 else len(text))


@settings(deadline=None)
@given(any_text)
def test_lines_tile_the_text(text: str) -> None:
    index = LineIndex(text)
    starts = [index.line_start(line) for line in range(index.line_count)]
    ends = [*starts[1:], len(text)]
    assert "".join(text[a:b] for a, b in zip(starts, ends, strict=True)) == text
    assert all(index.line_of(a) == line for line, a in enumerate(starts))
    for line, end in enumerate(ends):
        assert text[index.line_end(line) : end] in ("\n", "\r\n", "\r", "")
