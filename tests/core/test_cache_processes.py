"""Several processes on one vector cache: nobody reads a mixture, and a killed writer locks nobody out."""

from __future__ import annotations

import multiprocessing
import random
import time
from pathlib import Path

from ddg_lsp.core.vector_cache import VectorCache
from tests.helpers import cache_process
from tests.helpers.cache_content import KEY, assert_same, cache_files

SPAWN = multiprocessing.get_context("spawn")
SECONDS = 2.0


def test_two_processes_that_save_and_two_that_load(tmp_path: Path) -> None:
    results, start = SPAWN.Queue(), SPAWN.Barrier(4)
    jobs = [
        SPAWN.Process(target=cache_process.write, args=(tmp_path, 0, SECONDS, start, results)),
        SPAWN.Process(target=cache_process.write, args=(tmp_path, 1, SECONDS, start, results)),
        SPAWN.Process(target=cache_process.read, args=(tmp_path, SECONDS, start, results)),
        SPAWN.Process(target=cache_process.read, args=(tmp_path, SECONDS, start, results)),
    ]
    for job in jobs:
        job.start()
    for job in jobs:
        job.join(60)
    assert [job.exitcode for job in jobs] == [0, 0, 0, 0]
    reports = [results.get(timeout=5) for _ in jobs]
    assert all(codes == [] for _, _, codes in reports), reports
    assert sum(count for kind, count, _ in reports if kind == "written") > 1, reports
    assert sum(count for kind, count, _ in reports if kind == "seen") > 1, reports
    last = VectorCache(tmp_path, KEY)
    found = last.load()
    assert found is not None
    assert_same(found, cache_process.numbered(int(found.indexed_at)))
    assert last.save(cache_process.numbered(4))
    assert len([name for name in cache_files(tmp_path) if name != ".gitignore"]) == 4


def test_q14_atomic_a_killed_process(tmp_path: Path) -> None:
    for _ in range(3):
        ready = SPAWN.Queue()
        job = SPAWN.Process(target=cache_process.write_for_ever, args=(tmp_path, ready))
        job.start()
        ready.get(timeout=60)
        time.sleep(random.uniform(0, 0.1))
        assert not VectorCache(tmp_path, KEY).acquire(), "one writer at a time"
        job.kill()
        job.join(60)
        cache = VectorCache(tmp_path, KEY)
        found = cache.load()
        assert found is not None
        assert_same(found, cache_process.numbered(int(found.indexed_at)))
        assert cache.notices == []
        assert cache.acquire(), "the lock dies with its process"
        cache.close()
