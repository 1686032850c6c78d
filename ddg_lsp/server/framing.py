"""Messages in a stream of bytes: headers, a blank line, a body of the length the headers told.

Owns finding the next message after a header that tells no length, or one nobody can mean. Must not know what a message
says. Names of headers are those of HTTP: upper and lower case are the same.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from ddg_lsp.server.inbox import Inbox

MAX_BODY = 256 * 1024 * 1024
"""Bytes of one message: far more than any text an editor opens, far less than the memory of a machine."""
MAX_LINE = 16_384
_LENGTH = re.compile(rb"(?<![\w-])content-length[ \t]*:[ \t]*([0-9]{1,18})[ \t]*\r?\n\Z", re.IGNORECASE)
_LONGEST = 128
"""Bytes the header above needs; so much of a line that is too long is kept."""


class Frame(NamedTuple):
    """One message, or a place where one should have been."""

    body: bytes | None
    """None where no message could be made out; what follows is looked through for the next one."""
    odd: bool = False
    """There was something before it that is no header."""


class Framing:
    """Reads frames from an inbox."""

    def __init__(self, inbox: Inbox) -> None:
        self._inbox = inbox
        self._lost = False
        """The last frame was none: what comes before the next length has been complained about already."""

    async def next(self) -> Frame | None:
        """The next frame; None at the end of the input."""
        length, odd, begun, kept = None, False, False, b""
        while line := await self._inbox.readline(MAX_LINE):
            found, blank = _LENGTH.search(kept + line), not (kept or line.strip())
            kept = b"" if line.endswith(b"\n") else (kept + line)[-_LONGEST:]
            if found is not None:
                told = int(found[1])
                odd = odd or found.start() > 0 or length not in (None, told)
                length = told
            elif blank and (begun or length is not None):
                return await self._body(length, odd)
            begun = begun or not blank
        return None

    async def _body(self, length: int | None, odd: bool) -> Frame | None:
        lost, self._lost = self._lost, length is None or length > MAX_BODY
        if length is None or self._lost:
            return Frame(None, odd=not lost)
        body = await self._inbox.readexactly(length)
        return Frame(body, odd=odd and not lost) if body or not length else None
