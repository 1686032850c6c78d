"""Ignore files: the rules of `.gitignore` (nested, with negation) as git understands them.

Owns the grammar and the precedence. Not pathspec: its expressions backtrack, and one hostile line such as
`*a*a*a*a*a*b` in a checked-out repository holds the server for minutes; here the time per name is bounded.
Must not know which files are documents.
"""

from __future__ import annotations

import os
import stat
from codecs import BOM_UTF8
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

from ddg_lsp.core.corpus_rules import MAX_RULE_FILE
from ddg_lsp.core.disk import below, read_inside
from ddg_lsp.core.glob_segments import path_test, segment, split
from ddg_lsp.core.model import Stamp

MAX_RULES = 5_000
"""Rules that are honoured in one place, those of the folders above included: time is files times rules."""
MAX_LINE = 4_096
"""Bytes of a rule, which is as long as a path can be: one line of 250 kB of `*a` took 7 seconds to understand."""
_WILD = frozenset("*?[\\")


class _Rule(NamedTuple):
    kind: str
    """`name` and `path`: equal to `text`; `suffix`: the name ends in it; `test`: ask."""
    text: str
    negated: bool
    folder_only: bool
    anchored: bool
    test: Callable[[str], object]


class _Table:
    """Rules that apply to files, or to folders, found by dictionary where they are plain: most are."""

    def __init__(self, rules: list[_Rule], folder: bool) -> None:
        self._plain: dict[tuple[str, str], int] = {}
        self._tests: list[tuple[int, bool, Callable[[str], object]]] = []
        for number, rule in enumerate(rules):
            if rule.folder_only and not folder:
                continue
            if rule.kind == "test":
                self._tests.append((number, rule.anchored, rule.test))
            else:
                self._plain[rule.kind, rule.text] = number  # the later rule counts
        self._tests.reverse()

    def last_match(self, path: str, name: str) -> int:
        """The number of the last rule that matches, or -1."""
        plain = self._plain
        best = max(plain.get(("name", name), -1), plain.get(("path", path), -1))
        at = name.find(".")
        while at != -1:
            best = max(best, plain.get(("suffix", name[at:]), -1))
            at = name.find(".", at + 1)
        for number, anchored, test in self._tests:
            if number < best:
                break
            if test(path if anchored else name):
                return number
        return best


class IgnoreRules:
    """The rules of one ignore file, at most `budget` of them. Paths are relative to the folder the file lies in.

    Git compares bytes, and so do we: `?` is one of the two bytes of an accented letter.
    """

    def __init__(self, data: bytes, budget: int = MAX_RULES) -> None:
        lines = data.removeprefix(BOM_UTF8).decode("latin-1").split("\n")
        rules = [rule for line in lines if (rule := _parse(line)) is not None][:budget]
        self._negated = [rule.negated for rule in rules]
        self._files = _Table(rules, folder=False)
        self._folders = _Table(rules, folder=True)

    def __len__(self) -> int:
        return len(self._negated)

    def verdict(self, path: str, name: str, folder: bool) -> bool | None:
        """True: ignored; False: kept by a `!` rule; None: these rules say nothing."""
        if not path.isascii():
            path, name = _bytewise(path), _bytewise(name)
        number = (self._folders if folder else self._files).last_match(path, name)
        return None if number < 0 else not self._negated[number]


def _bytewise(path: str) -> str:
    """One character for each byte of the UTF-8."""
    return path.encode("utf-8", "surrogateescape").decode("latin-1")


def _parse(line: str) -> _Rule | None:
    line = _trimmed(line.removesuffix("\r"))
    if not line or line.startswith("#") or len(line) > MAX_LINE:
        return None
    negated = line.startswith("!")
    body = line[1:] if negated else line
    folder_only = body.endswith("/")
    body = body.removesuffix("/")
    if not body or _dangling(body):
        return None
    kind, text, test = _meaning(body)
    return _Rule(kind, text, negated, folder_only, "/" in body, test)


def _meaning(body: str) -> tuple[str, str, Callable[[str], object]]:
    """Kind, text and test of a pattern without `!` and without the `/` at its end."""
    wild = not _WILD.isdisjoint(body)
    if "/" not in body:
        if not wild:
            return "name", body, body.__eq__
        if body.startswith("*.") and _WILD.isdisjoint(body[1:]):
            return "suffix", body[1:], body.__eq__
        return "test", body, segment(body, escapes=True)
    body = body.removeprefix("/")
    if not wild:
        return "path", body, body.__eq__
    segments = ["**" if len(one) > 1 and set(one) == {"*"} else one for one in split(body, escapes=True)]
    segments = [one for at, one in enumerate(segments) if one != "**" or segments[at - 1 : at] != ["**"]]
    return "test", body, path_test(segments, escapes=True)


def _trimmed(line: str) -> str:
    """Without blanks at the end, unless a backslash keeps one."""
    bare = line.rstrip(" ")
    return bare + " " if len(bare) < len(line) and _dangling(bare) else bare


def _dangling(text: str) -> bool:
    """Whether the text ends in a backslash that escapes nothing."""
    return (len(text) - len(text.rstrip("\\"))) % 2 == 1


@dataclass(frozen=True, slots=True, eq=False)
class Chain:
    """The rules in force in a folder: its own file's and, behind them, those of the folders above."""

    prefix: str
    """The folder's path with a trailing `/`, or empty."""
    rules: IgnoreRules
    above: Chain | None

    @property
    def size(self) -> int:
        """Rules in force."""
        return len(self.rules) + (self.above.size if self.above is not None else 0)

    def ignores(self, path: str, name: str, folder: bool) -> bool:
        """Whether the nearest rule that says anything says: ignored."""
        chain: Chain | None = self
        while chain is not None:
            verdict = chain.rules.verdict(path[len(chain.prefix) :], name, folder)
            if verdict is not None:
                return verdict
            chain = chain.above
        return False


class RuleFiles:
    """Reads the ignore files of one walk; a file whose stamp is that of the last walk is not opened again."""

    def __init__(self, base: bytes, last: RuleFiles | None = None) -> None:
        self._base = base
        self._last = last._chains if last is not None and last._base == base else {}
        self._chains: dict[str, tuple[Stamp, Chain | None, Chain]] = {}

    def enter(self, folder: str, above: Chain | None, name: str = ".gitignore") -> tuple[Chain | None, str | None]:
        """The rules in force in `folder` (folder-relative, `/`), and the reason word if its file could not be used.

        The very same object as in the last walk where nothing changed. A link is not honoured, as in git.
        """
        path = f"{folder}/{name}" if folder else name
        try:
            found = os.lstat(below(self._base, path))
        except OSError:
            return above, None
        if not stat.S_ISREG(found.st_mode):
            return above, None
        stamp = Stamp.of(found)
        known = self._chains.get(path) or self._last.get(path)
        if known is None or known[0] != stamp or known[1] is not above:
            read = read_inside(self._base, path, MAX_RULE_FILE)
            if isinstance(read, str):
                return above, read
            budget = MAX_RULES - (above.size if above is not None else 0)
            rules = IgnoreRules(read[0], max(budget, 0))
            known = (stamp, above, Chain(f"{folder}/" if folder else "", rules, above))
        self._chains[path] = known
        return known[2], None
