"""Reading one file of a folder without leaving the folder: containment, kind and size are checked on what was opened.

Owns how names become bytes and back: always UTF-8, so that a listing is the same under every locale, with what is not
UTF-8 escaped as Python does it. Must not know what a file is for. Trouble comes back as a reason word
(`corpus_rules.REASONS`), never as an exception.
"""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path

_FLAGS = os.O_RDONLY
for _name in ("O_NONBLOCK", "O_CLOEXEC", "O_NOCTTY", "O_BINARY"):  # a pipe must not hold us, Windows must not translate
    _FLAGS |= getattr(os, _name, 0)
_ERRORS = "surrogatepass" if os.name == "nt" else "surrogateescape"
_SEPARATOR = os.fsencode(os.sep)


def to_text(name: bytes) -> str:
    """A name or path of the system as text with `/`."""
    return (name if _SEPARATOR == b"/" else name.replace(_SEPARATOR, b"/")).decode("utf-8", _ERRORS)


def below(base: bytes, path: str) -> bytes:
    """The system's path of `path` (with `/`, may be empty) in the folder `base`."""
    if not path:
        return base
    return base.rstrip(_SEPARATOR) + _SEPARATOR + path.replace("/", os.sep).encode("utf-8", _ERRORS)


def real(path: bytes | Path) -> bytes:
    """The real path of something on disk, every link followed; raises OSError for a loop or an unusable name."""
    try:
        return os.path.realpath(os.fsencode(path), strict=True)
    except ValueError as error:  # a NUL in the name
        raise OSError(errno.EINVAL, str(error)) from error


def relative_inside(base: bytes, target: bytes) -> str | None:
    """`target` relative to `base` with `/`, `""` for `base` itself, None outside. Both are real paths."""
    if target == base:
        return ""
    prefix = base.rstrip(_SEPARATOR) + _SEPARATOR
    return to_text(target[len(prefix) :]) if target.startswith(prefix) else None


def is_file(path: bytes) -> bool:
    """Whether a regular file, not a link, stands there."""
    try:
        return stat.S_ISREG(os.lstat(path).st_mode)
    except OSError:
        return False


def why(error: OSError) -> str:
    """The reason word for an error of the system."""
    if error.errno in (errno.ENOENT, errno.ENOTDIR):
        return "vanished"
    return "link-loop" if error.errno == errno.ELOOP else "unreadable"


def read_inside(root: Path | bytes, path: str, cap: int) -> tuple[bytes, str] | str:
    """The bytes of `root`/`path` (at most `cap`) and its real path relative to the real root; or a reason word."""
    try:
        base = real(root)
        target = real(below(base, path))
        inside = relative_inside(base, target)
        if inside is None:
            return "link-outside"
        if not stat.S_ISREG(os.lstat(target).st_mode):  # a device may act on being opened
            return "not-a-file"
        handle = os.open(target, _FLAGS)
    except (OSError, UnicodeEncodeError) as error:
        return why(error) if isinstance(error, OSError) else "bad-name"
    try:
        found = os.fstat(handle)
        again = real(target)
        now = os.lstat(again)
        if again != target or (found.st_dev, found.st_ino) != (now.st_dev, now.st_ino):
            return "link-outside"  # swapped for a link while we looked
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
