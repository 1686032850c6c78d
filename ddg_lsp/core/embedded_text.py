"""The one place that says what is embedded of a passage. Knows nothing of cutting, tokens or embedders.

Whole:   `path: {path}` NEWLINE `{A > B > C}` BLANK LINE `{piece of the body}`
Opening: the same with the piece's first 320 code points.

The line of headings is left out when there are none, blank line and piece when the piece is empty. Of a piece, line
endings are folded to LF, outer white space is stripped, `data:` URIs are dropped, and NUL and lone surrogates, which no
tokenizer takes, become U+FFFD. A piece that continues a table is preceded by the table's header rows.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Sequence

from ddg_lsp.core.model import Passage

OPENING_POINTS = 320
"""Code points of the piece in an opening; the embedder cuts it to OPENING_TOKENS."""
PATH_WIDTH = 160
HEADINGS_WIDTH = 320
"""Bounds of the head, a character beyond Latin counting 2: some 300 tokens at most, whatever the script."""

_DROPPED = re.compile(
    r"""(?x)
    \r (?=\n)
  | (?: [Dd]ata | DATA ) :
    (?: [\w.+-]+/[\w.+-]+ (?:;[\w.+-]+(?:=[\w.+%-]*)?)*? | (?=;base64,) )
    (?: ;base64, [\w+/=%-]*
        (?: (?:\r\n?|\n) [ \t]* [A-Za-z0-9+/]{60,} )*  # wrapped, as mail and some exporters do
        (?: (?:\r\n?|\n) [ \t]* [A-Za-z0-9+/]* ={1,2} )?
      | , [^\s"'<>()\[\]\\`]* )
    """
)
_UNTOKENIZABLE = re.compile("[\0\ud800-\udfff]")


class Flat:
    """A stretch of a document as it is embedded, and the way back: what is dropped is dropped here and nowhere else.

    `text` differs from the stretch only by deletions and by lone CR turned into LF.
    """

    def __init__(self, text: str, start: int, end: int) -> None:
        self._start, self._end = start, end
        source = text[start:end]
        parts: list[str] = []
        kept = dropped = 0
        self._first: list[int] = []  # where each deletion begins in the stretch
        self._place: list[int] = []  # and in `text`
        self._gone = [0]  # how much is deleted before it
        for match in _DROPPED.finditer(source) if _may_drop(source) else ():
            first, after = match.span()
            parts.append(source[kept:first])
            self._first.append(first)
            self._place.append(first - dropped)
            dropped += after - first
            self._gone.append(dropped)
            kept = after
        parts.append(source[kept:])
        self.text = "".join(parts).replace("\r", "\n")

    def from_document(self, offset: int) -> int:
        """The place in `text` of a document offset; of a dropped one, where it was dropped."""
        local = min(max(offset, self._start), self._end) - self._start
        count = bisect_left(self._first, local)
        if count == 0:
            return local
        return max(local - self._gone[count], self._place[count - 1])

    def to_document(self, place: int) -> int:
        """The document offset of a place in `text`; where something was dropped, the offset before that."""
        return self._start + place + self._gone[bisect_left(self._place, place)]


def _may_drop(source: str) -> bool:
    """A cheap look first: few documents have anything to drop, and the expression costs more than all the rest."""
    return "\r" in source or "ata:" in source or "ATA:" in source


def flatten(text: str) -> str:
    """A stretch of text as it is embedded, outer white space still on."""
    return Flat(text, 0, len(text)).text


def head(path: str, headings: Sequence[str]) -> str:
    """What stands before the piece: the path and the heading path, bounded so that room for the piece remains."""
    first = f"path: {_tail(path, PATH_WIDTH)}"
    return f"{first}\n{_innermost(headings, HEADINGS_WIDTH)}" if headings else first


def compose(head: str, piece: str, table_header: str = "") -> str:
    """The embedded text of a head and a flattened piece, and of the rows it continues."""
    piece = piece.strip()
    if table_header and piece:
        piece = f"{table_header.strip()}\n{piece}"
    whole = f"{head}\n\n{piece}" if piece else head
    return _UNTOKENIZABLE.sub("\ufffd", whole)


def whole_text(text: str, passage: Passage) -> str:
    """What is embedded for the whole of a passage of the document with this text, prefix not included."""
    header = flatten(text[slice(*passage.table_header)]) if passage.table_header else ""
    piece = flatten(text[passage.body_start : passage.body_end])
    return compose(head(passage.path, passage.headings), piece, header)


def opening_text(text: str, passage: Passage) -> str:
    """What is embedded for the opening of a passage of the document with this text, prefix not included."""
    piece = flatten(text[passage.body_start : passage.body_end]).strip()
    return compose(head(passage.path, passage.headings), piece[:OPENING_POINTS])


def _tail(path: str, width: int) -> str:
    kept = _fitting(path[::-1], width)
    return path[len(path) - kept :]


def _innermost(headings: Sequence[str], width: int) -> str:
    shown = headings[-1][: _fitting(headings[-1], width)]
    for heading in reversed(headings[:-1]):
        if len(heading) + len(shown) + 3 > width:  # before building it: a heading may be a megabyte
            break
        longer = f"{heading} > {shown}"
        if _fitting(longer, width) < len(longer):
            break
        shown = longer
    return shown


def _fitting(text: str, width: int) -> int:
    """How many of the first characters fit into the width."""
    if len(text) * 2 <= width:
        return len(text)
    for index, character in enumerate(text):
        width -= 1 if character < "\u0250" else 2
        if width < 0:
            return index
    return len(text)
