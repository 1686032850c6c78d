"""The one thing every engine says when it cannot work; knows nothing of engines."""

from __future__ import annotations

from ddg_lsp.core.errors import DdgError


class EmbedderUnavailable(DdgError):  # noqa: N818 - a state of the engine, named as users meet it
    """The engine cannot make vectors now; `str(error)` says why and what would help. Code `EMBEDDER_UNAVAILABLE`.

    `data` may hold `retryAfterSeconds`: asking earlier is of no use.
    """

    def __init__(self, reason: str, **data: object) -> None:
        super().__init__("EMBEDDER_UNAVAILABLE", reason)
        self.data = data
