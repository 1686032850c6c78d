"""What is embedded next: openings before wholes, and of each what the user is likely to ask about first."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from ddg_lsp.core import passages
from ddg_lsp.core.dense import Rows
from ddg_lsp.core.importance import importance
from ddg_lsp.core.index import Snapshot
from ddg_lsp.core.model import Document

BATCH_CHARACTERS = 6_000
"""Characters in one batch, so that one of long texts takes no longer than others."""
WINDOW = 64
"""Texts sorted by length together: enough for even batches, few enough to keep the order of importance."""


@dataclass
class Batch:
    """Views to embed in one call, all of one kind."""

    opening: bool
    rows: list[int] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)
    ordinals: list[int] = field(default_factory=list)

    def row_array(self) -> Rows:
        """Arena rows, int32 (n,)."""
        return np.asarray(self.rows, np.int32)


class EmbedQueue:
    """Passage ordinals still to be embedded, by view; refilled whenever the snapshot changes."""

    def __init__(self) -> None:
        self._openings: deque[int] = deque()
        self._wholes: deque[int] = deque()
        self._window: list[tuple[int, str]] = []
        self._window_opening = True

    def __len__(self) -> int:
        return len(self._openings) + len(self._wholes) + len(self._window)

    def refill(self, snapshot: Snapshot, first: frozenset[str]) -> None:
        """Start over for this snapshot; documents of the paths in `first` come before all others."""
        self._window = []
        order = _order(snapshot, first)
        self._openings = _missing(snapshot, snapshot.openings, order)
        self._wholes = _missing(snapshot, snapshot.wholes, order)

    def take(self, snapshot: Snapshot, most: int) -> Batch:
        """The next batch, of at most `most` texts; empty when nothing is left."""
        while not self._window and (self._openings or self._wholes):
            self._fill_window(snapshot)
        batch = Batch(self._window_opening)
        rows = snapshot.openings if batch.opening else snapshot.wholes
        characters = 0
        while self._window and len(batch.rows) < most:
            ordinal, text = self._window[-1]
            if batch.rows and characters + len(text) > BATCH_CHARACTERS:
                break
            self._window.pop()
            characters += len(text)
            batch.rows.append(int(rows[ordinal]))
            batch.texts.append(text)
            batch.ordinals.append(ordinal)
        return batch

    def put_back(self, batch: Batch) -> None:
        """A batch that was not embedded after all goes back to the front."""
        self._window.extend(reversed(list(zip(batch.ordinals, batch.texts, strict=True))))

    def _fill_window(self, snapshot: Snapshot) -> None:
        self._window_opening = bool(self._openings)
        source, rows, text_of = (
            (self._openings, snapshot.openings, passages.opening_text)
            if self._openings
            else (self._wholes, snapshot.wholes, passages.whole_text)
        )
        taken = [source.popleft() for _ in range(min(WINDOW, len(source)))]
        # An opening that is the whole passage shares its row, and may have been embedded since the queue was filled.
        ready = snapshot.arena.is_ready(rows[taken])
        todo = [ordinal for ordinal, done in zip(taken, ready, strict=True) if not done]
        texts = [(o, text_of(_document(snapshot, o).text, snapshot.passages[o])) for o in todo]
        self._window = sorted(texts, key=lambda item: -len(item[1]))


def likely_batch(snapshot: Snapshot, words: Sequence[str], most: int) -> Batch:
    """Openings still to be embedded of the passages that most have these words, best first; at most `most`."""
    share = snapshot.lexical.scores(words)[snapshot.slots] if len(snapshot.passages) else np.empty(0, np.float32)
    share[snapshot.arena.is_ready(snapshot.openings)] = 0.0
    best = [int(o) for o in np.argsort(-share, kind="stable")[:most] if share[o] > 0]
    batch = Batch(opening=True)
    for ordinal in best:
        row = int(snapshot.openings[ordinal])
        if row not in batch.rows:
            batch.rows.append(row)
            batch.texts.append(passages.opening_text(_document(snapshot, ordinal).text, snapshot.passages[ordinal]))
            batch.ordinals.append(ordinal)
    return batch


def _document(snapshot: Snapshot, ordinal: int) -> Document:
    return snapshot.documents[snapshot.passages[ordinal].path]


def _missing(snapshot: Snapshot, rows: Rows, order: list[int]) -> deque[int]:
    """Ordinals in `order` whose row is not ready, one for each distinct row."""
    ready = snapshot.arena.is_ready(rows)
    seen: set[int] = set()
    out: deque[int] = deque()
    for ordinal in order:
        row = int(rows[ordinal])
        if not ready[ordinal] and row not in seen:
            seen.add(row)
            out.append(ordinal)
    return out


def _order(snapshot: Snapshot, first: frozenset[str]) -> list[int]:
    """Passage ordinals by importance of their document: open, changed on the newest day, near the top, by path."""
    key = importance({path: document.stamp for path, document in snapshot.documents.items()})
    ranked = sorted(snapshot.documents, key=lambda path: (path not in first, key(path)))
    ranks = {path: rank for rank, path in enumerate(ranked)}
    return sorted(range(len(snapshot.passages)), key=lambda ordinal: ranks[snapshot.passages[ordinal].path])
