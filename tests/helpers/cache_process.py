"""Processes that save and load one cache at once; run as functions of `multiprocessing`, without a test around them."""

from __future__ import annotations

import time
from pathlib import Path
from queue import Queue
from threading import Barrier
from typing import Any

from ddg_lsp.core.vector_cache import CacheContent, VectorCache
from tests.helpers.cache_content import KEY, assert_same, content, document
from tests.helpers.faulty_files import HastyFiles


def numbered(number: int) -> CacheContent:
    """Content in which everything depends on the number: sizes, documents, vectors."""
    texts = [f"text {i} of {number}" for i in range(1 + number % 7)]
    return content(document(f"docs/{number}.md", *texts), document("shared.md", f"{number}", "always"), at=f"{number}")


def write(root: Path, first: int, seconds: float, start: Barrier, results: Queue[Any]) -> None:
    """Save numbered content over and over, giving the lock away each time; reports how often it was the writer."""
    cache = VectorCache(root, KEY, files=HastyFiles())
    start.wait(60)
    number, written, end = first, 0, time.monotonic() + seconds
    while time.monotonic() < end:
        if cache.save(numbered(number)):
            written += 1
            cache.close()
        number += 2
    results.put(("written", written, [notice.code for notice in cache.notices]))


def read(root: Path, seconds: float, start: Barrier, results: Queue[Any]) -> None:
    """Load over and over; reports how many contents were seen, each of them whole."""
    cache = VectorCache(root, KEY)
    start.wait(60)
    seen, end = set(), time.monotonic() + seconds
    while time.monotonic() < end:
        found = cache.load()
        if found is not None:
            assert_same(found, numbered(int(found.indexed_at)))
            seen.add(found.indexed_at)
    results.put(("seen", len(seen), [notice.code for notice in cache.notices]))


def write_for_ever(root: Path, ready: Queue[Any]) -> None:
    """Save until the process is killed; says when it begins."""
    cache = VectorCache(root, KEY)
    number = 0
    while True:
        if not cache.save(numbered(number)):
            raise RuntimeError(f"the lock of a killed process is still held, or {cache.notices}")
        if number == 0:
            ready.put(None)
        number += 1
