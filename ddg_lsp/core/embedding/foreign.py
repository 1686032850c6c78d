"""The border to model libraries, which fail in ways nobody can list: there every failure becomes one of ours.

tokenizers raises bare `Exception` for a damaged or newer file, safetensors and torch their own classes below it,
sentence-transformers whatever the model's own code raises. Wrap the library's call in `foreign_calls` and nothing
else: a fault of our own must stay a fault.
"""

from __future__ import annotations

from collections.abc import Callable
from types import TracebackType

from ddg_lsp.core.embedding.errors import EmbedderUnavailable


class foreign_calls:  # noqa: N801 - used like a function, as in contextlib
    """Turns whatever the block raises into `EmbedderUnavailable`, with the sentence `explain` makes of it."""

    def __init__(self, explain: Callable[[Exception], str]) -> None:
        self._explain = explain

    def __enter__(self) -> None:
        return None

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if isinstance(error, Exception) and not isinstance(error, EmbedderUnavailable):
            raise EmbedderUnavailable(self._explain(error)) from error


def first_line(error: BaseException, most: int = 200) -> str:
    """The beginning of what a library says, on one line, with the kind of error where it says nothing."""
    lines = str(error).strip().splitlines()
    text = lines[0].strip() if lines else ""
    if not text:
        return type(error).__name__
    return text if len(text) <= most else text[: most - 1] + "…"
