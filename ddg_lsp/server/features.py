"""Questions and commands: from params to answer, in a few steps each.

Owns what a request means. Must not know threads, files or scores.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from ddg_lsp import __version__
from ddg_lsp.core.embedding.errors import EmbedderUnavailable
from ddg_lsp.core.query import Query, make_query
from ddg_lsp.core.search import Searcher
from ddg_lsp.server import buffers, overlap, protocol
from ddg_lsp.server.live_folder import LiveFolder
from ddg_lsp.server.protocol import Question, Wire
from ddg_lsp.server.session import Session
from ddg_lsp.server.sites import Prepared
from ddg_lsp.server.worker import Token

FRESH_SECONDS = 0.3
"""The longest a question waits for changes to be looked for; then it is answered from what there is, as `stale`."""

FIRST_SECONDS = 4.0
"""The longest a question waits for a folder to be opened, and for what it may need to be read and embedded: on most
machines that takes two, and an answer from an empty index helps nobody."""
HASTEN_SECONDS = 1.0
"""The same once the folder is read, and only embedding is under way."""


async def query(session: Session, params: object) -> Wire:
    """`workspace/semanticDocQuery`."""
    question = protocol.parse_question(params)
    if question.token is None:
        return await answer(session, question)
    progress = session.client.progress_on(question.token)
    progress.begin("Searching documents")
    try:
        return await answer(session, question)
    finally:
        progress.end("")


async def query_command(session: Session, arguments: Sequence[object]) -> Wire:
    """`workspace/executeCommand` of the same name, for clients without custom requests."""
    return await query(session, arguments[0] if arguments else None)


async def open_heading(session: Session, arguments: Sequence[object]) -> Wire:
    """`ddg.server.openHeading`: shows a heading where the client can be asked to; says where it is in any case."""
    place = protocol.parse_place(arguments)
    opened = await session.client.show_document(place.uri, place.range, place.take_focus)
    return {"opened": opened, "uri": place.uri, "range": place.range}


async def reindex(session: Session, arguments: Sequence[object]) -> Wire:
    """`ddg.server.reindex`: looks for changes, resumes what was cancelled; `rebuild` forgets every vector first."""
    rebuild = protocol.parse_options(arguments).get("rebuild") is True
    await session.retry()
    folders = session.all_folders()
    for folder in folders:
        if rebuild and (core := folder.core) is not None:
            await session.worker.index(lambda _, core=core: core.rebuild())  # type: ignore[misc]
        folder.build.resume()
    if folders:
        await asyncio.wait([folder.refreshed.run() for folder in folders], timeout=FRESH_SECONDS)
    return session.status()


async def show_status(session: Session, arguments: Sequence[object]) -> Wire:
    """`ddg.server.showStatus`: the condition of everything; a message unless `silent`; every file with `files`."""
    options = protocol.parse_options(arguments)
    silent, files = options.get("silent") is True, options.get("files") is True
    status, choice = session.status(), session.engine.choice
    if not silent:
        index = status["index"]
        counts = f"{index['embedded']} of {index['passages']} passages in {index['documents']} documents"
        said = (f"ddg-lsp is {index['state']}: {counts}.", status["message"], choice.reason)
        session.client.message(" ".join(filter(None, said)))
    return {
        **status,
        "version": __version__,
        "reason": choice.reason,
        "tried": [{"embedder": name, "reason": why} for name, why in choice.tried],
        "folders": [await _folder_status(session, folder, files) for folder in session.all_folders()],
    }


async def _folder_status(session: Session, folder: LiveFolder, files: bool) -> Wire:
    report, core = folder.report(), folder.core
    snapshot = core.snapshot if files and core is not None else None
    # Of a large folder that is thousands of files, so not on the loop.
    job = partial(protocol.to_folder, folder.uri, report, snapshot)
    return await session.worker.ask(lambda _: job()) if snapshot is not None else job()


async def answer(session: Session, question: Question) -> Wire:
    """The result for one question. Raises `DdgError` for a bad one before anything is touched."""
    started = time.monotonic()
    session.active_at = started
    folders = session.chosen(question.folders)
    common = next((folder.core.settings for folder in folders if folder.core), session.common)
    asked = make_query(question.fields, limit=common.limit, mode=common.mode)
    sites = await _prepare(session, question, asked)
    with session.worker.question():
        await session.client.turns.quiet()
        late = await freshen(folders)
        await hasten(session, folders, asked)
        embedder = session.engine.embedder
        async with session.client.turns.turn():
            try:
                return await _compute(session, folders, asked, sites, late, started)
            except EmbedderUnavailable as error:
                await session.engine_failed(embedder, error)
                return await _compute(session, folders, asked, sites, late, started)


async def _prepare(session: Session, question: Question, asked: Query) -> Prepared:
    """What the named sites contribute. Folders are built meanwhile: other people's servers take seconds."""
    names = session.sites.chosen(question.sources)
    if not names:
        return Prepared()
    await session.client.turns.quiet()
    return await session.sites.prepare(names, asked)


async def freshen(folders: Sequence[LiveFolder]) -> bool:
    """Index what is on the screen and look for changes on disk; True when that is taking too long."""
    sweeps = [(folder, task) for folder in folders if (task := folder.sweep()) is not None]
    # While a build goes on an answer is incomplete anyway, and looking for changes would wait behind a step of it.
    behind = [task for folder, task in sweeps if folder.building]
    asked = [task for folder, task in sweeps if not folder.building]
    asked += [task for folder in folders if (task := folder.flush()) is not None]
    if not asked:
        return bool(behind)
    _, late = await asyncio.wait(asked, timeout=FRESH_SECONDS)
    return bool(late or behind)


async def hasten(session: Session, folders: Sequence[LiveFolder], asked: Query) -> None:
    """Before a first build is through: have read and embedded what the question is likely to need, for a moment."""
    waiting = [folder for folder in folders if folder.unread or (folder.halfway and asked.mode != "lexical")]
    steps = [session.spawn(_hasten(session, folder, asked)) for folder in waiting]
    try:
        if steps:
            unread = any(folder.unread for folder in waiting)
            await asyncio.wait(steps, timeout=FIRST_SECONDS if unread else HASTEN_SECONDS)
    finally:
        for step in steps:
            step.cancel()


async def _hasten(session: Session, folder: LiveFolder, asked: Query) -> None:
    await folder.opened.wait()
    if folder.building:
        await session.worker.attempt(partial(folder.job_hasten, asked=asked), urgent=True)


async def _compute(
    session: Session, folders: Sequence[LiveFolder], asked: Query, sites: Prepared, late: bool, started: float
) -> Wire:
    engine, places = session.engine, {folder.core.root: folder for folder in folders if folder.core}
    cores = [folder.core for folder in places.values() if folder.core]
    # While the embedder is being replaced, vectors of two kinds are about: words alone are right for both.
    fits = all(core.embedder is engine.embedder for core in cores) and sites.fits(engine.embedder)
    searcher = engine.searcher if fits else Searcher(None)
    targets = [*(core.target() for core in cores), *sites.targets]
    where = addresses(session, places, sites)

    def job(token: Token) -> Wire:
        found = sites.without_strays(overlap.search(searcher, targets, asked, token.check), places)
        engine.used()
        token.check()
        report = session.report(folders, late=late)
        info = engine.info if searcher.embedder else None
        result = protocol.to_result(found, where, report, info, (time.monotonic() - started) * 1000.0)
        return {**result, **sites.described()}

    return await session.worker.ask(job)


def addresses(session: Session, places: dict[Path, LiveFolder], sites: Prepared | None = None) -> protocol.Addresses:
    """How the hits of one answer become locations."""
    sites = sites or Prepared()

    def uri_of(root: Path, path: str) -> str:
        if root not in places:
            return sites.uri(root, path) or ""
        folder = places[root]
        if (buffer := folder.screen.get(path)) is not None:
            return buffer.uri
        if folder is session.loose:
            return session.folders.loose_uri(path)
        return buffers.uri_of((folder.spelled or root) / path)

    def screen(root: Path, path: str) -> str | None:
        buffer = places[root].screen.get(path) if root in places else None
        return None if buffer is None else buffer.text

    return protocol.Addresses(session.client.encoding, uri_of, screen, sites.shown)
