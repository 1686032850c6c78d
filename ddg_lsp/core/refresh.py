"""From files to documents: what a sweep of the disk changes. Reads files; writes nothing, embeds nothing.

The stamp only decides whether a file is opened; the digest of its text decides whether it changed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import xxhash

from ddg_lsp.core import corpus, markdown, passages
from ddg_lsp.core.embedding import TokenCounter
from ddg_lsp.core.model import Document, Skip, Stamp
from ddg_lsp.core.settings import Settings
from ddg_lsp.core.vector_cache import CachedDocument


@dataclass(frozen=True)
class Reader:
    """Everything needed to turn a file or a buffer into a document."""

    root: Path
    settings: Settings
    count_tokens: TokenCounter
    max_tokens: int
    layouts: Mapping[str, CachedDocument] = field(default_factory=dict)
    """Documents as the cache knows them: one whose digest still holds is not parsed again."""

    def document(self, path: str, text: str, stamp: Stamp | None) -> Document:
        """The document of this text, from the cached layout where that still holds, else parsed and cut."""
        digest = digest_of(text)
        layout = self.layouts.get(path)
        if layout is not None and layout.digest == digest and _within(layout, len(text)):
            return Document(path, text, digest, layout.title, layout.passages, stamp, layout.meta)
        parsed = markdown.parse(text)
        cut = passages.cut(path, parsed, text, self.count_tokens, max_tokens=self.max_tokens)
        return Document(path, text, digest, parsed.title, cut, stamp, parsed.meta)


@dataclass(frozen=True)
class Sweep:
    """What one pass over the disk found."""

    changed: tuple[Document, ...]
    removed: tuple[str, ...]
    skipped: tuple[Skip, ...]


def _within(layout: CachedDocument, length: int) -> bool:
    """Whether every offset of a cached layout lies in the text: a cache may have come with a stranger's repository."""
    return all(max(p.end, p.heading_end, p.body_end, *(p.table_header or (0,))) <= length for p in layout.passages)


def digest_of(text: str) -> str:
    """xxh3-128, 32 hex, of a text in UTF-8 (lone surrogates included, so that no text raises)."""
    return xxhash.xxh3_128_hexdigest(text.encode("utf-8", "surrogatepass"))


def sweep(
    reader: Reader,
    scanner: corpus.Scanner,
    known: Mapping[str, Document],
    refused: dict[str, tuple[Stamp, Skip]],
    check: Callable[[], None],
) -> Sweep:
    """Compare the disk with `known` (documents read from disk, by path); open only files whose stamp differs.

    `refused` remembers files that could not be used, so that they are not opened again until they change; it is
    brought up to date. `check` is called between files and may raise to cancel.
    """
    listing = scanner.scan(reader.root, reader.settings, check)
    changed: list[Document] = []
    bad: dict[str, tuple[Stamp, Skip]] = {}
    for entry in listing.files:
        old, old_bad = known.get(entry.path), refused.get(entry.path)
        if old is not None and old.stamp == entry.stamp:
            continue
        if old_bad is not None and old_bad[0] == entry.stamp:
            bad[entry.path] = old_bad
            continue
        check()
        text = corpus.read(reader.root, entry.path, reader.settings)
        if isinstance(text, Skip):
            bad[entry.path] = (entry.stamp, text)
        else:
            changed.append(reader.document(entry.path, text, entry.stamp))
    refused.clear()
    refused.update(bad)
    listed = {entry.path for entry in listing.files} - bad.keys()
    removed = tuple(path for path in known if path not in listed)
    skipped = {*listing.skipped, *(skip for _, skip in bad.values())}
    return Sweep(tuple(changed), removed, tuple(sorted(skipped, key=lambda skip: (skip.path, skip.reason))))
