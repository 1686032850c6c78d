"""From a question to hits: validation, scores of every passage, order, one hit per file, excerpts.

`score` modules decide what a passage is worth; this one decides what is shown. Knows neither files nor editors:
ranges are offsets, and the caller converts them with the text of the same document.
"""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from ddg_lsp.core import excerpts, scoring
from ddg_lsp.core.corpus import match_globs
from ddg_lsp.core.embedding import Embedder, Matrix, embed_query
from ddg_lsp.core.index import Snapshot
from ddg_lsp.core.model import Document, Passage
from ddg_lsp.core.query import Query
from ddg_lsp.core.terms import terms

QUERY_VECTORS = 64
"""Question vectors kept: search-as-you-type and paging ask the same question again."""
ALSO_MAX = 3
ALSO_SHARE = 0.25
"""A further section is worth naming when it lies within this share of the way from the file's best score to the
median passage's: a rule without a scale, since scores of different modes and models have different ones."""


@dataclass(frozen=True, slots=True)
class Target:
    """One index to search: where it is, for the caller to make addresses of, and its snapshot of this moment."""

    root: Path
    snapshot: Snapshot


@dataclass(frozen=True, slots=True)
class Heading:
    """A further good section of a hit's file."""

    passage: Passage
    score: float


@dataclass(frozen=True, slots=True)
class Hit:
    """A section worth reading. `score` orders hits; its parts are given as they were before they were added up."""

    root: Path
    document: Document
    passage: Passage
    score: float
    semantic_score: float | None
    lexical_score: float | None
    boost: float
    match: str
    excerpt: str
    also_in: tuple[Heading, ...] = ()
    alternates: tuple[Document, ...] = ()
    explain: dict[str, object] | None = None


@dataclass(frozen=True, slots=True)
class Answer:
    """Hits, best first, and what they were asked of. `revision` is the sum of the indexes' revisions."""

    query: Query
    hits: tuple[Hit, ...]
    revision: int
    elapsed_ms: float
    mode: str
    """The mode that answered: `lexical` where no question vector could be had."""


@dataclass
class Searcher:
    """Answers questions over snapshots. One per embedder; used by the one thread that asks."""

    embedder: Embedder | None
    _vectors: OrderedDict[str, Matrix] = field(default_factory=OrderedDict)

    def search(self, targets: Sequence[Target], query: Query, check: Callable[[], None]) -> Answer:
        """Answer one question; `check` is called between steps and may raise to cancel."""
        started = time.perf_counter()
        vector = self._vector(query) if query.mode != "lexical" else None
        mode = query.mode if vector is not None else "lexical"
        files: list[_File] = []
        for target in targets:
            check()
            files += _best_files(target, query, scoring.score(target.snapshot, query, mode, vector))
        files.sort(key=lambda file: file.order)
        hits = [hit for file in files[: query.limit] for hit in _hits(file, query)]
        hits.sort(key=lambda hit: (-hit.score, hit.passage.path, hit.passage.body_start, str(hit.root)))
        revision = sum(target.snapshot.revision for target in targets)
        return Answer(query, tuple(hits), revision, (time.perf_counter() - started) * 1000.0, mode)

    def _vector(self, query: Query) -> Matrix | None:
        if self.embedder is None:
            return None
        vector = self._vectors.pop(query.text, None)
        if vector is None:
            vector = embed_query(self.embedder, query.text)
        self._vectors[query.text] = vector
        while len(self._vectors) > QUERY_VECTORS:
            self._vectors.popitem(last=False)
        return vector


@dataclass(frozen=True, slots=True)
class _File:
    """A document that may be shown: its passages are `first` to `last` (exclusive) of the snapshot's."""

    target: Target
    parts: scoring.Parts
    path: str
    first: int
    last: int
    score: float

    @property
    def order(self) -> tuple[float, str, str]:
        """Score, then path by code point (so on any locale), then folder."""
        return (-self.score, self.path, str(self.target.root))


def _best_files(target: Target, query: Query, parts: scoring.Parts) -> list[_File]:
    """The best `limit` documents of one index, in order: a document is as good as its best passage."""
    snapshot = target.snapshot
    owners, starts = np.unique(snapshot.owners, return_index=True)
    if not len(owners):
        return []
    best = np.maximum.reduceat(parts.score, starts)
    ends = np.append(starts[1:], len(parts.score))
    paths = list(snapshot.documents)
    wanted = match_globs(query.paths) if query.paths else None
    files: list[_File] = []
    for at in np.lexsort((owners, -best)).tolist():
        path, score = paths[owners[at]], float(best[at])
        if score == scoring.NEVER or len(files) == query.limit:
            break
        if wanted is None or wanted(path):
            files.append(_File(target, parts, path, int(starts[at]), int(ends[at]), score))
    return files


def _sections(file: _File) -> list[tuple[float, int]]:
    """The best passage of each section of a document, best first: (score, passage ordinal)."""
    best: dict[int, tuple[float, int]] = {}
    for ordinal in range(file.first, file.last):
        score = float(file.parts.score[ordinal])
        start = file.target.snapshot.passages[ordinal].start
        if score != scoring.NEVER and (start not in best or score > best[start][0]):
            best[start] = (score, ordinal)
    return sorted(best.values(), key=lambda item: (-item[0], item[1]))


def _hits(file: _File, query: Query) -> list[Hit]:
    sections = _sections(file)
    shown, rest = sections[: query.per_file], sections[query.per_file :]
    median = float(np.median(file.parts.score[np.isfinite(file.parts.score)]))
    line = file.score - ALSO_SHARE * max(0.0, file.score - median)
    passages = file.target.snapshot.passages
    also = tuple(Heading(passages[o], score) for score, o in rest[:ALSO_MAX] if score >= line)
    hits = [_hit(file, query, score, ordinal) for score, ordinal in shown]
    return [replace(hits[0], also_in=also), *hits[1:]]


def _hit(file: _File, query: Query, score: float, ordinal: int) -> Hit:
    snapshot, parts = file.target.snapshot, file.parts
    document, passage = snapshot.documents[file.path], snapshot.passages[ordinal]
    return Hit(
        root=file.target.root,
        document=document,
        passage=passage,
        score=score,
        semantic_score=None if parts.semantic is None else round(float(parts.semantic[ordinal]), scoring.DIGITS),
        lexical_score=None if parts.lexical is None else round(float(parts.lexical[ordinal]), scoring.DIGITS),
        boost=round(float(parts.boost[ordinal]), scoring.DIGITS),
        match="strong",
        excerpt=excerpts.excerpt(document.text, passage, frozenset(terms(query.text))),
    )
