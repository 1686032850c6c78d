"""What is found in open files: citations that no longer hold, an llms.txt that is out of date.

Owns when an open file is looked at. Must not know how: the core compares, the indexing thread does the work.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import NamedTuple

from lsprotocol import types

from ddg_lsp.core.citations import Finding
from ddg_lsp.core.cited_files import check_text
from ddg_lsp.core.errors import Cancelled, DdgError
from ddg_lsp.core.llms_txt import check
from ddg_lsp.core.text import Encoding, LineIndex
from ddg_lsp.server.buffers import Buffer
from ddg_lsp.server.diagnostics import INFORMATION, WARNING, Diagnostics, diagnostic, range_of
from ddg_lsp.server.live_folder import LiveFolder
from ddg_lsp.server.protocol import GENERATE_LLMS
from ddg_lsp.server.session import Session
from ddg_lsp.server.worker import Token

BURST_SECONDS = 0.2
"""Quiet after an edit or a save before files are looked at."""
NOT_YET_SECONDS = 0.5
"""Until a folder's settings are read."""
_SEVERITIES = {"stale": INFORMATION, "missing": WARNING, "not_found": WARNING}


class Findings:
    """The open files and when they are looked at next. Used on the loop only."""

    def __init__(self, session: Session, diagnostics: Diagnostics) -> None:
        self._session = session
        self._diagnostics = diagnostics
        self._timers: dict[str, asyncio.TimerHandle] = {}
        self._watched: set[str] = set()
        """Open files in which something was cited, or is published: to be looked at again when others change."""

    def did_open(self, params: types.DidOpenTextDocumentParams) -> None:
        """Look at it now."""
        self._soon(params.text_document.uri, 0.0)

    def did_change(self, params: types.DidChangeTextDocumentParams) -> None:
        """Look at it when it is quiet."""
        self._soon(params.text_document.uri, BURST_SECONDS)

    def did_close(self, params: types.DidCloseTextDocumentParams) -> None:
        """Nothing is shown about what is closed."""
        uri = params.text_document.uri
        self._watched.discard(uri)
        if (timer := self._timers.pop(uri, None)) is not None:
            timer.cancel()
        self._diagnostics.publish(uri, None, [])

    def did_save(self, params: types.DidSaveTextDocumentParams) -> None:
        """What others cite, or publish, may have changed."""
        for uri in {params.text_document.uri, *self._watched}:
            self._soon(uri, BURST_SECONDS)

    def _soon(self, uri: str, delay: float) -> None:
        buffer = self._session.buffers.get(uri)
        if buffer is None or not (buffer.is_document or _is_published(buffer)):
            return
        if (timer := self._timers.pop(uri, None)) is not None:
            timer.cancel()
        self._timers[uri] = asyncio.get_running_loop().call_later(delay, self._now, uri)

    def _now(self, uri: str) -> None:
        self._timers.pop(uri, None)
        self._session.spawn(self._look(uri))

    async def _look(self, uri: str) -> None:
        buffer, place = self._session.buffers.get(uri), self._session.place_of(uri)
        if buffer is None or place is None or place[0].root is None or place[0].closed:
            return
        version, published = buffer.version, _is_published(buffer)
        job = _job(*place, buffer.text, self._session.client.encoding, published)
        try:
            found = await self._session.worker.index(job)
        except Cancelled:
            return
        now = self._session.buffers.get(uri)
        if now is None or now.version != version:
            return
        if found is None:
            self._soon(uri, NOT_YET_SECONDS)
            return
        if published or found.cited:
            self._watched.add(uri)
        self._diagnostics.publish(uri, version, found.diagnostics)


class _Found(NamedTuple):
    cited: bool
    diagnostics: list[types.Diagnostic]


def _job(
    folder: LiveFolder, path: str, text: str, encoding: Encoding, published: bool
) -> Callable[[Token], _Found | None]:
    """The look at one file, for the indexing thread; None where the folder's settings are not read yet."""
    screen = {one: buffer.text for one, buffer in folder.screen.items()}

    def job(token: Token) -> _Found | None:
        if folder.core is None or folder.root is None:
            return None
        if published:
            full = path.endswith(check.FULL)
            try:
                wanted = check.wanted(folder.root, folder.core.settings, full=full, check=token.check)
            except DdgError:  # the settings cannot be read, and that is said where they are
                return _Found(False, [])
            return _Found(False, _out_of_date(wanted, path, text, encoding))
        found = check_text(folder.root, folder.core.settings, text, path, screen.get)
        return _Found(bool(found), _broken(found, text, encoding))

    return job


def _broken(found: list[Finding], text: str, encoding: Encoding) -> list[types.Diagnostic]:
    lines = LineIndex(text)
    return [
        diagnostic(
            range_of(lines, one.citation.start, one.citation.end, encoding),
            _SEVERITIES[one.state],
            f"citation-{one.state.replace('_', '-')}",
            one.message,
        )
        for one in found
        if one.state != "valid"
    ]


def _out_of_date(wanted: check.Wanted, path: str, text: str, encoding: Encoding) -> list[types.Diagnostic]:
    expected = dict(wanted.files).get(path)
    if expected is None or expected == text or not (wanted.plan.asked or check.ours(text, expected)):
        return []
    lines = LineIndex(text)
    differs = check.first_difference(text.encode("utf-8", "replace"), expected.encode("utf-8", "replace"))
    line = min(differs, lines.line_count) - 1
    place = range_of(lines, lines.line_start(line), lines.line_end(line), encoding)
    sentence = "This file is out of date; from this line on the documents say something else. "
    return [diagnostic(place, INFORMATION, "llms-out-of-date", f"{sentence}{GENERATE_LLMS} writes it anew.")]


def _is_published(buffer: Buffer) -> bool:
    return buffer.uri.rpartition("/")[2] in (check.INDEX, check.FULL)
