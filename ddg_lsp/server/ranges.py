"""Ranges of an indexed text as the user sees them: in the client's encoding, moved along with unsaved edits.

Owns the arithmetic between the text that was indexed and the text on the screen. Must not know what the ranges mean.
"""

from __future__ import annotations

from ddg_lsp.core.text import Encoding, LineIndex

Position = dict[str, int]


class Ranges:
    """Offsets of `text` as positions in `screen`, the text in the editor (None: the same text).

    While somebody types, the index is a moment behind. What lies before or after the edited stretch is where it was,
    or moved as a whole; only places inside the stretch are taken to its nearest end.
    """

    def __init__(self, text: str, screen: str | None, encoding: Encoding) -> None:
        self._encoding = encoding
        self._moved = screen is not None and screen != text
        self._old = len(text)
        self._new = len(screen) if screen is not None else self._old
        shown = text if screen is None else screen
        self._before = _common_start(text, shown) if self._moved else 0
        self._after = _common_end(text, shown, self._before) if self._moved else 0
        self._index = LineIndex(shown)

    def range(self, start: int, end: int) -> dict[str, Position]:
        """An LSP range."""
        return {"start": self._position(start), "end": self._position(end)}

    def _position(self, offset: int) -> Position:
        line, character = self._index.position(self._place(offset), self._encoding)
        return {"line": line, "character": character}

    def _place(self, offset: int) -> int:
        if not self._moved or offset < self._before:
            return offset
        if offset >= self._old - self._after:
            return offset + self._new - self._old
        return min(offset, self._new - self._after)


def _common_start(one: str, other: str) -> int:
    """Length of the longest common beginning, by halving: comparing slices is fast, comparing characters is not."""
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        if one[low:middle] == other[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def _common_end(one: str, other: str, start: int) -> int:
    """Length of the longest common ending that does not reach into the first `start` characters of either."""
    low, high = 0, min(len(one), len(other)) - start
    while low < high:
        middle = (low + high + 1) // 2
        if one[len(one) - middle : len(one) - low] == other[len(other) - middle : len(other) - low]:
            low = middle
        else:
            high = middle - 1
    return low
