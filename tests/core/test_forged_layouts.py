"""What a cache says of a text is held against the text: caches that came with a repository, with every sum in order."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import fields, replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ddg_lsp.core import cache_format, markdown, passages
from ddg_lsp.core.cache_format import CacheContent, CachedDocument
from ddg_lsp.core.embedding.deterministic import DeterministicEmbedder
from ddg_lsp.core.layout import MAX_HEADER, holds
from ddg_lsp.core.model import Document, Passage
from ddg_lsp.core.opening import open_folder
from ddg_lsp.core.outline import outlined
from ddg_lsp.core.refresh import Reader, digest_of
from ddg_lsp.core.settings import Settings
from tests.helpers.folders import ask, build, write
from tests.helpers.forged_cache import forge_manifest, forge_part, part_of
from tests.helpers.markdown_samples import SLOW_SHAPES, documents, with_endings
from tests.helpers.token_counters import counter

PATH = "docs/page.md"
ROWS = "".join(f"| name {n} | what it is for, in some words, number {n} |\n" for n in range(60))
TEXT = f"""---
title: Of settings
aliases: [options]
lang: en
---
What stands before the first heading.

# The page

An introduction.

## Options

Equal text.

## Options

Equal text.

Underlined
over two lines
---

{"A sentence of a long section. " * 120}

### Table of `names` <!-- omit in toc -->

| name | purpose |
|---|---|
{ROWS}
#### Empty

## Shell

```sh
# no heading
curl example.org
```

Last words.
"""
COUNT = counter("deterministic")


def reader(*layouts: CachedDocument) -> Reader:
    return Reader(Path("/nowhere"), Settings(), COUNT, 512, {layout.path: layout for layout in layouts})


def parsed_anew(text: str = TEXT) -> Document:
    return reader().document(PATH, text, None)


def layout_of(document: Document, **changes: object) -> CachedDocument:
    known = CachedDocument(document.path, document.digest, None, document.title, document.passages, document.meta)
    return replace(known, **changes)  # type: ignore[arg-type]


HONEST = parsed_anew()


def taken(changed: Iterable[Passage]) -> Document:
    return reader(layout_of(HONEST, passages=tuple(changed))).document(PATH, TEXT, None)


def with_hashes(changed: Iterable[Passage]) -> tuple[Passage, ...]:
    """The passages with fingerprints and ids that fit what they say now, as a careful forger would write them."""
    found = []
    for passage in changed:
        whole, opening = passages.whole_text(TEXT, passage), passages.opening_text(TEXT, passage)
        name = passages.hash_of(whole)
        shared = passage.opening == passage.fingerprint and whole == opening
        found.append(replace(passage, fingerprint=name, opening=name if shared else passages.hash_of_opening(opening)))
    names = passages.names_of(PATH, (passage.fingerprint for passage in found))
    return tuple(replace(passage, id=name) for passage, name in zip(found, names, strict=True))


def test_the_page_has_what_can_be_forged() -> None:
    starts = [passage.start for passage in HONEST.passages]
    assert len(starts) > len(set(starts)) > 7
    assert any(passage.table_header for passage in HONEST.passages)
    assert {passage.level for passage in HONEST.passages} == {0, 1, 2, 3, 4}
    assert any(passage.id.endswith("-2") for passage in HONEST.passages)


def test_an_honest_layout_is_taken_without_parsing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(markdown, "parse", None)
    assert taken(HONEST.passages) == replace(HONEST, passages=HONEST.passages)


def numbers(value: int) -> Iterator[int]:
    yield from {0, value + 1, value + 7, max(value - 1, 0), len(TEXT) - 1, len(TEXT) + 5, 2**31 - 1} - {value}


FORGED: dict[str, Callable[[Passage], Iterable[object]]] = {
    "id": lambda p: [f"{PATH}#0", p.id + "-9", f"{PATH}#{'0' * 16}"],
    "path": lambda _: ["docs/other.md"],
    "headings": lambda p: [(), ("Run the installer as root",), (*p.headings, "x"), p.headings[:-1], p.headings[::-1]],
    "level": lambda p: {*range(7)} - {p.level},
    "fingerprint": lambda p: ["0" * 32, p.fingerprint[::-1]],
    "opening": lambda p: ["0" * 32, p.opening[::-1]],
    "table_header": lambda p: [(0, 4), (p.body_start, p.body_start), (p.body_start, p.body_end), (len(TEXT), 2**30)],
    **{
        name: lambda p, name=name: numbers(getattr(p, name))  # type: ignore[misc]
        for name in ("start", "end", "heading_start", "heading_end", "body_start", "body_end", "line", "end_line")
    },
}


def forgeries(name: str) -> Iterator[tuple[object, list[Passage]]]:
    """The passages with one field of one of them forged, for each passage and each forged value of it."""
    for at, passage in enumerate(HONEST.passages):
        for value in FORGED[name](passage):
            if value != getattr(passage, name):
                forged = list(HONEST.passages)
                forged[at] = replace(passage, **{name: value})  # type: ignore[arg-type]
                yield (at, value), forged


def test_every_field_of_a_passage_is_forged_here() -> None:
    assert FORGED.keys() == {field.name for field in fields(Passage)}


@pytest.mark.parametrize("name", FORGED)
def test_a_forged_field_of_any_passage_is_not_believed(name: str) -> None:
    for what, forged in forgeries(name):
        assert taken(forged) == HONEST, what


SHOWN = ("headings", "level", "start", "end", "heading_start", "heading_end", "line", "end_line")


@pytest.mark.parametrize("name", SHOWN)
def test_what_is_shown_cannot_be_forged_with_fitting_hashes_either(name: str) -> None:
    for what, forged in forgeries(name):
        assert taken(with_hashes(forged)) == HONEST, what


def merged(first: int, second: int) -> list[Passage]:
    """Two passages of neighbouring sections made one, so that the second heading seems to be text."""
    one, other = HONEST.passages[first], HONEST.passages[second]
    whole = replace(one, end=other.end, body_end=other.body_end, end_line=other.end_line)
    return [*HONEST.passages[:first], whole, *HONEST.passages[second + 1 :]]


def rows_as_header() -> list[Passage]:
    """A piece of the table that repeats all rows before it, which would be hashed again for every piece."""
    at = max(n for n, passage in enumerate(HONEST.passages) if passage.table_header)
    start = TEXT.index("| name | purpose")
    assert HONEST.passages[at].body_start - start > MAX_HEADER
    wide = replace(HONEST.passages[at], table_header=(start, HONEST.passages[at].body_start))
    return [*HONEST.passages[:at], wide, *HONEST.passages[at + 1 :]]


def heading_in_a_fence() -> list[Passage]:
    last = HONEST.passages[-1]
    at = TEXT.index("# no heading")
    line = TEXT[:at].count("\n")
    before = replace(last, end=at, body_end=at, end_line=line - 1)
    end = at + len("# no heading")
    after = replace(
        last, headings=("The page", "no heading"), level=1, start=at, heading_start=at, heading_end=end,
        body_start=end + 1, line=line,
    )  # fmt: skip
    return [*HONEST.passages[:-1], before, after]


LAYOUTS: dict[str, Callable[[], list[Passage]]] = {
    "nothing": list,
    "the first left out": lambda: list(HONEST.passages[1:]),
    "the last left out": lambda: list(HONEST.passages[:-1]),
    "one left out": lambda: [*HONEST.passages[:3], *HONEST.passages[4:]],
    "one twice": lambda: [*HONEST.passages[:4], *HONEST.passages[3:]],
    "backwards": lambda: list(HONEST.passages[::-1]),
    "two changed about": lambda: [*HONEST.passages[:2], HONEST.passages[3], HONEST.passages[2], *HONEST.passages[4:]],
    "an empty piece more": lambda: [
        *HONEST.passages,
        replace(HONEST.passages[-1], body_start=HONEST.passages[-1].body_end),
    ],
    "two sections as one": lambda: merged(2, 3),
    "the underlined heading as text": lambda: merged(3, 4),
    "rows as a header": rows_as_header,
    "a comment of a shell as a heading": heading_in_a_fence,
}


@pytest.mark.parametrize("name", LAYOUTS)
def test_a_forged_division_is_not_believed_even_with_fitting_hashes(name: str) -> None:
    assert taken(LAYOUTS[name]()) == HONEST
    assert taken(with_hashes(LAYOUTS[name]())) == HONEST


@pytest.mark.parametrize("title", ["", "Run the installer as root", "Of settings "])
def test_a_title_and_front_matter_are_those_of_the_text(title: str) -> None:
    for meta in ({}, {"title": title, "lang": "ko", "aliases": ["x"]}, {**HONEST.meta, "date": "2099-01-01"}):
        forged = layout_of(HONEST, title=title, meta=meta)
        assert reader(forged).document(PATH, TEXT, None) == HONEST


def test_a_layout_of_another_text_is_not_looked_at() -> None:
    other = TEXT.replace("Last words", "Lost words")
    forged = layout_of(HONEST, digest=digest_of(other))
    assert reader(forged).document(PATH, other, None) == parsed_anew(other)


@given(documents, st.sampled_from(["\n", "\r\n", "\r"]), st.data())
@settings(max_examples=150, deadline=None)
def test_a_layout_never_changes_a_document(text: str, ending: str, data: st.DataObject) -> None:
    text = with_endings(text, ending)
    honest = parsed_anew(text)
    assert reader(layout_of(honest)).document(PATH, text, None) == honest
    if honest.passages:
        at = data.draw(st.integers(0, len(honest.passages) - 1))
        name = data.draw(st.sampled_from([field.name for field in fields(Passage) if field.name != "table_header"]))
        value = data.draw(
            st.integers(0, len(text) + 3)
            if isinstance(getattr(honest.passages[at], name), int)
            else st.just(("Forged",) if name == "headings" else "0" * 32)
        )
        forged = list(honest.passages)
        forged[at] = replace(forged[at], **{name: value})  # type: ignore[arg-type]
        assert reader(layout_of(honest, passages=tuple(forged))).document(PATH, text, None) == honest


@pytest.mark.parametrize("shape", SLOW_SHAPES)
def test_no_text_hangs_the_outline(shape: str) -> None:
    text = SLOW_SHAPES[shape]
    assert "".join(text[s.start : s.end] for s in outlined(text).sections) in text


def test_this_projects_documents_are_not_parsed_twice() -> None:
    pages = sorted((Path(__file__).parents[2] / "docs").rglob("*.md"))
    assert len(pages) > 20
    for page in pages:
        text = page.read_bytes().decode()
        honest = parsed_anew(text)
        assert holds(PATH, honest.passages, outlined(text), text), page.name


def test_an_answer_says_nothing_a_forged_cache_on_disk_made_up(tmp_path: Path) -> None:
    write(tmp_path, {PATH: TEXT})
    honest = build(tmp_path, DeterministicEmbedder())
    expected = ask(honest.folder, "options").hits
    honest.folder.close()
    data = part_of(tmp_path, "documents").read_bytes()
    known = cache_format.decode_documents(data, 1)[PATH]
    lie = [replace(p, headings=("Send your keys",), line=0, end_line=1) for p in known.passages]
    dimensions = DeterministicEmbedder().info.dimensions
    forged = {PATH: replace(known, title="Send", passages=with_hashes(lie))}
    blobs, _ = cache_format.encode(CacheContent(forged, (), np.empty((0, dimensions), np.float32), ""), dimensions)
    forge_part(tmp_path, "documents", blobs.documents)
    forge_part(tmp_path, "chunks", b"")
    forge_part(tmp_path, "embeddings", b"")
    forge_manifest(tmp_path, lambda manifest: manifest.update(rows=0))
    opened = open_folder(tmp_path, {}, DeterministicEmbedder())
    assert opened.folder.keeping.layouts[PATH].passages[0].headings == ("Send your keys",)
    opened.folder.refresh()
    while opened.folder.pending():
        opened.embed_some()
    assert ask(opened.folder, "options").hits == expected
    opened.folder.close()
