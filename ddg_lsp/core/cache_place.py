"""Which folder the vector cache of a workspace lives in: the workspace's own, the user's, or none.

Owns the order of places, what makes one unusable, and making its folders. A workspace is not trusted: a `.ddg`
that is a link, or lies elsewhere than it seems to, is not used. Must not know what the cache holds.
"""

from __future__ import annotations

import os
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import platformdirs
import xxhash

from ddg_lsp.core.cache_files import FileLayer, write_file

Location = Literal["workspace", "user", "memory"]

_IGNORE_ALL = b"*\n"


@dataclass(frozen=True, slots=True)
class Place:
    """A folder the cache may live in, and the folders above it that the cache may create, outermost first."""

    location: Location
    folder: Path | None
    parents: tuple[Path, ...] = ()


MEMORY = Place("memory", None)


def places(root: Path, wanted: str | Path = "") -> list[Place]:
    """Where to try, in order; the last is memory.

    `wanted` is the user's choice: `""` the workspace, `"user"` the user's cache folder, `"memory"` nowhere, else an
    absolute folder that is shared by several workspaces. A relative folder is a `ValueError`.
    """
    if wanted == "memory":
        return [MEMORY]
    if str(wanted) not in ("", ".", "user"):
        base = Path(os.path.expanduser(wanted))  # noqa: PTH111 - pathlib raises where there is no home
        if not base.is_absolute():
            raise ValueError(f"The cache folder must be an absolute path, not {str(wanted)!r}.")
        return [_for_root(base, root), MEMORY]
    base = platformdirs.user_cache_path("ddg-lsp", appauthor=False) / "vectors"
    users = [_for_root(base, root)] if base.is_absolute() else []  # a user without a home has none
    if str(wanted) == "user":
        return [*users, MEMORY]
    own = root / ".ddg"
    return [Place("workspace", own / "vectors", (own,)), *users, MEMORY]


def refusal(place: Place, root: Path, files: FileLayer) -> str:
    """Why a place cannot be used, as the end of a sentence; empty when nothing speaks against it. Writes nothing."""
    folder = place.folder
    if folder is None:
        return ""
    for part in (*place.parents, folder):
        if os.path.lexists(part) and not _is_folder(part):
            return f"{part} is not a folder"
    if place.location == "workspace":
        if not _is_folder(root):
            return f"{root} is not there"
        if _really(folder) != _really(root) / ".ddg" / "vectors":
            return f"{root / '.ddg'} leads out of the folder"
    existing = folder
    while not os.path.lexists(existing) and existing != existing.parent:
        existing = existing.parent
    if not _is_folder(existing):
        return f"{existing} is not a folder"
    return "" if files.writable(existing) else f"{existing} is read-only"


def prepare(place: Place, files: FileLayer) -> None:
    """Make the folders of a place, and keep git from looking into a workspace's; raises `OSError`."""
    if place.folder is None:
        return
    private = place.location == "user"
    above: list[Path] = []
    parent = place.folder.parent
    while private and not parent.exists() and parent != parent.parent:
        above.append(parent)
        parent = parent.parent
    for folder in (*reversed(above), *place.parents, place.folder):
        files.make_folder(folder, private=private)
        if place.location == "workspace":
            _keep_git_out(folder / ".gitignore", files)


def _keep_git_out(ignore: Path, files: FileLayer) -> None:
    found = files.signature(ignore)
    if found is not None and found.size == 0:  # left by a process that was killed before it wrote what belongs there
        with suppress(OSError):
            files.remove(ignore)
    if not os.path.lexists(ignore):
        with suppress(FileExistsError):  # another process is starting here, too
            write_file(files, ignore, [_IGNORE_ALL])


def _for_root(base: Path, root: Path) -> Place:
    name = os.path.normcase(_really(root)).encode("utf-8", "surrogatepass")
    return Place("user", base / xxhash.xxh3_128_hexdigest(name))


def _is_folder(path: Path) -> bool:
    try:
        return path.is_dir()
    except OSError:  # no access, before Python 3.14
        return False


def _really(path: Path) -> Path:
    return Path(os.path.realpath(path))
