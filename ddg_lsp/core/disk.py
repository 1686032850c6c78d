"""Reading one file of a folder without leaving the folder: containment, kind and size are checked on what was opened.

Must not know what the file is for. Trouble comes back as a reason word (`corpus_rules.REASONS`), never as an exception.
"""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path

_FLAGS = os.O_RDONLY
for _name in ("O_NONBLOCK", "O_CLOEXEC", "O_NOCTTY", "O_BINARY"):  # a pipe must not hold us, Windows must not translate
    _FLAGS |= getattr(os, _name, 0)


def real(path: str | Path) -> str:
    """The real path of something on disk, every link followed; raises OSError for a loop or an unusable name."""
    try:
        return os.path.realpath(path, strict=True)
    except ValueError as error:  # a NUL in the name
        raise OSError(errno.EINVAL, str(error)) from error


def relative_inside(base: str, target: str) -> str | None:
    """`target` relative to `base` with `/`, `""` for `base` itself, None outside. Both are real paths."""
    if target == base:
        return ""
    prefix = base.rstrip(os.sep) + os.sep
    return target[len(prefix) :].replace(os.sep, "/") if target.startswith(prefix) else None


def why(error: OSError) -> str:
    """The reason word for an error of the system."""
    if error.errno in (errno.ENOENT, errno.ENOTDIR):
        return "vanished"
    return "link-loop" if error.errno == errno.ELOOP else "unreadable"


def read_inside(root: Path, path: str, cap: int) -> tuple[bytes, str] | str:
    """The bytes of `root`/`path` (at most `cap`) and its real path relative to the real root; or a reason word."""
    try:
        base = real(root)
        target = real(os.path.join(base, *path.split("/")))  # noqa: PTH118 - names may be undecodable
        inside = relative_inside(base, target)
        if inside is None:
            return "link-outside"
        if not stat.S_ISREG(os.stat(target, follow_symlinks=False).st_mode):  # noqa: PTH116
            return "not-a-file"
        handle = os.open(target, _FLAGS)
    except OSError as error:
        return why(error)
    try:
        found = os.fstat(handle)
        now = os.stat(real(target), follow_symlinks=False)  # noqa: PTH116 - swapped for a link while we looked?
        if (found.st_dev, found.st_ino) != (now.st_dev, now.st_ino) or real(target) != target:
            return "link-outside"
        if not stat.S_ISREG(found.st_mode):
            return "not-a-file"
        data = _read(handle, cap + 1)
    except OSError as error:
        return why(error)
    finally:
        os.close(handle)
    return "too-large" if len(data) > cap else (data, inside)


def _read(handle: int, wanted: int) -> bytes:
    pieces: list[bytes] = []
    while wanted > 0 and (piece := os.read(handle, min(wanted, 1 << 20))):
        pieces.append(piece)
        wanted -= len(piece)
    return b"".join(pieces)
