"""A small real embedder without a model: hashed words and character trigrams. For tests and for nothing else.

Vectors depend on the text alone, equal texts are equal on every machine, and texts that share words are near.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
import xxhash

from ddg_lsp.core.embedding import EmbedderInfo, Matrix

_TOKEN = re.compile(r"\w+|[^\w\s]")


class DeterministicEmbedder:
    """Hashes words and trigrams into `dimensions` buckets; records every text it was given in `seen`."""

    def __init__(self, dimensions: int = 384, max_tokens: int = 512) -> None:
        self._info = EmbedderInfo("deterministic", "hashed-words", dimensions, max_tokens, "1", "query: ", "passage: ")
        self.seen: list[str] = []

    @property
    def info(self) -> EmbedderInfo:
        """See `Embedder.info`."""
        return self._info

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        """Words of at most four characters each, plus two: crude, monotone, about as dense as E5's."""
        return [2 + sum((len(m.group()) + 3) // 4 for m in _TOKEN.finditer(text)) for text in texts]

    def embed(self, texts: Sequence[str], max_tokens: int | None = None) -> Matrix:
        """See `Embedder.embed`."""
        self.seen.extend(texts)
        limit = min(max_tokens or self._info.max_tokens, self._info.max_tokens)
        rows = [self._vector(text, limit) for text in texts]
        return np.stack(rows) if rows else np.empty((0, self._info.dimensions), np.float32)

    def unload(self) -> None:
        """Nothing to give back."""

    def _vector(self, text: str, limit: int) -> Matrix:
        words = _TOKEN.findall(text.lower())[:limit]
        vector = np.zeros(self._info.dimensions, np.float32)
        for word in words:
            for piece in {word, *(word[i : i + 3] for i in range(len(word) - 2))}:
                bucket = xxhash.xxh3_64_intdigest(piece.encode("utf-8", "surrogatepass"))
                vector[bucket % self._info.dimensions] += 1.0 if bucket >> 63 else -1.0
        norm = float(np.linalg.norm(vector))
        if norm == 0.0:
            vector[0], norm = 1.0, 1.0
        return (vector / np.float32(norm)).astype(np.float32)
