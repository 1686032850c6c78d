"""How far two engines agree on one model: `python -m benchmarks.agreement SET_FOLDER [--files N] [--questions N]`.

The built-in embedder's weights are written out as a sentence-transformers folder in float32 and run by that package
(which must be installed). Some of the set's documents are indexed with both, and the questions about them are asked of
both. Printed: the cosines between the two vectors of a question, and for each mode the share of questions whose first
hit is the same file and the same section, and nDCG@10 of either. Nothing is asserted here.
"""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import TypeVar

import numpy as np

from benchmarks import metrics
from benchmarks.metrics import Judged, Place
from benchmarks.rankings import product
from ddg_lsp.core.embedding import Embedder, embed_query
from ddg_lsp.core.embedding.e5 import E5Embedder
from ddg_lsp.core.embedding.sentence_transformers import SentenceTransformersEmbedder
from ddg_lsp.core.opening import open_folder
from tests.helpers.e5_folder import write_e5_folder

T = TypeVar("T")
MODES = ("hybrid", "semantic")
Answers = dict[str, list[list[Place]]]
"""Mode to the places of each question, best first."""


def main(argv: Sequence[str] | None = None) -> int:
    """Ask both and print how far they agree."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.agreement", description=__doc__)
    parser.add_argument("set", type=Path, metavar="SET_FOLDER")
    parser.add_argument("--files", type=int, default=40, help="at most so many documents, spread over the corpus")
    parser.add_argument("--questions", type=int, default=200, help="at most so many questions about them")
    arguments = parser.parse_args(argv)
    with tempfile.TemporaryDirectory(prefix="ddg-agreement-") as name:
        place = Path(name)
        files = _copy_some(arguments.set / "corpus", place / "corpus", arguments.files)
        about = [judged for judged in metrics.load(arguments.set) if judged.files & files]
        asked = _spread(about, arguments.questions)
        library = SentenceTransformersEmbedder(str(write_e5_folder(place / "multilingual-e5-small")))
        engines: tuple[Embedder, Embedder] = (E5Embedder(), library)
        questions = [np.stack([embed_query(engine, q.question) for q in asked]) for engine in engines]
        cosines = np.einsum("ij,ij->i", *questions)
        print(f"cosine, {len(asked)} questions: mean {cosines.mean():.4f}, least {cosines.min():.4f}")
        one, two = (_answers(engine, place / "corpus", asked) for engine in engines)
    for mode in MODES:
        _print_mode(mode, one[mode], two[mode], asked)
    return 0


def _answers(engine: Embedder, corpus: Path, asked: Sequence[Judged]) -> Answers:
    started = time.monotonic()
    opened = open_folder(corpus, {"cacheDir": "memory"}, engine)
    opened.folder.refresh()
    while opened.folder.pending():
        opened.embed_some()
    seconds, passages = time.monotonic() - started, len(opened.folder.snapshot.passages)
    print(f"{engine.info.embedder}: {passages} passages in {seconds:.0f} s", file=sys.stderr)
    rankings = {mode: product(opened.folder.target(), engine, mode)[0] for mode in MODES}
    return {mode: [ranking(q.question) for q in asked] for mode, ranking in rankings.items()}


def _print_mode(mode: str, one: list[list[Place]], two: list[list[Place]], asked: Sequence[Judged]) -> None:
    pairs = list(zip(one, two, strict=True))
    same = np.mean([a[:1] == b[:1] for a, b in pairs])
    same_file = np.mean([[path for path, _ in a[:1]] == [path for path, _ in b[:1]] for a, b in pairs])
    print(f"{mode}: the same first file {same_file:.1%}, the same first section {same:.1%} of {len(asked)} questions")
    for name, answers in (("e5", one), ("sentence-transformers", two)):
        scores = [_file_score(places, q) for places, q in zip(answers, asked, strict=True)]
        print(f"{mode}: nDCG@10 by file, {name}: {np.mean(scores):.4f}")


def _file_score(places: list[Place], judged: Judged) -> float:
    found = list(dict.fromkeys(path for path, _ in places))
    return metrics.measure(found, frozenset(judged.files))["nDCG@10"]


def _copy_some(corpus: Path, target: Path, most: int) -> frozenset[str]:
    """Copy documents, spread over the corpus; their paths in it."""
    chosen = _spread(sorted(path.relative_to(corpus).as_posix() for path in corpus.rglob("*.md")), most)
    for name in chosen:
        (target / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(corpus / name, target / name)
    return frozenset(chosen)


def _spread(things: list[T], most: int) -> list[T]:
    return things if len(things) <= most else [things[i * len(things) // most] for i in range(most)]


if __name__ == "__main__":
    sys.exit(main())
