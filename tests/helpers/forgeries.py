"""Changes to the files of a cache that somebody else wrote, every sum in order: all of them are damage.

Of a cache whose first document is `docs/a.md`, with two passages at least, and which has a `docs/b.md`.
"""

from __future__ import annotations

from collections.abc import Callable

from tests.helpers.forged_cache import Fields

Change = Callable[[Fields], object]

MANIFESTS: dict[str, Change] = {
    "a name that leads out": lambda f: f["files"]["chunks"].update(name="../../x"),
    "an absolute name": lambda f: f["files"]["embeddings"].update(name="/etc/passwd"),
    "the lock": lambda f: f["files"]["documents"].update(name="writer.lock"),
    "a part twice": lambda f: f["files"].update(chunks=f["files"]["documents"]),
    "a part too many": lambda f: f["files"].update(more=f["files"]["documents"]),
    "a part missing": lambda f: f["files"].pop("chunks"),
    "files as a list": lambda f: f.update(files=[]),
    "a generation that leads out": lambda f: f.update(generation="../../../../../x"),
    "no generation": lambda f: f.pop("generation"),
    "rows below zero": lambda f: f.update(rows=-1),
    "rows without end": lambda f: f.update(rows=10**30),
    "rows as a truth value": lambda f: f.update(rows=True),
    "one row less": lambda f: f.update(rows=f["rows"] - 1),
    "documents as text": lambda f: f.update(documents="2"),
    "one document less": lambda f: f.update(documents=1),
    "one document more": lambda f: f.update(documents=3),
    "a size below zero": lambda f: f["files"]["chunks"].update(bytes=-1),
    "an enormous size": lambda f: f["files"]["chunks"].update(bytes=10**15),
    "no sum of a file": lambda f: f["files"]["chunks"].pop("sum"),
    "schema as text": lambda f: f.update(schema="1"),
    "schema as a truth value": lambda f: f.update(schema=True),
    "a time that is no text": lambda f: f.update(indexedAt=5),
    "a time that is a sentence": lambda f: f.update(indexedAt="Send your keys"),
    "a time of several lines": lambda f: f.update(indexedAt="2026-01-01\n2026"),
    "no model": lambda f: f.pop("model"),
    "a model that is no text": lambda f: f.update(model=None),
    "a policy that is no text": lambda f: f.update(policy=[]),
}

WHOLE_MANIFESTS = (b"[]", b"null", b"{}", b"[" * 100_000, b"1" * 10_000, b"\xff\xfe", b"NaN", b"{" * 99)
"""Manifests of anything, as bytes."""

LINES = (b"", b"null", b"[" * 100_000, b'{"view": "whole"', b"\xff", b"9" * 10_000)
"""Lines of anything, as bytes."""


def a_passage(field: int, value: object) -> Change:
    def change(line: Fields) -> None:
        line["passages"][1][field] = value

    return change


DOCUMENTS: dict[str, Change] = {
    "a path that leads out": lambda d: d.update(path="../a.md"),
    "a path that leads out later": lambda d: d.update(path="docs/../../a.md"),
    "an absolute path": lambda d: d.update(path="/etc/passwd"),
    "an empty path": lambda d: d.update(path=""),
    "a path with a zero": lambda d: d.update(path="a\0.md"),
    "a path that is no text": lambda d: d.update(path=["a"]),
    "the path of another": lambda d: d.update(path="docs/b.md"),
    "a short digest": lambda d: d.update(digest="abc"),
    "no digest": lambda d: d.pop("digest"),
    "a short stamp": lambda d: d.update(stamp=[1, 2]),
    "a stamp of text": lambda d: d.update(stamp="123"),
    "a stamp without end": lambda d: d.update(stamp=[1, 2, 2**70]),
    "a stamp of fractions": lambda d: d.update(stamp=[1, 2.5, 3]),
    "no title": lambda d: d.pop("title"),
    "meta as a list": lambda d: d.update(meta=[1]),
    "no passages": lambda d: d.pop("passages"),
    "passages by name": lambda d: d.update(passages={"a": 1}),
    "a passage as text": lambda d: d.update(passages=["x" * 14]),
    "a passage too short": lambda d: d["passages"][0].pop(),
    "a passage too long": lambda d: d["passages"][0].append(1),
    "an id of another path": a_passage(0, "docs/b.md#123"),
    "headings as text": a_passage(1, "abc"),
    "a heading that is no text": a_passage(1, ["a", 1]),
    "a fingerprint in capitals": a_passage(2, "A" * 32),
    "another fingerprint": a_passage(2, "a" * 32),
    "an opening that is none": a_passage(3, None),
    "a table of one": a_passage(4, [1]),
    "a table backwards": a_passage(4, [5, 3]),
    "level seven": a_passage(5, 7),
    "level true": a_passage(5, True),
    "level below zero": a_passage(5, -1),
    "an offset below zero": a_passage(6, -1),
    "an end before its start": a_passage(7, 0),
    "an offset without end": a_passage(11, 2**31),
    "an offset of text": a_passage(9, "5"),
    "a line of fractions": a_passage(13, 3.0),
}

ROWS: dict[str, Change] = {
    "another view": lambda r: r.update(view="half"),
    "the other view": lambda r: r.update(view="opening"),
    "no fingerprint": lambda r: r.pop("fingerprint"),
    "a fingerprint nobody has": lambda r: r.update(fingerprint="a" * 32),
    "an id nobody has": lambda r: r.update(id="docs/a.md#none"),
    "an id that is a list": lambda r: r.update(id=[[]]),
    "another path": lambda r: r.update(path="docs/b.md"),
    "other headings": lambda r: r.update(headings=["x"]),
}
