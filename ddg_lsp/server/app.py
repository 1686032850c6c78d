"""The server process: what is registered, how it starts, how it ends and with which exit code.

Owns when it starts and how it ends. Must not know the requests.
"""

from __future__ import annotations

import asyncio
import logging
import os
import sys
import traceback
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from lsprotocol import types
from pygls.exceptions import JsonRpcException

from ddg_lsp.core import memory
from ddg_lsp.server import channel, parent, protocol
from ddg_lsp.server.feedback import ClientLog
from ddg_lsp.server.rpc import DdgServer
from ddg_lsp.server.stderr_log import PatientHandler

if TYPE_CHECKING:
    from ddg_lsp.server.engine import Choose
    from ddg_lsp.server.service import Service

LAST_SECONDS = 1.5
"""When the client is gone: what is done is written for so long, then the process ends."""
SWITCH_SECONDS = 0.0005
"""How long a thread computes before another is let in. Parsing is pure Python; at the default of 5 ms a request that
needs nothing waited 38 ms at the median while a folder was being read."""


def main(tcp: tuple[str, int] | None = None) -> int:
    """Serve one client, over stdio or on `(host, port)`; the exit code: 0 only after `shutdown`."""
    memory.settle()
    set_up_logging()
    return run(Door(), tcp)


class Door:
    """The server and what is behind it, which is put together when it is first needed."""

    def __init__(self, chooser: Choose | None = None) -> None:
        self.server = DdgServer()
        self.params: types.InitializeParams | None = None
        self.watching: asyncio.Task[None] | None = None
        self._chooser = chooser
        self._service: Service | None = None
        _register_life(self.server, self)
        _register_documents(self.server, self.open)
        _register_features(self.server, self.open)

    def open(self) -> Service:
        """What is behind the door; see the note on imports in `service.py`."""
        if self._service is None:
            from ddg_lsp.server.service import Service

            self._service = Service(self.server, self.params, self._chooser)
        return self._service

    def close(self, seconds: float) -> bool:
        """Stop all work and write what is done, for so many seconds at most; whether that was enough."""
        return self._service is None or self._service.session.end()(seconds)


def run(door: Door, tcp: tuple[str, int] | None = None) -> int:
    """Start, and stay until the client is gone."""
    server = door.server
    sys.setswitchinterval(SWITCH_SECONDS)
    server.serve(channel.over_stdio() if tcp is None else channel.over_tcp(*tcp))
    if not door.close(LAST_SECONDS):
        # A thread is inside native code and would be there still while Python is taken down around it.
        _exit_now(server)
    return _exit_code(server)


async def _end_with_client(door: Door) -> None:
    """A client that is gone and has left its end of our input open: nothing will ever come from there."""
    await parent.gone(door.params.process_id if door.params else None)
    logging.getLogger("ddg_lsp").warning("The client's process has ended.")
    door.close(LAST_SECONDS)
    _exit_now(door.server)


def _exit_code(server: DdgServer) -> int:
    return 130 if server.interrupted else 0 if server.ending else 1


def _exit_now(server: DdgServer) -> None:
    logging.shutdown()
    os._exit(_exit_code(server))


def set_up_logging() -> None:
    """Warnings to stderr; what pygls has to say goes without what the client sent."""
    handler = PatientHandler()
    handler.setFormatter(_WithoutWords("%(asctime)s %(levelname)s %(name)s: %(message)s"))
    handler.addFilter(_without_payload)
    logging.basicConfig(level=logging.WARNING, handlers=[handler])
    logging.getLogger("ddg_lsp").setLevel(logging.INFO)


class _WithoutWords(logging.Formatter):
    """Tells where an exception came from and of which kind it is; what it says may be a document's or a question's."""

    def formatException(self, ei: Any) -> str:  # noqa: N802 - its name in the library
        """See `logging.Formatter`. At level DEBUG everything is told."""
        if logging.getLogger("ddg_lsp").isEnabledFor(logging.DEBUG):
            return super().formatException(ei)
        told: list[str] = []
        error: BaseException | None = ei[1]
        while error is not None and len(told) < 8:
            frames = "".join(traceback.format_tb(error.__traceback__))
            told.append(f"Traceback (most recent call last):\n{frames}{type(error).__name__}")
            error = error.__cause__ or error.__context__
        return "\nwhich came of\n".join(told)


def _without_payload(record: logging.LogRecord) -> bool:
    if not record.name.startswith("pygls"):
        return True
    error = record.exc_info[1] if record.exc_info else None
    record.args, record.exc_info, record.exc_text = None, None, None
    record.msg = f"{str(record.msg).partition(chr(10))[0]} ({type(error).__name__})"
    return record.levelno >= logging.ERROR and not isinstance(error, JsonRpcException)


def _register_life(server: DdgServer, door: Door) -> None:
    def initialize(params: types.InitializeParams) -> None:
        door.params = params

    def initialized(_: types.InitializedParams) -> None:
        log = logging.getLogger("ddg_lsp")
        if not any(isinstance(handler, ClientLog) for handler in log.handlers):  # once, however often it is said
            log.addHandler(ClientLog(server, asyncio.get_running_loop()))
            door.open().initialized()
            door.watching = asyncio.get_running_loop().create_task(_end_with_client(door))

    async def shutdown(_: None) -> None:
        server.ending = True
        await door.open().shutdown()

    server.on_notification(types.INITIALIZE, initialize)
    server.on_notification(types.INITIALIZED, initialized)
    server.on_request(types.SHUTDOWN, shutdown)
    server.on_notification(types.SET_TRACE, _set_trace)


def _set_trace(params: types.SetTraceParams) -> None:
    """`$/setTrace`: verbose is the debug level of our own log."""
    verbose = params.value == types.TraceValue.Verbose
    logging.getLogger("ddg_lsp").setLevel(logging.DEBUG if verbose else logging.INFO)


def _register_documents(server: DdgServer, service: Callable[[], Service]) -> None:
    save = types.SaveOptions(include_text=False)
    on = server.on_notification
    on(types.TEXT_DOCUMENT_DID_OPEN, lambda params: service().did_open(params))
    on(types.TEXT_DOCUMENT_DID_CHANGE, lambda params: service().did_change(params))
    on(types.TEXT_DOCUMENT_DID_CLOSE, lambda params: service().did_close(params))
    on(types.TEXT_DOCUMENT_DID_SAVE, lambda params: service().did_save(params), save)
    on(types.WORKSPACE_DID_CHANGE_WATCHED_FILES, lambda params: service().did_change_watched_files(params))
    on(types.WORKSPACE_DID_CHANGE_WORKSPACE_FOLDERS, lambda params: service().did_change_folders(params))
    on(types.WORKSPACE_DID_CHANGE_CONFIGURATION, lambda params: service().did_change_configuration(params))


def _register_features(server: DdgServer, service: Callable[[], Service]) -> None:
    kinds = types.CodeActionOptions(code_action_kinds=[protocol.OPEN_DOCS_KIND])
    server.on_request(protocol.QUERY, lambda params: service().query(params))
    server.on_request(protocol.QUERY_BATCH, server.large(lambda params: service().batch(params)))
    server.on_request(protocol.MAP, server.large(lambda params: service().documentation_map(params)))
    server.on_request(types.WORKSPACE_SYMBOL, lambda params: service().symbols(params))
    server.on_request(types.TEXT_DOCUMENT_CODE_ACTION, lambda params: service().code_actions(params), kinds)
    server.on_command(protocol.QUERY, lambda arguments: service().query_command(arguments))
    server.on_command(protocol.QUERY_BATCH, server.large(lambda arguments: service().batch_command(arguments)))
    server.on_command(protocol.MAP, server.large(lambda arguments: service().map_command(arguments)))
    server.on_command(protocol.GENERATE_LLMS, lambda arguments: service().generate_llms(arguments))
    server.on_command(protocol.OPEN_HEADING, lambda arguments: service().open_heading(arguments))
    server.on_command(protocol.REINDEX, lambda arguments: service().reindex(arguments))
    server.on_command(protocol.SHOW_STATUS, server.large(lambda arguments: service().show_status(arguments)))
