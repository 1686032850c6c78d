"""What is embedded, byte for byte: a change here voids every cache, so it must be meant."""

from __future__ import annotations

import pytest

from ddg_lsp.core.embedded_text import Flat, flatten, head
from ddg_lsp.core.markdown import parse
from ddg_lsp.core.model import Passage
from ddg_lsp.core.passages import FORMAT, cut, opening_text, whole_text
from tests.helpers.token_counters import counter


def cut_text(text: str, path: str = "docs/guide.md", **bounds: int) -> tuple[Passage, ...]:
    return cut(path, parse(text), text, counter("deterministic"), **bounds)


def wholes(text: str, path: str = "docs/guide.md", **bounds: int) -> list[str]:
    return [whole_text(text, passage) for passage in cut_text(text, path, **bounds)]


GOLDEN = """\ufeff---
title: Not used
---
intro

# Guide to *things*

First.\r
Second with ![a picture](data:image/png;base64,iVBORw0KGgo=).

## Empty

### Deep {#deep}

    code

tail \0 end
"""


def test_golden_wholes() -> None:
    assert FORMAT == 1  # raise it together with these lines
    assert wholes(GOLDEN) == [
        "path: docs/guide.md\nGuide to things\n\nintro",
        "path: docs/guide.md\nGuide to things\n\nFirst.\nSecond with ![a picture]().",
        "path: docs/guide.md\nGuide to things > Empty",
        "path: docs/guide.md\nGuide to things > Empty > Deep\n\ncode\n\ntail \ufffd end",
    ]
    assert wholes("no heading\n") == ["path: docs/guide.md\n\nno heading"]


def test_golden_fingerprints() -> None:
    first, second = cut_text("# A\n\nbody\n\n## B\n\n" + "word " * 100, "a.md")
    assert first.fingerprint == "2069ef4cb4969a7c40035902eae694fc"
    assert first.id == f"a.md#{first.fingerprint[:16]}"
    assert (second.fingerprint, second.opening) == (
        "725d7926ec5ed081b5728c590116b126",
        "787e321e2cc0bec19483bf4f5372b0cf",
    )


def test_the_opening_is_the_head_and_the_first_320_code_points() -> None:
    text = "# A\n\n" + "한국어 " * 200
    passage = cut_text(text)[0]
    assert opening_text(text, passage) == "path: docs/guide.md\nA\n\n" + ("한국어 " * 200)[:319]
    assert whole_text(text, passage).startswith(opening_text(text, passage))


def test_an_opening_shares_the_wholes_fingerprint_only_when_it_is_the_whole() -> None:
    short, long = cut_text("# A\n\nshort\n\n# B\n\n" + "word " * 100)
    assert short.opening == short.fingerprint
    assert long.opening != long.fingerprint


def test_the_head_is_bounded() -> None:
    deep = "d/" * 200 + "the-file.md"
    assert head(deep, []) == "path: " + deep[-160:]
    assert head("한" * 200, []) == "path: " + "한" * 80
    outer = ["outermost " * 20, "middle " * 20, "inner"]
    assert head("a.md", outer) == f"path: a.md\n{outer[1]} > inner"
    assert head("a.md", ["x" * 900]) == "path: a.md\n" + "x" * 320
    assert len(head("p" * 5_000, ["h" * 500] * 6)) < 500


@pytest.mark.parametrize(
    ("source", "embedded"),
    [
        ("a\r\nb\rc\n", "a\nb\nc\n"),
        ("![x](data:image/png;base64,AAAA+/==) y", "![x]() y"),
        ("[i]: <data:image/svg+xml,%3Csvg%20a='b'%3E>", "[i]: <'b'%3E>"),
        ('<img src="data:image/gif;charset=x;base64,R0lG">', '<img src="">'),
        ("url(data:font/woff2;base64,d09G)", "url()"),
        ("data:;base64,AAAA z", " z"),
        ("data:image/png;base64,\n" + ("A" * 76 + "\n") * 3 + "AA==\nprose", "\nprose"),
        ("data:image/png;base64,\r\n" + ("A" * 76 + "\r\n") * 3 + "AA==\r\nprose", "\nprose"),
        ("DATA:image/png;base64,AAAA.", "."),
        ("metadata: yes, data: no, data:,x", "metadata: yes, data: no, data:,x"),
        ('{"data": 1, data:image}', '{"data": 1, data:image}'),
        ("data:a/b;base64", "data:a/b;base64"),
    ],
)
def test_what_is_dropped(source: str, embedded: str) -> None:
    assert flatten(source) == embedded


def test_places_lead_back_to_the_document() -> None:
    text = "..a\r\nb![](data:image/png;base64,AAAA)\r\rc.."
    flat = Flat(text, 2, len(text) - 2)
    assert flat.text == "a\nb![]()\n\nc"
    assert [flat.to_document(place) for place in range(3)] == [2, 3, 5]
    assert flat.from_document(text.index("\nb")) == flat.from_document(text.index("\r\nb")) == 1
    assert flat.from_document(text.index("AAAA")) == flat.text.index(")")
    assert flat.to_document(flat.text.index(")")) == text.index("data:")
    assert flat.to_document(len(flat.text)) == len(text) - 2
