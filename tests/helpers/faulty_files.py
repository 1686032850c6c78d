"""Disks that fail: at a chosen step, for want of space or rights, or because the process or the machine stops there."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from io import FileIO
from pathlib import Path
from unittest import mock

from ddg_lsp.core import vector_cache
from ddg_lsp.core.cache_files import FileLayer

Undo = Callable[[], None]


class Killed(BaseException):
    """The process ended here: no code of it runs any more."""


class HastyFiles(FileLayer):
    """A disk that does not wait for its platters: what a test that loses power only on paper needs."""

    def sync(self, handle: FileIO) -> None:
        """Nothing to wait for."""

    def sync_folder(self, path: Path) -> None:
        """Nothing to wait for."""


class CountingFiles(HastyFiles):
    """Counts the steps that change the disk, and may stop at one of them; writes take a part of the data at a time.

    `fail` makes the error; with `lasting` every later changing step fails too, as on a full or read-only disk.
    """

    def __init__(self, at: int = -1, fail: Callable[[], BaseException] = Killed, *, lasting: bool = False) -> None:
        self.steps = 0
        self.log: list[str] = []
        self._at, self._fail, self._lasting = at, fail, lasting

    def step(self, name: str) -> None:
        """One step that changes the disk; fails before it does anything."""
        self.steps += 1
        self.log.append(name)
        if self.steps - 1 == self._at or (self._lasting and 0 <= self._at < self.steps):
            raise self._fail()

    def make_folder(self, path: Path, *, private: bool = False) -> None:
        self.step(f"make_folder {path.name}")
        super().make_folder(path, private=private)

    def create(self, path: Path) -> FileIO:
        self.step(f"create {path.name}")
        return super().create(path)

    def write(self, handle: FileIO, data: memoryview) -> int:
        self.step("write")
        return super().write(handle, data[: max(len(data) // 2 + 1, 400)])

    def sync(self, handle: FileIO) -> None:
        self.step("sync")
        super().sync(handle)

    def sync_folder(self, path: Path) -> None:
        self.step(f"sync_folder {path.name}")
        super().sync_folder(path)

    def replace(self, source: Path, target: Path) -> None:
        self.step(f"replace {source.name} {target.name}")
        super().replace(source, target)

    def remove(self, path: Path) -> None:
        self.step(f"remove {path.name}")
        super().remove(path)


class PowerCutFiles(CountingFiles):
    """Remembers what a power cut may take back: data of files never synced, names in folders never synced."""

    def __init__(self, at: int = -1) -> None:
        super().__init__(at)
        self.unsynced: set[Path] = set()
        self.undo: list[tuple[Path, Undo]] = []

    def create(self, path: Path) -> FileIO:
        handle = super().create(path)
        self.unsynced.add(path)
        self.undo.append((path.parent, lambda: path.unlink(missing_ok=True)))
        return handle

    def sync(self, handle: FileIO) -> None:
        super().sync(handle)
        self.unsynced.discard(Path(str(handle.name)))

    def sync_folder(self, path: Path) -> None:
        super().sync_folder(path)
        self.undo = [(folder, undo) for folder, undo in self.undo if folder != path]

    def replace(self, source: Path, target: Path) -> None:
        old = target.read_bytes() if target.exists() else None
        super().replace(source, target)

        def undo() -> None:
            target.replace(source)
            if old is not None:
                target.write_bytes(old)

        self.undo.append((target.parent, undo))

    def remove(self, path: Path) -> None:
        old = path.read_bytes() if path.exists() else None
        super().remove(path)
        if old is not None:
            self.undo.append((path.parent, lambda: restore(path, old)))

    def cut_power(self, lost: Collection[int]) -> None:
        """Lose unsynced data, and those of the name changes (by number in `undo`) that no sync had made safe."""
        for path in self.unsynced:
            if path.exists():
                os.truncate(path, path.stat().st_size // 2)
        for number, (_, undo) in reversed(list(enumerate(self.undo))):
            if number in lost:
                undo()


class FullDisk(CountingFiles):
    """From step `at` on nothing more can be written, but files can be removed."""

    def __init__(self, at: int, number: int = errno.ENOSPC) -> None:
        super().__init__(at, lambda: OSError(number, os.strerror(number)), lasting=True)

    def remove(self, path: Path) -> None:
        FileLayer.remove(self, path)


class ReadOnly(HastyFiles):
    """A disk on which nothing below a folder can be changed, known beforehand or only when it is tried."""

    def __init__(self, below: Path, number: int, *, known: bool) -> None:
        self.below, self.number, self.known = below, number, known

    def _check(self, path: Path) -> None:
        if self.below in (path, *path.parents):
            raise OSError(self.number, os.strerror(self.number), str(path))

    def writable(self, folder: Path) -> bool:
        return not (self.known and self.below in (folder, *folder.parents))

    def make_folder(self, path: Path, *, private: bool = False) -> None:
        if not path.exists():
            self._check(path)
        super().make_folder(path, private=private)

    def create(self, path: Path) -> FileIO:
        self._check(path)
        return super().create(path)

    def replace(self, source: Path, target: Path) -> None:
        self._check(target)
        super().replace(source, target)

    def remove(self, path: Path) -> None:
        self._check(path)
        super().remove(path)


class OneError(CountingFiles):
    """Step `at` fails, and no other."""

    def __init__(self, at: int = -1) -> None:
        super().__init__(at, lambda: OSError(errno.EIO, os.strerror(errno.EIO)))


class DiesBeforeCommit(HastyFiles):
    """The process ends when everything is written but the manifest."""

    def replace(self, source: Path, target: Path) -> None:
        if target.name == "manifest.json" and source.parent == target.parent:
            raise Killed
        super().replace(source, target)


class SmallDisk(HastyFiles):
    """A disk that has room for so many bytes below a folder."""

    def __init__(self, folder: Path, room: int) -> None:
        self.folder, self.room = folder, room

    def write(self, handle: FileIO, data: memoryview) -> int:
        left = self.room - size_below(self.folder)
        if left <= 0:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return super().write(handle, data[:left])


def size_below(folder: Path) -> int:
    """Bytes in all files below a folder."""
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def restore(path: Path, data: bytes) -> None:
    """Give a file its content back."""
    path.write_bytes(data)


@contextmanager
def the_disk_is(files: FileLayer) -> Iterator[None]:
    """Every cache made within is on this disk, also those that the product makes for itself."""
    with mock.patch.object(vector_cache, "FileLayer", return_value=files):
        yield
