"""The order of files in mode `lexical`, and what it asks of them: key, then priority, date and path.

Owns the folded texts that are kept between questions. Knows nothing of dictionaries, nor of how a plan came to be.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone
from typing import NamedTuple

from ddg_lsp.core.globs import match_globs
from ddg_lsp.core.literal import LiteralScore, TermPlan, folded_passages, keys, score_passage
from ddg_lsp.core.model import Document, Passage

DEFAULT_PRIORITY = 100
_ISO = re.compile(r"\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d{1,6})?)?(?:Z|[+-]\d{2}:\d{2})?)?")


class Ranked(NamedTuple):
    """A file as the order sees it: its best passage's key, and `date` from `date_of`."""

    path: str
    key: int
    priority: int = DEFAULT_PRIORITY
    date: int = 0


@dataclass(frozen=True, slots=True)
class LiteralFile:
    """A file with at least one term; `ordinal` is its first passage with the best key, `keys` are all of them."""

    document: Document
    ordinal: int
    score: LiteralScore
    keys: tuple[int, ...]
    order: Ranked


def sort_key(file: Ranked) -> tuple[int, int, int, str]:
    """Key descending, priority ascending, date descending, path by code point."""
    return (-file.key, file.priority, -file.date, file.path)


def rank(files: Iterable[Ranked]) -> list[Ranked]:
    """Files in the order of `sort_key`."""
    return sorted(files, key=sort_key)


def date_of(meta: Mapping[str, object]) -> int:
    """A document's own date as a number, later ones larger: front matter `updated`, else `date`; 0 if neither is ISO.

    Never the file's: a clone would order differently. A time without a zone is taken as UTC.
    """
    return next((found for name in ("updated", "date") if (found := _moment(meta.get(name)))), 0)


def _moment(value: object) -> int:
    text = value.strip() if isinstance(value, str) else ""
    if not _ISO.fullmatch(text):
        return 0
    fraction = re.compile(r"\.(\d+)")  # Python 3.10 takes three or six digits only
    text = fraction.sub(lambda match: f".{match[1]:0<6}", text.replace("Z", "+00:00"))
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return 0
    offset = moment.utcoffset() or timedelta(0)
    since = moment.replace(tzinfo=timezone.utc) - datetime(1, 1, 1, tzinfo=timezone.utc) - offset
    return max(since // timedelta(microseconds=1), 0) + 1


def priority_of(priorities: Mapping[str, int]) -> Callable[[str], int]:
    """A function from a path to its priority: that of the first pattern that matches, else 100."""
    tests = [(match_globs([pattern]), priority) for pattern, priority in priorities.items()]
    return lambda path: next((priority for matches, priority in tests if matches(path)), DEFAULT_PRIORITY)


class FoldedTexts:
    """The folded passages of one folder's documents, kept as long as a document is the same. For one thread."""

    def __init__(self) -> None:
        self._kept: dict[str, tuple[str, tuple[Passage, ...], tuple[str, ...]]] = {}

    def of(self, documents: Sequence[Document]) -> list[tuple[str, ...]]:
        """The folded passages of each document; what is kept of other documents is dropped."""
        before, self._kept = self._kept, {}
        for document in documents:
            known = before.get(document.path)
            if known is None or known[0] != document.digest or known[1] != document.passages:
                known = (document.digest, document.passages, folded_passages(document))
            self._kept[document.path] = known
        return [self._kept[document.path][2] for document in documents]


def search(
    plan: TermPlan, documents: Sequence[Document], texts: FoldedTexts, priority: Callable[[str], int]
) -> list[LiteralFile]:
    """The documents in which a term occurs, in order; a document is as good as its best passage."""
    folded = texts.of(documents)
    found = keys(plan, [text for passages in folded for text in passages]).tolist()
    files: list[LiteralFile] = []
    at = 0
    for document, passages in zip(documents, folded, strict=True):
        own = tuple(found[at : at + len(passages)])
        at += len(passages)
        best = max(own, default=0)
        if best:
            ordinal = own.index(best)
            order = Ranked(document.path, best, priority(document.path), date_of(document.meta))
            files.append(LiteralFile(document, ordinal, score_passage(plan, passages[ordinal]), own, order))
    return sorted(files, key=lambda file: sort_key(file.order))
