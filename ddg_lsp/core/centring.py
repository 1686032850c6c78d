"""Taking language out of vectors: what a model puts into every question of a language, whatever it asks.

A model of this kind places a text first by its language and only then by its meaning. The mean of unrelated questions
of a language (`probes`) is that part. `Centre` holds the means; `geometry` applies them.
See docs/explanation/ranking.md for the formula and docs/decisions/0006-ranking.md for the figures.
"""

from __future__ import annotations

import io
import os
import tempfile
from dataclasses import dataclass
from functools import cached_property
from importlib import resources
from pathlib import Path

import numpy as np
import platformdirs
import xxhash
from numpy.typing import NDArray

from ddg_lsp.core import languages, probes
from ddg_lsp.core.embedding import Embedder, EmbedderInfo, Matrix

_NORM_TOLERANCE = 0.01
"""Far more than float16 takes from the norm of a unit vector; what is farther off is damage."""


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

    def scores_from_products(self, products: Matrix) -> Matrix:
        """How much of each language is in vectors, float32 (n, L), given their products with `means`, (n, L).

        The product with each language's direction: what tells it from the mean of all languages.
        """
        common = products.mean(axis=1, keepdims=True)
        grand = self.means.mean(axis=0)
        offset = (self.means - grand) @ grand
        scores: Matrix = (products - common - offset) / self._spread
        return scores

    def question_language(self, question: str, vector: Matrix) -> int:
        """The number of the language a question (its vector (d,)) is asked in."""
        scores = self.scores_from_products((self.means @ vector)[None, :])[0]
        return languages.nearest(scores, languages.possible(languages.script_of(question), self.languages))

    def name_of(self, question: str, vector: Matrix) -> str:
        """The code of the language a question is asked in."""
        return self.languages[self.question_language(question, vector)]

    @cached_property
    def _spread(self) -> Matrix:
        """The norm of each language's direction before it is made a unit vector, float32 (L,)."""
        apart = np.linalg.norm(self.means - self.means.mean(axis=0), axis=1)
        norms: Matrix = np.maximum(apart, 1e-6).astype(np.float32)
        return norms


def load(embedder: Embedder, cache_dir: Path | None = None) -> Centre:
    """The centre of a model: shipped for the built-in one, else from the user's cache, else computed and kept there.

    Computing embeds every probe question, some seconds on a processor. Raises what the embedder raises.
    """
    key = key_of(embedder.info)
    shipped = resources.files("ddg_lsp.core.probes").joinpath(f"{key}.npy")
    if shipped.is_file():
        return _centre(np.load(io.BytesIO(shipped.read_bytes()), allow_pickle=False))
    place = (cache_dir or platformdirs.user_cache_path("ddg-lsp")) / "centres" / f"{key}.npy"
    known = _read(place, embedder.info.dimensions)
    if known is not None:
        return _centre(known)
    # As they are kept, so that the first start scores as every later one does, to the last digit.
    vectors = compute(embedder).astype(np.float16)
    _write(place, vectors)
    return _centre(vectors)


def compute(embedder: Embedder) -> NDArray[np.float32]:
    """Embed every probe question: float32 (L, P, d), languages in the order of `probes.load()`."""
    prefix = embedder.info.query_prefix
    rows = [embedder.embed([prefix + question for question in questions]) for questions in probes.load().values()]
    return np.stack(rows)


def key_of(info: EmbedderInfo) -> str:
    """The name under which the probe vectors of a model are kept: it changes with the model and with the questions."""
    asked = "\n".join(question for questions in probes.load().values() for question in questions)
    return xxhash.xxh3_64_hexdigest(f"{info.key}\n{asked}".encode())


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
    if vectors.shape != wanted or vectors.dtype.kind != "f":
        return None
    norms = np.linalg.norm(vectors.astype(np.float32), axis=2)  # what is not a number has no norm within bounds
    return vectors if bool((np.abs(norms - 1) < _NORM_TOLERANCE).all()) else None


def _write(place: Path, vectors: NDArray[np.float16]) -> None:
    """Keep vectors for the next start; without a writable cache they are computed again, which is no fault."""
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=place.parent, suffix=".tmp")
        with os.fdopen(handle, "wb") as file:
            np.save(file, vectors)
        Path(name).replace(place)
    except OSError:
        return
