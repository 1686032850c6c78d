"""Which numbers passages have in the lexical index: given out in runs, one run a document, and used again.

A slot must not move while its document is unchanged, so gaps are filled, never closed. Knows nothing of texts, scores.
"""

from __future__ import annotations

from collections.abc import Sequence


class Space:
    """The slots in use during one update; a document gets its old place back, else the first gap that holds it."""

    def __init__(self, free: Sequence[range], size: int) -> None:
        self._gaps = list(free)
        self._size = size

    @property
    def size(self) -> int:
        """Slots up to the last one in use."""
        return self._gaps[-1].start if self._gaps and self._gaps[-1].stop == self._size else self._size

    @property
    def free(self) -> tuple[range, ...]:
        """The gaps between slots in use, ascending."""
        return tuple(gap for gap in self._gaps if gap.stop <= self.size)

    def give(self, slots: range) -> None:
        """Mark slots as free."""
        merged: list[range] = []
        for gap in sorted([*self._gaps, slots], key=lambda gap: gap.start):
            if merged and merged[-1].stop == gap.start:
                merged[-1] = range(merged[-1].start, gap.stop)
            elif gap:
                merged.append(gap)
        self._gaps = merged

    def take(self, count: int, old: range | None) -> range:
        """`count` slots in a row, where possible from the start of `old`."""
        if not count:
            return range(0)  # anywhere else it would cut a gap in two
        start = next((gap.start for gap in self._gaps if len(gap) >= count), None)
        if old is not None and any(gap.start <= old.start and old.start + count <= gap.stop for gap in self._gaps):
            start = old.start
        if start is None:
            last = self._gaps[-1] if self._gaps and self._gaps[-1].stop == self._size else None
            start = last.start if last else self._size
            self.give(range(self._size, start + count))
            self._size = start + count
        taken = range(start, start + count)
        rest = []
        for gap in self._gaps:
            if gap.start <= taken.start and taken.stop <= gap.stop:
                rest += [piece for piece in (range(gap.start, taken.start), range(taken.stop, gap.stop)) if piece]
            else:
                rest.append(gap)
        self._gaps = rest
        return taken
