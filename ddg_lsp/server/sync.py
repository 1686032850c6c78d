"""What the client tells: its life, its documents, its folders, its settings. Notifications become state, at once.

Owns nothing but the translation; the session holds the state, and what follows from it happens later and elsewhere.
"""

from __future__ import annotations

import asyncio
import logging
import time

from lsprotocol import types

from ddg_lsp.server import buffers, protocol, symbols
from ddg_lsp.server.session import Session

log = logging.getLogger(__name__)

DRAIN_SECONDS = 4.5
"""`shutdown` is answered within five seconds, whatever is under way."""
HOUSEKEEPING_SECONDS = 15.0
IDLE_SWEEP_SECONDS = 60.0
"""How often an idle session looks for changes, so that the first question after lunch need not wait."""
WATCHED = "**/*.{md,markdown,mdx}"
WATCHED_RULES = "**/{ddg.toml,dotdotgod.config.json,.gitignore}"


def initialize(session: Session, params: types.InitializeParams) -> None:
    """`initialize`: note what there is; nothing is read or computed before the client has its answer."""
    options = protocol.plain(params.initialization_options)
    session.options = options if isinstance(options, dict) else {}
    session.symbols_offered = protocol.wants_symbols(session.options)
    if params.workspace_folders is not None:
        uris = [folder.uri for folder in params.workspace_folders]
    elif params.root_uri:
        uris = [params.root_uri]
    else:
        uris = [buffers.uri_of_text(params.root_path)] if params.root_path else []
    for uri in uris:
        session.add(uri)


def initialized(session: Session) -> None:
    """`initialized`: now the client may be asked things, and work may begin."""
    session.spawn(_begin(session))
    session.spawn(_housekeeping(session))


async def _begin(session: Session) -> None:
    if registrations := _registrations(session):
        session.spawn(session.client.register(registrations))
    await _configure(session)


async def _configure(session: Session) -> None:
    await session.configure()
    await symbols.offer(session)


def _registrations(session: Session) -> list[types.Registration]:
    wanted: list[types.Registration] = []
    if session.client.can("workspace.did_change_watched_files.dynamic_registration"):
        watchers = [types.FileSystemWatcher(glob_pattern=pattern) for pattern in (WATCHED, WATCHED_RULES)]
        options = types.DidChangeWatchedFilesRegistrationOptions(watchers=watchers)
        wanted.append(types.Registration("ddg.watch", types.WORKSPACE_DID_CHANGE_WATCHED_FILES, options))
    if session.client.can("workspace.did_change_configuration.dynamic_registration"):
        section = types.DidChangeConfigurationRegistrationOptions(section=protocol.SECTION)
        wanted.append(types.Registration("ddg.settings", types.WORKSPACE_DID_CHANGE_CONFIGURATION, section))
    return wanted


async def _housekeeping(session: Session) -> None:
    while True:
        await asyncio.sleep(HOUSEKEEPING_SECONDS)
        await session.worker.index(lambda _: session.engine.unload_if_idle(), gentle=True)
        if time.monotonic() - session.active_at > IDLE_SWEEP_SECONDS:
            for folder in session.all_folders():
                folder.sweep(idle_seconds=IDLE_SWEEP_SECONDS)


async def shutdown(session: Session) -> None:
    """`shutdown`: stop, write what is done, and answer in time either way."""
    session.close_folders()
    wait, give_up = session.end(), time.monotonic() + DRAIN_SECONDS
    while not wait(0.0) and time.monotonic() < give_up:
        await asyncio.sleep(0.02)


def did_open(session: Session, params: types.DidOpenTextDocumentParams) -> None:
    """`textDocument/didOpen`."""
    session.show(session.buffers.open(params.text_document))


def did_change(session: Session, params: types.DidChangeTextDocumentParams) -> None:
    """`textDocument/didChange`."""
    buffer = session.buffers.change(params, session.client.encoding)
    if buffer is not None:
        session.show(buffer, delay=session.settings_of(buffer.uri).debounce_ms / 1000.0)


def did_close(session: Session, params: types.DidCloseTextDocumentParams) -> None:
    """`textDocument/didClose`."""
    buffer = session.buffers.close(params.text_document.uri)
    if buffer is not None:
        session.hide(buffer)


def did_save(session: Session, params: types.DidSaveTextDocumentParams) -> None:
    """`textDocument/didSave`: of any file, since settings and ignore files are files, too."""
    for folder, _ in session.places_of(params.text_document.uri):
        folder.sweep_soon()


def did_change_watched_files(session: Session, _: types.DidChangeWatchedFilesParams) -> None:
    """`workspace/didChangeWatchedFiles`: which files does not matter, the sweep sees for itself."""
    for folder in session.folders:
        folder.sweep_soon()


def did_change_folders(session: Session, params: types.DidChangeWorkspaceFoldersParams) -> None:
    """`workspace/didChangeWorkspaceFolders`."""
    for gone in params.event.removed:
        session.remove(gone.uri)
    for new in params.event.added:
        session.add(new.uri)
    session.reroute()
    session.spawn(_configure(session))


def did_change_configuration(session: Session, params: types.DidChangeConfigurationParams) -> None:
    """`workspace/didChangeConfiguration`: its payload is for clients that cannot be asked."""
    pushed = protocol.plain(params.settings)
    if isinstance(pushed, dict) and not session.client.can("workspace.configuration"):
        session.options = {**session.options, **pushed}
    session.spawn(_configure(session))
