"""How long the vector cache takes to save, to find nothing changed, and to load: `python -m benchmarks.cache_speed`."""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import xxhash

from ddg_lsp.core.model import Passage, Stamp
from ddg_lsp.core.vector_cache import CacheContent, CachedDocument, CacheKey, VectorCache

HEADINGS = ("Getting started", "설치하기 안내", "Configure the server")


def passage(path: str, number: int) -> Passage:
    """A passage of ordinary size; its vectors depend on path and number."""
    name, opening = (xxhash.xxh3_128_hexdigest(f"{path} {number} {view}".encode()) for view in ("whole", "opening"))
    at, line = 500 * number, 20 * number
    lines = (line, line + 19)
    return Passage(
        f"{path}#{name[:16]}", path, HEADINGS, 3, at, at + 480, at, at + 30, at + 31, at + 480, *lines, name, opening
    )


def content(rows: int, dimensions: int) -> CacheContent:
    """Documents of ten passages with two views each, `rows` rows in all."""
    documents = {}
    for number in range(rows // 20):
        path = f"docs/guide/section-{number % 37}/page-{number}.md"
        passages = tuple(passage(path, n) for n in range(10))
        stamp = Stamp(5000, time.time_ns(), number)
        documents[path] = CachedDocument(path, passages[0].fingerprint, stamp, "Title", passages, {"lang": "ko"})
    names = tuple(n for d in documents.values() for p in d.passages for n in (p.fingerprint, p.opening))
    vectors = np.random.default_rng(0).standard_normal((len(names), dimensions)).astype(np.float32)
    return CacheContent(documents, names, vectors / np.linalg.norm(vectors, axis=1, keepdims=True), "now")


def timed(what: str, work: Callable[[], object]) -> None:
    """Print wall and processor time of one call, which must give something."""
    wall, cpu = time.perf_counter(), time.process_time()
    if not work():
        raise RuntimeError(f"{what} failed")
    print(f"{what:>10}: {time.perf_counter() - wall:.2f} s, processor {time.process_time() - cpu:.2f} s")


def main() -> None:
    """Measure in a temporary folder and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=20_000)
    parser.add_argument("--dimensions", type=int, default=384)
    given = parser.parse_args()
    held = content(given.rows, given.dimensions)
    key = CacheKey("benchmark", "random", given.dimensions, "", 1)
    with tempfile.TemporaryDirectory() as folder:
        cache = VectorCache(Path(folder), key)
        timed("save", lambda: cache.save(held))
        timed("no change", lambda: cache.save(held))
        timed("load", lambda: VectorCache(Path(folder), key).load())
        cache.close()


if __name__ == "__main__":
    main()
