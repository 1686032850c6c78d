"""A Markdown text to title, headings and sections with offsets. Knows nothing of passages, tokens or files.

CommonMark block rules and tables by markdown-it-py; inline rules run on headings alone. MDX and JSX are plain text.
All offsets are code points in the text as given, ends exclusive; lines are 0-based and LSP's.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.token import Token

from ddg_lsp.core import front_matter
from ddg_lsp.core.heading_text import MAX_POINTS, heading_text
from ddg_lsp.core.text import LineIndex

_KINDS = {
    "paragraph_open": "paragraph",
    "fence": "fence",
    "code_block": "code",
    "html_block": "html",
    "blockquote_open": "quote",
    "bullet_list_open": "list",
    "ordered_list_open": "list",
    "table_open": "table",
    "hr": "rule",
}
LONG_HEADING = 160
"""Code points of heading text beyond which the heading is body too: what stands in front of every passage is bounded,
and a whole paragraph underlined with `---` is a heading in CommonMark's eyes."""
_CARRIAGE_RETURN = re.compile(r"\r\n?")
_UNREADABLE = re.compile("[\0\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class Heading:
    """A top-level heading; those in quotes and list items are text."""

    level: int
    text: str
    """Plain text without markup, closing `#`, anchors and comments; may be empty."""
    start: int
    end: int
    """Its line or lines, without the last line ending."""
    line: int


@dataclass(frozen=True, slots=True)
class Block:
    """A top-level block of a section's body."""

    kind: str
    """`paragraph`, `fence`, `code`, `html`, `quote`, `list`, `table` or `rule`."""
    start: int
    end: int
    cuts: tuple[int, ...] = ()
    """Where its items begin (list), its parts (quote) or its rows after the header (table)."""
    inner_cuts: tuple[int, ...] = ()
    """Where anything nested deeper begins."""


@dataclass(frozen=True, slots=True)
class Section:
    """A heading and its body up to the next heading of any level, or what stands before the first heading."""

    heading: Heading | None
    path: tuple[str, ...]
    """Heading path, outermost first, empty headings left out; `(title,)` or `()` before the first heading."""
    level: int
    """1 to 6; 0 before the first heading."""
    start: int
    end: int
    heading_start: int
    heading_end: int
    """The heading's line or lines; before the first heading, the first line that is not blank. No line ending."""
    body_start: int
    """After the heading's line ending; where the heading is longer than LONG_HEADING, its start."""
    body_end: int
    line: int
    """The heading's line; before the first heading, the first line that is not blank."""
    end_line: int
    """The line of the section's last character."""
    blocks: tuple[Block, ...]


@dataclass(frozen=True, slots=True)
class Parsed:
    """A parsed document. Sections tile the text from `content_start` on, blank lines before the first heading aside."""

    title: str
    """The first H1, else the front matter's title, else the first heading, else empty."""
    meta: Mapping[str, object]
    """Front matter as plain data; empty when there is none or it cannot be read."""
    content_start: int
    """After byte-order mark and front matter."""
    headings: tuple[Heading, ...]
    sections: tuple[Section, ...]


Found = list[tuple["Heading | None", list[Block]]]
"""Each heading with the blocks below it, in reading order; the first entry has no heading."""


def parse(text: str) -> Parsed:
    """Parse any text; nothing raises, not even NUL, lone surrogates or a megabyte on one line."""
    start, meta = content_of(text)
    lines = LineIndex(text)
    return assembled(text, start, meta, lines, _scan(text, start, lines))


def content_of(text: str) -> tuple[int, Mapping[str, object]]:
    """Where the content starts, after byte-order mark and front matter, and what the front matter says."""
    return front_matter.split(text, 1 if text.startswith("\ufeff") else 0)


def source_of(text: str) -> str:
    """A text as it is parsed: lines ending in LF, U+FFFD for what cannot be shown or sent; as many lines."""
    return _UNREADABLE.sub("\ufffd", _CARRIAGE_RETURN.sub("\n", text))


def assembled(text: str, start: int, meta: Mapping[str, object], lines: LineIndex, found: Found) -> Parsed:
    """Title and sections of a text whose headings are known; `found` begins with what stands before the first."""
    headings = tuple(heading for heading, _ in found if heading is not None)
    meta_title = _meta_title(meta)
    top = next((heading.text for heading in headings if heading.level == 1 and heading.text), "")
    title = top or meta_title or next((heading.text for heading in headings if heading.text), "")
    root = (meta_title,) if meta_title and not top else ()
    sections = tuple(_sections(text, start, lines, found, title, root))
    return Parsed(title, meta, start, headings, sections)


def _meta_title(meta: Mapping[str, object]) -> str:
    value = meta.get("title")
    return " ".join(str(value).split())[:MAX_POINTS] if isinstance(value, (str, int, float)) else ""


@functools.cache
def parser() -> MarkdownIt:
    """The one parser; its inline rules are for headings alone."""
    return MarkdownIt("commonmark").enable("table")


def _scan(text: str, start: int, lines: LineIndex) -> Found:
    source = source_of(text[start:])
    env: dict[str, Any] = {}
    tokens: list[Token] = []
    parser().block.parse(source, parser(), env, tokens)
    places = _Places(lines, lines.line_of(start), start)
    found: Found = [(None, [])]
    for first, last in _top_level(tokens):
        token = tokens[first]
        if token.type == "heading_open":
            heading = _heading(token, tokens[first + 1].content, env, places)
            long = len(heading.text) > LONG_HEADING
            found.append((heading, [Block("paragraph", heading.start, heading.end)] if long else []))
        elif token.map is not None:
            found[-1][1].append(_block(token, tokens[first + 1 : last], places))
    return found


class _Places:
    """The parser's lines, counted from where the content starts, to offsets in the text."""

    def __init__(self, lines: LineIndex, base: int, floor: int) -> None:
        self._lines, self._base, self._floor = lines, base, floor

    def line(self, line: int) -> int:
        return self._base + line

    def start(self, line: int) -> int:
        return max(self._lines.line_start(self._base + line), self._floor)

    def end(self, line: int) -> int:
        return self._lines.line_end(self._base + line)


def _top_level(tokens: Sequence[Token]) -> Iterator[tuple[int, int]]:
    """First and last index of each top-level block's tokens."""
    first = 0
    for index, token in enumerate(tokens):
        if token.level == 0 and token.nesting >= 0:
            first = index
        if token.level == 0 and token.nesting <= 0:
            yield first, index


def _heading(token: Token, source: str, env: dict[str, Any], places: _Places) -> Heading:
    first, after = token.map or (0, 1)
    plain = heading_text(source, parser(), env)
    return Heading(int(token.tag[1:]), plain, places.start(first), places.end(after - 1), places.line(first))


def _block(token: Token, children: Sequence[Token], places: _Places) -> Block:
    first, after = token.map or (0, 1)
    kind = _KINDS.get(token.type, "paragraph")
    start, end = places.start(first), places.start(after)
    if kind == "table":
        rows = [child.map[0] for child in children if child.type == "tr_open" and child.map]
        return Block(kind, start, end, tuple(places.start(row) for row in rows if row > first))
    if kind not in ("list", "quote"):
        return Block(kind, start, end)
    outer = {child.map[0] for child in children if child.level == 1 and child.map}
    inner = {child.map[0] for child in children if child.level > 1 and child.map and child.type != "inline"}
    cuts = tuple(places.start(line) for line in sorted(outer))
    return Block(kind, start, end, cuts, tuple(places.start(line) for line in sorted(inner - outer)))


def _sections(
    text: str, start: int, lines: LineIndex, found: Found, title: str, root: tuple[str, ...]
) -> Iterator[Section]:
    stack: list[Heading] = []
    for index, (heading, blocks) in enumerate(found):
        following = found[index + 1][0] if index + 1 < len(found) else None
        end = following.start if following is not None else len(text)
        if heading is None:
            if text[start:end].strip():
                yield _preface(text, start, end, lines, title, blocks)
            continue
        while stack and stack[-1].level >= heading.level:
            stack.pop()
        stack.append(heading)
        yield Section(
            heading=heading,
            path=root + tuple(above.text for above in stack if above.text),
            level=heading.level,
            start=heading.start,
            end=end,
            heading_start=heading.start,
            heading_end=heading.end,
            body_start=_body_start(heading, lines, end),
            body_end=end,
            line=heading.line,
            end_line=lines.line_of(end - 1),
            blocks=tuple(blocks),
        )


def _body_start(heading: Heading, lines: LineIndex, end: int) -> int:
    if len(heading.text) > LONG_HEADING:
        return heading.start
    return min(lines.line_start(lines.line_of(heading.end) + 1), end)


def _preface(text: str, start: int, end: int, lines: LineIndex, title: str, blocks: list[Block]) -> Section:
    """What stands before the first heading belongs to the document's title."""
    line = lines.line_of(start + len(text[start:end]) - len(text[start:end].lstrip()))
    return Section(
        heading=None,
        path=(title,) if title else (),
        level=0,
        start=start,
        end=end,
        heading_start=max(lines.line_start(line), start),
        heading_end=lines.line_end(line),
        body_start=start,
        body_end=end,
        line=line,
        end_line=lines.line_of(end - 1),
        blocks=tuple(blocks),
    )
