"""The dense side of an index: vectors by fingerprint, and the exact scan over all of them.

Owns the matrix. Knows nothing of documents: a row belongs to a fingerprint, and whoever interned it remembers the row.
One thread writes (the indexing thread); readers take a `view` and keep it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ddg_lsp.core.embedding import Matrix

Rows = NDArray[np.int32]

_FIRST_CAPACITY = 256


class ArenaView(NamedTuple):
    """What a reader sees: `matrix` float32 (n, d), zero where not `ready`; `ready` bool (n,), a copy."""

    matrix: Matrix
    ready: NDArray[np.bool_]


class VectorArena:
    """Append-only rows, one per distinct fingerprint; filled later, when the embedder gets there.

    Rows never move while the arena lives, so a snapshot's row numbers stay true while a build fills them: a query
    during a build sees what is embedded so far without a new snapshot per batch. `compact` makes a new arena.
    """

    def __init__(self, dimensions: int) -> None:
        self.dimensions = dimensions
        self._rows: dict[str, int] = {}
        self._matrix = np.zeros((_FIRST_CAPACITY, dimensions), np.float32)
        self._ready = np.zeros(_FIRST_CAPACITY, np.bool_)

    def __len__(self) -> int:
        return len(self._rows)

    def intern(self, fingerprints: Sequence[str]) -> Rows:
        """Row of each fingerprint, int32 (n,); new ones get a new, not yet ready row."""
        rows = self._rows
        out = np.fromiter((rows.setdefault(name, len(rows)) for name in fingerprints), np.int32, len(fingerprints))
        if len(rows) > len(self._ready):
            self._grow(len(rows))
        return out

    def fill(self, rows: Rows, vectors: Matrix) -> None:
        """Store vectors (len(rows), d) and mark the rows ready, in that order, so a reader never sees half a row."""
        self._matrix[rows] = vectors
        self._ready[rows] = True

    def has(self, fingerprint: str) -> bool:
        """Whether this fingerprint's vector is there."""
        row = self._rows.get(fingerprint)
        return row is not None and bool(self._ready[row])

    def is_ready(self, rows: Rows) -> NDArray[np.bool_]:
        """Bool (n,): which of the rows hold a vector."""
        return self._ready[rows]

    def view(self) -> ArenaView:
        """The rows of this moment; `ready` is read before the matrix, which only ever gains rows."""
        count = len(self._rows)
        ready = self._ready[:count].copy()
        return ArenaView(self._matrix[:count], ready)

    def ready_items(self, fingerprints: Iterable[str]) -> tuple[list[str], Matrix]:
        """Those of the fingerprints that hold a vector, once each and in order, and their vectors (n, d)."""
        names = [n for n in dict.fromkeys(fingerprints) if (r := self._rows.get(n)) is not None and self._ready[r]]
        return names, self._matrix[[self._rows[name] for name in names]]

    def compact(self, keep: Iterable[str]) -> VectorArena:
        """A new arena with just these fingerprints, vectors carried over."""
        names, vectors = self.ready_items(keep)
        fresh = VectorArena(self.dimensions)
        fresh.fill(fresh.intern(names), vectors)
        return fresh

    def _grow(self, needed: int) -> None:
        capacity = len(self._ready)
        while capacity < needed:
            capacity *= 2
        matrix = np.zeros((capacity, self.dimensions), np.float32)
        matrix[: len(self._matrix)] = self._matrix
        ready = np.zeros(capacity, np.bool_)
        ready[: len(self._ready)] = self._ready
        self._matrix, self._ready = matrix, ready


def scan(view: ArenaView, query: Matrix) -> Matrix:
    """Exact cosine of a unit query (d,) with every row: float32 (n,); rows that are not ready score 0."""
    scores: Matrix = view.matrix @ query
    return scores


def gather(scores: Matrix, ready: NDArray[np.bool_], rows: Rows, missing: float) -> Matrix:
    """Scores by passage from scores by row: float32 (len(rows),), `missing` where the row holds no vector yet."""
    if len(scores) == 0:
        return np.full(len(rows), missing, np.float32)
    return np.where(ready[rows], scores[rows], np.float32(missing)).astype(np.float32)
