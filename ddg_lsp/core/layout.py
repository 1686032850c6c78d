"""Whether what is said of a text's passages is true of the text. Reads no file, and trusts nothing it is given.

A cache may have come with a repository, with every sum in order. What an answer shows of a passage (its headings, its
lines, its id) and what its vector is looked up by is therefore held against the text itself. What cannot be seen from
the text is where a long body was cut, and a vector's numbers: those are taken on trust, and can only change an order.
"""

from __future__ import annotations

from collections.abc import Sequence

from ddg_lsp.core.markdown import Parsed, Section
from ddg_lsp.core.model import Passage
from ddg_lsp.core.passages import hash_of, hash_of_opening, names_of, opening_text, whole_text

MAX_HEADER = 1_000
"""Code points of a table's header as it stands in the text. Every piece of the table is hashed with it: a forged one
could be the whole document, once for each of very many pieces."""


def holds(path: str, passages: Sequence[Passage], parsed: Parsed, text: str) -> bool:
    """Whether these are passages of the document at `path` with this text, all of them, in reading order.

    False may also mean that `parsed`, which may be an outline, is not exact.
    """
    at = 0
    for section in parsed.sections:
        count = _pieces(section, passages, at)
        if not count:
            return False
        at += count
    if at != len(passages) or any(passage.path != path for passage in passages):
        return False
    names = names_of(path, (passage.fingerprint for passage in passages))
    return all(p.id == name and _hashes_hold(p, text) for p, name in zip(passages, names, strict=True))


def _pieces(section: Section, passages: Sequence[Passage], first: int) -> int:
    """How many passages, from `first` on, make up this section; 0 when they do not."""
    at, place = first, section.body_start
    while at < len(passages) and passages[at].start == section.start:
        passage = passages[at]
        is_empty = passage.body_end <= passage.body_start
        if not _is_of(passage, section) or passage.body_start != place or (is_empty and at > first):
            return 0
        at, place = at + 1, passage.body_end
    return at - first if place == section.body_end else 0


def _is_of(passage: Passage, section: Section) -> bool:
    places = (passage.start, passage.end, passage.heading_start, passage.heading_end, passage.line, passage.end_line)
    return (
        places
        == (section.start, section.end, section.heading_start, section.heading_end, section.line, section.end_line)
        and passage.headings == section.path
        and passage.level == section.level
        and (passage.table_header is None or passage.table_header[0] >= section.body_start)
    )


def _hashes_hold(passage: Passage, text: str) -> bool:
    if passage.table_header is not None and not _is_header(text, *passage.table_header, passage.body_start):
        return False
    whole, opening = whole_text(text, passage), opening_text(text, passage)
    if passage.fingerprint != hash_of(whole):
        return False
    shared = whole == opening and passage.opening == passage.fingerprint
    return shared or passage.opening == hash_of_opening(opening)


def _is_header(text: str, start: int, end: int, body_start: int) -> bool:
    """Whether whole lines with something in them stand there, before the piece that repeats them."""
    if not start < end <= min(body_start, start + MAX_HEADER):
        return False
    if text[end - 1] not in "\r\n" or (start and text[start - 1] not in "\r\n"):
        return False
    return all(row.strip() for row in text[start:end].splitlines())
