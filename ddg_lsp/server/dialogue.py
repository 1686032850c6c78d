"""The protocol layer with the holes closed that pygls leaves: every request is answered, and nothing private leaks.

Owns what is answered to malformed messages, the order of the session's life, and cancelling commands. Must not know
what any request means.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Generator
from concurrent.futures import Future
from typing import TYPE_CHECKING, Any, TypeVar

import attrs
from lsprotocol import types
from pygls.exceptions import (
    JsonRpcException,
    JsonRpcInternalError,
    JsonRpcInvalidParams,
    JsonRpcInvalidRequest,
    JsonRpcMethodNotFound,
    JsonRpcRequestCancelled,
    JsonRpcServerNotInitialized,
)
from pygls.protocol import JsonRPCRequestMessage, LanguageServerProtocol, lsp_method

from ddg_lsp.server import messages, protocol
from ddg_lsp.server.messages import Message, NoMessage

if TYPE_CHECKING:
    from ddg_lsp.server.rpc import DdgServer

log = logging.getLogger(__name__)

T = TypeVar("T")

FAULT = "The server failed on this request; its log says why."
SENTENCES = {
    JsonRpcInternalError.CODE: FAULT,
    JsonRpcMethodNotFound.CODE: "The server has no such method.",
    JsonRpcRequestCancelled.CODE: "The request was cancelled.",
}
"""What pygls says in these cases quotes what the client has sent, or shows a traceback."""


class DdgProtocol(LanguageServerProtocol):
    """See the module."""

    _server: DdgServer

    def receive(self, body: bytes) -> None:
        """Take in one message. Raises nothing but `SystemExit`, on `exit`."""
        self._server.heard_at = time.monotonic()
        try:
            data = messages.decode(body)
            message = None if data is None else self._structured(data)
            if message is not None:
                self.handle_message(message)
        except NoMessage as refusal:
            self.refuse(refusal.code, str(refusal), refusal.identity)
        except Exception as error:
            log.warning("A message could not be handled: %s", type(error).__name__)

    def refuse(self, code: int, sentence: str, identity: object = None) -> None:
        """Answer what is no request. pygls leaves out an id that is null, and JSON-RPC wants it said."""
        self._send_data({"jsonrpc": "2.0", "id": identity, "error": {"code": code, "message": sentence}})

    def _structured(self, data: Message) -> Any:
        """As pygls does it, but params of our own stay plain JSON, and what does not fit is answered."""
        asked = "method" in data and "id" in data
        if asked and data["method"] in protocol.REQUESTS:
            return JsonRPCRequestMessage(data["id"], data["method"], data["jsonrpc"], data.get("params"))
        try:
            message = self.structure_message(data)
        except JsonRpcException:
            if asked:
                sentence = "The params do not have the shape this request wants."
                raise NoMessage(JsonRpcInvalidParams.CODE, sentence, data["id"]) from None
            self._unanswered(data)
            return None
        if asked and not hasattr(message, "id") and message.method != types.EXIT:
            raise NoMessage(messages.INVALID_REQUEST, "This method is a notification: it has no `id`.", data["id"])
        return message

    def _unanswered(self, data: Message) -> None:
        """A response of the client that is none of those it may give: whoever waits for it is told."""
        if "method" not in data and isinstance(self._request_futures.get(data["id"]), Future):
            self._handle_response(data["id"], None, types.ResponseError(messages.INVALID_REQUEST, "A bad response."))

    def handle_message(self, message: Any) -> None:
        """As pygls does it, but only what is in season: `initialize` once and first, nothing after `shutdown`."""
        server = self._server
        method, identity = getattr(message, "method", None), getattr(message, "id", None)
        refusal = self._out_of_season(method)
        if refusal is not None:
            if identity is not None:
                self._send_response(identity, error=refusal.to_response_error())
            return
        server.begun = server.begun or method == types.INITIALIZE
        if method == types.SHUTDOWN:
            server.ending, server.drained = True, False
            self._shutdown_id = identity
            self._ask_no_more()
        elif method == types.EXIT and not server.drained and server.leaving is None:
            server.leaving = message  # its turn comes when `shutdown` has its answer
            return
        super().handle_message(message)

    def _out_of_season(self, method: str | None) -> JsonRpcException | None:
        server = self._server
        if method is None or method == types.EXIT:
            return None
        if server.ending:
            return JsonRpcInvalidRequest("The server is shutting down.")
        if method == types.INITIALIZE:
            return JsonRpcInvalidRequest("The server is initialized already.") if server.begun else None
        return None if server.begun else JsonRpcServerNotInitialized("`initialize` has to come first.")

    def _handle_response(self, msg_id: Any, result: Any = None, error: types.ResponseError | None = None) -> None:
        """As pygls does it, but only where somebody waits: ids of the client's own requests are none of these."""
        future = self._request_futures.get(msg_id)
        if isinstance(future, Future) and not future.done():
            super()._handle_response(msg_id, result, error)

    def _ask_no_more(self) -> None:
        """What we have asked of the client is not waited for any more: requests that need it have their answer now."""
        ended = types.ResponseError(messages.INVALID_REQUEST, "The server is shutting down.")
        for msg_id in [known for known, future in self._request_futures.items() if isinstance(future, Future)]:
            self._handle_response(msg_id, None, ended)

    def _handle_cancel_notification(self, msg_id: Any) -> None:
        """As pygls does it, but only what the client has asked: what we have asked of it is not its to cancel."""
        if not isinstance(self._request_futures.get(msg_id), Future):
            super()._handle_cancel_notification(msg_id)

    def _send_response(self, msg_id: Any, result: Any = None, error: types.ResponseError | None = None) -> None:
        """As pygls does it, but without a traceback, which names files, and without words of what was sent."""
        if error is not None and error.code in SENTENCES:
            error = types.ResponseError(error.code, SENTENCES[error.code])
        super()._send_response(msg_id, result, error)
        self._server.drained = self._server.drained or msg_id == self._shutdown_id

    _shutdown_id: object = None

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
        """As pygls does it, and our own capability. pygls is not told of folders: it fails on odd addresses."""
        ours = super().lsp_initialize(attrs.evolve(params, root_uri=None, root_path=None, workspace_folders=None))
        handler, _, _ = next(ours)
        yield handler, (params,), None
        result = _returned(ours)
        result.capabilities.experimental = {protocol.CAPABILITY: {"version": protocol.VERSION}}
        if not protocol.wants_symbols(protocol.plain(params.initialization_options)):
            result.capabilities.workspace_symbol_provider = None
        return result

    # The session keeps folders and the texts of open documents (`buffers.py`), so pygls need not do it a second time.

    @lsp_method(types.WORKSPACE_DID_CHANGE_WORKSPACE_FOLDERS)
    def lsp_workspace__did_change_workspace_folders(self, params: Any) -> Any:
        """To the session only."""
        yield self.fm.features[types.WORKSPACE_DID_CHANGE_WORKSPACE_FOLDERS], (params,), None

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


def _returned(generator: Generator[Any, Any, T]) -> T:
    """What a generator returns that has nothing more to give."""
    try:
        next(generator)
    except StopIteration as end:
        returned: T = end.value
        return returned
    raise RuntimeError("It was to return.")
