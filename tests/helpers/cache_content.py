"""Content for cache tests: documents with passages, and unit vectors that depend on their fingerprints alone."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import numpy as np
import xxhash

from ddg_lsp.core.model import Passage, Stamp
from ddg_lsp.core.vector_cache import CacheContent, CachedDocument, CacheKey

KEY = CacheKey("e5|small|16|weights", "small", 16, "every .md", 1)


def hash_of(text: str) -> str:
    """A fingerprint."""
    return xxhash.xxh3_128_hexdigest(text.encode("utf-8", "surrogatepass"))


def document(path: str, *bodies: str, headings: tuple[str, ...] = ("제목",)) -> CachedDocument:
    """A document with one passage for each body; a body of one word is its own opening."""
    passages = []
    for i, body in enumerate(bodies):
        name = hash_of(body)
        at = 100 * i
        passages.append(
            Passage(
                id=f"{path}#{name[:16]}-{i}",
                path=path,
                headings=(*headings, f"part {i}\u2028"),
                level=2,
                start=at,
                end=at + 90,
                heading_start=at,
                heading_end=at + 10,
                body_start=at + 11,
                body_end=at + 90,
                line=i,
                end_line=i + 3,
                fingerprint=name,
                opening=hash_of(body.split()[0]),
                table_header=(at + 11, at + 20) if i % 2 else None,
            )
        )
    meta = {"title": "A title", "aliases": ["x", "y"], "n": 1}
    return CachedDocument(path, hash_of("".join(bodies)), Stamp(1, 2**60, 2**63), "A title", tuple(passages), meta)


def vectors_of(fingerprints: Iterable[str], dimensions: int = KEY.dimensions) -> np.ndarray:
    """One unit vector for each fingerprint, the same for the same fingerprint."""
    names = list(fingerprints)
    rows = np.empty((len(names), dimensions), np.float32)
    for i, name in enumerate(names):
        rows[i] = np.random.default_rng(int(name[:16], 16)).standard_normal(dimensions)
    return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)


def content(*documents: CachedDocument, at: str = "2026-01-01T00:00:00", dimensions: int = 16) -> CacheContent:
    """These documents, every view of every passage embedded."""
    names = dict.fromkeys(name for d in documents for p in d.passages for name in (p.fingerprint, p.opening))
    return CacheContent({d.path: d for d in documents}, tuple(names), vectors_of(names, dimensions), at)


def assert_same(one: CacheContent | None, other: CacheContent | None) -> None:
    """The same documents, and the same vector for each fingerprint, bit for bit."""
    assert one is not None
    assert other is not None
    assert dict(one.documents) == dict(other.documents)
    assert by_name(one) == by_name(other)
    assert one.indexed_at == other.indexed_at


def by_name(held: CacheContent) -> dict[str, bytes]:
    """Vector bytes by fingerprint."""
    return {name: row.tobytes() for name, row in zip(held.fingerprints, held.vectors, strict=True)}


def cache_files(root: Path) -> dict[str, bytes]:
    """Every file under `.ddg/vectors` by relative name, the lock left out."""
    folder = root / ".ddg" / "vectors"
    found = (path for path in sorted(folder.rglob("*")) if path.is_file() and path.name != "writer.lock")
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in found}
