"""Path patterns: what `docs/**/*.md` means, in settings and in queries.

Owns lists of patterns, braces, and what a pattern without `/` or with one at its end means; names and brackets are in
`glob_segments.py`. Must not know what the patterns are for, and never touches the disk.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterable
from typing import NamedTuple

from ddg_lsp.core.errors import DdgError
from ddg_lsp.core.glob_segments import UNLIKELY, WILD, path_test, split

MAX_PATTERN = 1_000
"""Code points of one pattern."""
MAX_ALTERNATIVES = 64
"""How many patterns the braces of one pattern may stand for."""

MAX_PATTERNS = 2_000
"""How many one list of patterns may stand for: time is files times patterns."""


def match_globs(patterns: Iterable[str]) -> Callable[[str], bool]:
    """A function that says whether any pattern matches a folder-relative `/`-path.

    Grammar: `*` and `?` stay inside one name, `**` crosses folders, `{a,b}`, `[a-z]`, `[!a]`. A pattern without `/`
    matches at any depth (`*.md`, `README.md`); a pattern that ends in `/` or in a plain name also matches everything
    below a folder of that name (`docs/plan`). Upper and lower case, and the two spellings of an accented letter, are
    the same. Raises `DdgError` (`INVALID_GLOB`) for a pattern that is too long, empty or unfolds into too
    many.
    """
    return Globs(patterns).matches


class Globs:
    """Compiled patterns; see `match_globs` for the grammar and the error."""

    def __init__(self, patterns: Iterable[str]) -> None:
        self._quick = _Quick(set(), set(), set())
        self._tests: list[Callable[[str], bool]] = []
        simple = dict.fromkeys(one for pattern in patterns for one in _unfold(pattern))
        if len(simple) > MAX_PATTERNS:
            raise DdgError("INVALID_GLOB", f"Path patterns may unfold into at most {MAX_PATTERNS}.", usage=True)
        for segments in simple:
            if not self._quick.add(segments):
                self._tests.append(path_test(segments))
        self._exact = frozenset(self._quick.exact)
        self._suffixes, self._prefixes = tuple(self._quick.suffixes), tuple(self._quick.prefixes)

    def matches(self, path: str) -> bool:
        """Whether any pattern matches this file's path."""
        folded = fold(path)
        if folded.endswith(self._suffixes) or folded in self._exact or folded.startswith(self._prefixes):
            return True
        return any(test(folded) for test in self._tests)

    def endings(self) -> tuple[bytes, ...]:
        """What a name must end in, lower case, to be matched at all; `(b"",)` where that says nothing."""
        if self._tests or self._exact or self._prefixes or not all(one.isascii() for one in self._suffixes):
            return (b"",)
        return tuple(one.encode() for one in self._suffixes)

    def covers(self, folder: str) -> bool:
        """Whether one pattern matches everything below this folder (no trailing `/`), whatever it is called."""
        below = f"{fold(folder)}/{UNLIKELY}" if folder else UNLIKELY
        deeper = f"{below}/{UNLIKELY}"
        if "" in self._suffixes or below.startswith(self._prefixes):
            return True
        return any(test(below) and test(deeper) for test in self._tests)


class _Quick(NamedTuple):
    """The patterns that need no matcher; nearly all of them."""

    exact: set[str]
    prefixes: set[str]
    suffixes: set[str]

    def add(self, segments: tuple[str, ...]) -> bool:
        """Take the pattern if it is one of these."""
        if len(segments) == 2 and segments[0] == "**" and segments[1][0] == "*" and segments[1] != "**":
            if WILD.isdisjoint(segments[1][1:]):
                self.suffixes.add(segments[1][1:])
                return True
            return False
        *names, last = segments
        if "**" in names or not WILD.isdisjoint("/".join(names)):
            return False
        if last == "**":
            self.prefixes.add("".join(f"{name}/" for name in names))
            return True
        if WILD.isdisjoint(last):
            self.exact.add("/".join(segments))
            return True
        return False


def fold(path: str) -> str:
    """A path as patterns compare it: NFC, lower case."""
    return path.lower() if path.isascii() else unicodedata.normalize("NFC", path.lower())


def _unfold(pattern: str) -> Iterable[tuple[str, ...]]:
    """The plain patterns one pattern stands for, each as its folded segments."""
    if len(pattern) > MAX_PATTERN:
        raise DdgError("INVALID_GLOB", f"A path pattern may have at most {MAX_PATTERN} characters.", usage=True)
    if UNLIKELY in pattern:  # no path has it, and here it stands for any name
        raise DdgError("INVALID_GLOB", "A path pattern may not hold NUL.", usage=True)
    for text in _braces(fold(pattern.replace("\\", "/").strip())):
        segments = [one for one in split(text) if one not in ("", ".")]
        if not segments:
            raise DdgError("INVALID_GLOB", f"The path pattern {pattern!r} is empty.", usage=True)
        if "/" not in text:
            segments.insert(0, "**")
        segments = [one for at, one in enumerate(segments) if one != "**" or segments[at - 1 : at] != ["**"]]
        if text.endswith("/"):
            yield (*segments, "**")
            continue
        yield tuple(segments)
        if WILD.isdisjoint(segments[-1]):
            yield (*segments, "**")


def _braces(pattern: str) -> list[str]:
    """`a{b,c{d,e}}` as `ab`, `acd`, `ace`; braces that do not close are plain characters."""
    done: list[str] = []
    todo = [pattern]
    while todo:
        text = todo.pop()
        found = _innermost(text)
        if found is None:
            done.append(text)
            continue
        start, end = found
        todo += [text[:start] + one + text[end + 1 :] for one in reversed(text[start + 1 : end].split(","))]
        if len(done) + len(todo) > MAX_ALTERNATIVES:
            raise DdgError("INVALID_GLOB", f"A path pattern may unfold into at most {MAX_ALTERNATIVES}.", usage=True)
    return done


def _innermost(text: str) -> tuple[int, int] | None:
    end = text.find("}")
    while end != -1:
        start = text.rfind("{", 0, end)
        if start != -1:
            return start, end
        end = text.find("}", end + 1)
    return None
