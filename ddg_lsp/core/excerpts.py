"""A few words of a passage to show under its heading: where most of the question's words are, else the start."""

from __future__ import annotations

import re

from ddg_lsp.core.embedded_text import flatten
from ddg_lsp.core.model import Passage
from ddg_lsp.core.terms import spans

EXCERPT = 240
"""Code points of an excerpt, the ellipses included."""
_SCANNED = 4_000
_SPACE = re.compile(r"\s+")
_LINK = re.compile(r"!?\[([^\]\n]*)\]\([^)\n]*\)")
_NOISE = re.compile(
    r"<!--.*?-->|^[ \t]*(?:```|~~~|:::+|///+)[^\n]*$"
    r"|^[ \t]*\|?[ \t:|-]*--[ \t:|-]*$"
    r"|\*\*|__(?=\w)|(?<=\w)__",
    re.DOTALL | re.MULTILINE,
)
_ROW = re.compile(r"[ \t]*\|(?!\|)")
"""A table's row, written with its outer bar; of a line without one nobody can say that its bars are no code."""
_CELLS = re.compile(r"(?:[ \t]*(?<!\\)\|)+[ \t]*")


def excerpt(text: str, passage: Passage, wanted: frozenset[str]) -> str:
    """At most `EXCERPT` code points of the passage's body on one line; empty when the body is."""
    body = flatten(text[passage.body_start : passage.body_end])[:_SCANNED]
    plain = _NOISE.sub("", "\n".join(map(_row, _LINK.sub(r"\1", body).splitlines())))
    line = _SPACE.sub(" ", plain).strip()
    if len(line) <= EXCERPT:
        return line
    start = _best_start(line, wanted) if wanted else 0
    return _cut(line, start)


def _row(line: str) -> str:
    """A table's row with dots between its cells; the row below a header, and any other line, as it is."""
    if not _ROW.match(line) or _NOISE.fullmatch(line):
        return line
    return _CELLS.sub(" · ", line).strip(" \t·")


def _best_start(line: str, wanted: frozenset[str]) -> int:
    """Start of the word from which most distinct wanted terms follow within an excerpt; the earliest such."""
    found = [(start, term) for term, start, _ in spans(line) if term in wanted]
    best, best_count = 0, 0
    for index, (start, _) in enumerate(found):
        count = len({term for at, term in found[index : index + 64] if at - start < EXCERPT - 40})
        if count > best_count:
            best, best_count = start, count
    return _word_start(line, max(0, best - 30))


def _word_start(line: str, at: int) -> int:
    if at == 0:
        return 0
    space = line.find(" ", at, at + 30)
    return at if space < 0 else space + 1


def _cut(line: str, start: int) -> str:
    start = max(0, min(start, len(line) - EXCERPT + 1))
    head = "…" if start else ""
    if len(line) - start + len(head) <= EXCERPT:
        return head + line[start:]
    piece = line[start : start + EXCERPT - len(head) - 1]
    space = piece.rfind(" ", EXCERPT - 40)
    return head + (piece if space < 0 else piece[:space]).rstrip() + "…"
