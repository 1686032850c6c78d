"""Whether a document that is open in an editor belongs to the corpus: whatever a walk would leave out is left out.

Owns nothing new: it goes the way of one path through the rules of `judge.py`, as `walk.py` goes it for all. The
document may exist in the editor alone: what is not there yet is judged as if it were. Must not know who asks.
"""

from __future__ import annotations

import os
import stat
from pathlib import Path

from ddg_lsp.core import corpus_rules as rules
from ddg_lsp.core.disk import below, is_file, real, relative_inside, why
from ddg_lsp.core.ignore import Chain, RuleFiles
from ddg_lsp.core.judge import MAYBE_OUTPUT, Judge
from ddg_lsp.core.options import Settings
from ddg_lsp.core.secrets import holds_private_key, secret_path


def belongs(root: Path, path: str, settings: Settings, text: str) -> bool:
    """Whether a scan would list `path` (folder-relative, `/`) if it held this text. Opens ignore files only.

    Of several links to one place outside `settings.root` a walk takes the first; here each of them counts.
    """
    if len(text.encode("utf-8", "surrogatepass")) > settings.max_file_bytes:
        return False
    if "\0" in path or "\0" in text or holds_private_key(text):
        return False
    try:
        return _Way(real(root), settings).leads_to(path)
    except OSError:
        return False


class _Way:
    """The way from a folder (`base`, its real path) to one of its documents."""

    def __init__(self, base: bytes, settings: Settings) -> None:
        self._base = base
        self._settings = settings
        self._judge = Judge(settings)
        self._rule_files = RuleFiles(base)

    def leads_to(self, path: str) -> bool:
        """Whether nothing on the way leaves the document out. Raises OSError for what cannot be looked at."""
        start = self._settings.root
        parts = path.split("/")
        if not self._judge.document(path) or not all(parts) or (start and not path.startswith(f"{start}/")):
            return False
        first = start.count("/") + 1 if start else 0
        start_where = where = self._where(start)
        chain = self._repository_rules()
        for depth, name in enumerate(parts):
            chain = self._rules_of("/".join(parts[:depth]), chain)
            here = "/".join(parts[: depth + 1])
            if depth < first:
                if chain is not None and chain.ignores(here, name, True):
                    return False
                continue
            found = self._step(here, _below(where, name), chain, parts[depth + 1 :], start_where)
            if found is None:
                return False
            where = found
        return not (self._settings.secret_names and any(secret_path(_inside(start, one)) for one in (path, where)))

    def _step(self, path: str, where: str, chain: Chain | None, rest: list[str], start: str) -> str | None:
        """Where `path` really lies, if a walk would go there; `where` is where it lies if it is no link."""
        name, folder = path.rpartition("/")[2], bool(rest)
        kind = self._kind(path)
        if stat.S_ISLNK(kind):
            target = self._where(path)
            kind = self._kind(target)
            verdict = (self._judge.folder if folder else self._judge.file)(path, path, name, chain)
            loop = folder and (not target or where.startswith(f"{target}/"))
            known = target == start or not start or target.startswith(f"{start}/")
            if verdict not in ("", MAYBE_OUTPUT) or loop or known or not self._own_name_belongs(target, folder):
                return None
            where = target
        else:
            verdict = (self._judge.folder if folder else self._judge.file)(path, where, name, chain)
            if not self._settled(verdict, path, rest):
                return None
        fits = stat.S_ISDIR(kind) if folder else stat.S_ISREG(kind)
        return where if fits or not kind else None

    def _own_name_belongs(self, where: str, folder: bool) -> bool:
        """Whether a link's target is not left out under its own name."""
        chain, parts = self._repository_rules(), where.split("/")
        for depth, name in enumerate(parts):
            chain = self._rules_of("/".join(parts[:depth]), chain)
            path = "/".join(parts[: depth + 1])
            last = depth == len(parts) - 1 and not folder
            verdict = (self._judge.file if last else self._judge.folder)(path, path, name, chain)
            if not self._settled(verdict, path, []):
                return False
        return True

    def _settled(self, verdict: str, path: str, rest: list[str]) -> bool:
        """Whether nothing is against it; a folder of output needs an index page, and the document may be that."""
        if verdict != MAYBE_OUTPUT:
            return not verdict
        own = len(rest) == 1 and rest[0] in rules.INDEX_PAGES
        return own or any(is_file(below(self._base, f"{path}/{page}")) for page in rules.INDEX_PAGES)

    def _where(self, path: str) -> str:
        """Where something really lies, folder-relative; itself where it is not there yet."""
        try:
            where = relative_inside(self._base, real(below(self._base, path)))
        except OSError as error:
            if why(error) != "vanished" or stat.S_ISLNK(self._kind(path)):
                raise
            return path
        if where is None:
            raise OSError("A link leaves the folder.")
        return where

    def _kind(self, path: str) -> int:
        """The mode of what stands there; 0 for nothing."""
        try:
            return os.lstat(below(self._base, path)).st_mode
        except OSError as error:
            if why(error) != "vanished":
                raise
            return 0

    def _repository_rules(self) -> Chain | None:
        return self._rule_files.enter("", None, ".git/info/exclude")[0] if self._settings.gitignore else None

    def _rules_of(self, path: str, above: Chain | None) -> Chain | None:
        return self._rule_files.enter(path, above)[0] if self._settings.gitignore else None


def _below(folder: str, name: str) -> str:
    return f"{folder}/{name}" if folder else name


def _inside(start: str, path: str) -> str:
    """The part of a path the rules look at: the user may have named a root they would leave out."""
    return path[len(start) + 1 :] if start and path.startswith(f"{start}/") else path
