"""Immutable posting lists of one batch of passages: built from texts in blocks, merged without sorting.

Owns the memory layout. Knows nothing of slots, scores or documents: passages are numbered 0, 1, 2 ... within a segment.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ddg_lsp.core.terms import parts, words

Floats = NDArray[np.float32]
Ints = NDArray[np.int32]


class Fields(NamedTuple):
    """The searchable texts of one passage."""

    heading: str
    body: str
    path: str


WEIGHTS = Fields(3.0, 1.0, 1.0)  # type: ignore[arg-type]
"""What one occurrence in each field counts, in terms of one in the body. Multiples of 1/4, so that sums are exact."""
BLOCK = 2048
"""Passages whose words are held at once while building: some 4 million small integers."""
MAX_WORDS_KEPT = 300_000


@dataclass(frozen=True, slots=True, eq=False)
class Segment:
    """Posting lists of `len(lengths)` passages: `passages[starts[r]:starts[r + 1]]` hold the term of row r."""

    rows: Mapping[str, int]
    starts: NDArray[np.int64]
    passages: Ints
    frequencies: Floats
    """Weighted occurrences of the term in the passage, over all fields."""
    lengths: Floats
    """Weighted number of terms of each passage."""

    def find(self, term: str) -> tuple[Ints, Floats] | None:
        """(passage numbers, frequencies) of one term, or None where no passage holds it."""
        row = self.rows.get(term)
        if row is None:
            return None
        start, end = self.starts[row], self.starts[row + 1]
        return self.passages[start:end], self.frequencies[start:end]


class _Piece(NamedTuple):
    """Postings in runs of one row each: `rows[i]` has the next `counts[i]` passages, ascending."""

    rows: NDArray[np.int64]
    counts: NDArray[np.int64]
    passages: Ints
    frequencies: Floats


class _Words(dict[str, int]):
    """Raw word -> number; a new word is taken apart once, and its terms get their rows."""

    def __init__(self, rows: dict[str, int]) -> None:
        super().__init__()
        self._rows = rows
        self.terms = array("i")
        self.counts = array("i")

    def __missing__(self, word: str) -> int:
        number = self[word] = len(self.counts)
        found = parts(word)
        rows = self._rows
        self.terms.extend([rows.setdefault(term, len(rows)) for term in found])
        self.counts.append(len(found))
        return number


def build(passages: Sequence[Fields]) -> Segment:
    """One segment of these passages, in this order."""
    rows: dict[str, int] = {}
    seen = _Words(rows)
    pieces: list[_Piece] = []
    lengths: list[Floats] = []
    for at in range(0, len(passages), BLOCK):
        if len(seen) > MAX_WORDS_KEPT:
            seen = _Words(rows)
        piece, sizes = _block(passages[at : at + BLOCK], seen)
        pieces.append(piece._replace(passages=piece.passages + np.int32(at)))
        lengths.append(sizes)
    return _assemble(rows, pieces, np.concatenate(lengths) if lengths else np.zeros(0, np.float32))


def _block(passages: Sequence[Fields], seen: _Words) -> tuple[_Piece, Floats]:
    """Postings and lengths of up to BLOCK passages, numbered from 0."""
    stream = array("i")
    sizes = array("i")
    number = seen.__getitem__
    path, path_words = "", array("i")
    for passage in passages:
        heading, body = (array("i", map(number, words(text))) for text in (passage.heading, passage.body))
        if passage.path != path:  # all passages of a document have the same one
            path, path_words = passage.path, array("i", map(number, words(passage.path)))
        for found in (heading, body, path_words):
            stream.extend(found)
            sizes.append(len(found))
    numbers = np.asarray(stream, np.int64)
    counts = np.asarray(seen.counts, np.int64)
    places = np.repeat(np.arange(len(sizes), dtype=np.int64), np.asarray(sizes, np.int64))  # passage * 3 + field
    repeats = counts[numbers]
    places = np.repeat(places, repeats)
    rows = np.asarray(seen.terms, np.int64)[_ranges(np.cumsum(counts)[numbers] - repeats, repeats)]
    # One integer per occurrence, so that numpy's fastest sort (plain, no index) brings equal ones together.
    keys = np.sort(rows * len(sizes) + places)
    weight = np.asarray(WEIGHTS, np.float32)[keys % 3]
    keys //= 3
    first = np.flatnonzero(np.diff(keys, prepend=-1))
    frequencies = np.add.reduceat(weight, first) if len(first) else weight
    keys = keys[first]
    lengths = np.bincount(places // 3, np.asarray(WEIGHTS)[places % 3], minlength=len(passages))
    piece = _Piece(*_runs(keys // len(passages)), (keys % len(passages)).astype(np.int32), frequencies)
    return piece, lengths.astype(np.float32)


def _runs(values: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The values of runs of equal ones, none negative, and how long each run is."""
    first = np.flatnonzero(np.diff(values, prepend=-1))
    return values[first], np.diff(first, append=len(values))


def _ranges(starts: NDArray[np.int64], counts: NDArray[np.int64]) -> NDArray[np.int64]:
    """starts[0], starts[0] + 1 ... (counts[0] of them), then those of starts[1], and so on."""
    ends = np.cumsum(counts)
    out: NDArray[np.int64] = np.arange(ends[-1] if len(ends) else 0) + np.repeat(starts - (ends - counts), counts)
    return out


def merge(parts_: Iterable[tuple[Segment, Ints]]) -> Segment:
    """One segment of the living passages of several: `alive` lists, ascending, the passages to keep of each segment."""
    rows: dict[str, int] = {}
    pieces: list[_Piece] = []
    lengths: list[Floats] = []
    base = 0
    for segment, alive in parts_:
        renumber = np.full(len(segment.lengths), -1, np.int32)
        renumber[alive] = np.arange(base, base + len(alive), dtype=np.int32)
        passages = renumber[segment.passages]
        keep = passages >= 0
        before = np.zeros(len(keep) + 1, np.int64)
        np.cumsum(keep, out=before[1:])
        counts = np.diff(before[segment.starts])
        used = counts > 0
        new = [rows.setdefault(term, len(rows)) for term, some in zip(segment.rows, used.tolist(), strict=True) if some]
        pieces.append(_Piece(np.asarray(new, np.int64), counts[used], passages[keep], segment.frequencies[keep]))
        lengths.append(segment.lengths[alive])
        base += len(alive)
    return _assemble(rows, pieces, np.concatenate(lengths))


def _assemble(rows: Mapping[str, int], pieces: Sequence[_Piece], lengths: Floats) -> Segment:
    """Put pieces, each with its passages above those of the one before, under one table of rows."""
    starts = np.zeros(len(rows) + 1, np.int64)
    for piece in pieces:
        starts[piece.rows + 1] += piece.counts
    np.cumsum(starts, out=starts)
    passages = np.empty(starts[-1], np.int32)
    frequencies = np.empty(starts[-1], np.float32)
    free = starts[:-1].copy()
    for piece in pieces:
        target = _ranges(free[piece.rows], piece.counts)
        passages[target] = piece.passages
        frequencies[target] = piece.frequencies
        free[piece.rows] += piece.counts
    return Segment(rows, starts, passages, frequencies, lengths)
