"""What the files of the vector cache hold: bytes to values and back, with every doubt an error.

Owns the layout of the three data files and all checks of their content. Touches no disk.

    chunks      one JSON object a line; line i tells whose vector row i is: view, fingerprint, and id, path, headings
                and level of the first passage that uses it. A vector is stored once, however many views share a text.
    embeddings  float32, little-endian, row after row; rows of wholes first, then of openings that are no whole
    documents   one JSON object a line: everything an unchanged document needs to be indexed without parsing it

None of them holds body text. JSON is UTF-8 in which lone surrogates (undecodable file names) are allowed.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import chain
from typing import Any, NamedTuple

import numpy as np

from ddg_lsp.core.embedding import Matrix
from ddg_lsp.core.model import Passage, Stamp

NORM_TOLERANCE = 0.01
"""Vectors have norm 1; what is farther off was not written by an embedder of ours."""
_HASH = re.compile(r"[0-9a-f]{32}")
_LIMIT = 2**31
"""No offset, line or level is this large; no file of the corpus comes near it."""
_dumps = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode
_dumps_meta = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), default=str, skipkeys=True).encode


class Damaged(Exception):  # noqa: N818 - internal: the reason a file is set aside
    """A file of the cache does not hold what it must; `str` is the reason, never document text."""


@dataclass(frozen=True, slots=True)
class CachedDocument:
    """What lets an unchanged file be indexed without parsing it."""

    path: str
    digest: str
    stamp: Stamp | None
    title: str
    passages: tuple[Passage, ...]
    meta: Mapping[str, object]
    """A JSON-safe subset of the front matter; what is not JSON-safe comes back as text, or not at all."""


@dataclass(frozen=True, slots=True)
class CacheContent:
    """Everything one cache holds. Documents may be embedded in part or not at all: a build resumes from there."""

    documents: Mapping[str, CachedDocument]
    fingerprints: tuple[str, ...]
    """One per row: the fingerprint of a whole or of an opening; no two are equal."""
    vectors: Matrix
    """float32 (n, d), rows of norm 1. Read-only when loaded."""
    indexed_at: str
    """ISO time of the last completed refresh, empty if there was none."""


class Blobs(NamedTuple):
    """The three data files of one generation, as bytes."""

    chunks: bytes
    documents: bytes
    embeddings: memoryview


def encode(content: CacheContent, dimensions: int) -> tuple[Blobs, int]:
    """The data files, and how many rows were left out because they are no unit vectors.

    Equal content gives equal bytes, whatever the order of documents and rows. Rows that no passage of `documents`
    uses are not written: a deleted document's vectors go with it.
    """
    rows = {name: row for row, name in enumerate(content.fingerprints)}
    if len(rows) != len(content.fingerprints) or content.vectors.shape != (len(rows), dimensions):
        raise ValueError("One row of vectors for each fingerprint, each fingerprint once.")
    documents = [content.documents[path] for path in sorted(content.documents) if is_safe_path(path)]
    fine = _unit_rows(content.vectors)
    order: dict[int, bytes] = {}
    bad: set[int] = set()
    for view, name, passage in _views(documents):
        row = rows.get(name)
        if row is None or row in order:
            continue
        if fine[row]:
            order[row] = _row_line(view, name, passage)
        else:
            bad.add(row)
    vectors = np.ascontiguousarray(content.vectors[list(order)], dtype="<f4")
    chunks = b"".join(order.values())
    embeddings = memoryview(vectors.reshape(-1).view(np.uint8).data)
    return Blobs(chunks, b"".join(map(_document_line, documents)), embeddings), len(bad)


def decode_documents(data: bytes, count: int) -> dict[str, CachedDocument]:
    """The documents by path; `Damaged` when a line is not what `encode` writes."""
    documents = {}
    for line in _lines(data, count):
        document = _document(line)
        documents[document.path] = document
    if len(documents) != count:
        raise Damaged("a document is listed twice")
    return documents


def decode_fingerprints(data: bytes, count: int, documents: Mapping[str, CachedDocument] | None) -> tuple[str, ...]:
    """The fingerprint of each row; with `documents`, each row must belong to one of their passages."""
    known = None if documents is None else {p.id: p for d in documents.values() for p in d.passages}
    names: list[str] = []
    for line in _lines(data, count):
        view, name = line.get("view"), line.get("fingerprint")
        if view not in ("whole", "opening") or not _is_hash(name):
            raise Damaged("a row has no fingerprint")
        if known is not None:
            passage = known.get(str(line.get("id")))
            if passage is None or name != (passage.fingerprint if view == "whole" else passage.opening):
                raise Damaged("a row belongs to no passage")
            if line.get("path") != passage.path or line.get("headings") != list(passage.headings):
                raise Damaged("a row and its passage differ")
        names.append(str(name))
    if len(set(names)) != count:
        raise Damaged("two rows have one fingerprint")
    return tuple(names)


def decode_vectors(data: bytes, rows: int, dimensions: int) -> Matrix:
    """Read-only float32 (rows, dimensions); `Damaged` unless every row is a unit vector."""
    if len(data) != rows * dimensions * 4:
        raise Damaged("the embeddings have a wrong size")
    vectors: Matrix = np.frombuffer(data, dtype="<f4").reshape(rows, dimensions).astype(np.float32, copy=False)
    if not _unit_rows(vectors).all():
        raise Damaged("an embedding is not a unit vector")
    return vectors


def is_safe_path(path: object) -> bool:
    """A folder-relative path with `/` that stays inside its folder."""
    if not isinstance(path, str) or "\0" in path or any(part in ("", ".", "..") for part in path.split("/")):
        return False
    return os.name != "nt" or not ("\\" in path or ":" in path)


def _views(documents: Iterable[CachedDocument]) -> Iterable[tuple[str, str, Passage]]:
    passages = [passage for document in documents for passage in document.passages]
    wholes = (("whole", passage.fingerprint, passage) for passage in passages)
    return chain(wholes, (("opening", passage.opening, passage) for passage in passages))


def _unit_rows(vectors: Matrix) -> np.ndarray[Any, np.dtype[np.bool_]]:
    with np.errstate(all="ignore"):
        norms = np.sqrt(np.einsum("ij,ij->i", vectors, vectors, dtype=np.float32))
        # NaN and infinity fail the comparison too.
        fine: np.ndarray[Any, np.dtype[np.bool_]] = np.abs(norms - 1.0) <= NORM_TOLERANCE
    return fine


def _row_line(view: str, name: str, passage: Passage) -> bytes:
    row = {"view": view, "fingerprint": name, "id": passage.id, "path": passage.path}
    return _line(_dumps({**row, "headings": passage.headings, "level": passage.level}))


def _document_line(document: CachedDocument) -> bytes:
    try:
        meta = json.loads(_dumps_meta(dict(document.meta)))
    except (TypeError, ValueError, RecursionError):  # front matter may even contain itself
        meta = {}
    head = {"path": document.path, "digest": document.digest, "stamp": document.stamp, "title": document.title}
    return _line(_dumps({**head, "meta": meta, "passages": [_packed(p) for p in document.passages]}))


def _packed(p: Passage) -> tuple[object, ...]:
    ranges = (p.start, p.end, p.heading_start, p.heading_end, p.body_start, p.body_end, p.line, p.end_line)
    return (p.id, p.headings, p.fingerprint, p.opening, p.table_header, p.level, *ranges)


def _line(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass") + b"\n"


def _lines(data: bytes, count: int) -> Iterable[dict[str, Any]]:
    if data.count(b"\n") != count or (data and not data.endswith(b"\n")):
        raise Damaged("the number of lines is wrong")
    for line in data.split(b"\n")[:-1]:
        try:
            value = json.loads(line.decode("utf-8", "surrogatepass"))
        except (ValueError, RecursionError):
            raise Damaged("a line is not JSON") from None
        if not isinstance(value, dict):
            raise Damaged("a line is not an object")
        yield value


def _document(line: dict[str, Any]) -> CachedDocument:
    path, digest, title, meta = line.get("path"), line.get("digest"), line.get("title"), line.get("meta")
    if not isinstance(path, str) or not is_safe_path(path):
        raise Damaged("a path leads out of the folder")
    if not isinstance(digest, str) or not _is_hash(digest) or not isinstance(title, str) or not isinstance(meta, dict):
        raise Damaged("a document's fields are wrong")
    passages = line.get("passages")
    if not isinstance(passages, list):
        raise Damaged("a document has no passages")
    return CachedDocument(
        path, digest, _stamp(line.get("stamp")), title, tuple(_passage(path, p) for p in passages), meta
    )


def _stamp(value: Any) -> Stamp | None:
    if value is None:
        return None
    # Three numbers in caches written before there was a fourth.
    if (
        not isinstance(value, list)
        or len(value) not in (3, 4)
        or not all(type(n) is int and abs(n) < 2**64 for n in value)
    ):
        raise Damaged("a document's stamp is wrong")
    return Stamp(*value)


def _passage(path: str, value: Any) -> Passage:
    if not isinstance(value, list) or len(value) != 14:
        raise Damaged("a passage has missing fields")
    name, headings, fingerprint, opening, table, level, *ranges = value
    start, end, heading_start, heading_end, body_start, body_end, line, end_line = ranges
    if (
        not isinstance(name, str)
        or not name.startswith(path + "#")
        or not _is_hash(fingerprint)
        or not _is_hash(opening)
    ):
        raise Damaged("a passage's names are wrong")
    if not isinstance(headings, list) or not all(isinstance(heading, str) for heading in headings):
        raise Damaged("a passage's headings are wrong")
    if type(level) is not int or not 0 <= level <= 6 or not _are_ranges(ranges):
        raise Damaged("a passage's offsets are wrong")
    if table is not None and not (isinstance(table, list) and len(table) == 2 and _are_ranges(table)):
        raise Damaged("a passage's table is wrong")
    return Passage(
        id=name,
        path=path,
        headings=tuple(headings),
        level=level,
        start=start,
        end=end,
        heading_start=heading_start,
        heading_end=heading_end,
        body_start=body_start,
        body_end=body_end,
        line=line,
        end_line=end_line,
        fingerprint=fingerprint,
        opening=opening,
        table_header=None if table is None else (table[0], table[1]),
    )


def _are_ranges(numbers: list[Any]) -> bool:
    """Pairs of start and end, none negative, none beyond what a text can have."""
    if not all(type(number) is int for number in numbers):
        return False
    return all(0 <= start <= end < _LIMIT for start, end in zip(numbers[::2], numbers[1::2], strict=True))


def _is_hash(value: object) -> bool:
    return isinstance(value, str) and _HASH.fullmatch(value) is not None
