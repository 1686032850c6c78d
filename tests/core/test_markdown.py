"""What is a heading, what is a section, and where they stand. Rows are those of the reports from other tools' users."""

from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ddg_lsp.core.markdown import LONG_HEADING, parse
from ddg_lsp.core.outline import outlined
from tests.helpers.document_properties import check_sections, check_shown
from tests.helpers.markdown_samples import SLOW_SHAPES, any_text, documents, with_endings


def headings(text: str) -> list[tuple[int, str]]:
    return [(heading.level, heading.text) for heading in parse(text).headings]


def paths(text: str) -> list[tuple[str, ...]]:
    return [section.path for section in parse(text).sections]


def test_q10_level_jump_and_fence() -> None:
    text = "# A\n\n### C\n\n```sh\n# no\n```\n"
    assert paths(text) == [("A",), ("A", "C")]
    last = parse(text).sections[-1]
    assert text[last.body_start : last.body_end] == "\n```sh\n# no\n```\n"


def test_a_level_jump_leaves_no_slot_behind() -> None:
    assert paths("# A\n### C\n## B\n### D\n# E\n## F\n") == [
        ("A",),
        ("A", "C"),
        ("A", "B"),
        ("A", "B", "D"),
        ("E",),
        ("E", "F"),
    ]


@pytest.mark.parametrize(
    "text",
    [
        "```sh\n# install\n```\n",
        "~~~\n# a\n```\n# b\n~~~\n",
        "```\n# never closed\n",
        "- item\n  ```\n  # no\n  ```\n",
        "1. item\n\n   ```py\n   # no\n   ```\n",
        "> ```\n> # no\n> ```\n",
        "    # indented code\n",
        "para\n\n\t# tab code\n",
        "<!--\n# draft\n-->\n",
        "<script>\n# a\n\n# b\n</script>\n",
        "<style>\n\n# a\n</style>\n",
        "<pre>\n# a\n\n# b\n</pre>\n",
        "<div>\n# a\n</div>\n",
        "#hashtag\n",
        "####### seven\n",
        "\\# escaped\n",
        "> # quoted\n",
        "- # in an item\n",
        "- a\n\n  ## in an item\n",
        "text\n\n---\n",
        "* * *\n",
        "- a\n---\n",
        "> a\n---\n",
        "| a |\n|---|\n| # b |\n",
        "!!! note\n    # admonition\n",
    ],
)
def test_rows_39_to_42_what_only_looks_like_a_heading(text: str) -> None:
    assert headings(text) == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("   # three spaces ok\n", [(1, "three spaces ok")]),
        ("#\tTab\n", [(1, "Tab")]),
        ("# A #\n## B ##   \n### C#\n", [(1, "A"), (2, "B"), (3, "C#")]),
        ("#\n## \n", [(1, ""), (2, "")]),
        ("para\n# directly below\n", [(1, "directly below")]),
        ("- item\n# after a list\n", [(1, "after a list")]),
        ("<Tabs>\n\n## Inside JSX\n\n</Tabs>\n", [(2, "Inside JSX")]),
        ("import X from 'x'\n\n# MDX\n\n<X a={1} />\n", [(1, "MDX")]),
        ("# no line ending", [(1, "no line ending")]),
    ],
)
def test_atx_headings(text: str, expected: list[tuple[int, str]]) -> None:
    assert headings(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Title\n===\n", (1, "Title")),
        ("Title\n-\n", (2, "Title")),
        ("two\nlines  \n  and *three*\n=====\n", (1, "two lines and three")),
        ("  Title\n   ---\n", (2, "Title")),
    ],
)
def test_row_46_setext_headings(text: str, expected: tuple[int, str]) -> None:
    parsed = parse(text + "body\n")
    assert headings(text + "body\n") == [expected]
    heading, section = parsed.headings[0], parsed.sections[0]
    assert (text + "body\n")[heading.start : heading.end] == text.rstrip("\n")
    assert (section.body_start, section.line) == (len(text), 0)


def test_row_47_duplicate_headings_are_separate_sections() -> None:
    text = "# A\n## Options\nx\n## Options\ny\n"
    assert paths(text) == [("A",), ("A", "Options"), ("A", "Options")]


def test_row_48_a_byte_order_mark_hides_nothing() -> None:
    assert headings("\ufeff# A\n") == [(1, "A")]
    assert parse("\ufeff# A\n").headings[0].start == 1
    parsed = parse("\ufeff---\ntitle: x\n---\n## A\n")
    assert (parsed.title, paths("\ufeff---\ntitle: x\n---\n## A\n")) == ("x", [("x", "A")])


@given(documents, st.sampled_from(["\r\n", "\r"]))
@settings(deadline=None)
def test_row_49_line_endings_change_no_heading(text: str, ending: str) -> None:
    plain, other = parse(text), parse(with_endings(text, ending))
    assert [(h.level, h.text, h.line) for h in plain.headings] == [(h.level, h.text, h.line) for h in other.headings]
    assert [(s.path, s.line, s.end_line) for s in plain.sections] == [
        (s.path, s.line, s.end_line) for s in other.sections
    ]


def test_row_49_offsets_count_the_carriage_return() -> None:
    text = "# A\r\nx\r\n## B\r\ny\r\n"
    second = parse(text).sections[1]
    assert text[second.start : second.heading_end] == "## B"
    assert text[second.body_start : second.body_end] == "y\r\n"


def test_text_before_the_first_heading_belongs_to_the_title() -> None:
    text = "\n\nintro\nmore\n\n## B\n# A\n"
    first = parse(text).sections[0]
    assert (first.path, first.level, first.heading) == (("A",), 0, None)
    assert (first.start, first.end) == (0, text.index("## B"))
    assert text[first.heading_start : first.heading_end] == "intro"
    assert first.line == 2
    assert paths("just text\n") == [()]
    assert paths(" \n\t\n# A\n") == [("A",)]
    assert paths(" \n") == []


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("---\ntitle: F\n---\n## B\n# A\n", "A"),
        ("---\ntitle: F\n---\n## B\n", "F"),
        ("---\ntitle: F\n---\n#\n## B\n", "F"),
        ("## B\n### C\n", "B"),
        ("> # Q\n\ntext\n", ""),
        ("", ""),
    ],
)
def test_the_title(text: str, title: str) -> None:
    assert parse(text).title == title


def test_the_front_matters_title_is_the_root_when_there_is_no_h1() -> None:
    assert paths("---\ntitle: F\n---\nx\n## B\n### C\n") == [("F",), ("F", "B"), ("F", "B", "C")]
    assert paths("---\ntitle: F\n---\nx\n# A\n## B\n") == [("A",), ("A",), ("A", "B")]


def test_a_heading_without_text_is_left_out_of_paths() -> None:
    assert paths("# A\n##\n### C\n") == [("A",), ("A",), ("A", "C")]


def test_a_paragraph_underlined_by_mistake_is_body_too() -> None:
    text = "word " * (LONG_HEADING // 5 + 1) + "\n---\nrest\n"
    section = parse(text).sections[0]
    assert (section.level, section.body_start, section.body_end) == (2, 0, len(text))


def test_places_of_blocks_items_and_rows() -> None:
    text = "# A\npara\n\n- one\n\n  more\n- two\n  - deep\n\n| a |\n|---|\n| 1 |\n| 2 |\n\n"
    text += "> q\n>\n> r\n\n---\n\n    code\n"
    blocks = parse(text).sections[0].blocks
    assert [block.kind for block in blocks] == ["paragraph", "list", "table", "quote", "rule", "code"]
    items, table, quote = blocks[1], blocks[2], blocks[3]
    assert [text[cut:][:5] for cut in items.cuts] == ["- one", "- two"]
    assert [text[cut:].split("\n")[0] for cut in items.inner_cuts] == ["  more", "  - deep"]
    assert [text[cut:][:5] for cut in table.cuts] == ["| 1 |", "| 2 |"]
    assert text[table.start : table.cuts[0]] == "| a |\n|---|\n"
    assert [text[cut:][:3] for cut in quote.cuts] == ["> q", "> r"]


@given(any_text)
@settings(deadline=None)
def test_sections_tile_the_text_and_nothing_raises(text: str) -> None:
    check_sections(text, parse(text))


@given(any_text)
@settings(deadline=None)
def test_what_is_shown_can_be_written_anywhere(text: str) -> None:
    check_shown(parse(text))
    check_shown(outlined(text))


@pytest.mark.parametrize("shape", SLOW_SHAPES)
def test_no_text_hangs_the_parser(shape: str) -> None:
    started = time.process_time()
    parse(SLOW_SHAPES[shape])
    assert time.process_time() - started < 10


def test_many_headings() -> None:
    parsed = parse("# a\n" * 20_000)
    assert len(parsed.sections) == 20_000
    assert parsed.sections[-1].line == 19_999
