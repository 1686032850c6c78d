"""One workspace folder's live index: its snapshot, its open buffers, its cache on disk.

Every method runs on one thread (the indexing thread, or the command line's own); `snapshot` and `report` may be read
from any. The folder decides what is embedded next and what is written; it never decides when.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from pathlib import Path

from ddg_lsp.core import corpus, dictionary, index, likely, memory, queue
from ddg_lsp.core.embedding import OPENING_TOKENS, Embedder, embed_passages
from ddg_lsp.core.keeping import Keeping, now
from ddg_lsp.core.model import Document, Skip, Stamp
from ddg_lsp.core.refresh import Reader, Sweep, reader
from ddg_lsp.core.report import IndexReport, Run, message_of
from ddg_lsp.core.search import Target
from ddg_lsp.core.settings import Settings
from ddg_lsp.core.synonym_file import Diagnostic
from ddg_lsp.core.synonyms import Dictionary
from ddg_lsp.core.vector_cache import Notice

WASTE, SPARE = 4, 256
"""Arena rows for each passage (two are in use), and besides, before the unused ones are given back."""
_LEXICAL_DIMENSIONS = 1
LIKELY_FILES = 12
"""Files read before their turn for a question that is waiting: a tenth of a second."""
LIKELY_PASSAGES = 12
"""Openings embedded for it: a fifth of a second on two slow cores, and enough for the first page of an answer."""
A_FEW = 6
"""The same once every document is read: an answer may not take four times as long as when nothing is to be done."""
APPLY_SHARE = 5.0
"""Reading goes on for so many times what it costs to make what was read searchable."""


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
        self.failure = ""
        self.keeping = Keeping(root, settings, embedder, disk=disk)
        self._scanner = corpus.Scanner()
        self._sweep: Sweep | None = None
        self._unreachable = ""
        self._disk: dict[str, Document] = {}
        self._refused: dict[str, tuple[Stamp, Skip]] = {}
        self._buffers: dict[str, Document] = {}
        self._queue = queue.EmbedQueue()
        self._on_disk = disk
        self._swept = not disk
        self._step_seconds = 0.0
        self._started = time.monotonic()
        self._seconds = 0.0
        self._reused = 0
        self._removed = 0

    @property
    def indexed_at(self) -> str:
        """When this index was last complete, ISO 8601; empty: never yet."""
        return self.keeping.indexed_at

    def open(self) -> None:
        """Take over what the cache holds; cheap next to embedding, safe on any content of the cache folder."""
        self.keeping.load(self.snapshot.arena)

    def refresh(self, check: Callable[[], None] = no_check) -> int:
        """Bring the snapshot up to date with the disk; how many documents changed, came or went."""
        count = self.begin_refresh(check)
        while self.refreshing:
            count += self.refresh_some(check)
        return count

    @property
    def unread(self) -> bool:
        """Some documents are not read yet: they never were, or a refresh is not through."""
        return not self._swept or self._sweep is not None

    @property
    def refreshing(self) -> bool:
        """A refresh was begun and is not through: `refresh_some` goes on with it."""
        return self._sweep is not None

    def begin_refresh(self, check: Callable[[], None] = no_check) -> int:
        """See what is on the disk, and forget what is gone; how many documents that were."""
        if not self._on_disk:
            return 0
        self._begin_run()
        self.follow()
        sweep = Sweep(self._reader(), self._scanner, self._disk, self._refused, check)
        self._unreachable = sweep.unreachable
        count = self._read([], sweep.removed)
        self._sweep = sweep
        self._end_refresh()
        return count

    def refresh_some(self, check: Callable[[], None] = no_check, seconds: float = float("inf")) -> int:
        """Read changed documents for about so many seconds and make them searchable; how many changed."""
        if self._sweep is None:
            return 0
        found = self._sweep.step(check, max(seconds, APPLY_SHARE * self._step_seconds))
        before = time.monotonic()
        count = self._read(found, self._sweep.lost)
        self._step_seconds = time.monotonic() - before
        self._end_refresh()
        return count

    def hasten(self, question: str, check: Callable[[], None] = no_check, *, embed: bool = True) -> None:
        """Before a first build is through: read, and unless it is not wished embed, what this question may need.

        Raises what the embedder raises.
        """
        most = LIKELY_PASSAGES if self.unread else A_FEW
        if not self._swept and self._sweep is None:
            self.begin_refresh(check)
        if self._sweep is not None:
            self._read(self._sweep.read_likely(question, check, LIKELY_FILES), ())
            self._end_refresh()
        if embed and self.embedder is not None and self.pending():
            self._embed(queue.likely_batch(self.snapshot, likely.words(question), most), check)

    def _read(self, found: list[Document], gone: Iterable[str]) -> int:
        """Documents read from the disk, and paths that are none any more."""
        gone = [path for path in gone if self._disk.pop(path, None) is not None]
        self._disk.update((document.path, document) for document in found)
        self.keeping.changed = self.keeping.changed or self.keeping.lacks(found)
        return self._apply(
            [document for document in found if document.path not in self._buffers],
            [path for path in gone if path not in self._buffers],
            None,
        )

    def _end_refresh(self) -> None:
        if self._sweep is None or not self._sweep.done:
            return
        self._apply([], [], self._sweep.skipped)
        reading = dictionary.read(self.root, self.settings, self.snapshot.documents.values())
        self.dictionary, self.synonym_notes = reading.dictionary, reading.diagnostics
        self.keeping.changed = self.keeping.changed or self.keeping.outlives(self._disk.keys())
        self._swept = not self._sweep.unreachable
        self._sweep = None

    def set_buffer(self, path: str, text: str | None) -> None:
        """An open buffer's text beats the disk's; None gives the document back to the disk."""
        if text is not None:
            document = self._reader().document(path, text, None)
            self._buffers[path] = document
            self._apply([document], [], None)
        elif self._buffers.pop(path, None) is not None:
            on_disk = self._disk.get(path)
            self._apply([on_disk] if on_disk else [], [] if on_disk else [path], None)

    def follow(self) -> None:
        """Take over what another process has embedded meanwhile."""
        before = self._embedded()
        if self.keeping.follow(self.snapshot.arena):
            self._reused += self._embedded() - before
            self._refill()

    def leaves(self) -> bool:
        """Whether what is to be embedded is being embedded by another process; see `follow`."""
        return self.keeping.leaves()

    def pending(self) -> int:
        """Views of passages still to be embedded."""
        return len(self._queue) if self.embedder else 0

    def embed_some(self, check: Callable[[], None] = no_check) -> int:
        """Embed the next few views, openings first; how many. Raises what the embedder raises."""
        if self.embedder is None:
            return 0
        batch = self._queue.take(self.snapshot, self.embedder.info.batch_texts)
        try:
            return self._embed(batch, check)
        except BaseException:
            self._queue.put_back(batch)
            raise

    def _embed(self, batch: queue.Batch, check: Callable[[], None]) -> int:
        if self.embedder is None or not batch.rows:
            return 0
        check()
        vectors = embed_passages(self.embedder, batch.texts, OPENING_TOKENS if batch.opening else None)
        self.snapshot.arena.fill(batch.row_array(), vectors)
        self.keeping.changed = True
        self._seconds = time.monotonic() - self._started
        return len(batch.rows)

    def checkpoint_due(self) -> bool:
        """True when enough time has passed since the last write to write again during a build."""
        return self.keeping.due()

    def save(self) -> bool:
        """Write what is new to the cache; True when something was written. Never raises for want of a place."""
        # Unsaved text never reaches the disk: of an open buffer, the disk's version is what is written.
        return self.keeping.save(self._disk.values(), self.snapshot.arena, complete=self._swept and not self.pending())

    def finish(self) -> None:
        """A build is through: write, and note the time it took."""
        self._seconds = time.monotonic() - self._started
        complete = self._swept and not self.pending()
        # A checkpoint may have written the last vectors already, but not that this is all.
        self.keeping.changed = self.keeping.changed or not (self.indexed_at or self.pending())
        self.save()
        memory.give_back()
        if complete and not self.indexed_at:
            self.keeping.indexed_at = now()

    def close(self) -> None:
        """Write what is new and let go of the cache."""
        self.save()
        self.keeping.close()

    def notices(self) -> list[Notice]:
        """What the cache has to tell the user; each is handed out once."""
        return self.keeping.notices()

    def rebuild(self) -> None:
        """Forget every vector: the next `embed_some` calls embed everything anew."""
        known = self.snapshot
        fresh = index.empty(known.arena.dimensions)
        self.keeping.forget()
        self.snapshot = index.apply(fresh, known.documents.values(), (), known.skipped)
        self._refill()
        self._reused, self._removed = 0, 0
        self._started = time.monotonic()

    def target(self) -> Target:
        """This index as a `Searcher` takes it: the snapshot of this moment and what the settings say about ranking."""
        settings = self.settings
        return Target(self.root, self.snapshot, self.dictionary, settings.priorities, settings.languages)

    def report(self) -> IndexReport:
        """The condition of this index now."""
        snapshot = self.snapshot
        pending = self.pending()
        failure = self.failure or (f"The folder cannot be read ({self._unreachable})." if self._unreachable else "")
        if failure:
            state = "failed"
        elif self.unread or pending:
            state = "building"
        else:
            state = "ready" if self.embedder is not None else "lexicalOnly"
        return IndexReport(
            state=state,
            documents=len(snapshot.documents),
            passages=len(snapshot.passages),
            openings=snapshot.opened if self.embedder else 0,
            embedded=self._embedded(),
            indexed_at=self.indexed_at,
            skipped=snapshot.skipped,
            run=Run(max(0, self._embedded() - self._reused), self._reused, self._removed, self._seconds),
            message=message_of(state, failure, self.why, empty=not snapshot.documents),
        )

    def _reader(self) -> Reader:
        return reader(self.root, self.settings, self.embedder, self.keeping.layouts)

    def _apply(self, upserts: list[Document], removals: list[str], skipped: tuple[Skip, ...] | None) -> int:
        before, embedded_so_far = self.snapshot, self._embedded() - self._reused
        self.snapshot = index.apply(before, upserts, removals, skipped)
        if self.snapshot is before:
            return 0
        # While the folder is being read, the cache's vectors wait in the arena for the passages they belong to.
        if not self.unread and len(self.snapshot.arena) > WASTE * len(self.snapshot.passages) + SPARE:
            self.snapshot = index.compacted(self.snapshot)
        self._refill()
        self._reused = max(0, self._embedded() - embedded_so_far)
        self._removed += before.passages_not_in(self.snapshot)
        return len(upserts) + len(removals)

    def _refill(self) -> None:
        self._queue.refill(self.snapshot, frozenset(self._buffers))

    def _embedded(self) -> int:
        return self.snapshot.embedded if self.embedder else 0

    def _begin_run(self) -> None:
        if not self.pending():
            self._started, self._seconds = time.monotonic(), 0.0
            self._reused, self._removed = self._embedded(), 0
