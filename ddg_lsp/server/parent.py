"""The process that started this one, which is the client: when it has ended, there is nobody left to serve.

Its end closes our input, as a rule; not where another process has inherited the other end of the pipe. Owns noticing
that, and nothing that follows from it.
"""

from __future__ import annotations

import asyncio
import os

LOOK_SECONDS = 2.0

_STARTED_BY = os.getppid()


async def gone(client: int | None) -> None:
    """Return once the client's process has ended; wait for ever where that cannot be known.

    `client` is the id it told in `initialize`. Told by a client on another machine or in a container, it may be that
    of any process here: it counts where it is that of the process that started this one, which the system replaces
    by another when it ends (but for Windows, where no pipe is left open).
    """
    if client != _STARTED_BY:
        await asyncio.get_running_loop().create_future()
    while os.getppid() == _STARTED_BY:
        await asyncio.sleep(LOOK_SECONDS)
