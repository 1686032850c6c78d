"""Several addresses at once, off the caller's thread, which can go away at any moment.

Owns how many at a time (rule F12) and giving up. A name server that never answers, which nothing can interrupt, keeps
a daemon thread and nobody else. Must not know what is fetched.
"""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Callable, Sequence

from ddg_lsp.core.errors import Cancelled
from ddg_lsp.core.sites import addresses
from ddg_lsp.core.sites.fetch import LONGEST_PAUSE_S, Fetched, Fetcher, Wish
from ddg_lsp.core.sites.model import Miss

PARALLEL = 4
PARALLEL_A_HOST = 2
POLL_S = 0.05
PATIENCE_S = 3.0
"""How much longer than everything inside is allowed to take an answer is waited for."""


def fetch(fetcher: Fetcher, wishes: Sequence[Wish], check: Callable[[], None]) -> list[Fetched | Miss]:
    """Fetch these, answers in their order. `check` is called all the while and may raise to give up."""
    crew = _Crew(fetcher, wishes)
    try:
        crew.start()
        while not crew.done.wait(POLL_S):
            check()
            if crew.idle_s > 2 * fetcher.limits.total_s + LONGEST_PAUSE_S + PATIENCE_S:
                break
    finally:
        crew.stop.set()
    return [found or Miss(wish.url, "timeout") for wish, found in zip(wishes, list(crew.found), strict=True)]


class _Crew:
    def __init__(self, fetcher: Fetcher, wishes: Sequence[Wish]) -> None:
        self.stop = threading.Event()
        self.done = threading.Event()
        self.found: list[Fetched | Miss | None] = [None] * len(wishes)
        self._fetcher = fetcher
        self._wishes = wishes
        self._waiting = list(range(len(wishes)))
        self._busy: Counter[str] = Counter()
        self._changed = threading.Condition()
        self._news_at = time.monotonic()

    @property
    def idle_s(self) -> float:
        """Seconds without any answer."""
        return time.monotonic() - self._news_at

    def start(self) -> None:
        """Begin; `done` is set when there is an answer to every wish."""
        if not self._wishes:
            self.done.set()
        for _ in range(min(PARALLEL, len(self._wishes))):
            threading.Thread(target=self._work, name="ddg-fetch", daemon=True).start()

    def _work(self) -> None:
        while (number := self._next()) is not None:
            wish = self._wishes[number]
            try:
                self.found[number] = self._fetcher.get(wish, self.stop)
            except Cancelled:
                return
            finally:
                self._finished(wish)

    def _next(self) -> int | None:
        with self._changed:
            while self._waiting and not self.stop.is_set():
                free = (n for n in self._waiting if self._busy[_host(self._wishes[n])] < PARALLEL_A_HOST)
                if (number := next(free, None)) is not None:
                    self._waiting.remove(number)
                    self._busy[_host(self._wishes[number])] += 1
                    return number
                self._changed.wait(POLL_S)
        return None

    def _finished(self, wish: Wish) -> None:
        with self._changed:
            self._busy[_host(wish)] -= 1
            self._news_at = time.monotonic()
            self._changed.notify_all()
            if not self._waiting and not +self._busy:
                self.done.set()


def _host(wish: Wish) -> str:
    address = addresses.read(wish.url)
    return "" if isinstance(address, Miss) else address.host
