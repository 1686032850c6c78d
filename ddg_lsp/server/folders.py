"""The places of one session: its workspace folders, and which of them an address lies in.

Owns names and nesting: one folder under two names is one folder, a document belongs to every folder it lies in.
Must not know what is done with a folder.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from ddg_lsp.core.errors import DdgError
from ddg_lsp.server import buffers
from ddg_lsp.server.live_folder import LiveFolder

Place = tuple[LiveFolder, str]
"""A folder, and a path in it with `/`."""


class Folders:
    """The workspace folders by their addresses, in the order they were opened."""

    def __init__(self) -> None:
        self._folders: dict[str, LiveFolder] = {}
        self._aliases: dict[str, LiveFolder] = {}
        """Further names of folders that are open already, through links."""
        self._loose_names: dict[str, str] = {}
        self._loose_uris: dict[str, str] = {}

    def __iter__(self) -> Iterator[LiveFolder]:
        return iter(self._folders.values())

    def __len__(self) -> int:
        return len(self._folders)

    def real_root(self, uri: str) -> tuple[Path, Path] | None:
        """A new folder's root and its spelling; None for what is no folder on disk, or is open under some name."""
        path, name = buffers.path_of(uri), buffers.key(uri)
        if path is None or name in self._folders or name in self._aliases:
            return None
        root = Path(os.path.realpath(path))
        known = next((folder for folder in self if folder.root == root), None)
        if known is not None:
            self._aliases[name] = known
            return None
        return root, Path(os.path.abspath(path))  # noqa: PTH100 - `resolve` would follow links

    def add(self, folder: LiveFolder) -> None:
        """A folder is open."""
        self._folders[buffers.key(folder.uri)] = folder

    def remove(self, uri: str) -> LiveFolder | None:
        """A name is closed; the folder where it has no other one left."""
        name = buffers.key(uri)
        if self._aliases.pop(name, None) is not None or name not in self._folders:
            return None
        folder = self._folders.pop(name)
        other = next((alias for alias, one in self._aliases.items() if one is folder), None)
        if other is None:
            return folder
        self._folders[other] = self._aliases.pop(other)
        return None

    def named(self, uris: Sequence[str]) -> list[LiveFolder]:
        """The folders of these addresses, each once. Raises `DdgError` for one that is not open."""
        names = [buffers.key(uri) for uri in uris]
        found = [self._folders.get(name) or self._aliases.get(name) for name in names]
        if None in found:
            sentence = "`folders` names a folder that is not open in this session."
            raise DdgError("INVALID_FOLDERS", sentence, usage=True, reason="unknown_folder")
        return list(dict.fromkeys(folder for folder in found if folder is not None))

    def places_of(self, path: str) -> list[Place]:
        """Every folder a file lies in, the innermost first, and its path there.

        By where the file really lies, as a walk would list it; by its spelling where that is in no folder.
        """
        for spelling in dict.fromkeys((os.path.realpath(path), os.path.normpath(path))):
            found = []
            for folder in sorted(self, key=lambda one: -len(str(one.root))):
                roots = (str(folder.root), str(folder.spelled))
                relative = next((below for root in roots if (below := _below(spelling, root)) is not None), None)
                if relative is not None:
                    found.append((folder, relative))
            if found:
                return found
        return []

    def loose_name(self, uri: str) -> str:
        """A path for a document that lies in no folder: its name, made unique."""
        known = buffers.key(uri)
        if known not in self._loose_names:
            name = re.split(r"[/\\:]", known)[-1] or known
            tries = (name if number == 1 else f"{name} ({number})" for number in range(1, len(self._loose_uris) + 2))
            free = next(one for one in tries if one not in self._loose_uris)
            self._loose_names[known], self._loose_uris[free] = free, uri
        return self._loose_names[known]

    def loose_uri(self, name: str) -> str:
        """The address behind a `loose_name`, also after its document was closed: an answer under way may hold it."""
        return self._loose_uris.get(name, "")


def _below(path: str, root: str) -> str | None:
    """The `/`-path of what lies below a folder."""
    one, other = os.path.normcase(path), os.path.normcase(root).rstrip(os.sep) + os.sep
    return path[len(other) :].replace(os.sep, "/") if one.startswith(other) else None
