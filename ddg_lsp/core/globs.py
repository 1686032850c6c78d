"""Path patterns: what `docs/**/*.md` means, for settings, for queries and (segment by segment) for ignore files.

Owns the grammar and a matcher whose time is bounded whatever the pattern: patterns come from repositories nobody has
vetted, and a backtracking regular expression such as `*a*a*a*a*b` would stop the server for minutes.
Must not know what the patterns are for, and never touches the disk.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Sequence

from ddg_lsp.core.errors import DdgError

MAX_PATTERN = 1_000
"""Code points of one pattern."""
MAX_ALTERNATIVES = 64
"""How many patterns the braces of one pattern may stand for."""

Segment = Callable[[str], object]
_UNLIKELY = "\0"
"""A name no file has and no pattern but `*` or `**` matches: what is below a folder, whatever it is called."""


def match_globs(patterns: Iterable[str]) -> Callable[[str], bool]:
    """A function that says whether any pattern matches a folder-relative `/`-path.

    Grammar: `*` and `?` stay inside one name, `**` crosses folders, `{a,b}`, `[a-z]`, `[!a]`. A pattern without `/`
    matches at any depth (`*.md`, `README.md`); a pattern that ends in `/` or in a plain name also matches everything
    below a folder of that name (`docs/plan`). Upper and lower case, and the two spellings of an accented letter, are
    the same. Raises `DdgError` (`INVALID_GLOB`) for a pattern that is too long, empty or unfolds into too many.
    """
    return Globs(patterns).matches


class Globs:
    """Compiled patterns; see `match_globs` for the grammar and the error."""

    def __init__(self, patterns: Iterable[str]) -> None:
        simple = [one for pattern in patterns for one in _unfold(pattern)]
        self._tests = [_compile(segments) for segments in dict.fromkeys(simple)]

    def matches(self, path: str) -> bool:
        """Whether any pattern matches this file's path."""
        folded = fold(path)
        return any(test(folded) for test in self._tests)

    def covers(self, folder: str) -> bool:
        """Whether one pattern matches everything below this folder (no trailing `/`), whatever it is called."""
        below = f"{fold(folder)}/{_UNLIKELY}" if folder else _UNLIKELY
        deeper = f"{below}/{_UNLIKELY}"
        return any(test(below) and test(deeper) for test in self._tests)


def fold(path: str) -> str:
    """A path as patterns compare it: NFC, lower case."""
    return path.lower() if path.isascii() else unicodedata.normalize("NFC", path.lower())


def segment(pattern: str, escapes: bool = False) -> Segment:
    """A matcher for one name (no `/` in it). `escapes`: a backslash makes the next character plain, as git has it."""
    parts: list[str] = [""]
    special = False
    at = 0
    while at < len(pattern):
        char = pattern[at]
        if char == "*":
            special = True
            if parts[-1] or len(parts) == 1:
                parts.append("")
            at += 1
            continue
        expression, at, plain = _one(pattern, at, escapes)
        special = special or not plain
        parts[-1] += expression
    if not special:
        return _plain(pattern, escapes).__eq__
    return re.compile(_join(parts), re.DOTALL).match


def _join(parts: list[str]) -> str:
    """One expression in which every `*` takes the first place where the next part fits, and never comes back."""
    if len(parts) == 1:
        return parts[0] + r"\Z"
    middle = "".join(f"(?=(?P<g{i}>.*?{part}))(?P=g{i})" for i, part in enumerate(parts[1:-1]))
    return f"{parts[0]}{middle}.*{parts[-1]}\\Z"


def _one(pattern: str, at: int, escapes: bool) -> tuple[str, int, bool]:
    """The expression for the one character meant at `at`, where it ends, and whether it is plain."""
    char = pattern[at]
    if char == "\\" and escapes and at + 1 < len(pattern):
        return re.escape(pattern[at + 1]), at + 2, True
    if char == "?":
        return f"[^{_UNLIKELY}]", at + 1, False
    if char == "[":
        found = _character_class(pattern, at, escapes)
        if found is not None:
            return found[0], found[1], False
    return re.escape(char), at + 1, True


_POSIX = {
    "alnum": r"0-9A-Za-z",
    "alpha": r"A-Za-z",
    "blank": r" \t",
    "cntrl": r"\x01-\x1f\x7f",
    "digit": r"0-9",
    "graph": r"!-~",
    "lower": r"a-z",
    "print": r" -~",
    "punct": r"!-/:-@\[-`{-~",
    "space": r"\s",
    "upper": r"A-Z",
    "xdigit": r"0-9A-Fa-f",
}


def _character_class(pattern: str, at: int, escapes: bool) -> tuple[str, int] | None:
    """`[...]` from `at`: its expression and its end; None where it is never closed."""
    here = at + 1
    negated = here < len(pattern) and pattern[here] in "!^"
    here += negated
    members: list[str] = []
    first = True
    while here < len(pattern) and (first or pattern[here] != "]"):
        first = False
        posix = re.compile(r"\[:(\w+):\]").match(pattern, here)
        if posix and posix[1] in _POSIX:
            members.append(_POSIX[posix[1]])
            here = posix.end()
            continue
        low, here = _member(pattern, here, escapes)
        high = low
        if pattern[here : here + 1] == "-" and pattern[here + 1 : here + 2] not in ("", "]"):
            high, here = _member(pattern, here + 1, escapes)
        if low <= high:  # a range that runs backwards holds nothing
            members.append(f"{re.escape(low)}-{re.escape(high)}")
    if here >= len(pattern):
        return None
    if negated:
        return f"[^{_UNLIKELY}{''.join(members)}]", here + 1
    return (f"[{''.join(members)}]" if members else r"(?!)"), here + 1


def _member(pattern: str, at: int, escapes: bool) -> tuple[str, int]:
    if pattern[at] == "\\" and escapes and at + 1 < len(pattern):
        return pattern[at + 1], at + 2
    return pattern[at], at + 1


def _plain(pattern: str, escapes: bool) -> str:
    return re.sub(r"\\(.)", r"\1", pattern, flags=re.DOTALL) if escapes else pattern


def path_test(segments: Sequence[str], escapes: bool = False) -> Callable[[str], bool]:
    """A matcher for a whole `/`-path; a segment `**` stands for any number of names, at the end for one or more."""
    runs: list[list[Segment]] = [[]]
    for text in segments:
        if text == "**":
            runs.append([])
        else:
            runs[-1].append(segment(text, escapes))
    if len(runs) == 1:
        only = runs[0]
        return lambda path: _run_fits(only, path.split("/"), exact=True)
    return lambda path: _runs_fit(runs, path.split("/"))


def _run_fits(run: Sequence[Segment], names: Sequence[str], *, exact: bool = False) -> bool:
    if exact and len(run) != len(names):
        return False
    return all(test(name) for test, name in zip(run, names, strict=False))


def _runs_fit(runs: Sequence[Sequence[Segment]], names: Sequence[str]) -> bool:
    """First run at the start, last run at the end, the others in order, each at the first place it fits."""
    head, tail = runs[0], runs[-1]
    end = len(names) - (len(tail) or 1)  # `docs/**` is what is below docs, not docs
    if end < len(head) or not _run_fits(head, names) or (tail and not _run_fits(tail, names[end:])):
        return False
    at = len(head)
    for run in runs[1:-1]:
        while at + len(run) <= end and not _run_fits(run, names[at : at + len(run)]):
            at += 1
        at += len(run)
        if at > end:
            return False
    return True


def _compile(segments: tuple[str, ...]) -> Callable[[str], bool]:
    """The quick test where there is one (nearly always), else the general one."""
    names = [text for text in segments if text != "**"]
    if len(segments) == 2 and segments[0] == "**" and not set("*?[") & set(segments[1][1:]) and segments[1][0] == "*":
        suffix = segments[1][1:]
        return lambda path: path.endswith(suffix)
    if any(set("*?[") & set(text) for text in names):
        return path_test(segments)
    literal = "/".join(names)
    if len(names) == len(segments):
        return literal.__eq__
    if segments.index("**") == len(names) and len(segments) == len(names) + 1:
        return lambda path: path.startswith(f"{literal}/") if names else True
    return path_test(segments)


def _unfold(pattern: str) -> Iterable[tuple[str, ...]]:
    """The plain patterns one pattern stands for, each as its folded segments."""
    if len(pattern) > MAX_PATTERN:
        raise DdgError("INVALID_GLOB", f"A path pattern may have at most {MAX_PATTERN} characters.", usage=True)
    for text in _braces(fold(pattern.replace("\\", "/").strip())):
        segments = [one for one in text.split("/") if one not in ("", ".")]
        if not segments:
            raise DdgError("INVALID_GLOB", f"The path pattern {pattern!r} is empty.", usage=True)
        segments = [one for at, one in enumerate(segments) if one != "**" or segments[at - 1 : at] != ["**"]]
        if "/" not in text:
            segments.insert(0, "**")
        if text.endswith("/"):
            yield (*segments, "**")
            continue
        yield tuple(segments)
        if not set("*?[") & set(segments[-1]):
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
