"""When a question is computed: when the client has fallen silent, one at a time, the newest first.

A burst of requests is often followed by a burst of cancellations, and work begun in between is work for nothing. Owns
the waiting. Must not know what is asked. Used on the loop only.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager

QUIET_SECONDS = 0.003
BURST_SECONDS = 0.03
"""While several questions wait, or one was taken back a moment ago: the next cancellation is on its way."""
MOMENT_SECONDS = 0.1
QUIET_AT_MOST = 0.5
"""Somebody who never stops talking is answered all the same."""


class Turns:
    """`heard_at` tells when the last message came (monotonic), `waiting` whether one lies there that was not read.

    `space` waits until the client has taken enough of its answers to be given more.
    """

    def __init__(
        self, heard_at: Callable[[], float], waiting: Callable[[], bool], space: Callable[[], Awaitable[None]]
    ) -> None:
        self._heard_at = heard_at
        self._waiting = waiting
        self._space = space
        self._asking: list[asyncio.Future[None]] = []
        self._taken = False
        self._taken_back_at = -MOMENT_SECONDS
        """When a question was cancelled that was still waiting."""
        self._silence: asyncio.Task[None] | None = None
        self._choice: asyncio.Task[None] | None = None

    async def quiet(self) -> None:
        """Wait until everything the client has sent so far is read, and it has said nothing for a moment."""
        if self._silence is None or self._silence.done():
            self._silence = asyncio.ensure_future(self._listen())
        with self._noticing():
            await asyncio.wait([self._silence])  # which leaves it going when one of those who wait is cancelled

    @asynccontextmanager
    async def turn(self) -> AsyncIterator[None]:
        """While in here, no other question is. Cancelled before, a question takes nobody's turn."""
        mine: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._asking.append(mine)
        self._choose()
        try:
            with self._noticing():
                await mine
        except asyncio.CancelledError:
            if mine.done() and not mine.cancelled():  # it was given the turn in this very moment
                self._release()
            raise
        try:
            yield
        finally:
            self._release()

    @contextmanager
    def _noticing(self) -> Iterator[None]:
        try:
            yield
        except asyncio.CancelledError:
            self._taken_back_at = time.monotonic()
            raise

    def _release(self) -> None:
        self._taken = False
        self._choose()

    def _choose(self) -> None:
        if not self._taken and self._asking and (self._choice is None or self._choice.done()):
            self._choice = asyncio.ensure_future(self._give())

    async def _give(self) -> None:
        """Give the turn to the newest that still wants it."""
        await self._space()
        await self.quiet()
        while self._asking:
            newest = self._asking.pop()
            if not newest.done():
                self._taken = True
                newest.set_result(None)
                return

    async def _listen(self) -> None:
        give_up = time.monotonic() + QUIET_AT_MOST
        while (now := time.monotonic()) < give_up:
            self._asking = [one for one in self._asking if not one.done()]
            burst = len(self._asking) > 1 or now - self._taken_back_at < MOMENT_SECONDS
            needed = BURST_SECONDS if burst else QUIET_SECONDS
            left = self._heard_at() + needed - now
            if left <= 0.0 and not self._waiting():
                return
            await asyncio.sleep(max(left, 0.001))
