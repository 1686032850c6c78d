"""What a question costs on a large folder: `python -m benchmarks.large [PASSAGES]` (100,000 unless said).

A synthetic index with random unit vectors and real text statistics; nothing is embedded but the question. Prints the
exact scan next to one numpy float32 product of the same matrix, measured in turn in one run, and the whole question.
"""

from __future__ import annotations

import random
import statistics
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from ddg_lsp.core import dense, index, markdown, passages, probes
from ddg_lsp.core.embedding import embed_query
from ddg_lsp.core.embedding.e5 import E5Embedder
from ddg_lsp.core.folder import no_check
from ddg_lsp.core.model import Document
from ddg_lsp.core.query import make_query
from ddg_lsp.core.search import Searcher, Target

SECTIONS = 50
"""Passages of each document."""
WORDS = 120
ROUNDS = 15


def main(argv: Sequence[str]) -> int:
    """Build, measure, print."""
    count = int(argv[0]) if argv else 100_000
    started = time.perf_counter()
    snapshot = index.apply(index.empty(384), _documents(count))
    print(f"{len(snapshot.passages):,} passages: built in {time.perf_counter() - started:.1f} s")
    _fill(snapshot)
    embedder = E5Embedder()
    vector = embed_query(embedder, "how is a lock taken over?")
    view = snapshot.arena.view()
    rows = snapshot.wholes
    matrix = np.ascontiguousarray(view.matrix[rows])
    product, ours = _in_turn(lambda: matrix @ vector, lambda: dense.scan(dense.ArenaView(matrix, view.ready), vector))
    print(f"one product {matrix.shape}: {product:.1f} ms; exact scan {ours:.1f} ms: {ours / product:.2f} times")
    searcher, target = Searcher(embedder), Target(Path("/none"), snapshot)
    questions = iter(question for pair in zip(*probes.load().values(), strict=True) for question in pair)

    def whole() -> object:
        return searcher.search([target], make_query({"query": next(questions)}), no_check)

    whole()
    times = sorted(_timed(whole) for _ in range(ROUNDS))
    print(f"whole question, embedding included: median {statistics.median(times):.0f} ms, worst {times[-1]:.0f} ms")
    return 0


def _documents(count: int) -> list[Document]:
    chance = random.Random(1)
    vocabulary = ["".join(chance.choices("abcdefghijklmnopqrstuvwxyz", k=chance.randint(3, 9))) for _ in range(30_000)]
    weights = [1 / (rank + 5) for rank in range(len(vocabulary))]
    out = []
    for number in range(count // SECTIONS):
        words = iter(chance.choices(vocabulary, weights, k=SECTIONS * (WORDS + 3)))
        parts = []
        for _ in range(SECTIONS):
            heading = " ".join(next(words) for _ in range(3))
            parts.append(f"# {heading}\n\n{' '.join(next(words) for _ in range(WORDS))}\n")
        text, path = "\n".join(parts), f"docs/{number % 97}/{number}.md"
        cut = passages.cut(path, markdown.parse(text), text, lambda texts: [200] * len(texts))
        out.append(Document(path, text, str(number), "", cut))
    return out


def _fill(snapshot: index.Snapshot) -> None:
    chance = np.random.default_rng(1)
    for rows in (snapshot.wholes, snapshot.openings):
        vectors = chance.standard_normal((len(rows), 384)).astype(np.float32)
        snapshot.arena.fill(rows, vectors / np.linalg.norm(vectors, axis=1, keepdims=True))


def _in_turn(first: Callable[[], object], second: Callable[[], object]) -> tuple[float, float]:
    times = [(_timed(first), _timed(second)) for _ in range(ROUNDS)]
    return statistics.median(a for a, _ in times), statistics.median(b for _, b in times)


def _timed(call: Callable[[], object]) -> float:
    started = time.perf_counter()
    call()
    return (time.perf_counter() - started) * 1000


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
