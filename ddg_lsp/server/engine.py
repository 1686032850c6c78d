"""The session's one embedder: chosen when the first folder is opened, chosen again when it turns out not to work.

Owns the choice and the searcher that goes with it. Everything but the plain attributes is called on the indexing
thread, since a choice may import half of PyTorch. Must not know folders or the client.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Protocol

from ddg_lsp.core.embedding import Embedder, EmbedderInfo, embed_query
from ddg_lsp.core.embedding.choose import Choice
from ddg_lsp.core.embedding.e5 import E5Embedder
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
        self._settings = Settings()
        self._failed: dict[str, str] = {}
        self._used_at = time.monotonic()
        self._loaded = False
        self._prepared = False
        self.choice = Choice(None, "No model has been chosen yet.", ())
        self.embedder: Embedder | None = None
        self.info: EmbedderInfo | None = None
        self.searcher = Searcher(None)

    @property
    def lacking(self) -> bool:
        """There is no model, and the user did not want it so."""
        return self.embedder is None and self._settings.embedder != "none" and self._wishes is not None

    def configure(self, settings: Settings) -> bool:
        """Choose for these settings; True when another embedder than before answers from now on."""
        wishes = tuple(getattr(settings, name) for name in _WISHES)
        self._settings = settings
        if wishes == self._wishes:
            return False
        self._wishes, self._failed = wishes, {}
        return self._renew()

    def fail(self, embedder: Embedder | None, error: EmbedderUnavailable) -> bool:
        """This embedder cannot work: choose again without it; True when another answers from now on."""
        if embedder is None or embedder is not self.embedder:
            return False  # it was replaced meanwhile
        self._failed[self.choice.name] = str(error)
        return self._renew()

    def retry(self) -> bool:
        """Forget what failed and choose again; True when another embedder answers from now on."""
        if not self._failed:
            return False
        self._failed = {}
        return self._renew()

    def prepare(self) -> None:
        """Before the first passage is embedded: what questions will need of the model besides, so that none waits."""
        self._used_at, self._loaded = time.monotonic(), True
        if not self._prepared:
            self.searcher.prepare()
            self._prepared = True

    def warm(self) -> None:
        """Load the model beside other work: a folder never seen is about to need it, and so is its first question."""
        if self.embedder is not None:
            self.prepare()
            embed_query(self.embedder, "")

    def used(self) -> None:
        """The model has just been at work."""
        self._used_at, self._loaded = time.monotonic(), True

    def unload_if_idle(self) -> None:
        """Give the model's memory back when nobody has needed it for a while."""
        minutes = self._settings.idle_unload_minutes
        idle = time.monotonic() - self._used_at
        if self.embedder is not None and self._loaded and minutes and idle >= minutes * 60.0:
            self._loaded = False
            self.embedder.unload()

    def _renew(self) -> bool:
        """Take the next best embedder that can at least say what it is."""
        before = self.embedder
        while True:
            choice = self._choose(self._settings, failed=self._failed)
            try:
                info = choice.embedder.info if choice.embedder is not None else None
                break
            except EmbedderUnavailable as error:
                self._failed[choice.name] = str(error)
        embedder = choice.embedder
        if embedder is not None and not isinstance(embedder, E5Embedder):  # which serves any number of threads
            embedder = LockedEmbedder(embedder)
        self.choice, self.embedder, self.info = choice, embedder, info
        self.searcher, self._prepared = Searcher(embedder), False
        if before is not None:
            before.unload()
        return before is not embedder
