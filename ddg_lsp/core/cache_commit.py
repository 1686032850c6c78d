"""Generations of the vector cache on a disk: committing one, removing the others, setting a damaged one aside.

Owns the order of the steps, which is what makes a save all or nothing. Only names of the cache's own form are written
or removed. Must not know what data files hold.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path

from ddg_lsp.core.cache_files import FileLayer, Signature, write_file
from ddg_lsp.core.cache_manifest import ASIDE, MANIFEST, MANIFEST_LIMIT, Manifest, encode, is_ours, temporary_name

_FULL = (errno.ENOSPC, errno.EDQUOT)


def commit(files: FileLayer, folder: Path, manifest: Manifest, blobs: Mapping[str, bytes | memoryview]) -> None:
    """Write the data files of a generation, by part, then the manifest; raises `OSError`, and then nothing counts."""
    for part, promised in manifest.files.items():
        write_file(files, folder / promised.name, [blobs[part]])
    temporary = folder / temporary_name(manifest.generation)
    write_file(files, temporary, [encode(manifest)])
    files.sync_folder(folder)  # a manifest must not outlive a power cut that its data files' names did not
    files.replace(temporary, folder / MANIFEST)
    with suppress(OSError):
        files.sync_folder(folder)


def discard(files: FileLayer, folder: Path, manifest: Manifest, error: OSError) -> None:
    """Remove the files of a generation whose commit failed with `error`, as far as the disk lets us.

    Where the disk is full, what was set aside goes too: it may be all that is in the way of the next try.
    """
    _remove(
        files, folder, (*(promised.name for promised in manifest.files.values()), temporary_name(manifest.generation))
    )
    if error.errno in _FULL:
        forget_aside(files, folder)


def sweep(files: FileLayer, folder: Path) -> None:
    """Remove every file of ours that the manifest, whichever version wrote it, does not mention; raises nothing.

    That is generations it replaced, and what writers left that were killed before their own was in place: without
    this, a disk they filled would stay full. A reader in the midst of such a generation starts again.
    """
    try:
        with files.open(folder / MANIFEST, MANIFEST_LIMIT) as handle:
            manifest = files.read(handle)
    except FileNotFoundError:
        manifest = b""
    except OSError:  # nobody knows what it mentions
        return
    _remove(files, folder, (name for name in _ours(files, folder) if name.encode() not in manifest))


def forget_aside(files: FileLayer, folder: Path) -> None:
    """Remove what was set aside; a link in its place is left alone, for it might lead anywhere."""
    aside = folder / ASIDE
    if os.path.lexists(aside) and not aside.is_symlink():
        with suppress(OSError):
            _remove(files, aside, [name for name in files.names(aside) if name == MANIFEST or is_ours(name)])


def set_aside(files: FileLayer, folder: Path) -> Signature | None:
    """Move manifest and data files into `aside`, in place of what was there; remove what cannot be moved.

    The signature of the manifest that is left: None unless the disk refused both.
    """
    aside: Path | None = folder / ASIDE
    try:
        files.make_folder(folder / ASIDE)  # an error where a link stands, which might lead anywhere
        _remove(
            files, folder / ASIDE, [name for name in files.names(folder / ASIDE) if name == MANIFEST or is_ours(name)]
        )
    except OSError:
        aside = None
    for name in (MANIFEST, *_ours(files, folder)):  # the manifest first: without it, the rest counts for no reader
        try:
            if aside is None:
                files.remove(folder / name)
            elif os.path.lexists(folder / name):
                files.replace(folder / name, aside / name)
        except OSError:
            _remove(files, folder, [name])
    return files.signature(folder / MANIFEST)


def _ours(files: FileLayer, folder: Path) -> list[str]:
    try:
        return sorted(name for name in files.names(folder) if is_ours(name))
    except OSError:
        return []


def _remove(files: FileLayer, folder: Path, names: Iterable[str]) -> None:
    for name in names:
        with suppress(OSError):  # Windows keeps a file that a reader has open; the next sweep removes it
            files.remove(folder / name)
