"""Giving memory back to the system, where the C library would keep it: glibc on Linux, elsewhere nothing is done.

A model's activations are megabytes each and live for milliseconds. glibc keeps what one thread freed in an arena of
that thread, and grows the size from which it asks the system anew; a server then rests at its peak for ever.
"""

from __future__ import annotations

import ctypes
import mmap
import re
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

_MMAP_THRESHOLD, _ARENA_MAX = -3, -8
"""Parameters of `mallopt`, from glibc's malloc.h."""
LARGE_BYTES = 1 << 20
"""From this size on, memory comes from the system and goes back when it is freed. Measured over 120 texts of 20 to 300
words: 213 MB resident after them instead of 305, and no slower."""
ARENAS = 2
_MAPPING = re.compile(r"([0-9a-f]+)-([0-9a-f]+) (\S+) [0-9a-f]+ \S+ \d+\s*(.*)")
"""The first line of a mapping in /proc/self/smaps: from, to, rights, the file's path."""


def settle() -> None:
    """Fix where large pieces of memory come from; to be called once, before threads are started."""
    if (mallopt := _function("mallopt")) is not None:
        mallopt(_ARENA_MAX, ARENAS)
        mallopt(_MMAP_THRESHOLD, LARGE_BYTES)


def give_back() -> None:
    """Return what is free to the system; some milliseconds, for after a build or when a model was dropped."""
    if (trim := _function("malloc_trim")) is not None:
        trim(0)


def let_pages_go(library: str) -> None:
    """Let the system take back the pages of a loaded library nobody uses for now; used again, they come from its file.

    Only what is mapped read-only and is as it is in the file: tables that the loader wrote addresses into and then
    locked look read-only, too, and would be lost. `library`: a part of the file's name.
    """
    madvise = _function("madvise")
    if madvise is None:
        return
    with suppress(OSError):
        for start, end in _unchanged(Path("/proc/self/smaps").read_text("utf-8", "replace"), library):
            madvise(ctypes.c_void_p(start), ctypes.c_size_t(end - start), mmap.MADV_DONTNEED)


def _unchanged(maps: str, library: str) -> Iterator[tuple[int, int]]:
    """Start and end of a library's read-only mappings of which no page differs from the file."""
    place: tuple[int, int] | None = None
    for line in maps.splitlines():
        if (found := _MAPPING.match(line)) is not None:
            mine = library in found[4].rpartition("/")[2] and found[3] in ("r-xp", "r--p")
            place = (int(found[1], 16), int(found[2], 16)) if mine else None
        elif line.startswith("Anonymous:") and place is not None and line.split()[1] == "0":
            yield place


def _function(name: str) -> Callable[..., object] | None:
    if sys.platform != "linux":
        return None
    found: Callable[..., object] | None = getattr(ctypes.CDLL(None), name, None)
    return found
