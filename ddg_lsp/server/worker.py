"""The only place with threads: one for indexing, one for questions, so that a question never waits for a build.

Owns the two threads, their queues, cancellation and who gives way to whom. Must not know what the jobs do. The loop
submits, awaits and owns all state; a job is `job(token) -> result`, computes, and calls `token.check()` between steps.
"""

from __future__ import annotations

import asyncio
import heapq
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import count
from typing import Any, TypeVar

from ddg_lsp.core.embedding import Embedder, EmbedderInfo, Matrix
from ddg_lsp.core.errors import Cancelled

T = TypeVar("T")

GIVE_WAY_SECONDS = 1.0
"""The longest one step of indexing waits for questions: somebody who never stops asking must not stop a build."""


class Token:
    """Says whether a job is still wanted. `check` may be called from any thread; it raises `Cancelled`."""

    def __init__(self, give_way: Callable[[], None] | None = None) -> None:
        self._cancelled = threading.Event()
        self._give_way = give_way

    @property
    def cancelled(self) -> bool:
        """Nobody waits for the result any more."""
        return self._cancelled.is_set()

    def cancel(self) -> None:
        """The job stops at its next `check`; one that has not begun never does."""
        self._cancelled.set()

    def check(self) -> None:
        """To be called between steps; an indexing job waits here while a question is being answered."""
        if self._give_way is not None and not self.cancelled:
            self._give_way()
        if self.cancelled:
            raise Cancelled


@dataclass(order=True)
class _Job:
    priority: int
    order: int
    run: Callable[[Token], Any] = field(compare=False)
    token: Token = field(compare=False)
    settle: Callable[[Any, BaseException | None], None] = field(compare=False)
    gentle: bool = field(compare=False, default=False)
    """Does not begin while a question is under way."""


class _Lane:
    """A daemon thread and its queue. A pool would keep the process alive until its last job is through."""

    def __init__(self, name: str, busy: Callable[[], bool] = lambda: False) -> None:
        self._jobs: list[_Job] = []
        self._wake = threading.Condition()
        self._busy = busy
        self._running: _Job | None = None
        self._closed = False
        self._thread = threading.Thread(target=self._work, name=name, daemon=True)
        self._thread.start()

    def put(self, job: _Job, *, last: bool = False) -> bool:
        """Queue a job; `last` cancels every other and ends the thread after it. False once the lane is closed."""
        with self._wake:
            if self._closed:
                return False
            if last:
                self._closed = True
                for other in (*self._jobs, *((self._running,) if self._running else ())):
                    other.token.cancel()
            heapq.heappush(self._jobs, job)
            self._wake.notify()
            return True

    def wake(self) -> None:
        """Something `busy` depends on has changed."""
        with self._wake:
            self._wake.notify()

    def ended(self, seconds: float) -> bool:
        """Wait for the thread to end."""
        self._thread.join(seconds)
        return not self._thread.is_alive()

    def _work(self) -> None:
        while True:
            job = self._next()
            if job is None:
                return
            result: Any = None
            error: BaseException | None = None
            try:
                if job.token.cancelled:
                    raise Cancelled  # noqa: TRY301 - a job nobody waits for is not begun
                result = job.run(job.token)
            except BaseException as caught:  # the loop is told, whatever it was
                error = caught
            self._running = None
            job.settle(result, error)

    def _next(self) -> _Job | None:
        with self._wake:
            deadline = time.monotonic() + GIVE_WAY_SECONDS
            while True:
                if not self._jobs:
                    if self._closed:
                        return None
                    self._wake.wait()
                    deadline = time.monotonic() + GIVE_WAY_SECONDS
                    continue
                head, left = self._jobs[0], deadline - time.monotonic()
                if not head.gentle or head.token.cancelled or left <= 0 or self._closed or not self._busy():
                    self._running = heapq.heappop(self._jobs)
                    return self._running
                self._wake.wait(left)


class Worker:
    """Runs jobs off the loop. Create and use it on the loop; only `finish` may be called when the loop is gone."""

    def __init__(self) -> None:
        self._expected = 0
        self._computing = 0
        self._free = threading.Event()
        self._free.set()
        self._order = count()
        self._questions = _Lane("ddg-questions")
        self._indexing = _Lane("ddg-indexing", busy=lambda: self._expected > 0)

    @contextmanager
    def question(self) -> Iterator[None]:
        """A question is under way, from its arrival to its answer: no new batch is begun meanwhile."""
        self._expected += 1
        try:
            yield
        finally:
            self._expected -= 1
            self._indexing.wake()

    async def ask(self, job: Callable[[Token], T]) -> T:
        """Run a question's job, the newest first: whoever types wants the answer to the last letter first."""
        token = Token()

        def run(token: Token) -> T:
            self._computing += 1
            self._free.clear()
            try:
                return job(token)
            finally:
                self._computing -= 1
                self._free.set()

        return await self._submit(self._questions, -next(self._order), run, token, gentle=False)

    async def index(self, job: Callable[[Token], T], *, gentle: bool = False, urgent: bool = False) -> T:
        """Run a step of indexing. `gentle` (embedding) steps come after all others and give way to questions.

        `urgent` ones, which a question waits for, come before all others, and give way to nobody.
        """
        token = Token(None if urgent else self._give_way)
        return await self._submit(self._indexing, int(gentle) - int(urgent), job, token, gentle=gentle)

    async def attempt(
        self, job: Callable[[Token], object], *, gentle: bool = False, urgent: bool = False
    ) -> Exception | None:
        """As `index`, for work nobody waits for: how it failed, None when it did not."""
        try:
            await self.index(job, gentle=gentle, urgent=urgent)
        except Exception as error:
            return error
        return None

    def finish(self, last: Callable[[], None]) -> Callable[[float], bool]:
        """Cancel everything, run `last` on the indexing thread and end both threads.

        What comes back waits for that, so many seconds at most, and says whether it is done.
        """
        nothing = _Job(0, next(self._order), lambda _: None, Token(), lambda *_: None)
        final = _Job(2, next(self._order), lambda _: last(), Token(), lambda *_: None)
        self._questions.put(nothing, last=True)
        self._indexing.put(final, last=True)
        self._free.set()
        return lambda seconds: self._indexing.ended(seconds) and self._questions.ended(seconds)

    async def _submit(self, lane: _Lane, priority: int, run: Callable[[Token], T], token: Token, *, gentle: bool) -> T:
        loop = asyncio.get_running_loop()
        done: asyncio.Future[T] = loop.create_future()

        def settle(result: Any, error: BaseException | None) -> None:
            try:
                loop.call_soon_threadsafe(_settle, done, result, error)
            except RuntimeError:
                return  # the loop is closed: nobody is left to be told

        if not lane.put(_Job(priority, next(self._order), run, token, settle, gentle)):
            raise Cancelled
        try:
            return await done
        except asyncio.CancelledError:
            token.cancel()
            raise

    def _give_way(self) -> None:
        self._free.wait(GIVE_WAY_SECONDS)


class LockedEmbedder:
    """An embedder that serves one thread at a time, made safe for two."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self._lock = threading.Lock()

    @property
    def info(self) -> EmbedderInfo:
        """See `Embedder.info`."""
        return self._embedder.info

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        """See `Embedder.count_tokens`."""
        with self._lock:
            return self._embedder.count_tokens(texts)

    def embed(self, texts: Sequence[str], max_tokens: int | None = None) -> Matrix:
        """See `Embedder.embed`."""
        with self._lock:
            return self._embedder.embed(texts, max_tokens)

    def unload(self) -> None:
        """See `Embedder.unload`."""
        with self._lock:
            self._embedder.unload()


def _settle(done: asyncio.Future[Any], result: Any, error: BaseException | None) -> None:
    if done.done():
        return
    if error is None:
        done.set_result(result)
    else:
        done.set_exception(error)
