"""How the weights of mode `hybrid` were chosen: `python -m benchmarks.weights SET_FOLDER [SET_FOLDER ...]`.

Every combination of the grid is asked every question of every set with the product's own scorer. The questions are
dealt into folds by their `group` (translations and paraphrases of one question stay together); for each fold the
combination that is best on the others is taken and judged on the fold that was held out. The value of a combination is
the mean over the sets of file and section nDCG@10. Printed: the choice of each fold, its held-out value beside that of
the weights in force, and the whole grid.
"""

from __future__ import annotations

import argparse
import itertools
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path

import numpy as np
import xxhash
from numpy.typing import NDArray

from benchmarks import metrics
from benchmarks.quality import indexed, parts
from benchmarks.rankings import product
from ddg_lsp.core import question_vector, scoring
from ddg_lsp.core.embedding import Embedder, Matrix
from ddg_lsp.core.search import Target

FOLDS = 5
GRID: Mapping[str, Sequence[float]] = {
    "CENTRE_LANGUAGE": (0.6, 0.7, 0.8, 0.9),
    "CENTRE_COMMON": (0.3, 0.4, 0.5),
    "LEXICAL_WEIGHT": (0.15,),
    "GLOSSED": (0.0, 0.6),
}
Weights = tuple[float, ...]
Values = NDArray[np.float64]
"""(questions, 2): nDCG@10 by file, and by section (nan where a question's label names none)."""


def main(argv: Sequence[str] | None = None) -> int:
    """Measure the grid and print what each fold chooses."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.weights", description=__doc__)
    parser.add_argument("sets", nargs="+", type=Path, metavar="SET_FOLDER")
    folders: list[Path] = parser.parse_args(argv).sets
    in_force = tuple(float(getattr(_owner(name), name)) for name in GRID)
    grid = sorted({*itertools.product(*GRID.values()), in_force})
    measured: list[Mapping[Weights, Values]] = []
    folds: list[NDArray[np.int64]] = []
    with ExitStack() as stack:
        for folder in folders:
            target, engine = parts(stack.enter_context(indexed(folder / "corpus")))
            embedder = Remembering(engine)
            judged = metrics.load(folder)
            folds.append(np.array([xxhash.xxh3_64_intdigest(question.group.encode()) % FOLDS for question in judged]))
            measured.append({weights: _asked(target, embedder, judged, weights) for weights in grid})
    _print(grid, in_force, measured, folds)
    return 0


class Remembering:
    """An embedder that embeds each question once, however often it is asked."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self._known: dict[tuple[str, ...], Matrix] = {}
        self.info = embedder.info

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        """See `Embedder.count_tokens`."""
        return self._embedder.count_tokens(texts)

    def embed(self, texts: Sequence[str], max_tokens: int | None = None) -> Matrix:
        """See `Embedder.embed`."""
        key = (*texts, str(max_tokens))
        if key not in self._known:
            self._known[key] = self._embedder.embed(texts, max_tokens)
        return self._known[key]

    def unload(self) -> None:
        """See `Embedder.unload`."""
        self._embedder.unload()


def _owner(name: str) -> object:
    return question_vector if name == "GLOSSED" else scoring


def _asked(target: Target, embedder: Embedder, judged: Sequence[metrics.Judged], weights: Weights) -> Values:
    """Every question under one combination of weights."""
    for name, weight in zip(GRID, weights, strict=True):
        setattr(_owner(name), name, weight)
    rank, _ = product(target, embedder, "hybrid")
    values = []
    for question in judged:
        places = rank(question.question)
        files = list(dict.fromkeys(path for path, _ in places))
        by_file = metrics.measure(files, question.files)["nDCG@10"]
        by_section = metrics.measure(places, question.sections)["nDCG@10"] if question.sections else np.nan
        values.append((by_file, by_section))
    return np.array(values)


def _value(
    weights: Weights, measured: Sequence[Mapping[Weights, Values]], chosen: Sequence[NDArray[np.bool_]]
) -> float:
    """The mean over the sets of file and section nDCG@10 of the chosen questions."""
    return float(np.mean([np.nanmean(of[weights][rows], axis=0) for of, rows in zip(measured, chosen, strict=True)]))


def _print(
    grid: Sequence[Weights],
    in_force: Weights,
    measured: Sequence[Mapping[Weights, Values]],
    folds: Sequence[NDArray[np.int64]],
) -> None:
    print(f"weights: {', '.join(GRID)}; in force {in_force}")
    for fold in range(FOLDS):
        others, held = [of != fold for of in folds], [of == fold for of in folds]
        best = max(grid, key=lambda weights: _value(weights, measured, others))
        pair = _value(best, measured, held), _value(in_force, measured, held)
        print(f"fold {fold}: chooses {best}; held out {pair[0]:.4f}, weights in force {pair[1]:.4f}")
    everything = [of >= 0 for of in folds]
    for weights in sorted(grid, key=lambda weights: -_value(weights, measured, everything)):
        means = [np.nanmean(of[weights], axis=0) for of in measured]
        tables = "  ".join(f"{by_file:.3f}/{by_section:.3f}" for by_file, by_section in means)
        print(f"{_value(weights, measured, everything):.4f}  {weights}  {tables}")


if __name__ == "__main__":
    raise SystemExit(main())
