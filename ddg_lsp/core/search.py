"""From a question to an answer: the question's vector, every index's scores, the best pages of all of them.

`scoring` decides what a passage is worth, `hits` what is shown; this module brings them together and keeps what
questions share. Ranges are offsets; the caller converts them with the text of the same document.
"""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from weakref import WeakKeyDictionary

import numpy as np

from ddg_lsp.core import grouping, question_vector
from ddg_lsp.core.dense import VectorArena
from ddg_lsp.core.embedding import Embedder, Matrix
from ddg_lsp.core.hits import File, Heading, Hit, best_files, hits_of
from ddg_lsp.core.index import Snapshot
from ddg_lsp.core.query import Query
from ddg_lsp.core.scoring import Asked, Scorer
from ddg_lsp.core.synonyms import Dictionary

__all__ = ["Answer", "Heading", "Hit", "Searcher", "Target"]

QUERY_VECTORS = 64
"""Question vectors kept: search-as-you-type and paging ask the same question again."""


@dataclass(frozen=True, slots=True)
class Target:
    """One index to search: its folder, its snapshot of this moment, and what the settings say about ranking."""

    root: Path
    snapshot: Snapshot
    dictionary: Dictionary | None = None
    priorities: Mapping[str, int] = field(default_factory=dict)
    languages: tuple[str, ...] = ()
    """Language tags to prefer where a page has translations and none is in the question's language."""
    names: Mapping[str, str] = field(default_factory=dict)
    """What a question's path patterns are held against, where that is not the document's own path."""


@dataclass(frozen=True, slots=True)
class Answer:
    """Hits, best first, and what they were asked of. `revision` is the sum of the indexes' revisions."""

    query: Query
    hits: tuple[Hit, ...]
    revision: int
    elapsed_ms: float
    mode: str


class Searcher:
    """Answers questions over snapshots. One per embedder; used by the one thread that asks."""

    def __init__(self, embedder: Embedder | None, cache_dir: Path | None = None) -> None:
        self.embedder = embedder
        self._scorer = Scorer(embedder, cache_dir)
        self._vectors: OrderedDict[tuple[str, bool], Matrix] = OrderedDict()
        self._pages: WeakKeyDictionary[VectorArena, tuple[int, Mapping[str, tuple[str, ...]]]] = WeakKeyDictionary()

    def search(self, targets: Sequence[Target], query: Query, check: Callable[[], None]) -> Answer:
        """Answer one question; `check` is called between steps and may raise to cancel."""
        started = time.perf_counter()
        vector = self._vector(query)
        files: list[File] = []
        for target in targets:
            check()
            files += self._files(target, query, vector)
        files.sort(key=lambda file: file.order)
        hits = [hit for file in files[: query.limit] for hit in hits_of(file, query)]
        if query.per_file > 1:
            places = {(file.root, file.path): place for place, file in enumerate(files)}
            hits.sort(key=lambda hit: (-hit.score, places[hit.root, hit.passage.path], hit.passage.body_start))
        revision = sum(target.snapshot.revision for target in targets)
        return Answer(query, tuple(hits), revision, (time.perf_counter() - started) * 1000.0, query.mode)

    def prepare(self) -> None:
        """Load what every question needs besides its vector: for a model met for the first time, seconds of work."""
        if self.embedder is not None:
            self._scorer.centre  # noqa: B018 - a property that loads

    def confidence(self, target: Target, query: Query) -> float:
        """How far the best passage lies above (or below) the line of `weak`; -inf where there is none."""
        asked = Asked(target.snapshot, target.dictionary, target.priorities)
        parts = self._scorer.score(asked, query, self._vector(query))
        return parts.strength(int(np.argmax(parts.score))) if len(parts.score) else float("-inf")

    def _files(self, target: Target, query: Query, vector: Matrix | None) -> list[File]:
        snapshot = target.snapshot
        parts = self._scorer.score(Asked(snapshot, target.dictionary, target.priorities), query, vector)
        pages = self._groups(snapshot)
        wanted = (
            (self._scorer.centre.name_of(query.text, vector), *target.languages) if pages and vector is not None else ()
        )
        return best_files(target.root, snapshot, query, parts, pages, wanted or target.languages, target.names)

    def _groups(self, snapshot: Snapshot) -> Mapping[str, tuple[str, ...]]:
        known = self._pages.get(snapshot.arena)
        if known is None or known[0] != snapshot.revision:
            known = (snapshot.revision, grouping.groups(snapshot.documents))
            self._pages[snapshot.arena] = known
        return known[1]

    def _vector(self, query: Query) -> Matrix | None:
        if self.embedder is None or query.mode == "lexical":
            return None
        key = query.text, query.mode == "hybrid"
        vector = self._vectors.pop(key, None)
        if vector is None:
            make = question_vector.glossed if query.mode == "hybrid" else question_vector.plain
            vector = make(self.embedder, query.text)
        self._vectors[key] = vector
        while len(self._vectors) > QUERY_VECTORS:
            self._vectors.popitem(last=False)
        return vector
