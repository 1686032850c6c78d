"""One workspace folder's live index: its snapshot, its open buffers, its cache on disk.

Every method runs on one thread (the indexing thread, or the command line's own); `snapshot` and `report` may be read
from any. The folder decides what is embedded next and what is written; it never decides when.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime, timezone
from pathlib import Path

from ddg_lsp.core import corpus, dictionary, index, memory, passages, queue
from ddg_lsp.core.embedding import OPENING_TOKENS, Embedder, embed_passages, passage_token_counter
from ddg_lsp.core.embedding.token_estimate import estimate_tokens
from ddg_lsp.core.model import Document, Skip, Stamp
from ddg_lsp.core.refresh import Reader, sweep
from ddg_lsp.core.report import IndexReport, Run
from ddg_lsp.core.search import Target
from ddg_lsp.core.settings import Settings
from ddg_lsp.core.synonym_file import Diagnostic
from ddg_lsp.core.synonyms import Dictionary
from ddg_lsp.core.vector_cache import CacheContent, CachedDocument, CacheKey, Notice, VectorCache

CHECKPOINT_SECONDS = 3.0
"""A killed build loses at most about this much work."""
CHECKPOINT_SHARE = 20.0
"""And writing checkpoints takes at most a twentieth of a build's time, however large the cache."""
CACHED_META = frozenset({"title", "date", "updated", "aliases", "lang", "language"})
"""Front matter that ranking uses; what else an author wrote there is nobody's business in a cache."""
WASTE = 4
"""Arena rows per passage (two are in use) before the unused ones are given back."""
_LEXICAL_DIMENSIONS = 1
LEXICAL_TOKENS = 512
"""Token bound of passages cut without a model: that of the built-in one, so that they are the same size."""


def no_check() -> None:
    """The `check` of a caller that never cancels."""


class Folder:
    """The live index of one folder. Without an embedder (`None`) it is lexical only, and `why` says why.

    With `disk=False` there are open buffers alone: `root` is a name, nothing is read from it or written to it.
    """

    def __init__(
        self, root: Path, settings: Settings, embedder: Embedder | None, why: str = "", *, disk: bool = True
    ) -> None:
        self.root = root
        self.settings = settings
        self.embedder = embedder
        self.why = why
        self.snapshot = index.empty(embedder.info.dimensions if embedder else _LEXICAL_DIMENSIONS)
        self.dictionary = Dictionary()
        self.synonym_notes: tuple[Diagnostic, ...] = ()
        self.indexed_at = ""
        self.failure = ""
        self._scanner = corpus.Scanner()
        self._disk: dict[str, Document] = {}
        self._refused: dict[str, tuple[Stamp, Skip]] = {}
        self._buffers: dict[str, Document] = {}
        self._layouts: Mapping[str, CachedDocument] = {}
        self._queue = queue.EmbedQueue()
        key = _cache_key(embedder, settings) if embedder and disk else None
        self._cache = VectorCache(root, key, settings.cache_dir) if key else None
        self._on_disk = disk
        self._swept = not disk
        self._saved_at = time.monotonic()
        self._save_seconds = 0.0
        self._started = time.monotonic()
        self._seconds = 0.0
        self._reused = 0
        self._removed = 0
        self._dirty = False

    def open(self) -> None:
        """Take over what the cache holds; cheap next to embedding, safe on any content of the cache folder."""
        if self._cache is None:
            return
        content = self._cache.load()
        if content is not None:
            self._take(content)

    def refresh(self, check: Callable[[], None] = no_check) -> int:
        """Bring the snapshot up to date with the disk; how many documents changed, came or went."""
        if not self._on_disk:
            return 0
        self._begin_run()
        found = sweep(self._reader(), self._scanner, self._disk, self._refused, check)
        for document in found.changed:
            self._disk[document.path] = document
        for path in found.removed:
            del self._disk[path]
        seen = [document for document in found.changed if document.path not in self._buffers]
        gone = [path for path in found.removed if path not in self._buffers]
        count = self._apply(seen, gone, found.skipped)
        reading = dictionary.read(self.root, self.settings, self.snapshot.documents.values())
        self.dictionary, self.synonym_notes = reading.dictionary, reading.diagnostics
        self._dirty = self._dirty or self._differs_from_cache(found.changed)
        self._swept = True
        return count

    def set_buffer(self, path: str, text: str | None) -> None:
        """An open buffer's text beats the disk's; None gives the document back to the disk."""
        if text is not None:
            document = self._reader().document(path, text, None)
            self._buffers[path] = document
            self._apply([document], [], None)
        elif self._buffers.pop(path, None) is not None:
            on_disk = self._disk.get(path)
            self._apply([on_disk] if on_disk else [], [] if on_disk else [path], None)

    def pending(self) -> int:
        """Views of passages still to be embedded."""
        return len(self._queue) if self.embedder else 0

    def embed_some(self, check: Callable[[], None] = no_check) -> int:
        """Embed the next few views, openings first; how many. Raises what the embedder raises."""
        if self.embedder is None:
            return 0
        batch = self._queue.take(self.snapshot, self.embedder.info.batch_texts)
        if not batch.rows:
            return 0
        try:
            check()
            vectors = embed_passages(self.embedder, batch.texts, OPENING_TOKENS if batch.opening else None)
        except BaseException:
            self._queue.put_back(batch)
            raise
        self.snapshot.arena.fill(batch.row_array(), vectors)
        self._dirty = True
        self._seconds = time.monotonic() - self._started
        return len(batch.rows)

    def checkpoint_due(self) -> bool:
        """True when enough time has passed since the last write to write again during a build."""
        wait = max(CHECKPOINT_SECONDS, CHECKPOINT_SHARE * self._save_seconds)
        return self._dirty and time.monotonic() - self._saved_at >= wait

    def save(self) -> bool:
        """Write what is new to the cache; True when something was written. Never raises for want of a place."""
        if self._cache is None or not self._dirty or not self._cache.acquire():
            return False
        before = time.monotonic()
        if not self.pending() and self._swept:
            self.indexed_at = datetime.now(timezone.utc).isoformat(timespec="seconds")
        content = self._content()
        written = self._cache.save(content)
        self._layouts = content.documents
        self._saved_at = time.monotonic()
        self._save_seconds = self._saved_at - before
        self._dirty = False
        return written

    def finish(self) -> None:
        """A build is through: write, and note the time it took."""
        self._seconds = time.monotonic() - self._started
        # A checkpoint may have written the last vectors already, but not that this is all.
        self._dirty = self._dirty or not (self.indexed_at or self.pending())
        self.save()
        memory.give_back()
        if not self.indexed_at and not self.pending():
            self.indexed_at = datetime.now(timezone.utc).isoformat(timespec="seconds")

    def close(self) -> None:
        """Write what is new and let go of the cache."""
        self.save()
        if self._cache is not None:
            self._cache.close()

    def notices(self) -> list[Notice]:
        """What the cache has to tell the user; each is handed out once."""
        if self._cache is None:
            return []
        told, self._cache.notices = list(self._cache.notices), []
        return told

    def rebuild(self) -> None:
        """Forget every vector: the next `embed_some` calls embed everything anew."""
        known = self.snapshot
        fresh = index.empty(known.arena.dimensions)
        self._layouts = {}
        self.snapshot = index.apply(fresh, known.documents.values(), (), known.skipped)
        self._queue.refill(self.snapshot, frozenset(self._buffers))
        self._reused, self._removed, self._dirty = 0, 0, True
        self._started = time.monotonic()

    def target(self) -> Target:
        """This index as a `Searcher` takes it: the snapshot of this moment and what the settings say about ranking."""
        settings = self.settings
        return Target(self.root, self.snapshot, self.dictionary, settings.priorities, settings.languages)

    def report(self) -> IndexReport:
        """The condition of this index now."""
        snapshot = self.snapshot
        pending = self.pending()
        if self.failure:
            state = "failed"
        elif self.embedder is None:
            state = "lexicalOnly"
        else:
            state = "building" if pending or not self._swept else "ready"
        return IndexReport(
            state=state,
            documents=len(snapshot.documents),
            passages=len(snapshot.passages),
            openings=snapshot.opened if self.embedder else 0,
            embedded=self._embedded(),
            indexed_at=self.indexed_at,
            skipped=snapshot.skipped,
            run=Run(max(0, self._embedded() - self._reused), self._reused, self._removed, self._seconds),
            message=self._message(state),
        )

    def _message(self, state: str) -> str:
        if state == "failed":
            return self.failure
        if state == "lexicalOnly":
            return self.why or "No model is available; answers come from the words alone."
        if state == "ready" and not self.snapshot.documents:
            return "There are no documents to search in this folder."
        return ""

    def _reader(self) -> Reader:
        if self.embedder is None:
            return Reader(self.root, self.settings, _estimate, LEXICAL_TOKENS, self._layouts)
        limit = self.embedder.info.max_tokens
        return Reader(self.root, self.settings, passage_token_counter(self.embedder), limit, self._layouts)

    def _apply(self, upserts: list[Document], removals: list[str], skipped: tuple[Skip, ...] | None) -> int:
        before, embedded_so_far = self.snapshot, self._embedded() - self._reused
        self.snapshot = index.apply(before, upserts, removals, skipped)
        if self.snapshot is before:
            return 0
        if len(self.snapshot.arena) > WASTE * len(self.snapshot.passages) + 1024:
            self.snapshot = index.compacted(self.snapshot)
        self._queue.refill(self.snapshot, frozenset(self._buffers))
        self._reused = max(0, self._embedded() - embedded_so_far)
        self._removed += before.passages_not_in(self.snapshot)
        return len(upserts) + len(removals)

    def _differs_from_cache(self, changed: tuple[Document, ...]) -> bool:
        layouts = self._layouts
        new = any(d.path not in layouts or layouts[d.path].digest != d.digest for d in changed)
        return new or bool(layouts.keys() - self._disk.keys())

    def _embedded(self) -> int:
        return self.snapshot.embedded if self.embedder else 0

    def _take(self, content: CacheContent) -> None:
        arena = self.snapshot.arena
        if len(content.fingerprints):
            arena.fill(arena.intern(content.fingerprints), content.vectors)
        self._layouts = content.documents
        self.indexed_at = content.indexed_at

    def _content(self) -> CacheContent:
        # Unsaved text never reaches the disk: of an open buffer, the disk's version is what is written.
        documents = {d.path: _cached(d) for d in sorted(self._disk.values(), key=lambda d: d.path)}
        wanted = (name for d in documents.values() for p in d.passages for name in (p.opening, p.fingerprint))
        names, vectors = self.snapshot.arena.ready_items(wanted)
        return CacheContent(documents, tuple(names), vectors, self.indexed_at)

    def _begin_run(self) -> None:
        if not self.pending():
            self._started, self._seconds = time.monotonic(), 0.0
            self._reused, self._removed = self._embedded(), 0


def _estimate(texts: Sequence[str]) -> list[int]:
    return [estimate_tokens(text) for text in texts]


def _cached(document: Document) -> CachedDocument:
    meta = {key: value for key, value in document.meta.items() if key in CACHED_META and isinstance(value, (str, list))}
    return CachedDocument(document.path, document.digest, document.stamp, document.title, document.passages, meta)


def _cache_key(embedder: Embedder, settings: Settings) -> CacheKey:
    info = embedder.info
    return CacheKey(info.key, info.id, info.dimensions, settings.policy, passages.FORMAT)
