"""The protocol layer with the holes closed that pygls leaves: every request is answered, and nothing private leaks.

Owns the guards around handlers: order of the session's life, malformed messages, errors as the protocol wants them,
cancellation of commands. Must not know what any request means.
"""

from __future__ import annotations

import asyncio
import logging
import threading
import time
from collections.abc import Awaitable, Callable
from concurrent.futures import Future
from typing import Any, BinaryIO, TypeVar

from lsprotocol import types
from pygls.exceptions import (
    FeatureRequestError,
    JsonRpcException,
    JsonRpcInternalError,
    JsonRpcInvalidParams,
    JsonRpcInvalidRequest,
    JsonRpcRequestCancelled,
    JsonRpcServerNotInitialized,
)
from pygls.io_ import StdoutWriter, run_async
from pygls.lsp.server import LanguageServer
from pygls.protocol import JsonRPCRequestMessage, LanguageServerProtocol, lsp_method

from ddg_lsp import __version__
from ddg_lsp.core.errors import Cancelled, DdgError
from ddg_lsp.server import protocol
from ddg_lsp.server.inbox import Inbox

log = logging.getLogger(__name__)

T = TypeVar("T")

_UNREADABLE = object()


class DdgProtocol(LanguageServerProtocol):
    """See the module."""

    _server: DdgServer

    def structure_message(self, data: dict[str, Any]) -> Any:
        """As pygls does it, but params of our own stay plain JSON, and what does not fit is answered."""
        if "jsonrpc" not in data:
            return data
        asked = "method" in data and "id" in data
        if asked and data["method"] in protocol.REQUESTS:
            return JsonRPCRequestMessage(data["id"], data["method"], data["jsonrpc"], data.get("params"))
        try:
            return super().structure_message(data)
        except JsonRpcException:
            if asked:
                sentence = "The params do not have the shape this request wants."
                self._refuse(data["id"], JsonRpcInvalidParams(sentence))
            return _UNREADABLE

    def handle_message(self, message: Any) -> None:
        """As pygls does it, but only what is in season: `initialize` once and first, nothing after `shutdown`."""
        self._server.heard_at = time.monotonic()
        if message is _UNREADABLE:
            return
        method, identity = getattr(message, "method", None), getattr(message, "id", None)
        refusal = self._out_of_season(method)
        if refusal is None:
            self._server.begun = self._server.begun or method == types.INITIALIZE
            super().handle_message(message)
        elif identity is not None:
            self._refuse(identity, refusal)

    def _out_of_season(self, method: str | None) -> JsonRpcException | None:
        server = self._server
        if method is None or method == types.EXIT:
            return None
        if server.ending:
            return JsonRpcInvalidRequest("The server is shutting down.")
        if method == types.INITIALIZE:
            return JsonRpcInvalidRequest("The server is initialized already.") if server.begun else None
        return None if server.begun else JsonRpcServerNotInitialized("`initialize` has to come first.")

    def _refuse(self, identity: Any, error: JsonRpcException) -> None:
        self._send_response(identity, error=error.to_response_error())

    def _execute_handler(
        self,
        msg_id: Any,
        handler: Any,
        callback: Callable[[Future[Any]], None],
        args: tuple[Any, ...] | None = None,
        kwargs: dict[str, Any] | None = None,
    ) -> None:
        """As pygls does it, but the future of a notification is not kept for ever (one for every key pressed)."""

        def done(future: Future[Any]) -> None:
            self._request_futures.pop(msg_id, None)
            callback(future)

        super()._execute_handler(msg_id, handler, done, args, kwargs)

    @lsp_method(types.INITIALIZE)
    def lsp_initialize(self, params: types.InitializeParams) -> Any:
        """As pygls does it, and our own capability."""
        result = yield from super().lsp_initialize(params)
        result.capabilities.experimental = {protocol.CAPABILITY: {"version": protocol.VERSION}}
        if not protocol.wants_symbols(protocol.plain(params.initialization_options)):
            result.capabilities.workspace_symbol_provider = None
        return result

    # The session keeps the texts of open documents (`buffers.py`), so pygls need not do it a second time.

    @lsp_method(types.TEXT_DOCUMENT_DID_OPEN)
    def lsp_text_document__did_open(self, params: Any) -> Any:
        """To the session only."""
        yield self.fm.features[types.TEXT_DOCUMENT_DID_OPEN], (params,), None

    @lsp_method(types.TEXT_DOCUMENT_DID_CHANGE)
    def lsp_text_document__did_change(self, params: Any) -> Any:
        """To the session only."""
        yield self.fm.features[types.TEXT_DOCUMENT_DID_CHANGE], (params,), None

    @lsp_method(types.TEXT_DOCUMENT_DID_CLOSE)
    def lsp_text_document__did_close(self, params: Any) -> Any:
        """To the session only."""
        yield self.fm.features[types.TEXT_DOCUMENT_DID_CLOSE], (params,), None

    @lsp_method(types.WORKSPACE_EXECUTE_COMMAND)
    async def lsp_workspace__execute_command(self, params: types.ExecuteCommandParams) -> Any:  # type: ignore[override]
        """A coroutine, so that a cancelled command stops; arguments are plain JSON and validated by the command."""
        handler = self.fm.commands.get(params.command)
        if handler is None:
            raise JsonRpcInvalidParams("There is no such command.", data={"code": "UNKNOWN_COMMAND"})
        return await handler(protocol.plain(params.arguments or []))


class DdgServer(LanguageServer):
    """A pygls server that registers fenced handlers."""

    def __init__(self) -> None:
        self.begun = False
        """`initialize` has come."""
        self.ending = False
        """`shutdown` has come."""
        self.heard_at = 0.0
        """When the last message came, on the monotonic clock."""
        self.waiting: Callable[[], bool] = lambda: False
        """Whether the client has sent something that was not read yet."""
        sync = types.TextDocumentSyncKind.Incremental
        super().__init__("ddg-lsp", __version__, sync, protocol_cls=DdgProtocol)

    def serve(self, stdin: int, stdout: BinaryIO) -> None:
        """As `start_io`, but with a reader that knows whether more has arrived. Ends with the input or with `exit`."""
        self._stop_event = stop = threading.Event()
        inbox = Inbox(stdin, self.thread_pool)
        self.waiting = inbox.waiting
        self.protocol.set_writer(StdoutWriter(stdout))
        try:
            asyncio.run(run_async(stop, inbox, self.protocol, log, self.report_server_error))
        except BrokenPipeError:
            log.warning("The client is gone.")
        except (KeyboardInterrupt, SystemExit):
            pass  # `exit`; the caller knows whether `shutdown` came before it
        finally:
            self.shutdown()  # type: ignore[no-untyped-call]

    def on_request(self, method: str, answer: Callable[[Any], Awaitable[Any]], options: Any = None) -> None:
        """Register the handler of a request."""

        async def handle(params: Any) -> Any:
            return await fenced(method, answer(params))

        self.feature(method, options)(handle)

    def on_command(self, name: str, answer: Callable[[list[Any]], Awaitable[Any]]) -> None:
        """Register a command; it is given its arguments as a list of plain JSON."""

        async def handle(arguments: list[Any]) -> Any:
            return await fenced(name, answer(arguments))

        self.command(name)(handle)

    def on_notification(self, method: str, take: Callable[[Any], None], options: Any = None) -> None:
        """Register the handler of a notification. It is no coroutine, so notifications keep their order."""

        def handle(params: Any) -> None:
            try:
                take(params)
            except Exception:
                log.exception("%s failed", method)

        self.feature(method, options)(handle)

    def report_server_error(self, error: Exception, source: Any) -> None:
        """To the log by its kind only: its text may hold what the client sent. Requests have their answer already."""
        if source is not FeatureRequestError:
            log.warning("A message could not be handled: %s", type(error).__name__)


async def fenced(name: str, work: Awaitable[T]) -> T:
    """The result of `work`, or the error the protocol has for what went wrong."""
    try:
        return await work
    except JsonRpcException:
        raise
    except Cancelled:
        raise JsonRpcRequestCancelled("The request was cancelled.") from None
    except DdgError as error:
        raise to_rpc_error(error) from None
    except Exception:
        log.exception("%s failed", name)
        raise JsonRpcInternalError("The server failed on this request; its log says why.") from None


def to_rpc_error(error: DdgError) -> JsonRpcException:
    """The JSON-RPC error for trouble of the core: bad params, or a request that cannot be met now."""
    data = {"code": error.code, **error.data}
    if error.usage:
        return JsonRpcInvalidParams(str(error), data=data)
    return JsonRpcException(str(error), code=types.LSPErrorCodes.RequestFailed.value, data=data)


QUIET_SECONDS = 0.003
QUIET_AT_MOST = 0.5


async def quiet(server: DdgServer) -> None:
    """Wait until everything the client has sent so far is read, and it has said nothing for a moment.

    A burst of requests is often followed by a burst of cancellations; work begun in between is work for nothing.
    """
    give_up = time.monotonic() + QUIET_AT_MOST
    while (now := time.monotonic()) < give_up:
        left = server.heard_at + QUIET_SECONDS - now
        if left <= 0.0 and not server.waiting():
            return
        await asyncio.sleep(max(left, 0.001))
