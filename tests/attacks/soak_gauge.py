"""What a server holds at one moment, and whether that grows: memory, handles, threads.

Owns the reading and the arithmetic of slopes. Must not know what the server was doing.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import psutil


@dataclass(frozen=True)
class Sample:
    """One reading. `own_mb` is what lies in no file; where the system does not tell, all that is resident."""

    life: int
    actions: int
    """Actions of this life so far."""
    own_mb: float
    resident_mb: float
    handles: int
    threads: int


def sample(pid: int, life: int, actions: int) -> Sample:
    """Read it now. Megabytes are of a million bytes."""
    process = psutil.Process(pid)
    resident = process.memory_info().rss / 1e6
    handles = process.num_handles() if hasattr(process, "num_handles") else process.num_fds()
    return Sample(life, actions, _own(pid) or resident, resident, handles, process.num_threads())


def _own(pid: int) -> float:
    """Anonymous memory; what was read from files (libraries, weights) comes and goes as the system likes."""
    try:
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text("ascii").splitlines()
    except OSError:
        return 0.0
    return next(int(line.split()[1]) * 1024 / 1e6 for line in lines if line.startswith("Anonymous:"))


def slope(samples: Sequence[Sample]) -> tuple[float, float]:
    """Megabytes for every 1,000 actions by least squares, and its standard error.

    Each life has a level of its own, all have one slope. Where readings are few or near each other, the error is large.
    """
    above = below = square = 0.0
    for life in {one.life for one in samples}:
        mine = [one for one in samples if one.life == life]
        at = sum(one.actions for one in mine) / len(mine)
        level = sum(one.own_mb for one in mine) / len(mine)
        above += sum((one.actions - at) * (one.own_mb - level) for one in mine)
        below += sum((one.actions - at) ** 2 for one in mine)
        square += sum((one.own_mb - level) ** 2 for one in mine)
    if not below:
        return 0.0, math.inf
    free = max(1, len(samples) - len({one.life for one in samples}) - 1)
    error = math.sqrt(max(square - above**2 / below, 0.0) / free / below)
    return 1000.0 * above / below, 1000.0 * error


def long_lives(samples: Sequence[Sample], span: int) -> list[Sample]:
    """The readings of lives whose first and last are so many actions apart at least."""
    places = {life: [one.actions for one in samples if one.life == life] for life in {one.life for one in samples}}
    return [one for one in samples if max(places[one.life]) - min(places[one.life]) >= span]
