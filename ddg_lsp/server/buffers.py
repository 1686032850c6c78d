"""The open documents: their text as the client has it, and the one spelling by which an address is known.

Owns applying edits. pygls would do it, but it breaks lines where the protocol does not (U+2028, form feed), and then
every later edit of that document lands on the wrong line. Must not know which documents are searched.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote, unquote_to_bytes

from lsprotocol import types

from ddg_lsp.core.text import Encoding, LineIndex

_DRIVE = re.compile(r"^/?([A-Za-z]):")
DOCUMENT_SUFFIXES = (".md", ".markdown", ".mdx")
DOCUMENT_LANGUAGES = frozenset({"markdown", "mdx"})
HISTORY_SCHEMES = frozenset({"git", "gitlens", "gitfs", "fugitive", "diffview", "review", "pr", "conflictResolution"})
"""Addresses of other versions of a file that is there under its own; to search them would be to find it twice."""


@dataclass(slots=True)
class Buffer:
    """An open document. `text` is what is on the screen."""

    uri: str
    """As the client spells it."""
    language: str
    text: str
    version: int = 0

    @property
    def is_document(self) -> bool:
        """Whether it looks like something to be searched."""
        return self.language in DOCUMENT_LANGUAGES or self.uri.lower().endswith(DOCUMENT_SUFFIXES)


class Buffers:
    """Open documents by address, however it is spelled."""

    def __init__(self) -> None:
        self._open: dict[str, Buffer] = {}

    def __iter__(self) -> Iterator[Buffer]:
        return iter(list(self._open.values()))

    def get(self, uri: str) -> Buffer | None:
        """The open document at this address."""
        return self._open.get(key(uri))

    def open(self, item: types.TextDocumentItem) -> Buffer:
        """`didOpen`."""
        buffer = Buffer(item.uri, item.language_id, item.text, item.version)
        self._open[key(item.uri)] = buffer
        return buffer

    def change(self, params: types.DidChangeTextDocumentParams, encoding: Encoding) -> Buffer | None:
        """`didChange`: the edits in their order, each in the text the one before has left. None if it is not open."""
        buffer = self.get(params.text_document.uri)
        if buffer is None:
            return None
        for change in params.content_changes:
            buffer.text = _edited(buffer.text, change, encoding)
        buffer.version = params.text_document.version
        return buffer

    def close(self, uri: str) -> Buffer | None:
        """`didClose`."""
        return self._open.pop(key(uri), None)


def key(uri: str) -> str:
    """One spelling for every way to write an address: escapes, drive letters, `..` and doubled separators."""
    path = path_of(uri)
    if path is not None:
        return os.path.normcase(os.path.normpath(path))
    # What is no Unicode can be neither digested nor embedded, and the address becomes a name.
    return unquote(uri).encode("utf-8", "backslashreplace").decode("utf-8")


def path_of(uri: str) -> str | None:
    """The path of a `file:` address; None for all others, and for one no file can have.

    `#`, `?` and `;` belong to the name even where a client forgot to escape them: documents have no fragments.
    """
    scheme, _, rest = uri.partition(":")
    if scheme.lower() != "file" or "\0" in unquote(rest) or not _is_unicode(rest):
        return None
    host = ""
    if rest.startswith("//"):
        host, slash, rest = rest[2:].partition("/")
        rest = slash + rest
    path = os.fsdecode(unquote_to_bytes(rest))
    if os.name != "nt":
        return path or None
    if host and host.lower() != "localhost":
        return f"//{host}{path}".replace("/", "\\")
    return _DRIVE.sub(lambda drive: f"{drive[1].upper()}:", path).replace("/", "\\")


def uri_of(path: Path) -> str:
    """The `file:` address of an absolute path, everything escaped that has to be."""
    return path.as_uri()


def uri_of_text(path: str) -> str:
    """The `file:` address of a path a client names in the old way, as `rootPath`; empty for what can be no path."""
    if "\0" in path or not _is_unicode(path):
        return ""
    return uri_of(Path(os.path.abspath(path)))  # noqa: PTH100 - `resolve` would follow links


def _is_unicode(text: str) -> bool:
    """Whether there are no halves of characters in a text, as JSON can bring them."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def is_history(uri: str) -> bool:
    """Whether the address names another version of a file."""
    return uri.partition(":")[0] in HISTORY_SCHEMES


def _edited(text: str, change: types.TextDocumentContentChangeEvent, encoding: Encoding) -> str:
    if not isinstance(change, types.TextDocumentContentChangePartial):
        return change.text
    lines, where = LineIndex(text), change.range
    start = lines.offset(where.start.line, where.start.character, encoding)
    end = lines.offset(where.end.line, where.end.character, encoding)
    return text[:start] + change.text + text[max(start, end) :]
