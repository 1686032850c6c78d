"""The server process: what is registered, how it starts, how it ends and with which exit code.

Owns standard input and output: everything on stdout is protocol, whatever a library prints. Must not know the requests.
"""

from __future__ import annotations

import asyncio
import logging
import os
import sys
from functools import partial
from typing import BinaryIO

from lsprotocol import types
from pygls.exceptions import JsonRpcException

from ddg_lsp.core import memory
from ddg_lsp.core.embedding.choose import choose
from ddg_lsp.server import features, protocol, sync
from ddg_lsp.server.actions import Actions
from ddg_lsp.server.engine import Choose, Engine
from ddg_lsp.server.feedback import Client, ClientLog
from ddg_lsp.server.rpc import DdgServer
from ddg_lsp.server.session import Session
from ddg_lsp.server.worker import Worker

LAST_SECONDS = 1.5
"""When the client is gone: what is done is written for so long, then the process ends."""
SWITCH_SECONDS = 0.0005
"""How long a thread computes before another is let in. Parsing is pure Python; at the default of 5 ms a request that
needs nothing waited 38 ms at the median while a folder was being read."""


def main(tcp: tuple[str, int] | None = None) -> int:
    """Serve one client, over stdio or on `(host, port)`; the exit code: 0 only after `shutdown`."""
    memory.settle()
    set_up_logging()
    return run(build(), tcp)


def build(chooser: Choose = choose) -> tuple[DdgServer, Session]:
    """A server with everything registered, not yet started; `chooser` picks the embedder."""
    server = DdgServer()
    session = Session(Client(server), Worker(), Engine(chooser))
    _register_life(server, session)
    _register_documents(server, session)
    _register_features(server, session)
    return server, session


def run(built: tuple[DdgServer, Session], tcp: tuple[str, int] | None = None) -> int:
    """Start, and stay until the client is gone."""
    server, session = built
    sys.setswitchinterval(SWITCH_SECONDS)
    try:
        if tcp is None:
            server.serve(*_take_stdio())
        else:
            server.start_tcp(*tcp)
    except SystemExit:
        pass  # `exit` over TCP
    code = 0 if server.ending else 1
    if not session.end()(LAST_SECONDS):
        # A thread is inside native code and would be there still while Python is taken down around it.
        logging.shutdown()
        os._exit(code)
    return code


def set_up_logging() -> None:
    """Warnings to stderr; what pygls has to say goes without what the client sent."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(name)s: %(message)s"))
    handler.addFilter(_without_payload)
    logging.basicConfig(level=logging.WARNING, handlers=[handler])
    logging.getLogger("ddg_lsp").setLevel(logging.INFO)


def _without_payload(record: logging.LogRecord) -> bool:
    if not record.name.startswith("pygls"):
        return True
    error = record.exc_info[1] if record.exc_info else None
    record.args, record.exc_info, record.exc_text = None, None, None
    record.msg = f"{record.msg} ({type(error).__name__})"
    return record.levelno >= logging.ERROR and not isinstance(error, JsonRpcException)


def _take_stdio() -> tuple[int, BinaryIO]:
    """The client's pipes for the protocol alone: what anything else prints goes to stderr, and nothing reads stdin."""
    client = os.dup(0), os.fdopen(os.dup(1), "wb")
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    sys.stdout = sys.stderr
    return client


def _register_life(server: DdgServer, session: Session) -> None:
    def initialized(_: types.InitializedParams) -> None:
        log = logging.getLogger("ddg_lsp")
        if not any(isinstance(handler, ClientLog) for handler in log.handlers):  # once, however often it is said
            log.addHandler(ClientLog(server, asyncio.get_running_loop()))
            sync.initialized(session)

    server.on_notification(types.INITIALIZE, partial(sync.initialize, session))
    server.on_notification(types.INITIALIZED, initialized)
    server.on_request(types.SHUTDOWN, lambda _: sync.shutdown(session))
    server.on_notification(types.SET_TRACE, partial(sync.set_trace, session))


def _register_documents(server: DdgServer, session: Session) -> None:
    for method, take in (
        (types.TEXT_DOCUMENT_DID_OPEN, sync.did_open),
        (types.TEXT_DOCUMENT_DID_CHANGE, sync.did_change),
        (types.TEXT_DOCUMENT_DID_CLOSE, sync.did_close),
        (types.WORKSPACE_DID_CHANGE_WATCHED_FILES, sync.did_change_watched_files),
        (types.WORKSPACE_DID_CHANGE_WORKSPACE_FOLDERS, sync.did_change_folders),
        (types.WORKSPACE_DID_CHANGE_CONFIGURATION, sync.did_change_configuration),
    ):
        server.on_notification(method, partial(take, session))
    save = types.SaveOptions(include_text=False)
    server.on_notification(types.TEXT_DOCUMENT_DID_SAVE, partial(sync.did_save, session), save)


def _register_features(server: DdgServer, session: Session) -> None:
    server.on_request(protocol.QUERY, partial(features.query, session))
    server.on_request(protocol.QUERY_BATCH, partial(features.batch, session))
    kinds = types.CodeActionOptions(code_action_kinds=[protocol.OPEN_DOCS_KIND])
    server.on_request(types.TEXT_DOCUMENT_CODE_ACTION, Actions(session).answer, kinds)
    server.on_command(protocol.QUERY, partial(features.query_command, session))
    server.on_command(protocol.QUERY_BATCH, partial(features.batch_command, session))
    server.on_command(protocol.OPEN_HEADING, partial(features.open_heading, session))
    server.on_command(protocol.REINDEX, partial(features.reindex, session))
    server.on_command(protocol.SHOW_STATUS, partial(features.show_status, session))
