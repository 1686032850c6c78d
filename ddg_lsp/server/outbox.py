"""What is sent to the client, and has not been taken by it yet.

A client that does not read for a while must not stop the loop, which would then read nothing either: each would wait
for the other. Owns the thread that waits for the client, and noticing that it takes nothing any more. Must not know
what is sent.
"""

from __future__ import annotations

import asyncio
import logging
import threading
import time
from collections.abc import Callable

log = logging.getLogger(__name__)

ROOM_BYTES = 16 * 1024 * 1024
"""So much may wait to be taken before no more messages are read; answers to hundreds of questions."""
PIECE_BYTES = 16 * 1024
"""Sent at once: how far a client has got is known by so much."""
ROOM_SECONDS = 8.0
"""A client that has taken nothing for so long, with all that waiting for it, is lost."""
LOOK_SECONDS = 0.02


class Outbox:
    """A writer as pygls wants it, used on the loop.

    `gone` is called when nobody takes anything any more: from the thread where the pipe says so, from the loop where
    only time does.
    """

    def __init__(self, send: Callable[[bytes | memoryview], object]) -> None:
        self._send = send
        self._waiting: list[bytes] = []
        self._bytes = 0
        self._taken = 0
        """Bytes the client has taken so far. What waits says nothing of that: answers are added all the time."""
        self._changed = threading.Condition()
        self._lost = False
        self._thread: threading.Thread | None = None
        self.gone: Callable[[], object] = lambda: None

    def write(self, data: bytes) -> None:
        """To be sent after all that was given before; it is not waited for."""
        with self._changed:
            if self._lost:
                return
            self._waiting.append(data)
            self._bytes += len(data)
            self._changed.notify_all()
        if self._thread is None:
            # A daemon: nobody can take a thread away from a pipe that is full, and the process has to end.
            self._thread = threading.Thread(target=self._serve, name="ddg-outbox", daemon=True)
            self._thread.start()

    def close(self) -> None:
        """As pygls wants it; the pipe is the process's own and ends with it."""

    def finish(self, seconds: float) -> bool:
        """Wait until everything is sent, or until nothing was taken for so many seconds; whether all is sent."""
        with self._changed:
            while self._bytes:
                before = self._taken
                self._changed.wait_for(lambda: self._taken != before or not self._bytes, seconds)  # noqa: B023
                if self._taken == before and self._bytes:
                    return False
            return True

    async def room(self) -> None:
        """Wait while far too much has not been taken; a client that takes nothing at all is `gone`."""
        before, since = self._taken, time.monotonic()
        while self._bytes > ROOM_BYTES:
            if self._taken != before:
                before, since = self._taken, time.monotonic()
            elif time.monotonic() - since > ROOM_SECONDS:
                self.gone()
                return
            await asyncio.sleep(LOOK_SECONDS)

    async def space(self) -> None:
        """Wait while far too much has not been taken: an answer that is not computed yet takes no memory."""
        while self._bytes > ROOM_BYTES:
            await asyncio.sleep(LOOK_SECONDS)

    def _serve(self) -> None:
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._waiting)
                data = b"".join(self._waiting)
                self._waiting.clear()
            if not self._sent(memoryview(data)):
                break
        with self._changed:
            self._lost, self._bytes = True, 0
            self._changed.notify_all()
        self.gone()

    def _sent(self, data: memoryview) -> bool:
        """Send in pieces; False where nobody takes them."""
        for start in range(0, len(data), PIECE_BYTES):
            piece = data[start : start + PIECE_BYTES]
            try:
                self._send(piece)
            except (OSError, ValueError):
                return False
            with self._changed:
                self._bytes -= len(piece)
                self._taken += len(piece)
                self._changed.notify_all()
        return True
