"""What the user gets to see besides answers: progress, status, messages, the log; each only where the client can.

Owns every request and notification that goes to the client. Must not know the index. Used on the loop only, except
for the log handler, which may be called from anywhere.
"""

from __future__ import annotations

import asyncio
import logging
import uuid
from collections.abc import Awaitable, Sequence
from typing import TYPE_CHECKING, Any

from lsprotocol import types
from pygls.exceptions import JsonRpcException

from ddg_lsp.core.text import Encoding
from ddg_lsp.server import protocol

if TYPE_CHECKING:
    from ddg_lsp.server.rpc import DdgServer
    from ddg_lsp.server.turns import Turns

log = logging.getLogger(__name__)

ANSWER_SECONDS = 3.0
"""How long a client may take to answer a question of ours before we go on without."""
SHOW_SECONDS = 10.0
"""The same for showing a document, which a busy editor may have to load first."""


class Client:
    """The client and what it can do."""

    def __init__(self, server: DdgServer) -> None:
        self._server = server
        self._told: set[str] = set()

    def can(self, path: str) -> Any:
        """A client capability by its dotted path, e.g. `window.show_document.support`; None where it is absent."""
        value: Any = self._server.client_capabilities
        for name in path.split("."):
            value = getattr(value, name, None)
        return value

    @property
    def wants_status(self) -> bool:
        """The client declared `experimental.ddgStatus`."""
        experimental = protocol.plain(self.can("experimental"))
        return isinstance(experimental, dict) and experimental.get(protocol.STATUS_CAPABILITY) is True

    @property
    def encoding(self) -> Encoding:
        """How positions are counted, as agreed in `initialize`."""
        encoding = self._server.workspace.position_encoding
        return {"utf-8": "utf-8", "utf-32": "utf-32"}.get(str(getattr(encoding, "value", encoding)), "utf-16")  # type: ignore[return-value]

    @property
    def turns(self) -> Turns:
        """When the client's questions are computed."""
        return self._server.turns

    def notify(self, method: str, params: protocol.Wire) -> None:
        """Send a notification of our own."""
        self._server.protocol.notify(method, params)

    def message(self, text: str, kind: types.MessageType = types.MessageType.Info) -> None:
        """Show a message, now."""
        self._server.window_show_message(types.ShowMessageParams(kind, text))

    def tell_once(self, text: str, kind: types.MessageType = types.MessageType.Warning) -> None:
        """Show a message unless this very text was shown before; it goes to the log either way."""
        log.warning("%s", text)
        if text not in self._told:
            self._told.add(text)
            self.message(text, kind)

    async def show_document(self, uri: str, place: protocol.Wire, take_focus: bool) -> bool:
        """Ask the client to show a range; False where it cannot, does not want to or does not say."""
        if not self.can("window.show_document.support"):
            return False
        selection = types.Range(types.Position(**place["start"]), types.Position(**place["end"]))
        params = types.ShowDocumentParams(uri=uri, external=False, take_focus=take_focus, selection=selection)
        result = await _said(self._server.window_show_document_async(params), SHOW_SECONDS, "show a document")
        return bool(getattr(result, "success", False))

    async def configuration(self, scopes: Sequence[str | None]) -> list[Any] | None:
        """The section `ddg` for each scope; None where the client does not say."""
        if not self.can("workspace.configuration"):
            return None
        items = [types.ConfigurationItem(scope_uri=scope, section=protocol.SECTION) for scope in scopes]
        asked = self._server.workspace_configuration_async(types.ConfigurationParams(items=items))
        given = await _said(asked, ANSWER_SECONDS, "give its settings")
        return [protocol.plain(value) for value in given] if isinstance(given, (list, tuple)) else None

    async def register(self, registrations: list[types.Registration]) -> None:
        """Register what the client wants to be asked for after `initialize`."""
        try:
            await self._server.client_register_capability_async(types.RegistrationParams(registrations))
        except JsonRpcException as error:
            log.warning("The client refused a registration: error %s", error.code)

    def progress(self, title: str) -> Progress:
        """A progress bar with a cancel button; one that shows nothing where the client has none, or not yet."""
        shown = Progress(self._server, str(uuid.uuid4()))
        if self.can("window.work_done_progress"):
            shown.asked = asyncio.get_running_loop().create_task(shown.create(title))
        return shown

    def progress_on(self, token: str | int) -> Progress:
        """Progress on a token the client sent with its request."""
        return Progress(self._server, token)


async def _said(asked: Awaitable[Any], seconds: float, what: str) -> Any:
    """What the client answers; None where it refuses, or does not say in that time, and the log tells of it."""
    try:
        return await asyncio.wait_for(asked, seconds)
    except (JsonRpcException, TimeoutError, asyncio.TimeoutError) as error:
        log.warning("The client did not %s: %s", what, type(error).__name__)
        return None


class Progress:
    """One piece of work the client shows. `percentage` never falls."""

    def __init__(self, server: DdgServer, token: str | int) -> None:
        self._progress = server.work_done_progress
        self._token = token
        self._shown = False
        self._over = False
        self._percentage = 0
        self.asked: asyncio.Task[None] | None = None
        """Asking the client for a bar; the work does not wait for that."""

    @property
    def cancelled(self) -> bool:
        """The user pressed cancel."""
        future = self._progress.tokens.get(self._token)
        return self._shown and future is not None and future.cancelled()

    async def create(self, title: str) -> None:
        """Ask the client for a bar and begin it."""
        try:
            await asyncio.wait_for(self._progress.create_async(self._token), ANSWER_SECONDS)
        except (JsonRpcException, TimeoutError, asyncio.TimeoutError):
            return  # as the protocol asks: no bar, no progress
        if not self._over:
            self.begin(title, cancellable=True)

    def begin(self, title: str, *, cancellable: bool = False) -> None:
        """Begin to show."""
        self._shown = True
        self._progress.begin(
            self._token, types.WorkDoneProgressBegin(title=title, cancellable=cancellable, percentage=0)
        )

    def report(self, message: str, share: float) -> None:
        """Show how far it is: `share` from 0 to 1."""
        if self._shown:
            self._percentage = max(self._percentage, min(100, int(share * 100)))
            value = types.WorkDoneProgressReport(message=message, percentage=self._percentage)
            self._progress.report(self._token, value)

    def end(self, message: str) -> None:
        """The work is over, one way or the other."""
        self._over = True
        if self._shown:
            self._shown = False
            self._progress.end(self._token, types.WorkDoneProgressEnd(message=message))
        self._progress.tokens.pop(self._token, None)  # pygls keeps them for ever


class ClientLog(logging.Handler):
    """Sends records of the logger `ddg_lsp` to the client's log. Never attach it to `pygls`: it would feed itself."""

    _KINDS = (
        (logging.ERROR, types.MessageType.Error),
        (logging.WARNING, types.MessageType.Warning),
        (logging.INFO, types.MessageType.Info),
        (0, types.MessageType.Log),
    )

    def __init__(self, server: DdgServer, loop: asyncio.AbstractEventLoop) -> None:
        super().__init__(logging.INFO)
        self._server = server
        self._loop = loop

    def emit(self, record: logging.LogRecord) -> None:
        """See `logging.Handler`."""
        kind = next(kind for level, kind in self._KINDS if record.levelno >= level)
        params = types.LogMessageParams(kind, record.getMessage())
        try:
            self._loop.call_soon_threadsafe(self._server.window_log_message, params)
        except RuntimeError:
            return  # the loop is closed
