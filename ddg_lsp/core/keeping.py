"""What of an index is on disk: when it is read, when it is written, who writes, and what the others take over.

Owns the cached layouts and the moments of writing. Must not know how documents are found, nor what is embedded next.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from datetime import datetime, timezone
from pathlib import Path

from ddg_lsp.core import heartbeat, passages
from ddg_lsp.core.cache_manifest import LOCK
from ddg_lsp.core.dense import VectorArena
from ddg_lsp.core.embedding import Embedder
from ddg_lsp.core.model import Document
from ddg_lsp.core.settings import Settings
from ddg_lsp.core.vector_cache import CacheContent, CachedDocument, CacheKey, Notice, VectorCache

CHECKPOINT_SECONDS = 3.0
"""A killed build loses at most about this much work."""
CHECKPOINT_SHARE = 20.0
"""And writing checkpoints takes at most a twentieth of a build's time, however large the cache."""
PATIENCE_SECONDS = 8.0
"""Another process that writes this cache and adds nothing to it for so long is not waited for any more."""
PATIENCE_SHARE = 30.0
"""And where reading the cache takes long, so does writing it: so many times as long."""
CACHED_META = frozenset({"title", "date", "updated", "aliases", "lang", "language"})
"""Front matter that ranking uses; what else an author wrote there is nobody's business in a cache."""


class Keeping:
    """The disk's side of one index; without an embedder, or with `disk=False`, nothing is kept."""

    def __init__(self, root: Path, settings: Settings, embedder: Embedder | None, *, disk: bool) -> None:
        key = _cache_key(embedder, settings) if embedder and disk else None
        self._cache = VectorCache(root, key, settings.cache_dir) if key else None
        self.layouts: Mapping[str, CachedDocument] = {}
        """Documents as the cache knows them, by path."""
        self.indexed_at = ""
        """When the index was last complete, ISO 8601; empty: never yet."""
        self._looked = False
        self.changed = False
        """There is something the disk does not have."""
        self._saved_at = time.monotonic()
        self._save_seconds = 0.0
        self._news_at = time.monotonic()
        self._patience = PATIENCE_SECONDS
        self._heartbeat = heartbeat.Heartbeat()

    @property
    def unwritten(self) -> bool:
        """There is a cache, and it does not have everything, or too much."""
        return self._cache is not None and self.changed

    def load(self, arena: VectorArena) -> None:
        """Take over what the cache holds; cheap next to embedding, safe on any content of the cache folder."""
        began = time.monotonic()
        content = self._cache.load() if self._cache is not None else None
        self._patience = max(PATIENCE_SECONDS, PATIENCE_SHARE * (time.monotonic() - began))
        if content is None:
            self.forget()
        else:
            self._news_at = time.monotonic()
            if len(content.fingerprints):
                arena.fill(arena.intern(content.fingerprints), content.vectors)
            self.layouts = content.documents
            self.indexed_at = content.indexed_at
            # Once, what writers that were killed have left is looked for, which is what a save does first.
            self.changed, self._looked = self.changed or not self._looked, True

    def follow(self, arena: VectorArena) -> bool:
        """Take over what another process has written since; whether there was anything."""
        if self._cache is None or self._cache.is_current():
            return False
        self.load(arena)
        return True

    def leaves(self) -> bool:
        """Whether embedding is another process's work: one that writes this cache, is building and gets on with it.

        To do it here as well would be twice the work for the user's machine, and none of it kept.
        """
        if self._cache is None or self._cache.folder is None:
            return False
        lock = self._cache.folder / LOCK
        if self._cache.acquire():
            self._heartbeat.give(lock)
            return False
        return heartbeat.seen(lock) and time.monotonic() - self._news_at < self._patience

    def due(self) -> bool:
        """Enough time has passed since the last write to write again during a build."""
        wait = max(CHECKPOINT_SECONDS, CHECKPOINT_SHARE * self._save_seconds)
        return self.changed and time.monotonic() - self._saved_at >= wait

    def save(self, documents: Iterable[Document], arena: VectorArena, *, complete: bool) -> bool:
        """Write what is new; True when something was written. Never raises for want of a place.

        `documents`: those of the disk, for unsaved text never reaches it. `complete`: nothing is left to embed.
        """
        if self._cache is None or not self.changed or not self._cache.acquire():
            return False
        before = time.monotonic()
        content = self._content(documents, arena, now() if complete else self.indexed_at)
        written = self._cache.save(content)
        # Where the disk held all this already, it was complete then, not now.
        self.indexed_at = self._cache.indexed_at if written else self.indexed_at or content.indexed_at
        self.layouts = content.documents
        self._saved_at = time.monotonic()
        self._save_seconds = self._saved_at - before
        self.changed = False
        return written

    def lacks(self, documents: Iterable[Document]) -> bool:
        """Whether one of these documents is not as the cache has it."""
        layouts = self.layouts
        return any(d.path not in layouts or layouts[d.path].digest != d.digest for d in documents)

    def outlives(self, paths: Iterable[str]) -> bool:
        """Whether the cache has a document that is not among all those there are."""
        return bool(self.layouts.keys() - paths)

    def forget(self) -> None:
        """Nothing of what the disk has is of use any more."""
        self.layouts = {}
        self.changed = self._cache is not None

    def notices(self) -> list[Notice]:
        """What the cache has to tell the user; each is handed out once."""
        if self._cache is None:
            return []
        told, self._cache.notices = list(self._cache.notices), []
        return told

    def close(self) -> None:
        """Let go of the cache, so that another process may write."""
        if self._cache is not None:
            self._cache.close()

    def _content(self, known: Iterable[Document], arena: VectorArena, indexed_at: str) -> CacheContent:
        documents = {d.path: _cached(d) for d in sorted(known, key=lambda d: d.path)}
        wanted = (name for d in documents.values() for p in d.passages for name in (p.opening, p.fingerprint))
        names, vectors = arena.ready_items(wanted)
        return CacheContent(documents, tuple(names), vectors, indexed_at)


def now() -> str:
    """This moment, ISO 8601 in UTC, to the second."""
    return datetime.now(timezone.utc).isoformat(timespec="seconds")


def _cached(document: Document) -> CachedDocument:
    meta = {key: value for key, value in document.meta.items() if key in CACHED_META and isinstance(value, (str, list))}
    return CachedDocument(document.path, document.digest, document.stamp, document.title, document.passages, meta)


def _cache_key(embedder: Embedder, settings: Settings) -> CacheKey:
    info = embedder.info
    return CacheKey(info.key, info.id, info.dimensions, settings.policy, passages.FORMAT)
