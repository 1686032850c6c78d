"""Patterns below the level of a list: names, brackets, and paths with `**`; for globs and for ignore files.

Owns a matcher whose time is bounded whatever the pattern: patterns come from repositories nobody has vetted, and a
backtracking regular expression such as `*a*a*a*a*b` would stop the server for minutes.
Must not know what the patterns are for.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

WILD = frozenset("*?[")
"""What makes a pattern more than a plain text (and, in ignore files, a backslash)."""
UNLIKELY = "\0"
"""A name no file has and no pattern but `*` or `**` matches: what is below a folder, whatever it is called."""
_NEVER = r"(?!)"

Segment = Callable[[str], object]


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
        return f"[^{UNLIKELY}]", at + 1, False
    if char == "[":
        found = _character_class(pattern, at, escapes)
        if found is not None:
            return found[0], found[1], False
        if escapes:  # git takes the pattern for broken; elsewhere the bracket is a plain character
            return _NEVER, len(pattern), False
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
        return f"[^{UNLIKELY}{''.join(members)}]", here + 1
    return (f"[{''.join(members)}]" if members else _NEVER), here + 1


def _member(pattern: str, at: int, escapes: bool) -> tuple[str, int]:
    if pattern[at] == "\\" and escapes and at + 1 < len(pattern):
        return pattern[at + 1], at + 2
    return pattern[at], at + 1


def _plain(pattern: str, escapes: bool) -> str:
    return re.sub(r"\\(.)", r"\1", pattern, flags=re.DOTALL) if escapes else pattern


def split(pattern: str, escapes: bool = False) -> list[str]:
    """The segments of a pattern; a `/` within brackets divides nothing. With `escapes`, neither does its backslash."""
    segments = [""]
    at = 0
    while at < len(pattern):
        char = pattern[at]
        end = at + 1
        if char == "\\" and escapes:
            end = at + 2
            char = pattern[at:end] if pattern[at + 1 : end] != "/" else "/"
        elif char == "[":
            found = _character_class(pattern, at, escapes)
            end = found[1] if found is not None else end
            char = pattern[at:end]
        if char == "/":
            segments.append("")
        else:
            segments[-1] += char
        at = end
    return segments


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
