"""The steps by which the vector cache touches a disk, one method each, so that a test can make any of them fail.

Owns: reading a regular file whole, writing one durably, replacing, removing, listing. Every error is an `OSError`.
Must not know what the files hold.
"""

from __future__ import annotations

import errno
import os
import stat
import time
from collections.abc import Iterable
from io import FileIO
from pathlib import Path
from typing import NamedTuple

_REPLACE_TRIES = 20
"""Windows refuses to replace a file that a reader has open; readers hold the manifest for a moment only."""
_REPLACE_WAIT_SECONDS = 0.02
_READ_FLAGS = (
    os.O_RDONLY
    | getattr(os, "O_NOFOLLOW", 0)
    | getattr(os, "O_NONBLOCK", 0)  # opening a named pipe must not wait for a writer
    | getattr(os, "O_CLOEXEC", 0)
    | getattr(os, "O_BINARY", 0)
)


_CANNOT_SYNC = (errno.EINVAL, errno.ENOTSUP, errno.EACCES, errno.EPERM, errno.EBADF, errno.EISDIR)
"""What file systems answer that know no syncing of folders, or folders that may be written but not read."""


class Signature(NamedTuple):
    """What `stat` says of a file that is only ever replaced: equal signatures mean the same content."""

    mtime_ns: int
    size: int
    inode: int


class FileLayer:
    """The real disk. Tests subclass it to fail, stop or count at any step."""

    def make_folder(self, path: Path, *, private: bool = False) -> None:
        """Create one folder unless it is there; `private` keeps other users out."""
        try:
            path.mkdir(0o700 if private else 0o777)
        except FileExistsError:
            if path.is_symlink() or not path.is_dir():
                raise

    def create(self, path: Path) -> FileIO:
        """Open a new file for writing, unbuffered; an existing one is an error."""
        return path.open("xb", buffering=0)

    def write(self, handle: FileIO, data: memoryview) -> int:
        """Write some of `data`; how many bytes were taken."""
        return handle.write(data) or 0

    def sync(self, handle: FileIO) -> None:
        """Return once what was written would survive a power cut."""
        os.fsync(handle.fileno())

    def sync_folder(self, path: Path) -> None:
        """The same for the names in a folder; does nothing where a folder cannot be opened (Windows)."""
        if os.name == "nt":
            return
        try:
            handle = os.open(path, os.O_RDONLY)
            try:
                os.fsync(handle)
            finally:
                os.close(handle)
        except OSError as error:
            if error.errno not in _CANNOT_SYNC:
                raise

    def replace(self, source: Path, target: Path) -> None:
        """Give `source` the name `target` in one step, whatever stood there."""
        for attempt in range(_REPLACE_TRIES):
            try:
                source.replace(target)
            except PermissionError:
                if os.name != "nt" or attempt == _REPLACE_TRIES - 1:
                    raise
                time.sleep(_REPLACE_WAIT_SECONDS)
            else:
                return

    def remove(self, path: Path) -> None:
        """Remove a file or a link; one that is gone already is no error."""
        path.unlink(missing_ok=True)

    def names(self, folder: Path) -> list[str]:
        """Names in a folder; none when it is not there."""
        try:
            return [path.name for path in folder.iterdir()]
        except FileNotFoundError:
            return []

    def signature(self, path: Path) -> Signature | None:
        """The signature of a file by name, links not followed; None when there is none or it cannot be seen."""
        try:
            found = path.lstat()
        except OSError:
            return None
        return Signature(found.st_mtime_ns, found.st_size, found.st_ino)

    def open(self, path: Path, limit: int) -> FileIO:
        """Open a regular file of at most `limit` bytes for reading; links, pipes and larger files are an `OSError`."""
        if not stat.S_ISREG(path.lstat().st_mode):
            raise OSError(errno.EINVAL, "not a regular file", str(path))
        handle = FileIO(os.open(path, _READ_FLAGS), "rb")
        found = os.fstat(handle.fileno())
        if not stat.S_ISREG(found.st_mode) or found.st_size > limit:
            handle.close()
            raise OSError(errno.EFBIG, "not a regular file, or larger than it should be", str(path))
        return handle

    def read(self, handle: FileIO) -> bytes:
        """All that an open file holds."""
        return handle.readall()

    def writable(self, folder: Path) -> bool:
        """A cheap guess, without writing: False is certain, True may turn out wrong."""
        return os.access(folder, os.W_OK | os.X_OK)


def write_file(files: FileLayer, path: Path, parts: Iterable[bytes | memoryview]) -> None:
    """Write a new file that survives a power cut once this returns; raises `OSError` and leaves what there is."""
    handle = files.create(path)
    with handle:
        for part in parts:
            rest = memoryview(part)
            while len(rest):
                taken = files.write(handle, rest)
                if taken <= 0:
                    raise OSError(errno.EIO, "nothing was written", str(path))
                rest = rest[taken:]
        files.sync(handle)
