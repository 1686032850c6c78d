"""Caches written by someone else: any change to any file, with the sums of the manifest made to fit again."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import xxhash

from ddg_lsp.core.vector_cache import VectorCache
from tests.helpers.cache_content import KEY, assert_same, content, document
from tests.helpers.faulty_files import HastyFiles

Fields = dict[str, Any]
A = document("docs/a.md", "install the server first", "one")
B = document("docs/b.md", "one", "configure it")
SAVED = content(A, B)
"""What the caches held before they were changed."""


def cache_at(root: Path) -> VectorCache:
    """The cache of a workspace, on a disk that does not wait."""
    return VectorCache(root, KEY, files=HastyFiles())


def assert_recovers(root: Path, *codes: str) -> None:
    """A new process finds nothing, says so once, and ends with a cache that works."""
    cache = cache_at(root)
    assert cache.load() is None
    assert cache.load() is None
    assert tuple(notice.code for notice in cache.notices) == codes
    assert cache.save(SAVED)
    cache.close()
    after = cache_at(root)
    assert_same(after.load(), SAVED)
    assert after.notices == []


def folder_of(root: Path) -> Path:
    """Where a workspace's cache lives."""
    return root / ".ddg" / "vectors"


def part_of(root: Path, part: str) -> Path:
    """The one file of a part: manifest, chunks, documents or embeddings."""
    (path,) = (path for path in folder_of(root).iterdir() if path.name.startswith(part) and path.is_file())
    return path


def forge_manifest(root: Path, change: Callable[[Fields], object]) -> None:
    """Change the manifest's fields, and its sum with them."""
    path = part_of(root, "manifest")
    fields = json.loads(path.read_bytes())
    change(fields)
    fields.pop("sum", None)
    fields["sum"] = xxhash.xxh3_128_hexdigest(json.dumps(fields, sort_keys=True).encode())
    path.write_text(json.dumps(fields))


def forge_part(root: Path, part: str, data: bytes) -> None:
    """Give a data file other content, and the manifest the size and sum of that."""
    part_of(root, part).write_bytes(data)
    promised = {"bytes": len(data), "sum": xxhash.xxh3_128_hexdigest(data)}
    forge_manifest(root, lambda fields: fields["files"][part].update(promised))


def forge_line(root: Path, part: str, change: Callable[[Fields], object], number: int = 0) -> None:
    """Change one line of chunks or documents."""
    lines = part_of(root, part).read_bytes().split(b"\n")
    fields = json.loads(lines[number])
    change(fields)
    lines[number] = json.dumps(fields).encode()
    forge_part(root, part, b"\n".join(lines))
