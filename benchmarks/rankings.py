"""The rankings that are compared: the product's modes, and what others do, over the same passages and vectors.

Every ranking is a function from a question to scores by passage; `places` turns scores into files and sections with
the product's own rule (best passage of a section, then score, then path), so that only the scores differ.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from benchmarks.metrics import DEPTH, Place
from ddg_lsp.core import dense
from ddg_lsp.core.embedding import Embedder, embed_query
from ddg_lsp.core.errors import DdgError
from ddg_lsp.core.folder import no_check
from ddg_lsp.core.index import Snapshot
from ddg_lsp.core.query import make_query
from ddg_lsp.core.search import Searcher, Target
from ddg_lsp.core.terms import question_terms

Scores = NDArray[np.float64]
Ranking = Callable[[str], list[Place]]
RRF_K = 60
ANCESTOR_BOOST = 0.08


@dataclass
class Baselines:
    """What others do, computed from the product's own index: plain cosine, BM25, their fusion, the ancestor's rule."""

    snapshot: Snapshot
    embedder: Embedder

    def cosine(self, question: str) -> Scores:
        """Exact cosine with the whole of each passage, (n,)."""
        view = self.snapshot.arena.view()
        scores = dense.scan(view, embed_query(self.embedder, question))
        return dense.gather(scores, view.ready, self.snapshot.wholes, -1.0).astype(np.float64)

    def bm25(self, question: str) -> Scores:
        """The lexical share, (n,); ties and passages without a term are ordered by cosine."""
        share = self.snapshot.lexical.scores(question_terms(question))[self.snapshot.slots]
        return share.astype(np.float64) + 1e-6 * self.cosine(question)

    def fused(self, question: str) -> Scores:
        """Reciprocal rank fusion of the two above with k = 60, the peers' default."""
        legs = (self.cosine(question), self.bm25(question))
        ranks = [np.argsort(np.argsort(-leg, kind="stable")) for leg in legs]
        fused: Scores = np.sum([1.0 / (RRF_K + 1 + rank) for rank in ranks], axis=0)
        return fused

    def ancestor(self, question: str) -> Scores:
        """Cosine plus 0.08 times the share of question words that are substrings of path or headings."""
        words = [word for word in question.lower().split() if len(word) > 1]
        scores = self.cosine(question)
        found = [sum(word in head for word in words) for head in self._heads]
        return scores + ANCESTOR_BOOST * np.array(found) / max(1, len(words))

    @cached_property
    def _heads(self) -> list[str]:
        return [f"{passage.path} {' '.join(passage.headings)}".lower() for passage in self.snapshot.passages]


def places(snapshot: Snapshot, scores: Scores) -> list[Place]:
    """The best sections, enough of them that both the first files and the first sections are among them."""
    out: dict[Place, None] = {}
    files: set[str] = set()
    order = np.lexsort((np.arange(len(scores)), -np.round(scores, 6)))
    for ordinal in order.tolist():
        passage = snapshot.passages[ordinal]
        if len(out) >= DEPTH and passage.path in files:
            continue
        files.add(passage.path)
        out.setdefault((passage.path, passage.line + 1))
        if len(out) >= DEPTH and len(files) >= DEPTH:
            break
    return list(out)


def product(target: Target, embedder: Embedder, mode: str) -> tuple[Ranking, Callable[[str], float]]:
    """The product in one mode, asked as an agent would with `perFile` 10; and the confidence of its first hit.

    A question that the mode refuses (mode `lexical` takes 16 words) counts as one that finds nothing.
    """
    searcher = Searcher(embedder)

    def rank(question: str) -> list[Place]:
        query = make_query({"query": question, "mode": mode, "limit": DEPTH, "perFile": DEPTH})
        try:
            answer = searcher.search([target], query, no_check)
        except DdgError as error:
            if not error.usage:
                raise
            return []
        return [(hit.passage.path, hit.passage.line + 1) for hit in answer.hits]

    def strength(question: str) -> float:
        query = make_query({"query": question, "mode": mode, "limit": DEPTH})
        return searcher.confidence(target, query)

    return rank, strength


def baselines(snapshot: Snapshot, embedder: Embedder) -> Mapping[str, Ranking]:
    """The rankings of others by name."""
    others = Baselines(snapshot, embedder)
    scorers: Sequence[tuple[str, Callable[[str], Scores]]] = (
        ("plain cosine", others.cosine),
        ("BM25", others.bm25),
        ("RRF, k = 60", others.fused),
        ("ancestor's rule", others.ancestor),
    )

    def ranking(score: Callable[[str], Scores]) -> Ranking:
        return lambda question: places(snapshot, score(question))

    return {name: ranking(score) for name, score in scorers}
