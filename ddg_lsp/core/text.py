"""Line arithmetic: offsets in code points to line and character as LSP counts them, and back.

Knows nothing of Markdown and nothing of the protocol's types.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from typing import Literal

Encoding = Literal["utf-8", "utf-16", "utf-32"]
"""How a client counts characters in a line: bytes, UTF-16 units or code points."""

_LINE_ENDING = re.compile(r"\r\n|\n|\r")  # LSP's three; str.splitlines knows eight more
_ASTRAL = re.compile("[\U00010000-\U0010ffff]")


class LineIndex:
    """Where the lines of a text begin. Lines and characters are 0-based; offsets are code points.

    Nothing raises: what lies outside is moved to the nearest place that exists, as the protocol asks.
    """

    def __init__(self, text: str) -> None:
        self._text = text
        self._starts = [0, *(ending.end() for ending in _LINE_ENDING.finditer(text))]

    @property
    def line_count(self) -> int:
        """At least 1; a line ending at the very end opens one more, empty line."""
        return len(self._starts)

    def line_start(self, line: int) -> int:
        """The offset of the line's first character; beyond the last line, the end of the text."""
        if line >= len(self._starts):
            return len(self._text)
        return self._starts[max(line, 0)]

    def line_end(self, line: int) -> int:
        """The offset after the line's last character, its line ending not counted."""
        start = self.line_start(line)
        if line + 1 >= len(self._starts):
            return len(self._text)
        end = self._starts[max(line, 0) + 1] - 1
        if end > start and self._text[end] == "\n" and self._text[end - 1] == "\r":
            end -= 1
        return end

    def line_of(self, offset: int) -> int:
        """The line that holds the character at `offset`; a line ending belongs to the line it ends."""
        return max(bisect_right(self._starts, offset) - 1, 0)

    def position(self, offset: int, encoding: Encoding) -> tuple[int, int]:
        """`(line, character)` of an offset; inside a line ending this is the line's end."""
        offset = min(max(offset, 0), len(self._text))
        line = self.line_of(offset)
        before = self._text[self._starts[line] : min(offset, self.line_end(line))]
        return line, _width(before, encoding)

    def offset(self, line: int, character: int, encoding: Encoding) -> int:
        """The offset of a position; beyond the line's end it is that end, inside a character that character's start."""
        if line < 0:
            return 0
        start = self.line_start(line)
        content = self._text[start : self.line_end(line)]
        character = max(character, 0)
        if encoding == "utf-32" or content.isascii():
            return start + min(character, len(content))
        if encoding == "utf-8":
            return start + _code_points_in_bytes(content, character)
        return start + _code_points_in_units(content, character)


def _width(text: str, encoding: Encoding) -> int:
    if encoding == "utf-32" or text.isascii():
        return len(text)
    if encoding == "utf-8":
        return len(text.encode("utf-8", "surrogatepass"))
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def _code_points_in_bytes(text: str, count: int) -> int:
    encoded = text.encode("utf-8", "surrogatepass")
    if count >= len(encoded):
        return len(text)
    while encoded[count] & 0xC0 == 0x80:
        count -= 1
    return len(encoded[:count].decode("utf-8", "surrogatepass"))


def _code_points_in_units(text: str, count: int) -> int:
    # Not by decoding a prefix: two lone surrogates side by side would come back as one character.
    # In the middle of a character `count` is one more than its first unit, which comes out as that character's start.
    passed = 0
    for astral in _ASTRAL.finditer(text):
        if count <= astral.start() + passed:
            break
        passed += 1
    return min(count - passed, len(text))
