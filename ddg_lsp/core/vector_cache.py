"""The vector cache of one workspace folder on disk: load, verify, save, set aside what is damaged.

Owns the commit: data files are written under the name of a new generation and synced, then the manifest, which names
them with their sizes and sums, is replaced in one step. A reader sees one whole generation or none, whatever happens
to the writer. Only file names of the cache's own form are opened or removed.

One process writes at a time, held by a lock that dies with it; others read, and see by `is_current` that there is
something new. Two processes with different embedders on one folder do not fight: the one with the lock writes, the
other finds a cache that is not for it, cannot write, and works from memory until the first has ended; then the
cache becomes its own at the next `save`.

Must not know how documents are found, parsed or embedded. Not safe for use by two threads at once.
"""

from __future__ import annotations

import errno
import secrets
import time
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from pathlib import Path

import xxhash
from filelock import FileLock, Timeout

from ddg_lsp.core import cache_commit, cache_format, cache_manifest
from ddg_lsp.core.cache_files import FileLayer, Signature
from ddg_lsp.core.cache_format import CacheContent, CachedDocument, Damaged
from ddg_lsp.core.cache_manifest import LOCK, MANIFEST, CacheKey, Manifest
from ddg_lsp.core.cache_place import Location, places, prepare, refusal

__all__ = ["CacheContent", "CacheKey", "CachedDocument", "Notice", "VectorCache"]

_TRIES = 20
"""A reader that is overtaken by the writer starts again; each time means a whole save went by meanwhile."""
_WAIT_SECONDS = 0.01
_NOT_ALLOWED = {errno.EACCES, errno.EPERM, errno.EROFS}
_NOT_POSSIBLE = {errno.ENOTDIR, errno.EISDIR, errno.EEXIST, errno.ELOOP}
_NO_LOCKS = {errno.ENOSYS, errno.ENOLCK, errno.ENOTSUP, errno.EOPNOTSUPP}
_LASTING = _NOT_ALLOWED | _NOT_POSSIBLE | _NO_LOCKS
"""Errors that will be there next time too: another place is better. A full disk is none of them."""
_PASSING = {errno.EACCES, errno.EPERM, errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.ESTALE}
"""Errors that say nothing about what files hold: the files are left where they are."""


@dataclass(frozen=True, slots=True)
class Notice:
    """Something the user should be told, once.

    `code` is stable. `set-aside`, `damaged`, `unreadable`, `other-version`, `other-model`: the index is built anew.
    `elsewhere`, `memory-only`, `not-written`, `bad-place`: where the cache is kept, or why not.
    `bad-vectors`: an embedder's fault.
    """

    code: str
    sentence: str


class VectorCache:
    """See the module. `place` is as in `cache_place.places`; `files` is the disk."""

    def __init__(self, root: Path, key: CacheKey, place: str | Path = "", *, files: FileLayer | None = None) -> None:
        self.notices: list[Notice] = []
        """For the user; the caller takes them out."""
        self._root = root
        self._key = key
        self._files = files or FileLayer()
        self._lock: FileLock | None = None
        self._lock_inode = 0
        self._seen: Signature | None = None
        self._held: Manifest | None = None
        self._told: set[str] = set()
        self._set_aside = False
        self._paths: frozenset[str] = frozenset()
        try:
            self._places = places(root, place)
        except ValueError as error:  # a mistyped setting must not cost the index
            self._places = places(root)
            self._tell("bad-place", f"{error} The search cache stays in the workspace.")
        self._settle()

    @property
    def location(self) -> Location:
        """Where the cache lives now: `workspace`, `user` or `memory`."""
        return self._places[0].location

    @property
    def folder(self) -> Path | None:
        """The folder of the cache; None when it lives in memory."""
        return self._places[0].folder

    def load(self) -> CacheContent | None:
        """The cache's content, or None when there is none that can be used: then everything is to be built anew.

        Never raises for what is on the disk. With another passage format the documents are missing, the vectors not.
        """
        self._held = None
        for _ in range(_TRIES):
            try:
                return self._read()
            except FileNotFoundError:  # overtaken by the writer, unless the manifest still stands
                if self._signature() == self._seen and self._give_up(Damaged("a data file is missing")):
                    return None
            except Damaged as reason:
                if self._give_up(reason):
                    return None
            except OSError as error:
                if error.errno not in _PASSING and self._give_up(Damaged(f"a file cannot be read ({error.strerror})")):
                    return None
            time.sleep(_WAIT_SECONDS)
        self._tell("unreadable", f"The search cache in {self.folder} cannot be read now; the index is built anew.")
        return None

    @property
    def indexed_at(self) -> str:
        """When what the disk holds was complete; empty where it is not, or where nothing is known of it."""
        return self._held.indexed_at if self._held is not None else ""

    def save(self, content: CacheContent) -> bool:
        """Make the disk hold `content`; True when it now does, without a write when it did before.

        False when another process writes, there is nowhere to write, or writing failed: the last complete generation
        stays. Never raises for what happens on the disk; ValueError: rows and fingerprints do not fit each other.
        """
        while self.acquire() and self.folder is not None:
            folder = self.folder
            manifest, blobs = self._encode(content)
            try:
                if self._held and self._held.same_content(manifest) and self._stands(folder, self._held):
                    manifest = self._held
                else:
                    cache_commit.sweep(self._files, folder)
                    cache_commit.commit(self._files, folder, manifest, blobs)
                    self._seen, self._held = self._signature(), manifest
            except OSError as error:
                cache_commit.discard(self._files, folder, manifest, error)
                if not self._leave(error):
                    return False
            else:
                cache_commit.sweep(self._files, folder)
                # What was set aside is there to be looked at, but no longer than documents that are left out now.
                if not self._set_aside or self._paths - content.documents.keys():
                    cache_commit.forget_aside(self._files, folder)
                self._paths = frozenset(content.documents)
                return True
        return False

    def is_current(self) -> bool:
        """Whether the manifest is the one last loaded or saved here. Looks at the file's `stat` only."""
        return self._signature() == self._seen

    def acquire(self) -> bool:
        """Try to become the one writer, without waiting; True when this is the writer already."""
        while self.folder is not None:
            if self._lock is not None and self._lock_inode == self._inode(self.folder / LOCK):
                return True
            self.close()
            try:
                return self._take_lock(self.folder)
            except (OSError, NotImplementedError) as error:
                if not self._leave(error):
                    return False
        return False

    def close(self) -> None:
        """Let go of the lock, so that another process may write; may be called again, and so may the rest."""
        if self._lock is not None:
            with suppress(OSError):
                self._lock.release(force=True)
            self._lock = None

    def _read(self) -> CacheContent | None:
        folder = self.folder
        if folder is None:
            return None
        self._seen = self._signature()
        try:
            with self._files.open(folder / MANIFEST, cache_manifest.MANIFEST_LIMIT) as handle:
                raw = self._files.read(handle)
        except FileNotFoundError:
            return self._read() if self._was_elsewhere() else None
        try:
            manifest = cache_manifest.decode(raw)
        except cache_manifest.OtherSchema:
            self._tell("other-version", "The search cache is of another version of ddg-lsp; the index is built anew.")
            return None
        key, mine = manifest.key, self._key
        if (key.embedder_key, key.model, key.dimensions) != (mine.embedder_key, mine.model, mine.dimensions):
            self._tell("other-model", "The search cache was made by another model; the index is built anew.")
            return None
        content = self._decode(folder, manifest)
        self._held = manifest
        return content

    def _was_elsewhere(self) -> bool:
        """Move on to the next place, if a cache is there because this one turns out unusable when it is tried."""
        here = self._places[0]
        following = self._places[1].folder if len(self._places) > 1 else None
        if following is not None and self._files.signature(following / MANIFEST) is not None:
            self.acquire()
        return self._places[0] is not here

    def _decode(self, folder: Path, manifest: Manifest) -> CacheContent:
        blobs = {}
        with ExitStack() as stack:  # open before reading: a file that is open can be read though a writer removes it
            handles = [
                stack.enter_context(self._files.open(folder / promised.name, promised.size))
                for promised in manifest.files.values()
            ]
            found = [self._files.read(handle) for handle in handles]
        for blob, (part, promised) in zip(found, manifest.files.items(), strict=True):
            if len(blob) != promised.size or xxhash.xxh3_128_hexdigest(blob) != promised.sum:
                raise Damaged(f"{part} has a wrong size or sum")
            blobs[part] = blob
        comparable = manifest.key.passage_format == self._key.passage_format
        documents = cache_format.decode_documents(blobs["documents"], manifest.documents) if comparable else None
        names = cache_format.decode_fingerprints(blobs["chunks"], manifest.rows, documents)
        vectors = cache_format.decode_vectors(blobs["embeddings"], manifest.rows, manifest.key.dimensions)
        return CacheContent(documents or {}, names, vectors, manifest.indexed_at)

    def _stands(self, folder: Path, manifest: Manifest) -> bool:
        found = ((self._files.signature(folder / data.name), data.size) for data in manifest.files.values())
        return self.is_current() and all(file is not None and file.size == size for file, size in found)

    def _encode(self, content: CacheContent) -> tuple[Manifest, dict[str, bytes | memoryview]]:
        blobs, bad = cache_format.encode(content, self._key.dimensions)
        if bad:
            self._tell("bad-vectors", f"{bad} embeddings are no unit vectors and were not kept.")
        count = blobs.documents.count(b"\n")
        manifest = cache_manifest.describe(self._key, secrets.token_hex(8), blobs, count, content.indexed_at)
        return manifest, blobs._asdict()

    def _give_up(self, reason: Damaged) -> bool:
        """Set aside what was read; False when a writer has replaced it meanwhile, so that it is to be read again."""
        seen = self._seen
        writer = self.acquire()
        if self._signature() != seen:
            return False
        if writer and self.folder is not None:
            self._seen = cache_commit.set_aside(self._files, self.folder)
            self._set_aside = True
            self._tell("set-aside", f"The search cache was damaged ({reason}) and set aside; the index is built anew.")
        else:  # it is the writer's to set aside; the next start does that
            self._tell("damaged", f"The search cache is damaged ({reason}); the index is built anew.")
        return True

    def _take_lock(self, folder: Path) -> bool:
        prepare(self._places[0], self._files)
        path = folder / LOCK
        if path.is_symlink():
            self._files.remove(path)
        lock = FileLock(path, thread_local=False)
        try:
            lock.acquire(timeout=0)
        except Timeout:
            return False
        self._lock, self._lock_inode = lock, self._inode(path)
        return True

    def _settle(self) -> None:
        """Leave the places that cannot be used, and say so."""
        while reason := refusal(self._places[0], self._root, self._files):
            self._retreat(reason)

    def _retreat(self, reason: str) -> bool:
        """Go on to the next place; False when there is none."""
        if len(self._places) == 1:
            return False
        self.close()
        self._places.pop(0)
        self._seen, self._held = None, None
        while len(self._places) > 1 and refusal(self._places[0], self._root, self._files):
            self._places.pop(0)
        if self.location == "memory":
            self._tell("memory-only", f"The search cache is kept in memory only, as {reason}.")
        else:
            self._tell("elsewhere", f"The search cache is kept in {self.folder}, as {reason}.")
        return True

    def _leave(self, error: OSError | NotImplementedError) -> bool:
        """After an error while writing: True when there is another place to go to and it makes sense to go."""
        reason = (error.strerror if isinstance(error, OSError) else None) or str(error)
        lasting = not isinstance(error, OSError) or error.errno in _LASTING
        if lasting and self._retreat(reason):
            return True
        self._tell("not-written", f"The search cache in {self.folder} could not be written: {reason}.")
        return False

    def _signature(self) -> Signature | None:
        return None if self.folder is None else self._files.signature(self.folder / MANIFEST)

    def _inode(self, path: Path) -> int:
        found = self._files.signature(path)
        return found.inode if found else -1

    def _tell(self, code: str, sentence: str) -> None:
        if code not in self._told:
            self._told.add(code)
            self.notices.append(Notice(code, sentence))
