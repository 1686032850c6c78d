"""Embedders: the protocol every engine keeps, and the two functions the rest of the core calls.

An embedder is given complete texts, prefix included, and never decides what is a question or a passage.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

Matrix = NDArray[np.float32]

OPENING_TOKENS = 64
"""Tokens of an opening, prefix and special tokens included (a quarter of the work for most of the gain)."""


@dataclass(frozen=True, slots=True)
class EmbedderInfo:
    """What names an embedder. Vectors of two embedders whose `key` differs never meet in one cache."""

    embedder: str
    """`e5`, `sentence-transformers`, `http`, or a test's own word."""
    id: str
    """The model's name, e.g. `intfloat/multilingual-e5-small`."""
    dimensions: int
    max_tokens: int
    weights: str
    """A hash of the weights (and of how they are run, where that changes vectors)."""
    query_prefix: str = ""
    passage_prefix: str = ""
    batch_texts: int = 8
    """Texts worth giving it at once. A question waits for at most one such batch."""

    @property
    def key(self) -> str:
        """One line that is equal exactly when vectors are comparable."""
        return f"{self.embedder}|{self.id}|{self.dimensions}|{self.weights}|{self.query_prefix}|{self.passage_prefix}"


@runtime_checkable
class Embedder(Protocol):
    """An engine that turns text into vectors. Used by one thread at a time; loads its model on first use.

    Everything but `unload` may raise `EmbedderUnavailable` (`errors.py`), `info` too where it depends on the model.
    """

    @property
    def info(self) -> EmbedderInfo:
        """Names the engine; must not load the model where that can be avoided."""
        ...

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        """Tokens of each text as given, special tokens included; may load a tokenizer but not the model."""
        ...

    def embed(self, texts: Sequence[str], max_tokens: int | None = None) -> Matrix:
        """Embed complete texts (prefix included): float32, shape (len(texts), dimensions), rows of norm 1.

        A text longer than `max_tokens` (default and upper bound: the model's) is cut to it.
        The vector of a text must not depend on which other texts share the call.
        """
        ...

    def unload(self) -> None:
        """Give the model's memory back; the next call loads it again."""
        ...


def embed_query(embedder: Embedder, question: str) -> Matrix:
    """The question's vector, shape (dimensions,), with the model's query prefix in front, byte for byte."""
    vector: Matrix = embedder.embed([embedder.info.query_prefix + question])[0]
    return vector


def embed_passages(embedder: Embedder, texts: Sequence[str], max_tokens: int | None = None) -> Matrix:
    """Vectors of passage texts, shape (len(texts), dimensions), with the model's passage prefix in front."""
    prefix = embedder.info.passage_prefix
    return embedder.embed([prefix + text for text in texts], max_tokens)


def passage_token_counter(embedder: Embedder) -> TokenCounter:
    """Counts tokens of passage texts as the model will see them: prefix and special tokens included."""
    prefix = embedder.info.passage_prefix

    def count(texts: Sequence[str]) -> list[int]:
        return embedder.count_tokens([prefix + text for text in texts])

    return count


class TokenCounter(Protocol):
    """Tokens of each passage text, everything included; see `passage_token_counter`."""

    def __call__(self, texts: Sequence[str], /) -> list[int]:
        """One count per text, in order."""
        ...
