"""Text made comparable, and the way back: which characters of the original a folded character came from.

Owns the two folds (`literal` for source C's mode, `compatible` for search terms). Knows nothing of words or documents.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import NamedTuple


class Folded(NamedTuple):
    """A folded text; character `i` of it stands for `starts[i]` to `ends[i]` (exclusive) of the original."""

    text: str
    starts: list[int]
    ends: list[int]


def literal(text: str) -> str:
    """NFC and case fold: what two spellings of the same characters have in common, and nothing more."""
    if text.isascii():
        return text.lower()
    # Case folding may leave letters decomposed (U+01F0), hence the second normalisation.
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", text).casefold())


def compatible(text: str) -> str:
    """NFKC: full-width and half-width forms, ligatures and the like become their plain characters; case stays."""
    return text if text.isascii() else unicodedata.normalize("NFKC", text)


def with_places(text: str, fold: Callable[[str], str]) -> Folded:
    """`fold(text)` with the places its characters came from. `fold`: `literal` or `compatible`."""
    folded = fold(text)
    if folded == text or text.isascii():
        return Folded(folded, list(range(len(text))), list(range(1, len(text) + 1)))
    pieces: list[str] = []
    starts: list[int] = []
    ends: list[int] = []
    for start, end in _clusters(text):
        piece = fold(text[start:end])
        pieces.append(piece)
        starts.extend([start] * len(piece))
        ends.extend([end] * len(piece))
    return Folded("".join(pieces), starts, ends)


def _clusters(text: str) -> Iterator[tuple[int, int]]:
    """Places of the smallest stretches of `text` that fold on their own: a character and what may compose with it."""
    start = 0
    for at in range(1, len(text)):
        if text[at] < "\u0300" or not _composes(text[at]):
            yield start, at
            start = at
    if text:
        yield start, len(text)


@lru_cache(maxsize=4096)
def _composes(character: str) -> bool:
    """Whether a character may melt into the one before it: marks, and the vowels and finals of decomposed Hangul."""
    first = unicodedata.normalize("NFKD", character)[0]
    return unicodedata.category(first)[0] == "M" or "\u1160" <= first <= "\u11ff"
