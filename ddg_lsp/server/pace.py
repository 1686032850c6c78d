"""How often a folder is looked through for changes: as often as is cheap.

Owns the arithmetic of one folder's pace. Must not know how looking is done.
"""

from __future__ import annotations

import time

SHARE = 2.0
"""A sweep that cost 100 ms of a core is not repeated for the next 200: looking for changes may cost a third of one
core, and that only while questions come one upon the other."""
CHEAP_SECONDS = 0.02
"""Below this, every question looks for itself."""
LONGEST_SECONDS = 1.0
"""And a change is never overlooked for longer than this."""


class Pace:
    """When the last sweep was and what it cost, in seconds of one core: other processes do not make it dearer."""

    def __init__(self) -> None:
        self._began = float("-inf")
        self._cost = 0.0

    def begin(self) -> None:
        """A sweep begins now, on the calling thread."""
        self._began = time.monotonic()
        self._core = time.thread_time()

    def end(self, *, found: bool) -> None:
        """It is over; one that `found` changes has parsed files, too, and says nothing of what looking costs."""
        if not found:
            self._cost = time.thread_time() - self._core

    def wait(self, idle_seconds: float = 0.0) -> float:
        """Seconds until the next one is due (by itself after `idle_seconds`); 0 or less for now."""
        apart = min(SHARE * self._cost, LONGEST_SECONDS) if self._cost > CHEAP_SECONDS else 0.0
        return max(apart, idle_seconds) - (time.monotonic() - self._began)
