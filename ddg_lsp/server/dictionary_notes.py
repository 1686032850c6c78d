"""What a person should look at in a folder's synonym file, shown in that file whether it is open or not.

Owns when it is shown. Must not know the grammar of the file, nor how the folder reads it.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from lsprotocol import types

from ddg_lsp.core.corpus import decode
from ddg_lsp.core.disk import read_inside
from ddg_lsp.core.synonym_file import MAX_BYTES, Diagnostic
from ddg_lsp.core.text import Encoding, LineIndex
from ddg_lsp.server import buffers
from ddg_lsp.server.diagnostics import WARNING, Diagnostics, diagnostic, range_of
from ddg_lsp.server.live_folder import LiveFolder
from ddg_lsp.server.session import Session

OWNER = "dictionary"
Shown = tuple[str, tuple[Diagnostic, ...], str | None]
"""The file's path, the notes in it, and why it could not be read at all."""


class DictionaryNotes:
    """The notes as they are shown, by folder. Used on the loop."""

    def __init__(self, session: Session, diagnostics: Diagnostics) -> None:
        self._session = session
        self._diagnostics = diagnostics
        self._shown: dict[str, Shown] = {}

    def read(self, folder: LiveFolder) -> None:
        """A folder was read: what is said of its synonym file may be another thing than before."""
        core = folder.core
        if core is None or folder.root is None:
            return
        now = (core.settings.synonyms, core.synonym_notes, core.dictionary.failure)
        before = self._shown.get(folder.uri, ("", (), None))
        if now == before:
            return
        self._shown[folder.uri] = now
        if before[0] and before[0] != now[0]:
            self._diagnostics.publish(_address(folder, before[0]), None, [], OWNER)
        if now[0]:
            self._session.spawn(self._show(folder, folder.root, now))

    async def _show(self, folder: LiveFolder, root: Path, shown: Shown) -> None:
        path, notes, failure = shown
        encoding = self._session.client.encoding
        found = await self._session.worker.index(lambda _: _diagnostics(root, path, notes, failure, encoding))
        if self._shown.get(folder.uri) == shown:
            self._diagnostics.publish(_address(folder, path), None, found, OWNER)


def _address(folder: LiveFolder, path: str) -> str:
    return buffers.uri_of((folder.spelled or Path()) / path)


def _diagnostics(
    root: Path, path: str, notes: Sequence[Diagnostic], failure: str | None, encoding: Encoding
) -> list[types.Diagnostic]:
    """The notes as the client wants them; read anew, since columns in its encoding need the text."""
    if failure is not None:
        first_line = types.Range(types.Position(0, 0), types.Position(1, 0))
        return [diagnostic(first_line, WARNING, "unusable", f"{failure} No word is expanded.")]
    found = read_inside(root, path, MAX_BYTES) if notes else ""
    text = decode(found[0]) if isinstance(found, tuple) else None
    lines = LineIndex(text or "")

    def place(note: Diagnostic) -> types.Range:
        start = lines.line_start(note.line)
        return range_of(lines, start + note.start, start + note.end, encoding)

    return [diagnostic(place(note), WARNING, note.code, note.message) for note in notes]
