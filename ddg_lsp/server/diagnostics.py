"""Diagnostics, for every feature that has something to say about an open file.

Owns what the client shows at the moment: nothing is sent where it would change nothing. Must not know what is found.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

from lsprotocol import types

from ddg_lsp.core.text import Encoding, LineIndex
from ddg_lsp.server import buffers
from ddg_lsp.server.feedback import Client

SOURCE = "ddg-lsp"
WARNING, INFORMATION = types.DiagnosticSeverity.Warning, types.DiagnosticSeverity.Information


class Diagnostics:
    """What is shown, by file."""

    def __init__(self, client: Client) -> None:
        self._client = client
        self._shown: dict[str, list[types.Diagnostic]] = {}
        self._by_owner: dict[tuple[str, str], list[types.Diagnostic]] = {}

    def publish(
        self, uri: str, version: int | None, diagnostics: Sequence[types.Diagnostic], owner: str = "findings"
    ) -> None:
        """Show these for a file, and what other owners have to say of it; `version`: of the text they were found in."""
        key = buffers.key(uri)
        self._by_owner[key, owner] = list(diagnostics)
        if not diagnostics:
            del self._by_owner[key, owner]
        wanted = [one for (file, _), found in sorted(self._by_owner.items()) if file == key for one in found]
        if wanted == self._shown.get(key, []) or self._client.can("text_document.publish_diagnostics") is None:
            return
        if wanted:
            self._shown[key] = wanted
        else:
            self._shown.pop(key, None)
        versioned = self._client.can("text_document.publish_diagnostics.version_support")
        params = types.PublishDiagnosticsParams(uri, wanted, version if versioned else None)
        self._client.notify(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS, cast(Any, params))


def diagnostic(place: types.Range, severity: types.DiagnosticSeverity, code: str, message: str) -> types.Diagnostic:
    """One diagnostic at a range."""
    return types.Diagnostic(place, message, severity, code, source=SOURCE)


def range_of(lines: LineIndex, start: int, end: int, encoding: Encoding) -> types.Range:
    """The range of two offsets."""
    first, last = lines.position(start, encoding), lines.position(end, encoding)
    return types.Range(types.Position(*first), types.Position(*last))
