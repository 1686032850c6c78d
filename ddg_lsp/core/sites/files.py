"""Small files of the user's own: read with a bound, written whole or not at all, readable by nobody else."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

from ddg_lsp.core.cache_files import FileLayer, write_file

_LAYER = FileLayer()


def read(path: Path, limit: int) -> bytes | None:
    """A regular file of at most `limit` bytes; None where there is none. Raises `OSError`."""
    try:
        with _LAYER.open(path, limit) as handle:
            return _LAYER.read(handle)
    except (FileNotFoundError, NotADirectoryError):
        return None


def write(path: Path, data: bytes, *, lasting: bool = False) -> None:
    """Replace a file, folders above it included. Raises `OSError`, and then leaves what there was.

    `lasting`: what is written survives a power cut; of what can be fetched again, many small files are written faster.
    """
    make(path.parent)
    new = path.with_name(f"{path.name}.{os.getpid()}.new")
    _LAYER.remove(new)
    try:
        if lasting:
            write_file(_LAYER, new, [data])
        else:
            new.write_bytes(data)
        _LAYER.replace(new, path)
    except BaseException:
        with suppress(OSError):
            _LAYER.remove(new)
        raise


def make(folder: Path) -> None:
    """A folder and those above it; new ones keep other users out."""
    missing = [one for one in (folder, *folder.parents) if not one.exists()]
    for one in reversed(missing):
        _LAYER.make_folder(one, private=True)
