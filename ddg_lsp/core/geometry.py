"""What a snapshot's vectors have of each language: the numbers that centring needs for every passage.

Kept between questions and brought up to date as a build goes on. See docs/explanation/ranking.md for the formula.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from ddg_lsp.core import languages
from ddg_lsp.core.centring import Centre
from ddg_lsp.core.dense import ArenaView, Rows, gather
from ddg_lsp.core.embedding import Matrix
from ddg_lsp.core.index import Snapshot
from ddg_lsp.core.model import Document

Languages = NDArray[np.int8]
NEVER = float("-inf")
OTHER_LANGUAGES = 0.05
"""Below this share of passages in other languages than the commonest, a folder counts as being in one language."""


@dataclass
class Geometry:
    """The products of an arena's rows with each language's mean, and the language of each passage's document."""

    centre: Centre
    _products: Matrix = field(default_factory=lambda: np.empty((0, 0), np.float32))
    _done: NDArray[np.bool_] = field(default_factory=lambda: np.empty(0, np.bool_))
    _state: tuple[int, int] = (-1, -1)
    _passages: Languages = field(default_factory=lambda: np.empty(0, np.int8))
    _masks: dict[str, NDArray[np.bool_]] = field(default_factory=dict)

    def update(self, snapshot: Snapshot, view: ArenaView) -> None:
        """Compute what is new since the last question: a few milliseconds for ten thousand rows, else nothing."""
        self._multiply(view)
        state = (snapshot.revision, int(self._done.sum()))
        if state != self._state:
            self._passages = self._name_languages(snapshot, view)
            self._state = state

    @property
    def products(self) -> Matrix:
        """Each language's mean times each arena row, float32 (L, rows); 0 where a row is not ready."""
        return self._products

    @property
    def passage_languages(self) -> Languages:
        """The language of each passage, that of its document, int8 (n,)."""
        return self._passages

    def centred(self, cosines: Matrix, view: ArenaView, rows: Rows, asked: int, away: float, common: float) -> Matrix:
        """Centred scores float32 (n,) of one view's rows for a question in language `asked`; -inf where not ready.

        q·p − away·(μ[asked] − μ[l])·p − common·μ[l]·p, with l the passage's language and `cosines` = q·p by row.
        """
        plain = gather(cosines, view.ready, rows, NEVER)
        if not len(rows):
            return plain
        mine, theirs = self._products[self._passages, rows], self._products[asked][rows]
        scores: Matrix = plain - np.float32(away) * theirs + np.float32(away - common) * mine
        return scores

    @property
    def several_languages(self) -> bool:
        """Whether the folder is in more than one language, a few strays not counted."""
        counts = np.bincount(self._passages, minlength=1)
        return bool(len(self._passages) - counts.max() >= OTHER_LANGUAGES * max(1, len(self._passages)))

    def _multiply(self, view: ArenaView) -> None:
        rows, known, count = len(view.ready), len(self._done), len(self.centre.languages)
        if rows > known or self._products.shape[1] != count:  # an index without rows has its columns, too
            products = np.zeros((count, rows), np.float32)
            if known:
                products[:, :known] = self._products
            self._products = products
            self._done = np.concatenate([self._done, np.zeros(rows - known, np.bool_)])
        todo = np.flatnonzero(view.ready & ~self._done[:rows])
        if len(todo):
            self._products[:, todo] = self.centre.means @ view.matrix[todo].T
            self._done[todo] = True

    def _name_languages(self, snapshot: Snapshot, view: ArenaView) -> Languages:
        """A document is in the language most in its passages' vectors, of those its script allows."""
        if not snapshot.passages:
            return np.empty(0, np.int8)
        wholes_ready = view.ready[snapshot.wholes]
        rows = np.where(wholes_ready, snapshot.wholes, snapshot.openings)
        scores = self.centre.scores_from_products(self._products[:, rows].T)
        scores[~self._done[rows]] = 0.0
        owners, starts = np.unique(snapshot.owners, return_index=True)
        sums = np.add.reduceat(scores, starts, axis=0)
        documents = list(snapshot.documents.values())
        before, self._masks = self._masks, {}  # those of texts that are gone go, too: there is one for every edit
        masks = np.stack([self._mask(documents[owner], before) for owner in owners])
        named = np.where(masks, sums, NEVER).argmax(axis=1).astype(np.int8)
        return np.repeat(named, np.diff(np.append(starts, len(snapshot.passages))))

    def _mask(self, document: Document, before: Mapping[str, NDArray[np.bool_]]) -> NDArray[np.bool_]:
        mask = before.get(document.digest)
        if mask is None:
            mask = languages.possible(languages.script_of(document.text), self.centre.languages)
        self._masks[document.digest] = mask
        return mask
