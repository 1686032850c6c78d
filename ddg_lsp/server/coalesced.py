"""A job that many ask for and one run serves: who asks before it begins shares it, who asks later gets the next.

Owns that rule. Must not know what the job does. Used on the loop only.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

from ddg_lsp.server.worker import Token, Worker

Outcome = Callable[["Exception | None"], Awaitable[None]]


class Coalesced:
    """`run()` gives a run of `job` that begins after now, so that it sees all that has happened until now.

    2,000 watch events are one pass, and at most one more is waiting behind the pass that is under way. `after` is told
    how each run ended; no run raises.
    """

    def __init__(self, worker: Worker, job: Callable[[Token], None], after: Outcome) -> None:
        self._worker = worker
        self._job = job
        self._after = after
        self._last: _Run | None = None

    def run(self) -> asyncio.Task[None]:
        """The next run; to be waited for with `asyncio.wait`, which leaves it going when the waiter is cancelled."""
        if self._last is None or self._last.begun:
            self._last = _Run(self._go)
        return self._last.task

    @property
    def going(self) -> asyncio.Task[None] | None:
        """The last run that was asked for, unless it is over."""
        return None if self._last is None or self._last.task.done() else self._last.task

    async def _go(self, this: _Run) -> None:
        def job(token: Token) -> None:
            this.begun = True
            self._job(token)

        await self._after(await self._worker.attempt(job))


class _Run:
    """One run; `begun` is set by the indexing thread and read by the loop."""

    def __init__(self, go: Callable[[_Run], Awaitable[None]]) -> None:
        self.begun = False
        self.task: asyncio.Task[None] = asyncio.ensure_future(_as_coroutine(go, self))


async def _as_coroutine(go: Callable[[_Run], Awaitable[None]], run: _Run) -> None:
    await go(run)
