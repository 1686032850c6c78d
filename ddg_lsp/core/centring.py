"""Taking language out of vectors: what a model puts into every question of a language, whatever it asks.

A model of this kind places a text first by its language and only then by its meaning. The mean of unrelated questions of
a language (`probes`) is that part; `Centre` holds the means, and `Projection` what every row of an arena has of each.
See docs/explanation/ranking.md for the formula and docs/decisions/0006-ranking.md for the figures.
"""

from __future__ import annotations

import io
import os
import tempfile
from dataclasses import dataclass, field
from functools import cached_property
from importlib import resources
from pathlib import Path

import numpy as np
import platformdirs
import xxhash
from numpy.typing import NDArray

from ddg_lsp.core import probes
from ddg_lsp.core.dense import ArenaView
from ddg_lsp.core.embedding import Embedder, EmbedderInfo, Matrix

Languages = NDArray[np.int8]


@dataclass(frozen=True)
class Centre:
    """The probe questions as one model sees them. L languages, P probes of each, d dimensions."""

    languages: tuple[str, ...]
    vectors: NDArray[np.float32]
    """float32 (L, P, d), unit rows."""

    @cached_property
    def means(self) -> Matrix:
        """The mean of each language's probes, float32 (L, d); not of norm 1."""
        means: Matrix = self.vectors.mean(axis=1, dtype=np.float64).astype(np.float32)
        return means

    @cached_property
    def directions(self) -> Matrix:
        """What tells a language from the others: its mean less the mean of all, norm 1, float32 (L, d)."""
        apart = self.means - self.means.mean(axis=0)
        return (apart / np.linalg.norm(apart, axis=1, keepdims=True)).astype(np.float32)

    @cached_property
    def grand(self) -> Matrix:
        """The mean of all languages' means, float32 (d,)."""
        mean: Matrix = self.means.mean(axis=0)
        return mean

    def language_scores(self, vectors: Matrix) -> Matrix:
        """How much of each language is in each vector, float32 (n, L): the largest is its language."""
        scores: Matrix = (vectors - self.grand) @ self.directions.T
        return scores

    def language_of(self, vector: Matrix) -> int:
        """The number of the language nearest to one vector (d,)."""
        return int(self.language_scores(vector[None, :])[0].argmax())


@dataclass
class Projection:
    """For every row of an arena: its product with each language's mean. Brought up to date as rows become ready."""

    centre: Centre
    products: Matrix = field(default_factory=lambda: np.empty((0, 0), np.float32))
    """float32 (rows, L); 0 where a row is not ready."""
    _done: NDArray[np.bool_] = field(default_factory=lambda: np.empty(0, np.bool_))

    def update(self, view: ArenaView) -> None:
        """Compute what is missing; a few milliseconds per ten thousand new rows, nothing when there are none."""
        rows, known = len(view.ready), len(self._done)
        if rows > known:
            products = np.zeros((rows, len(self.centre.languages)), np.float32)
            products[:known] = self.products[:known] if known else 0.0
            self.products = products
            self._done = np.concatenate([self._done, np.zeros(rows - known, np.bool_)])
        todo = np.flatnonzero(view.ready & ~self._done[:rows])
        if len(todo):
            self.products[todo] = view.matrix[todo] @ self.centre.means.T
            self._done[todo] = True


def load(embedder: Embedder, cache_dir: Path | None = None) -> Centre:
    """The centre of a model: shipped for the built-in one, else from the user's cache, else computed and kept there.

    Computing embeds every probe question, some seconds on a processor. Raises what the embedder raises.
    """
    key = _key(embedder.info)
    shipped = resources.files("ddg_lsp.core.probes").joinpath(f"{key}.npy")
    if shipped.is_file():
        return _centre(np.load(io.BytesIO(shipped.read_bytes()), allow_pickle=False))
    place = (cache_dir or platformdirs.user_cache_path("ddg-lsp")) / "centres" / f"{key}.npy"
    known = _read(place, embedder.info.dimensions)
    if known is not None:
        return _centre(known)
    vectors = compute(embedder)
    _write(place, vectors)
    return _centre(vectors)


def compute(embedder: Embedder) -> NDArray[np.float32]:
    """Embed every probe question: float32 (L, P, d), languages in the order of `probes.load()`."""
    prefix = embedder.info.query_prefix
    rows = [embedder.embed([prefix + question for question in questions]) for questions in probes.load().values()]
    return np.stack(rows)


def _key(info: EmbedderInfo) -> str:
    asked = "\n".join(question for questions in probes.load().values() for question in questions)
    return xxhash.xxh3_64_hexdigest(f"{info.key}\n{asked}")


def _centre(vectors: NDArray[np.floating]) -> Centre:
    unit = vectors.astype(np.float32)
    return Centre(tuple(probes.load()), unit / np.linalg.norm(unit, axis=2, keepdims=True))


def _read(place: Path, dimensions: int) -> NDArray[np.floating] | None:
    """The cached vectors when they are whole, else None; a damaged file is computed anew and replaced."""
    questions = probes.load()
    wanted = (len(questions), len(next(iter(questions.values()))), dimensions)
    try:
        vectors = np.load(place, allow_pickle=False)
    except (OSError, ValueError, EOFError):
        return None
    sound = vectors.shape == wanted and vectors.dtype.kind == "f" and bool(np.isfinite(vectors).all())
    return vectors if sound else None


def _write(place: Path, vectors: NDArray[np.float32]) -> None:
    """Keep vectors for the next start; without a writable cache they are computed again, which is no fault."""
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=place.parent, suffix=".tmp")
        with os.fdopen(handle, "wb") as file:
            np.save(file, vectors.astype(np.float16))
        Path(name).replace(place)
    except OSError:
        return
