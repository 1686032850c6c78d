"""Where a body that is too long is cut. Knows flat text and places in it; nothing of documents, tokens or passages."""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass

Room = Callable[[int], int]
"""How many code points a piece that begins at this place may hold."""

_MIN_FILL = 4
"""A piece is at least one part in this many full, unless that would cut into something that fits a piece by itself."""
_MAX_CLUSTER = 64
"""Code points a combining sequence may have before it is cut anyway (Zalgo text has hundreds)."""

_SPACE = re.compile(r"\s*")
_BLANK_LINE = re.compile(r"\n[ \t]*\n")
_SENTENCE_END = re.compile(r"""(?:(?<!\d)\.|[!?…;؟۔।])[\])}"'’”»*_]*\s|[。！？｡．；][」』）】》”’]*""")
_ATTACHED = re.compile("[\u200c\u200d\ufe0e\ufe0f\u1160-\u11ff\U0001f3fb-\U0001f3ff]")  # joiners, jamo, skin tones
_FLAG_HALF = re.compile("[\U0001f1e6-\U0001f1ff]")


@dataclass(frozen=True, slots=True)
class Borders:
    """Places where a body falls apart by itself, sorted; each finer list is tried when the coarser ones do not help."""

    blocks: Sequence[int] = ()
    items: Sequence[int] = ()
    inner: Sequence[int] = ()


def pieces(text: str, start: int, end: int, borders: Borders, room: Room) -> list[tuple[int, int]]:
    """Cut `text[start:end]` into pieces that tile it, each with at most `room(its start)` code points.

    Outer white space does not count, and one code point goes into each piece whatever the room. White space stays with
    the piece before it, indentation with the line it indents. One piece is returned for an empty or blank stretch.
    """
    found: list[tuple[int, int]] = []
    last = start + len(text[start:end].rstrip())
    place = start
    while True:
        first = _after_space(text, place, last)
        limit = first + max(room(place), 1)
        if limit >= last:
            found.append((place, end))
            return found
        cut = _cut(text, first, limit, last, borders)
        cut = _with_trailing_space(text, cut, last)
        found.append((place, cut))
        place = cut


def _after_space(text: str, place: int, end: int) -> int:
    match = _SPACE.match(text, place, max(end, place))
    return match.end() if match else place


def _with_trailing_space(text: str, cut: int, end: int) -> int:
    after = _after_space(text, cut, end)
    if text[cut - 1] == "\n":  # leave the next line its indentation
        return max(text.rfind("\n", cut, after) + 1, cut)
    newline = text.rfind("\n", cut, after)
    return after if newline < 0 else newline + 1


def _cut(text: str, first: int, limit: int, end: int, borders: Borders) -> int:
    """The best place in `(first, limit]` to end a piece that begins at `first`."""
    least = first + (limit - first) // _MIN_FILL
    spare: list[int] = []
    for places in (borders.blocks, borders.items, borders.inner):
        cut = _last_border(places, first, limit)
        if cut is None:
            continue
        if cut >= least or _next_border(places, cut, end) - cut <= limit - first:
            return cut
        spare.append(cut)
    limit = min(limit, max(end - (least - first), least))  # rather two fair pieces than a full one and a shred
    for finder in (_last_blank_line, _last_line, _last_sentence, _last_space):
        cut = finder(text, first, limit)
        if cut is None:
            continue
        if cut >= least:
            return cut
        spare.append(cut)
    return spare[0] if spare else _anywhere(text, first, limit)


def _last_border(places: Sequence[int], first: int, limit: int) -> int | None:
    index = bisect_right(places, limit)
    return places[index - 1] if index and places[index - 1] > first else None


def _next_border(places: Sequence[int], place: int, end: int) -> int:
    index = bisect_right(places, place)
    return places[index] if index < len(places) else end


def _last_blank_line(text: str, first: int, limit: int) -> int | None:
    cut = None
    for match in _BLANK_LINE.finditer(text, first, limit):
        cut = match.end()
    return cut


def _last_line(text: str, first: int, limit: int) -> int | None:
    found = text.rfind("\n", first, limit)
    return found + 1 if found >= 0 else None


def _last_sentence(text: str, first: int, limit: int) -> int | None:
    cut = None
    for match in _SENTENCE_END.finditer(text, first, limit):
        cut = match.end()
    return cut


def _last_space(text: str, first: int, limit: int) -> int | None:
    for place in range(limit, first, -1):
        if text[place - 1].isspace():
            return place
    return None


def _anywhere(text: str, first: int, limit: int) -> int:
    for cut in range(limit, max(first, limit - _MAX_CLUSTER), -1):
        if _separable(text[cut - 1], text[cut]):
            return cut
    return limit


def _separable(before: str, after: str) -> bool:
    if "\ud800" <= before <= "\udbff" and "\udc00" <= after <= "\udfff":
        return False
    if before == "\u200d" or _ATTACHED.match(after) or (_FLAG_HALF.match(before) and _FLAG_HALF.match(after)):
        return False
    return not unicodedata.category(after).startswith("M")
