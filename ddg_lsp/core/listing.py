"""What a scan hands back: files, and a bounded list of what was left out; and how an unsafe name is shown.

Owns these value types. Must not know how they come about.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import NamedTuple

from ddg_lsp.core.corpus_rules import MAX_SKIPS
from ddg_lsp.core.model import Skip, Stamp

_UNSAFE = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
"""Control characters, marks that turn the direction of text around, and bytes that are no Unicode."""
_ROUTINE = frozenset({"hidden", "skip-folder", "ignored", "excluded", "same-file"})
"""Reasons that give way when the list of skips is full: they say what was asked for."""


class FileEntry(NamedTuple):
    """A document of the corpus. `path` is folder-relative with `/`, spelled as on disk."""

    path: str
    stamp: Stamp


@dataclass(frozen=True, slots=True)
class Listing:
    """What one scan found. Both are sorted by path, by code point."""

    files: tuple[FileEntry, ...]
    skipped: tuple[Skip, ...]


class SkipList:
    """Collects skips, keeps at most `MAX_SKIPS` of them and counts the rest."""

    def __init__(self) -> None:
        self._telling: list[Skip] = []
        self._routine: list[Skip] = []
        self._count = 0

    def add(self, path: str, reason: str) -> None:
        """Note a skip; a folder's path ends in `/`."""
        self._count += 1
        kept = self._routine if reason in _ROUTINE else self._telling
        if len(kept) < MAX_SKIPS:
            kept.append(Skip(shown(path), reason))

    def sorted(self) -> tuple[Skip, ...]:
        """By path; where there were too many, one entry `... and 12 more` with the reason `more` at the end."""
        kept = (self._telling + self._routine)[:MAX_SKIPS]
        result = sorted(kept, key=lambda skip: (skip.path, skip.reason))
        if self._count > len(result):
            result.append(Skip(f"... and {self._count - len(result)} more", "more"))
        return tuple(result)


def safe_name(name: str) -> bool:
    """Whether a name can be shown, sent and written to a log as it is."""
    return _UNSAFE.search(name) is None


def shown(path: str) -> str:
    """A path that can be shown and encoded: what is unsafe in it is written as an escape."""
    return _UNSAFE.sub(lambda found: found[0].encode("unicode_escape", "surrogatepass").decode(), path)
