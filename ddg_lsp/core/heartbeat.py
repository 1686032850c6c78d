"""The sign of life of the process that builds an index: the time of its lock file, renewed while it works.

Owns when a sign is due and when it is too old. Must not know what a cache is.
"""

from __future__ import annotations

import os
import time
from contextlib import suppress
from pathlib import Path

SECONDS = 3.0
"""A writer that gave no sign for so long is idle, or stuck."""


class Heartbeat:
    """Gives signs, a few within `SECONDS`, however often it is asked to."""

    def __init__(self) -> None:
        self._given_at = float("-inf")

    def give(self, lock: Path) -> None:
        """Say that work goes on; where it cannot be said, others will do the work, too."""
        if time.monotonic() - self._given_at > SECONDS / 3:
            self._given_at = time.monotonic()
            with suppress(OSError):
                os.utime(lock)


def seen(lock: Path) -> bool:
    """Whether a sign was given a moment ago. Looks at the file's `stat` only."""
    try:
        return abs(time.time() - lock.stat().st_mtime) < SECONDS
    except OSError:
        return False
