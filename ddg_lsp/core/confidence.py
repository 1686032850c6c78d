"""Whether a hit answers, or is only the nearest there is: the line that unrelated questions reach in this very corpus.

A raw cosine cannot say: it depends on the model and on the corpus. Here question and passage are freed of what all
questions and all passages have in common, and the probe questions, which no corpus answers, are asked as well: a
passage is strong when it is nearer to the question than nine of ten probes come to anything in this corpus.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from ddg_lsp.core.centring import Centre
from ddg_lsp.core.dense import ArenaView, Rows
from ddg_lsp.core.embedding import Matrix
from ddg_lsp.core.index import Snapshot

COMMON = 0.9
"""Share of the mean passage that is taken out of each. The area under the curve is flat from 0.8 to 1."""
QUANTILE = 0.9
"""Probes that stay below the line."""
PROBE_STEP = 6
"""Every sixth probe question of each language is asked: enough for a quantile, a sixth of the time."""
MAX_ROWS = 10_000
"""Passages the probes are asked of; of a larger corpus, evenly spaced ones."""
GROWTH = 1.1
"""The line is found anew when this many times the passages are embedded, and when all are."""


@dataclass
class _Side:
    """One view of every passage: its rows, the mean (d,), and the norm of each row less the mean (n,)."""

    rows: Rows
    mean: Matrix
    norms: Matrix


@dataclass
class Confidence:
    """The line of one index, and how far passages lie above it. Kept between questions."""

    centre: Centre
    line: float = 0.0
    _sides: list[_Side] = field(default_factory=list)
    _state: tuple[int, int] = (-1, 0)

    def update(self, snapshot: Snapshot, view: ArenaView) -> None:
        """Bring means and line up to date when enough has changed."""
        ready = int(view.ready.sum())
        revision, known = self._state
        complete = ready == len(view.ready) and ready != known
        if revision == snapshot.revision and ready < known * GROWTH and not complete:
            return
        self._sides = [_side(view, rows) for rows in (snapshot.wholes, snapshot.openings)]
        self.line = self._find_line(view)
        self._state = (snapshot.revision, ready)

    def of(self, cosines: Matrix, products: Matrix, view: ArenaView, vector: Matrix, spoken: int) -> Matrix:
        """By how much each passage is above the line, float32 (n,); -inf where nothing of it is embedded.

        `cosines` = q·p and `products` = μ·p by row, (rows,) and (L, rows); `spoken`: the question's language.
        """
        asked = vector - self.centre.means[spoken]
        length = float(np.linalg.norm(asked)) or 1.0
        out: Matrix | None = None
        for side in self._sides:
            near = cosines[side.rows] - products[spoken][side.rows] - COMMON * float(side.mean @ asked)
            side_scores = np.where(view.ready[side.rows], near / (length * side.norms), -np.inf)
            out = side_scores if out is None else np.maximum(out, side_scores)
        best: Matrix = (np.empty(0) if out is None else out).astype(np.float32) - np.float32(self.line)
        return best

    def _find_line(self, view: ArenaView) -> float:
        apart = self.centre.vectors[:, ::PROBE_STEP] - self.centre.means[:, None]
        probes = apart.reshape(-1, apart.shape[-1])
        probes = probes / np.maximum(np.linalg.norm(probes, axis=1, keepdims=True), 1e-6)
        best = np.full(len(probes), -np.inf, np.float32)
        for side in self._sides:
            ready = np.flatnonzero(view.ready[side.rows])
            if len(ready) == 0:
                continue
            some = ready[:: -(-len(ready) // MAX_ROWS)]
            near = view.matrix[side.rows[some]] @ probes.T - COMMON * (probes @ side.mean)
            best = np.maximum(best, (near / side.norms[some, None]).max(axis=0))
        found = best[np.isfinite(best)]
        return float(np.quantile(found, QUANTILE)) if len(found) else 0.0


def _side(view: ArenaView, rows: Rows) -> _Side:
    used = rows[view.ready[rows]]
    mean = view.matrix[used].mean(axis=0) if len(used) else np.zeros(view.matrix.shape[1], np.float32)
    along = (view.matrix @ mean)[rows] if len(view.matrix) else np.zeros(len(rows), np.float32)
    # Rows have norm 1: |p - c m|^2 = 1 - 2 c p·m + c^2 |m|^2.
    squared = 1.0 - 2.0 * COMMON * along + COMMON**2 * float(mean @ mean)
    return _Side(rows, mean, np.sqrt(np.maximum(squared, 1e-6)).astype(np.float32))
