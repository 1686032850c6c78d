"""What each passage of a snapshot is worth to a question: the legs, the boost and how they add up, per mode."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ddg_lsp.core import dense
from ddg_lsp.core.embedding import Matrix
from ddg_lsp.core.index import Snapshot
from ddg_lsp.core.query import Query
from ddg_lsp.core.terms import terms

Scores = NDArray[np.float64]

BOOST_CAP = 0.03
"""Most that words found in path or headings can add in mode `semantic`. The model's cosines crowd into 0.7 to 1.0,
so a bonus of 0.08 (the ancestor's) would overrule most differences of meaning; see docs/decisions/0006-ranking.md."""
DIGITS = 6
"""Scores are compared after rounding: the last bits of a dot product depend on the machine, the order must not."""
NEVER = -np.inf


@dataclass(frozen=True)
class Parts:
    """Scores by passage, aligned with `Snapshot.passages`; `score` is -inf where a passage cannot be a hit."""

    score: Scores
    semantic: Matrix | None
    lexical: Matrix | None
    boost: Matrix


def score(snapshot: Snapshot, query: Query, mode: str, vector: Matrix | None) -> Parts:
    """Score every passage in `mode`; `vector` is the question's, None only in mode `lexical`."""
    return semantic(snapshot, query, vector)


def semantic(snapshot: Snapshot, query: Query, vector: Matrix) -> Parts:
    """Source A: exact cosine over every passage, plus a small bounded boost for words in path or headings."""
    view = snapshot.arena.view()
    cosines = dense.scan(view, vector)
    wholes = dense.gather(cosines, view.ready, snapshot.wholes, np.nan)
    # During a first build, a passage whose whole is still to come is judged by its opening.
    raw = np.where(np.isnan(wholes), dense.gather(cosines, view.ready, snapshot.openings, NEVER), wholes)
    boost = heading_boost(snapshot, query.text)
    return Parts(rounded(raw.astype(np.float64) + boost), raw.astype(np.float32), None, boost)


def heading_boost(snapshot: Snapshot, question: str) -> Matrix:
    """0 to `BOOST_CAP` by passage: the share of the question's terms that stand in its path or headings."""
    boost = np.zeros(len(snapshot.passages), np.float32)
    wanted = [term for term in dict.fromkeys(terms(question)) if len(term) > 1]
    if not wanted:
        return boost
    index = snapshot.heading_terms
    for term in wanted:
        if (ordinals := index.get(term)) is not None:
            boost[ordinals] += 1.0
    return boost * np.float32(BOOST_CAP / len(wanted))


def rounded(scores: Scores) -> Scores:
    """Scores to `DIGITS` decimals; -inf stays."""
    out: Scores = np.round(scores, DIGITS)
    return out
