"""The server as handlers are registered with it: each is fenced, so that trouble becomes the error the protocol has.

Owns the message loop and the fences. Must not know what any request means, nor what a message looks like.
"""

from __future__ import annotations

import asyncio
import logging
import signal
import threading
import time
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Any, TypeVar

from lsprotocol import types
from pygls.exceptions import (
    FeatureRequestError,
    JsonRpcException,
    JsonRpcInternalError,
    JsonRpcInvalidParams,
    JsonRpcRequestCancelled,
)
from pygls.lsp.server import LanguageServer

from ddg_lsp import __version__
from ddg_lsp.core.errors import Cancelled, DdgError
from ddg_lsp.server import messages
from ddg_lsp.server.channel import Channel
from ddg_lsp.server.dialogue import FAULT, DdgProtocol
from ddg_lsp.server.framing import Framing
from ddg_lsp.server.inbox import Inbox
from ddg_lsp.server.outbox import Outbox
from ddg_lsp.server.turns import Turns

log = logging.getLogger(__name__)

T = TypeVar("T")

TURN_SECONDS = 0.005
"""So long messages are taken in without letting anything else go on: a burst is read before work on it begins."""
SENT_SECONDS = 2.0
"""After `exit`: a client that takes nothing of what it was told for so long gets no more of it."""
LOST_SECONDS = 0.3
"""The same where it has closed our input."""
LARGE_AT_ONCE = 8
"""So many answers that may be large are computed at once."""
DRAIN_SECONDS = 6.0
"""`exit` waits so long for the answer to a `shutdown` that is under way."""
ENDED_SECONDS = 1.0
"""The same where our input ends without `exit`: two seconds later nothing of the process may be left."""


class DdgServer(LanguageServer):
    """A pygls server that registers fenced handlers."""

    protocol: DdgProtocol

    def __init__(self) -> None:
        self.begun = False
        """`initialize` has come."""
        self.ending = False
        """`shutdown` has come."""
        self.drained = True
        """No `shutdown` is without its answer."""
        self.leaving: Any = None
        """An `exit` that has come before that answer."""
        self.interrupted = False
        """The user has pressed Ctrl-C."""
        self.heard_at = 0.0
        """When the last message came, on the monotonic clock."""
        self.waiting: Callable[[], bool] = lambda: False
        """Whether the client has sent something that was not read yet."""
        self.space: Callable[[], Awaitable[None]] = _at_once
        """Waits while far too much of what was sent has not been taken."""
        self.turns = Turns(lambda: self.heard_at, lambda: self.waiting(), lambda: self.space())
        self._large = asyncio.Semaphore(LARGE_AT_ONCE)
        sync = types.TextDocumentSyncKind.Incremental
        super().__init__("ddg-lsp", __version__, sync, protocol_cls=DdgProtocol)

    def serve(self, channel: Channel) -> None:
        """Serve one client until it is gone or says `exit`."""
        self._stop_event = threading.Event()
        inbox = Inbox(channel.descriptor, channel.read)
        self.waiting = inbox.waiting
        outbox = Outbox(channel.write)
        self.protocol.set_writer(outbox)
        self.space = outbox.space
        try:
            asyncio.run(self._listen(Framing(inbox), outbox))
        except asyncio.CancelledError:
            if not self.interrupted:
                log.warning("The client is gone.")
        except KeyboardInterrupt:
            self.interrupted = True
        except SystemExit:
            pass  # `exit`; the caller knows whether `shutdown` came before it
        finally:
            outbox.finish(SENT_SECONDS if self.ending else LOST_SECONDS)
            self.shutdown()  # type: ignore[no-untyped-call]

    async def _listen(self, framing: Framing, outbox: Outbox) -> None:
        begun, here = time.monotonic(), asyncio.current_task()
        loop = asyncio.get_running_loop()
        leave = here.cancel if here else loop.stop
        outbox.gone = lambda: _if_open(loop, leave)
        # Python's own handler runs when the loop wakes; an interruption that comes just before it waits wakes nobody.
        with suppress(NotImplementedError, RuntimeError, ValueError):  # Windows; not the main thread
            loop.add_signal_handler(signal.SIGINT, self._interrupt, leave)
        while (frame := await framing.next()) is not None:
            if frame.odd:
                self.protocol.refuse(messages.PARSE_ERROR, "There is no header `Content-Length` that can be used.")
            if frame.body is not None:
                self.protocol.receive(frame.body)
            if self.leaving is not None:
                await self._drained(DRAIN_SECONDS)
                self.protocol.handle_message(self.leaving)
            await outbox.room()
            if time.monotonic() - begun > TURN_SECONDS:
                await asyncio.sleep(0)
                begun = time.monotonic()
        await self._drained(ENDED_SECONDS)

    def _interrupt(self, leave: Callable[[], object]) -> None:
        if self.interrupted:
            raise KeyboardInterrupt  # again: the user does not want to wait
        self.interrupted = True
        leave()

    async def _drained(self, seconds: float) -> None:
        give_up = time.monotonic() + seconds
        while not self.drained and time.monotonic() < give_up:
            await asyncio.sleep(0.005)

    def large(self, answer: Callable[[T], Awaitable[Any]]) -> Callable[[T], Awaitable[Any]]:
        """An answer that may be large: computed a few at a time, and when the client takes what there is already."""

        async def handle(given: T) -> Any:
            async with self._large:
                await self.space()
                return await answer(given)

        return handle

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


async def _at_once() -> None:
    """There is room."""


def _if_open(loop: asyncio.AbstractEventLoop, call: Callable[[], object]) -> None:
    with suppress(RuntimeError):  # the loop is closed: it is over already
        loop.call_soon_threadsafe(call)


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
        raise JsonRpcInternalError(FAULT) from None


def to_rpc_error(error: DdgError) -> JsonRpcException:
    """The JSON-RPC error for trouble of the core: bad params, or a request that cannot be met now."""
    data = {"code": error.code, **error.data}
    if error.usage:
        return JsonRpcInvalidParams(str(error), data=data)
    return JsonRpcException(str(error), code=types.LSPErrorCodes.RequestFailed.value, data=data)
