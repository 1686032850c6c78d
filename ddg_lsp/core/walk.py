"""One walk over one folder: every entry is looked at once, links last, nothing but ignore files is opened.

Owns the order and the bounds of the walk and what becomes of links. Must not know what a document's text is, nor keep
anything after the walk: what is worth keeping lies in `Kept`, which the caller holds.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import takewhile
from typing import NamedTuple

from ddg_lsp.core import corpus_rules as rules
from ddg_lsp.core.disk import below, is_file, real, relative_inside, to_text, why
from ddg_lsp.core.ignore import Chain, RuleFiles
from ddg_lsp.core.judge import MAYBE_OUTPUT, UNMENTIONED, Judge
from ddg_lsp.core.listing import FileEntry, Listing, SkipList
from ddg_lsp.core.model import Stamp
from ddg_lsp.core.options import Settings

_CHECK_EVERY = 10_000
"""Entries between two calls of `check` within a folder."""


@dataclass(slots=True)
class Kept:
    """What one walk leaves for the next: ignore rules, and by folder the verdicts on names under those rules."""

    key: tuple[bytes, str] = (b"", "")
    """The real folder and the settings' policy it holds for."""
    rule_files: RuleFiles | None = None
    verdicts: dict[str, tuple[Chain | None, dict[str, str]]] = field(default_factory=dict)


class _Folder(NamedTuple):
    path: str
    """As listed: folder-relative, through links."""
    where: str
    """Where it really lies, folder-relative."""
    chain: Chain | None


class Walk:
    """A single walk; `run` it once. `base` is the real path of the folder."""

    def __init__(self, base: bytes, settings: Settings, kept: Kept, check: Callable[[], None]) -> None:
        self._base = base
        self._settings = settings
        self._check = check
        self._judge = Judge(settings)
        self._old = kept.verdicts
        self._rule_files = RuleFiles(base, kept.rule_files)
        self._kept = Kept(kept.key, self._rule_files)
        self._files: dict[str, FileEntry] = {}  # by where they really lie
        self._walked: set[str] = set()
        self._left_out: dict[str, str] = {}  # verdict by where it really lies
        self._links: list[tuple[str, _Folder]] = []
        self._todo: list[_Folder] = []
        self._skips = SkipList()
        self._entries = 0
        self._full = False

    def run(self) -> tuple[Listing, Kept]:
        """The listing, and what to hand to the next walk. Raises what `check` raises."""
        self._start()
        while (self._todo or self._links) and not self._full:
            while self._todo and not self._full:
                self._list(self._todo.pop())
            links, self._links = sorted(self._links, key=lambda link: link[0]), []
            for path, folder in links:
                if not self._full:
                    self._check()
                    self._follow(path, folder)
        return Listing(tuple(sorted(self._files.values())), self._skips.sorted()), self._kept

    def _start(self) -> None:
        start = self._settings.root
        try:
            where = relative_inside(self._base, real(self._full_path(start)))
        except OSError as error:
            return self._skip(_as_folder(start), start, why(error))
        if where is None:
            return self._skip(_as_folder(start), start, "link-outside")
        chain = self._repository_rules()
        parts = start.split("/") if start else []
        for depth, name in enumerate(parts):  # the start's own rules are met when it is listed
            chain = self._rules_of("/".join(parts[:depth]), chain)
            if chain is not None and chain.ignores("/".join(parts[: depth + 1]), name, True):
                return self._skip(_as_folder(start), where, "ignored")
        return self._add(_Folder(start, where, chain))

    def _full_path(self, path: str) -> bytes:
        return below(self._base, path)

    def _skip(self, path: str, where: str, verdict: str) -> None:
        self._left_out[where] = verdict
        if verdict != UNMENTIONED:
            self._skips.add(path, verdict)

    def _stop(self, path: str) -> None:
        self._full = True
        self._skips.add(path, "too-many")

    def _add(self, folder: _Folder) -> None:
        self._walked.add(folder.where)
        self._todo.append(folder)

    def _list(self, folder: _Folder) -> None:
        self._check()
        try:
            with os.scandir(self._full_path(folder.path)) as found:
                # One folder alone may hold millions.
                few = takewhile(lambda _: self._entries <= rules.MAX_ENTRIES, found)
                entries = sorted((to_text(entry.name), entry) for entry in few if self._counts(entry))
        except OSError as error:
            return self._skip(_as_folder(folder.path), folder.where, why(error))
        if self._entries > rules.MAX_ENTRIES:
            return self._stop(_as_folder(folder.path))
        if any(name == ".gitignore" for name, _ in entries):
            folder = folder._replace(chain=self._rules_of(folder.path, folder.chain))
        return self._sort_out(folder, entries)

    def _repository_rules(self) -> Chain | None:
        return self._rule_files.enter("", None, ".git/info/exclude")[0] if self._settings.gitignore else None

    def _rules_of(self, path: str, above: Chain | None) -> Chain | None:
        if not self._settings.gitignore:
            return None
        chain, trouble = self._rule_files.enter(path, above)
        if trouble is not None:
            self._skips.add(_below(path, ".gitignore"), trouble)
        return chain

    def _counts(self, entry: os.DirEntry[bytes]) -> bool:
        """Whether an entry can matter at all; most of the files of a source tree cannot."""
        self._entries += 1
        if self._entries % _CHECK_EVERY == 0:
            self._check()
        name = entry.name
        if name.lower().endswith(self._judge.endings) or name == b".gitignore":
            return True
        try:
            return entry.is_dir()  # or a link to one
        except OSError:
            return False  # a link that loops, or to what may not be seen

    def _sort_out(self, folder: _Folder, entries: list[tuple[str, os.DirEntry[bytes]]]) -> None:
        chain, known = self._old.get(folder.path, (None, {}))
        if chain is not folder.chain:
            known = {}
        elif len(known) > 2 * len(entries) + 16:  # names that were there once must not stay for ever
            here = {name for name, _ in entries}
            known = {name: verdict for name, verdict in known.items() if name.removesuffix("/") in here}
        self._kept.verdicts[folder.path] = (folder.chain, known)
        subfolders: list[_Folder] = []
        for name, entry in entries:
            try:
                if entry.is_symlink():
                    self._links.append((_below(folder.path, name), folder))
                elif entry.is_dir(follow_symlinks=False):
                    self._subfolder(folder, name, known, subfolders)
                else:
                    self._file(folder, name, entry, known)
            except OSError as error:
                self._skip(_below(folder.path, name), _below(folder.where, name), why(error))
            if self._full:
                return
        for subfolder in reversed(subfolders):
            self._add(subfolder)

    def _subfolder(self, folder: _Folder, name: str, known: dict[str, str], out: list[_Folder]) -> None:
        path, where = _below(folder.path, name), _below(folder.where, name)
        verdict = known.get(name + "/")
        if verdict is None:
            verdict = known[name + "/"] = self._judge.folder(path, where, name, folder.chain)
        verdict = self._settled(verdict, path)
        if verdict:
            self._skip(f"{path}/", where, verdict)
        elif where not in self._walked:
            out.append(_Folder(path, where, folder.chain))

    def _settled(self, verdict: str, path: str) -> str:
        if verdict != MAYBE_OUTPUT:
            return verdict
        pages = (is_file(self._full_path(f"{path}/{page}")) for page in rules.INDEX_PAGES)
        return "" if any(pages) else "skip-folder"

    def _file(self, folder: _Folder, name: str, entry: os.DirEntry[bytes], known: dict[str, str]) -> None:
        path, where = _below(folder.path, name), _below(folder.where, name)
        verdict = known.get(name)
        if verdict is None:
            if not self._judge.document(path):
                return
            verdict = known[name] = self._judge.file(path, where, name, folder.chain)
        if verdict:
            self._skip(path, where, verdict)
        else:
            self._take(path, where, entry.stat(follow_symlinks=False))

    def _take(self, path: str, where: str, found: os.stat_result) -> None:
        """List a file no rule leaves out, if it is one, and small enough, and there is room."""
        if not stat.S_ISREG(found.st_mode):
            self._skip(path, where, "not-a-file")
        elif found.st_size > self._settings.max_file_bytes:
            self._skip(path, where, "too-large")
        elif len(self._files) >= self._settings.max_documents:
            self._stop(path)
        else:
            self._files[where] = FileEntry(path, Stamp.of(found))

    # Links come after everything that lies where it is listed, so that a file keeps its own name.

    def _follow(self, path: str, folder: _Folder) -> None:
        name = path.rpartition("/")[2]
        document = self._judge.document(path)
        try:
            target = real(self._full_path(path))
            found = os.lstat(target)
        except OSError as error:
            if document:
                reason = why(error)
                self._skips.add(path, "broken-link" if reason == "vanished" else reason)
            return
        is_folder = stat.S_ISDIR(found.st_mode)
        if not is_folder and not document:
            return
        judge = self._judge.folder if is_folder else self._judge.file
        verdict = judge(path, path, name, folder.chain)
        where = relative_inside(self._base, target)
        if not verdict or verdict == MAYBE_OUTPUT:
            verdict = self._link_verdict(_below(folder.where, name), where, is_folder)
        if where is None or verdict:
            if verdict != UNMENTIONED:
                self._skips.add(f"{path}/" if is_folder else path, verdict)
        elif is_folder:
            self._add(_Folder(path, where, folder.chain))
        else:
            self._take(path, where, found)

    def _link_verdict(self, link: str, where: str | None, is_folder: bool) -> str:
        """Why a link that lies at `link` is not followed to `where`; empty if it is."""
        if where is None:
            return "link-outside"
        if is_folder and (where == "" or link.startswith(f"{where}/")):
            return "link-loop"
        if where in self._walked or where in self._files:
            return "same-file"
        return self._left_out_there(where, is_folder)

    def _left_out_there(self, where: str, is_folder: bool) -> str:
        """The verdict on the link's target under its own name, or on a folder above it."""
        start = self._settings.root
        parts = where.split("/")
        first = start.count("/") + 1 if start and f"{where}/".startswith(f"{start}/") else 0
        chain = self._repository_rules()
        for depth, name in enumerate(parts):
            chain = self._rules_of("/".join(parts[:depth]), chain)
            path = "/".join(parts[: depth + 1])
            if depth < first:
                continue
            if path in self._left_out:
                return self._left_out[path]
            last = depth == len(parts) - 1 and not is_folder
            verdict = (self._judge.file if last else self._judge.folder)(path, path, name, chain)
            verdict = self._settled(verdict, path)
            if verdict:
                return verdict
        return ""


def _below(folder: str, name: str) -> str:
    return f"{folder}/{name}" if folder else name


def _as_folder(path: str) -> str:
    return f"{path or '.'}/"
