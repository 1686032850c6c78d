"""A Markdown text to its title and headings by its lines alone: some twenty times as fast as parsing it.

Right for the way documents are written, not for every text: a heading within a list item, a comment in the middle of a
line or a link reference in a heading may be seen differently than by the parser. So it never decides what a section is;
it only confirms, or not, what is said of a text whose parse was kept. Knows nothing of caches, passages or files.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from markdown_it.common.html_blocks import block_names

from ddg_lsp.core import markdown
from ddg_lsp.core.heading_text import heading_text
from ddg_lsp.core.markdown import Heading, Parsed
from ddg_lsp.core.text import LineIndex

_UNDERLINE = re.compile(r"(?:=+|-+)[ \t]*\Z")
_RULE = re.compile(r"([-*_])[ \t]*(?:\1[ \t]*){2,}\Z")
_FENCE = re.compile(r"(`{3,})[^`]*\Z|(~{3,})")
_CONTAINER = re.compile(r">|(?:[-+*]|\d{1,9}[.)])(?:[ \t]|\Z)")
_VERBATIM = re.compile(r"<(pre|script|style|textarea)(?:[ \t>]|\Z)", re.IGNORECASE)
_TAG = re.compile(r"</?([A-Za-z][A-Za-z0-9-]*)(?:[ \t>/][^<>]*>?[ \t]*)?")
"""A tag at the beginning of a line; the whole line, when there is nothing but the tag."""
_TELLING = frozenset("#=-*_`~><+0123456789")
"""First characters of lines that may be more than text."""
_NO_HEADING = -1
"""Where a paragraph begins that cannot be underlined: in a quote, a list or HTML."""


def outlined(text: str) -> Parsed:
    """What `markdown.parse` says of a text, blocks left out, as far as its lines tell."""
    start, meta = markdown.content_of(text)
    lines = LineIndex(text)
    base = lines.line_of(start)
    found: markdown.Found = [(None, [])]
    for first, last, level, source in _headings(markdown.source_of(text[start:]).split("\n")):
        begin, end = max(lines.line_start(base + first), start), lines.line_end(base + last)
        plain = heading_text(source, markdown.parser(), {})
        found.append((Heading(level, plain, begin, end, base + first), []))
    return markdown.assembled(text, start, meta, lines, found)


@dataclass(slots=True)
class _State:
    """What the lines so far leave open."""

    until: re.Pattern[str] | None = None
    """Lines are no Markdown up to the one in which this is found: a fence, a comment, a script."""
    html: bool = False
    """Nor are they up to the next blank line."""
    paragraph: int | None = None
    """The line the paragraph began at that a line of text would continue."""
    headings: list[tuple[int, int, int, str]] = field(default_factory=list)


def _headings(lines: list[str]) -> list[tuple[int, int, int, str]]:
    """First line, last line, level and source of each heading."""
    state = _State()
    for number, line in enumerate(lines):
        if state.until is not None:
            if state.until.search(line):
                state.until = None
            continue
        bare = line.lstrip(" ")
        if not bare.strip("\t "):
            state.html, state.paragraph = False, None
        elif state.html or len(line) - len(bare) > 3 or bare[0] == "\t":
            continue
        elif bare[0] not in _TELLING or not _special(state, lines, number, bare):
            state.paragraph = number if state.paragraph is None else state.paragraph
    return state.headings


def _special(state: _State, lines: list[str], number: int, bare: str) -> bool:
    """Take note of a line that is more than text; False when it is not."""
    open_paragraph = state.paragraph is not None and state.paragraph != _NO_HEADING
    level = len(bare) - len(bare.lstrip("#"))
    if 1 <= level <= 6 and bare[level : level + 1] in ("", " ", "\t"):
        state.headings.append((number, number, level, _without_closing(bare[level:].strip(" \t"))))
        state.paragraph = None
    elif open_paragraph and _UNDERLINE.match(bare):
        first = state.paragraph or 0
        state.headings.append((first, number, 1 if bare[0] == "=" else 2, "\n".join(lines[first:number])))
        state.paragraph = None
    elif (fence := _FENCE.match(bare)) is not None:
        mark = fence[1] or fence[2]
        state.until = re.compile(rf"\A {{0,3}}{mark[0]}{{{len(mark)},}}[ \t]*\Z")
        state.paragraph = None
    elif _RULE.match(bare):
        state.paragraph = None
    elif bare.startswith("<"):
        return _html(state, bare, open_paragraph=open_paragraph)
    elif not open_paragraph and _CONTAINER.match(bare):
        state.paragraph = _NO_HEADING
    else:
        return False
    return True


def _without_closing(source: str) -> str:
    shorter = source.rstrip("#")
    return shorter.rstrip(" \t") if not shorter or shorter[-1] in " \t" else source


def _html(state: _State, bare: str, *, open_paragraph: bool) -> bool:
    """The same for a line that begins with `<`."""
    verbatim = _VERBATIM.match(bare)
    end = "-->" if bare.startswith("<!--") else f"(?i)</{verbatim[1]}>" if verbatim else ""
    if end:
        state.until = None if re.search(end, bare) else re.compile(end)
        state.paragraph = None
        return True
    tag = _TAG.match(bare)
    if tag is None or not (tag[1].lower() in block_names or (tag.end() == len(bare) and not open_paragraph)):
        return False
    state.html = True
    return True
