"""Front matter ends where it ends, says what it says, and never does harm."""

from __future__ import annotations

import json
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ddg_lsp.core import front_matter
from ddg_lsp.core.markdown import parse
from tests.helpers.markdown_samples import any_text


def test_row_45_the_closing_line_makes_no_heading() -> None:
    parsed = parse("---\ntitle: x\n---\n# A\n")
    assert [(heading.level, heading.text) for heading in parsed.headings] == [(1, "A")]
    assert parsed.meta == {"title": "x"}


@pytest.mark.parametrize(
    ("text", "rest"),
    [
        ("---\na: b\n---\nrest", "rest"),
        ("---\na: b\n...\nrest", "rest"),
        ("---  \na: b\n---\t\nrest", "rest"),
        ("---\r\na: b\r\n---\r\nrest", "rest"),
        ("---\ra: b\r---\rrest", "rest"),
        ("---\na: b\n---", ""),
        ("---\n---\nrest", "rest"),
        ("---\n# only a comment\n---\nrest", "rest"),
        ("+++\na = 'b'\n+++\nrest", "rest"),
        ("---\nbroken: [\nmore: x\n---\nrest", "rest"),
        ("---\na: b\n--- not closing\n---\nrest", "rest"),
    ],
)
def test_where_it_ends(text: str, rest: str) -> None:
    assert text[front_matter.split(text)[0] :] == rest


@pytest.mark.parametrize(
    "text",
    [
        "---\n\nProse between two rules.\n\n---\n",
        "---\n- a\n- b\n---\n",
        "---\nnever closed: true\n",
        " ---\na: b\n---\n",
        "----\na: b\n----\n",
        "\n---\na: b\n---\n",
        "--- a\nb: c\n---\n",
        "text\n---\na: b\n---\n",
        "---\n\n*Emphasis* opens [prose\n\n---\n",
    ],
)
def test_what_is_no_front_matter_stays_text(text: str) -> None:
    assert front_matter.split(text) == (0, {})


def test_values_stay_as_written() -> None:
    text = "---\ntitle: 3.10\nlang: no\ndate: 2024-02-30\ndraft: true\ntags: [a, 'b']\nempty:\nnested: {k: 1:30}\n---\n"
    assert front_matter.split(text)[1] == {
        "title": "3.10",
        "lang": "no",
        "date": "2024-02-30",
        "draft": True,
        "tags": ["a", "b"],
        "empty": None,
        "nested": {"k": "1:30"},
    }


def test_toml() -> None:
    text = "+++\ntitle = 'T'\ndate = 2024-01-02\n[taxonomies]\ntags = ['a', 1]\n+++\n"
    expected = {"title": "T", "date": "2024-01-02", "taxonomies": {"tags": ["a", 1]}}
    assert front_matter.split(text)[1] == expected


def test_of_bad_yaml_the_plain_lines_are_read() -> None:
    text = "---\n# comment\ntitle: Redis: a guide\nquoted: 'it''s\nlist: [a\nlang: ja\n---\n"
    meta = front_matter.split(text)[1]
    assert (meta["title"], meta["lang"]) == ("Redis: a guide", "ja")
    assert "list" not in meta


def test_an_alias_bomb_stays_small() -> None:
    levels = "".join(f"{chr(98 + n)}: &{chr(98 + n)} [{', '.join(['*' + chr(97 + n)] * 9)}]\n" for n in range(9))
    text = f"---\ntitle: T\na: &a [x]\n{levels}---\n"
    started = time.process_time()
    meta = front_matter.split(text)[1]
    assert meta["title"] == "T"
    assert len(json.dumps(meta)) < 1_000
    assert time.process_time() - started < 5


@pytest.mark.parametrize(
    "source",
    [
        "a: !!python/object/apply:os.system [x]",
        "a: !!timestamp x",
        'a: !!int ""',
        "a: !!float z",
        "a: !!int 0x" + "F" * 20_000,
        "a: " + "[" * 5_000,
        "a: " + "{b: " * 5_000,
        "- " * 5_000,
        "a: *missing",
        '"\\ud83d": "\\ud83d\\ude00"',
        '"\\UFFFFFFFF": 1',
        "? [a]\n: b",
        "a: \x01",
        "%YAML 9.9",
        "\ud800: x",
    ],
)
def test_hostile_yaml_raises_nothing_and_is_plain(source: str) -> None:
    json.dumps(front_matter.split(f"---\n{source}\n---\n")[1]).encode()


@pytest.mark.parametrize(
    "source", ["a = " + "[" * 5_000, "a." * 3_000 + "a = 1", "a = " + "9" * 6_000, "a = 1979-99-99", "="]
)
def test_hostile_toml_raises_nothing_and_is_plain(source: str) -> None:
    json.dumps(front_matter.split(f"+++\n{source}\n+++\n")[1]).encode()


def test_a_big_one_is_not_parsed_but_still_not_text() -> None:
    text = "---\ntitle: T\n" + "key: value\n" * 20_000 + "---\n# A\n"
    started = time.process_time()
    end, meta = front_matter.split(text)
    assert text[end:] == "# A\n"
    assert meta["title"] == "T"
    assert time.process_time() - started < 5


@given(any_text, st.sampled_from(["---", "+++"]))
@settings(deadline=None)
def test_any_source_raises_nothing_and_is_plain(source: str, fence: str) -> None:
    text = f"{fence}\n{source}\n{fence}\n"
    end, meta = front_matter.split(text)
    assert 0 <= end <= len(text)
    json.dumps(meta).encode()
