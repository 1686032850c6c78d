"""Standard input as the protocol reads it, and whether more of it has arrived already.

Owns the buffer between the pipe and the message loop. pygls would send a thread for every line of a message; here a
thread is sent once for all that lies in the pipe, so that a burst of messages is read before work on it begins.
Must not know what is read.
"""

from __future__ import annotations

import asyncio
import os
import select
from concurrent.futures import Executor

_PIECE = 65_536


class Inbox:
    """A reader as pygls wants it (`readline`, `readexactly`), used by one loop."""

    def __init__(self, descriptor: int, executor: Executor) -> None:
        self._descriptor = descriptor
        self._executor = executor
        self._buffer = bytearray()
        self._ended = False

    async def readline(self) -> bytes:
        """Up to and with the next line ending; less only at the end of the input."""
        searched = 0
        while (end := self._buffer.find(b"\n", searched)) < 0 and not self._ended:
            searched = len(self._buffer)
            await self._fill()
        return self._take(end + 1 if end >= 0 else len(self._buffer))

    async def readexactly(self, count: int) -> bytes:
        """So many bytes; nothing at the end of the input, since half a message is none."""
        while len(self._buffer) < count and not self._ended:
            await self._fill()
        await asyncio.sleep(0)  # one message, one turn: what was read before may begin meanwhile
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
        loop = asyncio.get_running_loop()
        try:
            piece = await loop.run_in_executor(self._executor, os.read, self._descriptor, _PIECE)
        except OSError:
            piece = b""  # the client is gone
        self._ended = not piece
        self._buffer += piece

    def _take(self, count: int) -> bytes:
        taken = bytes(self._buffer[:count])
        del self._buffer[:count]
        return taken
