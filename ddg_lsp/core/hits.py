"""What is shown of the scored passages: which files, one of each page, which of their sections, and in which order.

A document is as good as its best passage; a section is as good as its own. Knows scores, not how they came about.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from ddg_lsp.core import excerpts, grouping, scoring
from ddg_lsp.core.geometry import NEVER
from ddg_lsp.core.globs import match_globs
from ddg_lsp.core.index import Snapshot
from ddg_lsp.core.model import Document, Passage
from ddg_lsp.core.query import Query
from ddg_lsp.core.scoring import no_tie
from ddg_lsp.core.terms import terms

ALSO_MAX = 3
ALSO_SHARE = 0.25
"""A further section is worth naming when it lies within this share of the way from the file's best score to the
median passage's: a rule without a scale, since scores of different modes and models have different ones."""


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
    """`strong`, or `weak`: the nearest there is, which is all that an unrelated question would find too."""
    excerpt: str
    also_in: tuple[Heading, ...] = ()
    alternates: tuple[Document, ...] = ()
    explain: Mapping[str, object] | None = None


@dataclass(frozen=True, slots=True)
class File:
    """A document that may be shown: its passages are `first` to `last` (exclusive) of the snapshot's."""

    root: Path
    snapshot: Snapshot
    parts: scoring.Parts
    path: str
    first: int
    last: int
    score: float
    alternates: tuple[str, ...] = ()

    @property
    def order(self) -> tuple[float, tuple[int, ...], str, str]:
        """Score, the mode's own tie-breaks, then path by code point (so on any locale), then folder."""
        return (-self.score, self.parts.tie(self.path), self.path, str(self.root))


def best_files(
    root: Path,
    snapshot: Snapshot,
    query: Query,
    parts: scoring.Parts,
    pages: Mapping[str, tuple[str, ...]],
    wanted: Sequence[str],
    names: Mapping[str, str] | None = None,
) -> list[File]:
    """The best `limit` pages of one index, in order.

    `pages` are the paths of each page that has several (`grouping.groups`); of those, one file is given, by the
    `wanted` languages, and the others are its `alternates`. `names`: see `Target.names`.
    """
    fits = match_globs(query.paths) if query.paths else None
    called = names or {}
    everything = _all_files(root, snapshot, parts)
    ranked = (file for file in everything if fits is None or fits(called.get(file.path, file.path)))
    files: Iterable[File] = sorted(ranked, key=lambda file: file.order) if parts.tie is not no_tie else ranked
    if pages:
        files = list(files)
    by_path = {file.path: file for file in files} if isinstance(files, list) else {}
    chosen: list[File] = []
    seen: set[str] = set()
    for file in files:
        if len(chosen) == query.limit:
            break
        if file.path in seen:
            continue
        same = tuple(path for path in pages.get(file.path, ()) if path in by_path)
        seen.update(same)
        shown = by_path[grouping.choose(same, wanted)] if len(same) > 1 else file
        chosen.append(replace(shown, alternates=tuple(path for path in same if path != shown.path)))
    return sorted(chosen, key=lambda file: file.order)


def hits_of(file: File, query: Query) -> list[Hit]:
    """The best `per_file` sections of a file as hits, the best one with what else is good in the file."""
    sections = _sections(file)
    shown, rest = sections[: query.per_file], sections[query.per_file :]
    line = file.score - ALSO_SHARE * max(0.0, file.score - file.parts.median)
    passages = file.snapshot.passages
    also = tuple(Heading(passages[o], file.parts.shown(score)) for score, o in rest[:ALSO_MAX] if score >= line)
    wanted = frozenset(terms(query.text))
    hits = [_hit(file, query, score, ordinal, wanted) for score, ordinal in shown]
    others = tuple(file.snapshot.documents[path] for path in file.alternates)
    return [replace(hits[0], also_in=also, alternates=others), *hits[1:]]


def _all_files(root: Path, snapshot: Snapshot, parts: scoring.Parts) -> Iterator[File]:
    """Every file that can be a hit, by score and path."""
    owners, starts = np.unique(snapshot.owners, return_index=True)
    if not len(owners):
        return
    best = np.maximum.reduceat(parts.score, starts)
    ends = np.append(starts[1:], len(parts.score))
    paths = list(snapshot.documents)
    for at in np.lexsort((owners, -best)).tolist():
        if best[at] == NEVER:
            return
        yield File(root, snapshot, parts, paths[owners[at]], int(starts[at]), int(ends[at]), float(best[at]))


def _sections(file: File) -> list[tuple[float, int]]:
    """The best passage of each section of a document, best first: (score, passage ordinal)."""
    best: dict[int, tuple[float, int]] = {}
    for ordinal in range(file.first, file.last):
        score = float(file.parts.score[ordinal])
        start = file.snapshot.passages[ordinal].start
        if score != NEVER and (start not in best or score > best[start][0]):
            best[start] = (score, ordinal)
    return sorted(best.values(), key=lambda item: (-item[0], item[1]))


def _hit(file: File, query: Query, score: float, ordinal: int, wanted: frozenset[str]) -> Hit:
    parts, passage = file.parts, file.snapshot.passages[ordinal]
    document = file.snapshot.documents[file.path]
    return Hit(
        root=file.root,
        document=document,
        passage=passage,
        score=parts.shown(score),
        semantic_score=_part(parts.semantic, ordinal),
        lexical_score=_part(parts.lexical, ordinal),
        boost=_part(parts.boost, ordinal) or 0.0,
        match="strong" if parts.strong(ordinal) else "weak",
        excerpt=excerpts.excerpt(document.text, passage, wanted),
        explain=parts.explain(ordinal) if query.explain else None,
    )


def _part(values: np.ndarray | None, ordinal: int) -> float | None:
    return (
        round(float(values[ordinal]), scoring.DIGITS) if values is not None and np.isfinite(values[ordinal]) else None
    )
