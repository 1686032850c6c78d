"""The value types every part of the core shares; no logic beyond derived fields."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple


class Stamp(NamedTuple):
    """What `stat` says of a file; equal stamps mean the file need not be opened, nothing more."""

    size: int
    mtime_ns: int
    inode: int
    ctime_ns: int = 0
    """Changes with every write, also where size and time are put back as they were; on Windows, the file's birth."""

    @classmethod
    def of(cls, found: os.stat_result) -> Stamp:
        """The stamp of a file from what `stat` found."""
        return cls(found.st_size, found.st_mtime_ns, found.st_ino, found.st_ctime_ns)


@dataclass(frozen=True, slots=True)
class Skip:
    """A file that is not searched, and why. `path` is folder-relative with `/`; `reason` is a stable short word."""

    path: str
    reason: str


@dataclass(frozen=True, slots=True)
class Passage:
    """A piece of a section. All offsets are code points in the document's text, ends exclusive."""

    id: str
    """`path#` + 16 hex of the fingerprint + an ordinal for equal twins."""
    path: str
    headings: tuple[str, ...]
    """The heading path, outermost first; empty for text before any heading in a document without a title."""
    level: int
    """The heading's level, 1 to 6; 0 for text before the first heading."""
    start: int
    end: int
    """The whole section: heading and body up to the next heading."""
    heading_start: int
    heading_end: int
    """The heading's own line or lines, without the last line ending (for level 0: the section's first line)."""
    body_start: int
    body_end: int
    """This passage's piece of the section's body."""
    line: int
    """0-based line of the heading."""
    end_line: int
    """0-based line of the section's last character."""
    fingerprint: str
    """xxh3-128, 32 hex, of the embedded text of the whole."""
    opening: str
    """xxh3-128, 32 hex, of the embedded text of the opening."""
    table_header: tuple[int, int] | None = None
    """Where a cut table's header rows stand; they are repeated in the embedded text only."""


@dataclass(frozen=True, slots=True)
class Document:
    """One document as indexed: its text, where it came from and its passages in reading order."""

    path: str
    text: str
    """As decoded, without a byte-order mark; line endings untouched."""
    digest: str
    """xxh3-128, 32 hex, of the text in UTF-8: what decides whether a document changed."""
    title: str
    passages: tuple[Passage, ...]
    stamp: Stamp | None = None
    """None for an open buffer, whose text may differ from the disk's and is never cached."""
    meta: Mapping[str, object] = field(default_factory=dict)
    """Front matter, as far as it could be read: `title`, `date`, `updated`, `aliases`, `lang` ..."""
