"""What the client sends, as bytes, and whether more of it has arrived already.

Owns the buffer between the pipe or socket and the message loop, and the thread that waits at it. pygls would send a
thread for every line of a message; here a thread is sent once for all that lies in the pipe, so that a burst of
messages is read before work on it begins. Must not know what is read.
"""

from __future__ import annotations

import asyncio
import queue
import select
import threading
from collections.abc import Callable

_PIECE = 65_536


class Inbox:
    """A reader used by one loop. `read` waits for at most so many bytes of `descriptor`; none is the end."""

    def __init__(self, descriptor: int, read: Callable[[int], bytes]) -> None:
        self._descriptor = descriptor
        self._read = read
        self._buffer = bytearray()
        self._ended = False
        self._wanted: queue.SimpleQueue[asyncio.Future[bytes]] = queue.SimpleQueue()
        self._thread: threading.Thread | None = None

    async def readline(self, limit: int = _PIECE) -> bytes:
        """Up to and with the next line ending; less at the end of the input, or where a line is longer than that."""
        searched = 0
        while (end := self._buffer.find(b"\n", searched, limit)) < 0 and not self._ended:
            searched = len(self._buffer)
            if searched >= limit:
                return self._take(limit)
            await self._fill()
        return self._take(end + 1 if end >= 0 else min(limit, len(self._buffer)))

    async def readexactly(self, count: int) -> bytes:
        """So many bytes; nothing at the end of the input, since half a message is none."""
        while len(self._buffer) < count and not self._ended:
            await self._fill()
        return self._take(count) if len(self._buffer) >= count else b""

    def waiting(self) -> bool:
        """Whether something has been sent that was not read yet, as far as the system can tell."""
        if self._buffer:
            return True
        try:
            return not self._ended and bool(select.select([self._descriptor], [], [], 0.0)[0])
        except (OSError, ValueError):
            return False  # Windows waits for sockets only

    async def _fill(self) -> None:
        piece: asyncio.Future[bytes] = asyncio.get_running_loop().create_future()
        if self._thread is None:
            # A daemon: nobody can take a thread away from a pipe in which nothing comes, and the process has to end.
            self._thread = threading.Thread(target=self._serve, name="ddg-inbox", daemon=True)
            self._thread.start()
        self._wanted.put(piece)
        self._buffer += await piece

    def _serve(self) -> None:
        while not self._ended:
            wanted = self._wanted.get()
            try:
                piece = self._read(_PIECE)
            except (OSError, ValueError):
                piece = b""  # the client is gone
            self._ended = not piece
            try:
                wanted.get_loop().call_soon_threadsafe(_settle, wanted, piece)
            except RuntimeError:
                return  # the loop is closed: nobody reads any more

    def _take(self, count: int) -> bytes:
        taken = bytes(self._buffer[:count])
        del self._buffer[:count]
        return taken


def _settle(wanted: asyncio.Future[bytes], piece: bytes) -> None:
    if not wanted.done():
        wanted.set_result(piece)
