"""The session's one embedder: chosen when the first folder is opened, chosen again when it turns out not to work.

Owns the choice and the searcher that goes with it. Everything but the plain attributes is called on the indexing
thread, since a choice may import half of PyTorch. Must not know folders or the client.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import Protocol

from ddg_lsp.core.embedding import Embedder
from ddg_lsp.core.embedding.choose import Choice
from ddg_lsp.core.embedding.errors import EmbedderUnavailable
from ddg_lsp.core.search import Searcher
from ddg_lsp.core.settings import Settings
from ddg_lsp.server.worker import LockedEmbedder


class Choose(Protocol):
    """`ddg_lsp.core.embedding.choose.choose`, or what a test puts in its place."""

    def __call__(self, settings: Settings, *, failed: Mapping[str, str] | None = None) -> Choice:  # noqa: D102
        ...


_WISHES = (
    *("embedder", "model", "device", "backend", "query_prefix", "passage_prefix"),
    *("http_url", "http_dialect", "http_api_key_env", "threads"),
)


class Engine:
    """Which embedder answers, and why. `embedder` is None while answers come from the words alone."""

    def __init__(self, choose: Choose) -> None:
        self._choose = choose
        self._wishes: tuple[object, ...] | None = None
        self._settings: Settings | None = None
        self._failed: dict[str, str] = {}
        self._used_at = time.monotonic()
        self._loaded = False
        self.choice = Choice(None, "No model has been chosen yet.", ())
        self.embedder: Embedder | None = None
        self.searcher = Searcher(None)

    def configure(self, settings: Settings) -> bool:
        """Choose for these settings; True when another embedder than before answers from now on."""
        wishes = tuple(getattr(settings, name) for name in _WISHES)
        if wishes == self._wishes:
            return False
        self._wishes, self._settings, self._failed = wishes, settings, {}
        return self._take(self._choose(settings, failed={}))

    def fail(self, embedder: Embedder | None, error: EmbedderUnavailable) -> bool:
        """This embedder cannot work: choose again without it; True when another answers from now on."""
        if embedder is None or embedder is not self.embedder or self._settings is None:
            return False  # it was replaced meanwhile
        self._failed[embedder.info.embedder] = str(error)
        return self._take(self._choose(self._settings, failed=self._failed))

    def retry(self) -> bool:
        """Forget what failed and choose again; True when another embedder answers from now on."""
        if not self._failed or self._settings is None:
            return False
        self._failed = {}
        return self._take(self._choose(self._settings, failed={}))

    def used(self) -> None:
        """The model has just been at work."""
        self._used_at, self._loaded = time.monotonic(), True

    def unload_if_idle(self, check: Callable[[], None]) -> None:
        """Give the model's memory back when nobody has needed it for a while."""
        check()
        minutes = self._settings.idle_unload_minutes if self._settings else 0.0
        idle = time.monotonic() - self._used_at
        if self.embedder is not None and self._loaded and minutes and idle >= minutes * 60.0:
            self._loaded = False
            self.embedder.unload()

    def _take(self, choice: Choice) -> bool:
        before = self.embedder
        embedder = choice.embedder
        if embedder is not None and not getattr(embedder, "thread_safe", False):
            embedder = LockedEmbedder(embedder)
        self.choice, self.embedder, self.searcher = choice, embedder, Searcher(embedder)
        if before is not None:
            before.unload()
        return before is not embedder
