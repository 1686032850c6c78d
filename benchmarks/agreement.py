"""How far two engines agree on one model: `python -m benchmarks.agreement SET_FOLDER [--passages N] [--questions N]`.

The built-in embedder's weights are written out as a sentence-transformers folder in float32 and run by that package
(which must be installed); passages and questions of the set are embedded by both, the whole of a passage cut to 128
tokens. Printed: the cosines between the two vectors of one text, and the share of questions whose best passage is the
same. Nothing is asserted here.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from benchmarks import metrics
from ddg_lsp.core.embedded_text import whole_text
from ddg_lsp.core.embedding import Embedder, Matrix
from ddg_lsp.core.embedding.e5 import E5Embedder
from ddg_lsp.core.embedding.sentence_transformers import SentenceTransformersEmbedder
from ddg_lsp.core.opening import open_folder
from tests.helpers.e5_folder import write_e5_folder

MAX_TOKENS = 128
STEP = 64


def main(argv: Sequence[str] | None = None) -> int:
    """Embed with both and print how far they agree."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.agreement", description=__doc__)
    parser.add_argument("set", type=Path, metavar="SET_FOLDER")
    parser.add_argument("--passages", type=int, default=1000, help="at most so many, spread over the corpus")
    parser.add_argument("--questions", type=int, default=200, help="at most so many, spread over the set")
    arguments = parser.parse_args(argv)
    passages = _spread(_passages(arguments.set / "corpus"), arguments.passages)
    questions = _spread([q.question for q in metrics.load(arguments.set)], arguments.questions)
    with tempfile.TemporaryDirectory(prefix="ddg-agreement-") as place:
        library = SentenceTransformersEmbedder(str(write_e5_folder(Path(place) / "multilingual-e5-small")))
        one, two = (_both(engine, passages, questions) for engine in (E5Embedder(), library))
    for name, ours, theirs in zip(("passages", "questions"), one, two, strict=True):
        cosines = np.einsum("ij,ij->i", ours, theirs)
        print(f"cosine, {len(cosines)} {name}: mean {cosines.mean():.4f}, least {cosines.min():.4f}")
    first = [np.argmax(asked @ there.T, axis=1) for there, asked in (one, two)]
    print(
        f"the same best of {len(passages)} passages: {(first[0] == first[1]).mean():.1%} of {len(questions)} questions"
    )
    return 0


def _both(engine: Embedder, passages: list[str], questions: list[str]) -> tuple[Matrix, Matrix]:
    info = engine.info
    started = time.monotonic()
    there = _embed(engine, [info.passage_prefix + text for text in passages])
    asked = _embed(engine, [info.query_prefix + text for text in questions])
    print(f"{info.embedder}: {time.monotonic() - started:.0f} s", file=sys.stderr)
    return there, asked


def _embed(engine: Embedder, texts: list[str]) -> Matrix:
    steps = range(0, len(texts), STEP)
    return np.concatenate([engine.embed(texts[start : start + STEP], MAX_TOKENS) for start in steps])


def _passages(corpus: Path) -> list[str]:
    """The embedded text of every passage of the folder."""
    opened = open_folder(corpus, {"cacheDir": "memory", "embedder": "none"})
    opened.folder.refresh()
    snapshot = opened.folder.snapshot
    return [
        whole_text(document.text, passage) for document in snapshot.documents.values() for passage in document.passages
    ]


def _spread(things: list[str], most: int) -> list[str]:
    return things if len(things) <= most else [things[i * len(things) // most] for i in range(most)]


if __name__ == "__main__":
    sys.exit(main())
