"""One line of an llms.txt to the link it begins with. Linear in the line; nothing raises.

Owns brackets, destinations and what may stand in front of a link. Must not know sections or addresses' meaning.
"""

from __future__ import annotations

import re
from typing import NamedTuple

_BULLET = re.compile(r"[ \t]*(?:[-*+]|\d{1,9}[.)])[ \t]+")
_LABEL = re.compile(r"[*_]{0,3}[^\[\]:<>*_]{1,40}[*_]{0,3}:[*_]{0,3}[ \t]+")
_EMPHASIS = re.compile(r"[*_]{1,3}")
_ESCAPE = re.compile(r"\\([!-/:-@\[-`{-~])")
_IMAGE = re.compile(r"!\[([^\[\]]*)\]\([^()]*\)")
_BARE = re.compile(r"(?:([^\[\]:<>]{1,80}):[ \t]+)?<?(https?://[^\s<>]+)>?[ \t]*(.*)")
_SEPARATOR = re.compile(r"(?::|-{1,3}|[\u2013\u2014])[ \t]*")
MAX_NAME, MAX_TARGET = 2_000, 8_000
"""Code points between a link's brackets that are looked at; what is longer is no link."""
_QUOTES = {'"': '"', "'": "'", "(": ")"}


class Leading(NamedTuple):
    """A line's first link as written: `target` still relative and possibly empty."""

    name: str
    target: str
    notes: str


def bullet(line: str) -> int:
    """Where the text of a list item begins; 0 for a line that is none."""
    found = _BULLET.match(line)
    return found.end() if found else 0


def leading_link(line: str) -> Leading | None:
    """The link a line begins with, after a bullet, emphasis or (in a list item) a short label; None for other lines."""
    start = bullet(line)
    listed = start > 0
    start += len(line) - start - len(line[start:].lstrip())
    if listed and (label := _LABEL.match(line, start)) and _opens(line, label.end()):
        start = label.end()
    if emphasis := _EMPHASIS.match(line, start):
        start = emphasis.end()
    if not line.startswith("[", start):
        return None
    end = _bracket_end(line, start)
    if end < 0 or not line.startswith("(", end + 1):
        return None
    found = _destination(line, end + 2)
    if found is None:
        return None
    target, after = found
    return Leading(_name(line[start + 1 : end]), target, _notes(line[after:]))


def bare_link(line: str) -> Leading | None:
    """The address of a list item that is one: `- https://…` or `- Name: https://…`."""
    start = bullet(line)
    found = _BARE.fullmatch(line, start) if start else None
    if found is None:
        return None
    url = found[2].rstrip(",;.:")
    return Leading((found[1] or url).strip(" \t*_"), url, _notes(found[3]))


def unescape(text: str) -> str:
    """Backslash escapes of punctuation resolved."""
    return _ESCAPE.sub(r"\1", text) if "\\" in text else text


def _opens(line: str, start: int) -> bool:
    emphasis = _EMPHASIS.match(line, start)
    return line.startswith("[", emphasis.end() if emphasis else start)


def _bracket_end(line: str, start: int) -> int:
    """The index of the bracket that closes the one at `start`; -1 where none does."""
    depth, at = 0, start
    limit = min(len(line), start + MAX_NAME)
    while at < limit:
        character = line[at]
        if character == "\\":
            at += 1
        elif character == "[":
            depth += 1
        elif character == "]":
            depth -= 1
            if depth == 0:
                return at
        at += 1
    return -1


def _destination(line: str, start: int) -> tuple[str, int] | None:
    """The address that begins at `start`, after `(`, and the index after its `)`."""
    line = line[: start + MAX_TARGET]
    start = _skip_blanks(line, start)
    if line.startswith("<", start):
        end = line.find(">", start)
        if end < 0:
            return None
        target, at = line[start + 1 : end], end + 1
    else:
        at = _plain_end(line, start)
        target = line[start:at]
    close = _after_title(line, at)
    if close < 0:  # blanks in the address, which Markdown does not allow and people write
        close = _paren_end(line, start)
        target = line[start:close].strip() if close >= 0 else ""
    return (unescape(target), close + 1) if close >= 0 else None


def _plain_end(line: str, start: int) -> int:
    """Where an address without `<` ends: at a blank, or at the `)` that closes the link."""
    depth, at = 0, start
    while at < len(line) and not line[at].isspace():
        if line[at] == "\\":
            at += 1
        elif line[at] == "(":
            depth += 1
        elif line[at] == ")":
            if depth == 0:
                break
            depth -= 1
        at += 1
    return min(at, len(line))


def _after_title(line: str, start: int) -> int:
    """The index of the `)` after an optional title; -1 where something else follows."""
    at = _skip_blanks(line, start)
    if at > start and at < len(line) and line[at] in _QUOTES:
        end = line.find(_QUOTES[line[at]], at + 1)
        while end > 0 and line[end - 1] == "\\":
            end = line.find(_QUOTES[line[at]], end + 1)
        if end < 0:
            return -1
        at = _skip_blanks(line, end + 1)
    return at if line.startswith(")", at) else -1


def _paren_end(line: str, start: int) -> int:
    depth = 0
    for at in range(start, len(line)):
        if line[at] == "(":
            depth += 1
        elif line[at] == ")":
            if depth == 0:
                return at
            depth -= 1
    return -1


def _skip_blanks(line: str, at: int) -> int:
    while at < len(line) and line[at] in " \t":
        at += 1
    return at


def _name(source: str) -> str:
    name = _IMAGE.sub(r"\1", source) if "![" in source else source
    return " ".join(unescape(name).split())


def _notes(rest: str) -> str:
    rest = rest.strip()
    if emphasis := _EMPHASIS.match(rest):
        rest = rest[emphasis.end() :].lstrip()
    if separator := _SEPARATOR.match(rest):
        rest = rest[separator.end() :]
    return rest.strip()
