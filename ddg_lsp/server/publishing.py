"""Publishing and the documentation map, as requests and commands.

Owns what `ddg.server.generateLlmsTxt` and `workspace/documentationMap` mean. Must not know the formats.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from pathlib import Path

from ddg_lsp.core.documentation_map import DEFAULT_LIMIT, LIMIT_RANGE, DocumentationMap, make_map
from ddg_lsp.core.errors import DdgError
from ddg_lsp.core.llms_txt import check
from ddg_lsp.server import features, protocol
from ddg_lsp.server.live_folder import LiveFolder
from ddg_lsp.server.protocol import Wire
from ddg_lsp.server.session import Session
from ddg_lsp.server.worker import Token

READ_SECONDS = 30.0
"""A folder that is not read by then is said to be unread."""
LOOK_SECONDS = 0.05


async def generate(session: Session, arguments: Sequence[object]) -> Wire:
    """`ddg.server.generateLlmsTxt`: writes what is missing or out of date in the folders named, or in all."""
    fields = protocol.parse_options(arguments)
    folders = session.chosen(protocol.parse_question(fields).folders)
    full, force = fields.get("full") is True, fields.get("force") is True
    found = [await session.worker.index(lambda token, one=one: _generated(one, full, force, token)) for one in folders]  # type: ignore[misc]
    files = [file for entries in found for file in entries]
    said = ", ".join(file["path"] for file in files if file["written"])
    session.client.message(f"Written: {said}." if said else "llms.txt is up to date.")
    return {"files": files}


async def documentation_map(session: Session, params: object) -> Wire:
    """`workspace/documentationMap`: what there is to read, as it is on the screen and on disk."""
    fields = protocol.parse_options([params])
    limit = _limit(fields.get("limit"))
    folders = session.chosen(protocol.parse_question(fields).folders)
    await features.freshen(folders)
    await _read(folders)
    where = features.addresses(session, {one.core.root: one for one in folders if one.core})

    def job(token: Token) -> Wire:
        maps = [(one.core.root, _map(one, token)) for one in folders if one.core is not None]
        entries = [
            {"area": e.area, "title": e.title, "summary": e.summary, "path": e.path, "uri": where.uri_of(root, e.path)}
            for root, found in maps
            for e in found.entries
        ]
        titles = [{"title": found.title, "summary": found.summary} for _, found in maps]
        cut = {"total": len(entries), "truncated": len(entries) > limit}
        return {"folders": titles, **cut, "entries": entries[:limit]}

    answer = await session.worker.index(job)
    return {"read": not any(one.unread for one in folders), **answer}


async def _read(folders: Sequence[LiveFolder]) -> None:
    """Wait for the first reading, which takes a second or two: a map of half a folder is no map."""
    give_up = time.monotonic() + READ_SECONDS
    while any(_being_read(one) for one in folders) and time.monotonic() < give_up:
        await asyncio.sleep(LOOK_SECONDS)


def _being_read(folder: LiveFolder) -> bool:
    return folder.unread and folder.report().state != "failed"


async def map_command(session: Session, arguments: Sequence[object]) -> Wire:
    """`workspace/executeCommand` of the same name."""
    return await documentation_map(session, arguments[0] if arguments else None)


def _generated(folder: LiveFolder, full: bool, force: bool, token: Token) -> list[Wire]:
    if folder.root is None or folder.core is None:
        return []
    what = check.wanted(folder.root, folder.core.settings, full=full, check=token.check)
    written = check.generate(what, force=force)
    top = folder.spelled or folder.root
    return [
        {"path": path, "uri": (top / path).as_uri(), "written": path in written, "pages": len(what.site.pages)}
        for path, _ in what.files
    ]


def _map(folder: LiveFolder, token: Token) -> DocumentationMap:
    assert folder.core is not None  # noqa: S101 - the caller has asked
    documents = folder.core.snapshot.documents
    texts = {path: document.text for path, document in documents.items()}
    name = (folder.spelled or Path(folder.uri)).name
    return make_map(name, texts, folder.core.settings, token.check)


def _limit(value: object) -> int:
    low, high = LIMIT_RANGE
    if value is None:
        return DEFAULT_LIMIT
    if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
        sentence = f"`limit` must be a whole number from {low} to {high}."
        raise DdgError("INVALID_LIMIT", sentence, usage=True, reason="out_of_range")
    return value
