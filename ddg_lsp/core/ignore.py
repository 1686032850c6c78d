"""Ignore files: the rules of `.gitignore` (nested, with negation) as git understands them.

Owns the grammar and the precedence. Not pathspec: its expressions backtrack, and one hostile line such as
`*a*a*a*a*a*b` in a checked-out repository holds the server for minutes; here the time per name is bounded.
Must not know which files are documents.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from ddg_lsp.core.corpus_rules import MAX_RULE_FILE
from ddg_lsp.core.disk import read_inside
from ddg_lsp.core.globs import path_test, segment
from ddg_lsp.core.model import Stamp

MAX_RULES = 5_000
"""Rules of one ignore file that are honoured; the time of a scan is files times rules."""


class _Rule(NamedTuple):
    negated: bool
    folder_only: bool
    anchored: bool
    test: Callable[[str], object]


class IgnoreRules:
    """The rules of one ignore file. Paths are relative to the folder the file lies in."""

    def __init__(self, text: str) -> None:
        lines = text.removeprefix("\ufeff").split("\n")
        rules = [rule for line in lines if (rule := _parse(line)) is not None]
        self._last_first = tuple(reversed(rules[:MAX_RULES]))

    def __bool__(self) -> bool:
        return bool(self._last_first)

    def verdict(self, path: str, name: str, folder: bool) -> bool | None:
        """True: ignored; False: kept by a `!` rule; None: these rules say nothing."""
        for negated, folder_only, anchored, test in self._last_first:
            if folder_only and not folder:
                continue
            if test(path if anchored else name):
                return not negated
        return None


def _parse(line: str) -> _Rule | None:
    line = _trimmed(line.removesuffix("\r"))
    if not line or line.startswith("#"):
        return None
    negated = line.startswith("!")
    body = line[1:] if negated else line
    folder_only = body.endswith("/")
    body = body.removesuffix("/")
    if not body or _dangling(body):
        return None
    anchored = "/" in body
    if not anchored:
        return _Rule(negated, folder_only, False, segment(body, escapes=True))
    segments = body.removeprefix("/").split("/")
    segments = [one for at, one in enumerate(segments) if one != "**" or segments[at - 1 : at] != ["**"]]
    return _Rule(negated, folder_only, True, path_test(segments, escapes=True))


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

    def __init__(self, base: str, last: RuleFiles | None = None) -> None:
        self._base = base
        self._last = last._chains if last is not None and last._base == base else {}
        self._chains: dict[str, tuple[Stamp, Chain | None, Chain]] = {}

    def enter(self, folder: str, above: Chain | None, name: str = ".gitignore") -> tuple[Chain | None, str | None]:
        """The rules in force in `folder` (folder-relative, `/`), and the reason word if its file could not be used.

        The very same object as in the last walk where nothing changed. A link is not honoured, as in git.
        """
        path = f"{folder}/{name}" if folder else name
        try:
            found = os.stat(os.path.join(self._base, path), follow_symlinks=False)  # noqa: PTH116, PTH118
        except OSError:
            return above, None
        if not stat.S_ISREG(found.st_mode):
            return above, None
        stamp = Stamp(found.st_size, found.st_mtime_ns, found.st_ino)
        known = self._last.get(path)
        if known is None or known[0] != stamp or known[1] is not above:
            read = read_inside(Path(self._base), path, MAX_RULE_FILE)
            if isinstance(read, str):
                return above, read
            prefix = f"{folder}/" if folder and name == ".gitignore" else ""
            known = (stamp, above, Chain(prefix, IgnoreRules(read[0].decode("utf-8", "surrogateescape")), above))
        self._chains[path] = known
        return known[2], None
