"""Files computed once from the model's weights and kept in the user's cache, so that later starts are quick.

Owns reading, checking and writing them. Must not know what is in them: whoever names a file puts everything into the
name that decides its content. A missing, cut, damaged or foreign file is made again; a cache that cannot be written
costs time and nothing else.
"""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Callable
from pathlib import Path

import platformdirs
import xxhash

_SUM_BYTES = 16
_MOST_BYTES = 256 * 1024 * 1024


def kept(cache_dir: Path | None, name: str, make: Callable[[], bytes]) -> bytes:
    """The content of `models/<name>` below `cache_dir` (default: the user's cache), made by `make` where it is not.

    On the disk a file is the xxh3-128 sum of its content, then the content.
    """
    path = (cache_dir or platformdirs.user_cache_path("ddg-lsp", appauthor=False)) / "models" / name
    content = _read(path)
    if content is None:
        content = make()
        with contextlib.suppress(OSError):
            _write(path, content)
    return content


def _read(path: Path) -> bytes | None:
    try:
        if path.stat().st_size > _MOST_BYTES:
            return None
        stored = path.read_bytes()
    except OSError:
        return None
    content = stored[_SUM_BYTES:]
    return content if content and stored[:_SUM_BYTES] == xxhash.xxh3_128_digest(content) else None


def _write(path: Path, content: bytes) -> None:
    """All of the file or none: another process may read it at any moment, or write it too."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=path.name, suffix=".tmp")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(xxhash.xxh3_128_digest(content))
            file.write(content)
        Path(temporary).replace(path)
    except OSError:
        Path(temporary).unlink(missing_ok=True)
        raise
