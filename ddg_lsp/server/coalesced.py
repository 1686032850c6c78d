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
    how each run ended; no run raises. A job's rest is done in `steps`, as long as they answer True, so that
    what is more urgent comes between.
    """

    def __init__(
        self, worker: Worker, job: Callable[[Token], None], after: Outcome, steps: Callable[[Token], bool] | None = None
    ) -> None:
        self._worker = worker
        self._job = job
        self._after = after
        self._steps = steps
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

        trouble = await self._worker.attempt(job)
        if trouble is None and self._steps is not None:
            trouble = await self._go_on(self._steps)
        await self._after(trouble)

    async def _go_on(self, steps: Callable[[Token], bool]) -> Exception | None:
        more = True

        def step(token: Token) -> None:
            nonlocal more
            more = steps(token)

        while more:
            trouble = await self._worker.attempt(step)
            if trouble is not None:
                return trouble
        return None


class _Run:
    """One run; `begun` is set by the indexing thread and read by the loop."""

    def __init__(self, go: Callable[[_Run], Awaitable[None]]) -> None:
        self.begun = False
        self.task: asyncio.Task[None] = asyncio.ensure_future(_as_coroutine(go, self))


async def _as_coroutine(go: Callable[[_Run], Awaitable[None]], run: _Run) -> None:
    await go(run)
