"""What an index says of one page: its title, one line about it, and the links in it. Knows Markdown, not the site.

Owns which words of a page stand for it. A page is parsed as far as that needs, not to its end: the map of a large
folder is asked for while somebody waits.
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
from ddg_lsp.core.heading_text import heading_text

MAX_NOTE = 200
"""Code points of a note that was taken from the text; what an author wrote as the description is not cut."""
HEAD_POINTS = (1_000, 8_000)
"""Code points within which a title and a first paragraph nearly always stand: parsing takes a page's length."""
_MAX_INLINE = 2_000
_MAX_BRACKETS = 64
"""Paragraphs with more are taken as they are: the inline parser's time grows with their square."""
_CARRIAGE_RETURN = re.compile(r"\r\n?")
_UNREADABLE = re.compile("[\0\ud800-\udfff]")
_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
_END = re.compile(r"[.!?\u2026]+[\"'\u201d\u2019)\]]*(?=\s|$)|[\u3002\uff01\uff1f]+[\u300d\u300f\uff09\u201d]*")
_SHORT = re.compile(r"(?:^|[\s(])(?:[A-HJ-Za-z]|e\.g|i\.e|cf|vs|etc|approx|no|fig|dr|mr|mrs|st)\.$", re.I)
_YES = frozenset({"true", "yes", "on", "1"})
_NO = frozenset({"false", "no", "off", "0"})


@dataclass(frozen=True, slots=True)
class Head:
    """One page as an index shows it."""

    title: str
    """Front matter's title, else the first H1, else empty."""
    note: str
    """Front matter's description, else the first sentence of the first paragraph, else empty."""
    listed: bool
    """False where the page says `draft: true` or `llms: false`."""


def head(text: str) -> Head:
    """The head of any text; nothing raises."""
    start, meta = front_matter.split(text, 1 if text.startswith("\ufeff") else 0)
    source = _normal(text[start:])
    title, note = one_line(_word(meta, "title")), one_line(_word(meta, "description"))
    if not (title and note):
        found_title, found_note = _read(source)
        title, note = title or found_title, note or found_note
    return Head(title, note, not _says(meta, "draft", _YES) and not _says(meta, "llms", _NO))


def links(text: str) -> list[str]:
    """The targets of all links of a page, in order, as written."""
    start, _ = front_matter.split(text, 1 if text.startswith("\ufeff") else 0)
    found: list[str] = []
    env: dict[str, Any] = {}
    for token in _blocks(_normal(text[start:]), env):
        if token.type == "inline" and token.content.count("[") <= _MAX_BRACKETS:
            found += [str(one.attrGet("href")) for one in _inline(token.content, env) if one.type == "link_open"]
    return found


def body(text: str) -> str:
    """The page without front matter and without its own H1, lines ending in LF, no blank lines at the ends."""
    start, _ = front_matter.split(text, 1 if text.startswith("\ufeff") else 0)
    source = _normal(text[start:])
    tops = (one for part in _beginnings(source) for one in _blocks(part, {}) if _opens_title(one))
    if (top := next(tops, None)) is not None and top.map is not None:
        lines = source.split("\n")
        source = "\n".join(lines[: top.map[0]] + lines[top.map[1] :])
    return source.strip("\n").rstrip()


def one_line(text: str) -> str:
    """White space collapsed, control characters away."""
    return " ".join(_CONTROL.sub("", " ".join(text.split())).split())


def first_sentence(text: str) -> str:
    """The first sentence of a line of text, at most `MAX_NOTE` code points; a longer one is cut at a word."""
    end = len(text)
    for found in _END.finditer(text):
        if found[0] != "." or not _SHORT.search(text[max(found.end() - 8, 0) : found.end()]):
            end = found.end()
            break
    sentence = text[:end]
    if len(sentence) <= MAX_NOTE:
        return sentence
    cut = sentence[: MAX_NOTE - 1]
    return (cut.rsplit(None, 1)[0] if " " in cut[MAX_NOTE // 2 :] else cut) + "…"


def _normal(text: str) -> str:
    return _UNREADABLE.sub("\ufffd", _CARRIAGE_RETURN.sub("\n", text))


def _word(meta: Mapping[str, object], key: str) -> str:
    value = meta.get(key)
    return str(value) if isinstance(value, (str, int, float)) and not isinstance(value, bool) else ""


def _says(meta: Mapping[str, object], key: str, words: frozenset[str]) -> bool:
    return str(meta.get(key, "")).strip().lower() in words


def _read(source: str) -> tuple[str, str]:
    """First H1 and first sentence; from the beginning of the page where that holds both for certain."""
    title = note = ""
    for part in _beginnings(source):
        env: dict[str, Any] = {}
        title, note = _title_and_note(_blocks(part, env), env)
        if title and note and "[" not in title + note:  # what a bracket refers to may stand at the very end
            break
    return title, note


def _beginnings(source: str) -> Iterator[str]:
    """Longer and longer beginnings that end between two blocks, the whole page last."""
    for points in HEAD_POINTS:
        if len(source) > points and (cut := source.rfind("\n\n", 0, points)) > 0:
            yield source[:cut]
    yield source


def _title_and_note(tokens: Sequence[Token], env: dict[str, Any]) -> tuple[str, str]:
    title = note = ""
    for first, token in enumerate(tokens):
        if not title and _opens_title(token):
            title = one_line(heading_text(tokens[first + 1].content, _parser(), env))
        elif not note and token.type == "paragraph_open" and token.level == 0:
            note = first_sentence(one_line(_plain(tokens[first + 1].content, env)))
        if title and note:
            break
    return title, note


def _opens_title(token: Token) -> bool:
    return token.type == "heading_open" and token.tag == "h1" and token.level == 0


@functools.cache
def _parser() -> MarkdownIt:
    return MarkdownIt("commonmark").enable("table")


def _blocks(source: str, env: dict[str, Any]) -> list[Token]:
    tokens: list[Token] = []
    _parser().block.parse(source, _parser(), env, tokens)
    return tokens


def _inline(source: str, env: dict[str, Any]) -> list[Token]:
    tokens: list[Token] = []
    _parser().inline.parse(source, _parser(), env, tokens)
    return tokens


def _plain(source: str, env: dict[str, Any]) -> str:
    """Inline Markdown as text: links as their words, pictures and tags as nothing."""
    source = source[:_MAX_INLINE]
    if source.count("[") > _MAX_BRACKETS:
        return source
    return "".join(_words(_inline(source, env)))


def _words(tokens: Sequence[Token]) -> Iterator[str]:
    for token in tokens:
        if token.type in ("softbreak", "hardbreak"):
            yield " "
        elif token.type in ("text", "code_inline", "text_special"):
            yield token.content
