"""The published files on disk against what they should be: comparing, and writing where somebody asked for it.

Owns the files' names and the order of disk operations. Nothing here writes but `generate`.
"""

from __future__ import annotations

import os
import secrets
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from ddg_lsp.core import dotdotgod
from ddg_lsp.core.cache_files import FileLayer
from ddg_lsp.core.disk import read_inside, real, relative_inside
from ddg_lsp.core.errors import DdgError
from ddg_lsp.core.llms_txt.config import Publishing, publishing
from ddg_lsp.core.llms_txt.publish import full_text, index_text
from ddg_lsp.core.llms_txt.site import Site, build, collect
from ddg_lsp.core.setting_values import Problem
from ddg_lsp.core.settings import FILE, Settings, load

INDEX, FULL = "llms.txt", "llms-full.txt"
MAX_READ = 64 * 1024 * 1024
"""Bytes of a published file that are compared; a larger one is not one of ours."""
OURS = 0.5
"""The share of links that have to be ours for a file to be taken for one of ours; people write such files by hand."""
_RULES = frozenset({FILE, dotdotgod.FILE, "exclude", "llms: folder", "llms: exclude", "llms: include"})
_KEYS = ("exclude", "include", "root")


@dataclass(frozen=True, slots=True)
class Wanted:
    """What the files of a folder should hold."""

    root: Path
    folder: str
    plan: Publishing
    site: Site
    files: tuple[tuple[str, str], ...]
    """Path relative to `root`, and text."""
    problems: tuple[Problem, ...]


@dataclass(frozen=True, slots=True)
class Difference:
    """One file that is not what it should be."""

    path: str
    """Relative to the workspace folder."""
    state: str
    """`stale`, `missing` or `unreadable`."""
    line: int = 0
    """The first line that differs, from 1; 0 where there is none to compare."""
    reason: str = ""


def wanted(root: Path, settings: Settings, *, full: bool = False, check: Callable[[], None] = lambda: None) -> Wanted:
    """What `llms.txt` should hold; `llms-full.txt`, too, where it is there or `full` asks for it.

    Raises `DdgError` BAD_SETTINGS where the workspace's rules of what is left out could not be read: what they would
    have kept back must not be published.
    """
    plan, problems = publishing(settings.llms)
    for one in (*load(root)[1], *problems):
        if one.where in _RULES or (one.where.startswith((FILE, dotdotgod.FILE)) and one.where.endswith(_KEYS)):
            raise DdgError("BAD_SETTINGS", f"Nothing is published: {one.where}: {one.message}")
    source = collect(root, settings, plan, check)
    site = build(source, plan)
    prefix = f"{source.folder}/" if source.folder else ""
    files = [(prefix + INDEX, index_text(site, plan))]
    if full or os.path.lexists(root / (prefix + FULL)):
        files.append((prefix + FULL, full_text(site, plan, source.texts)))
    return Wanted(root, source.folder, plan, site, tuple(files), problems)


def differences(what: Wanted) -> tuple[Difference, ...]:
    """The files that are not what they should be, each with the first line that differs."""
    found = (difference(what.root, path, text) for path, text in what.files)
    return tuple(one for one in found if one is not None)


def difference(root: Path, path: str, text: str) -> Difference | None:
    """How the file at `path` differs from `text`; None where it does not."""
    found = read_inside(root, path, MAX_READ)
    if found == "vanished":
        return Difference(path, "missing")
    if isinstance(found, str):
        return Difference(path, "unreadable", reason=found)
    expected = text.encode("utf-8", "replace")
    return None if found[0] == expected else Difference(path, "stale", first_difference(found[0], expected))


def first_difference(one: bytes, other: bytes) -> int:
    """The first line, from 1, in which two contents differ."""
    lines, others = one.splitlines(keepends=True), other.splitlines(keepends=True)
    pairs = zip(lines, others, strict=False)
    return next((n for n, (a, b) in enumerate(pairs, 1) if a != b), min(len(lines), len(others)) + 1)


def ours(text: str, expected: str) -> bool:
    """Whether a file that differs from what it should be is an older one of ours, and not somebody's own work."""
    links = {line for line in text.splitlines() if line.startswith(("- [", "Source: "))}
    if not links:
        return text.split("\n")[0].strip() == expected.split("\n")[0]
    return len(links & set(expected.splitlines())) >= OURS * len(links)


def generate(what: Wanted, *, force: bool = False) -> tuple[str, ...]:
    """Write the files whose bytes would change, each in one step; their paths.

    Raises `DdgError` NOT_WRITTEN, also for a file that is not ours, unless the settings ask for one or `force` is set;
    then nothing is written at all.
    """
    written = []
    for path, text in what.files:
        there = read_inside(what.root, path, MAX_READ)
        if not force and not what.plan.asked and isinstance(there, tuple):
            words = there[0].decode("utf-8", "replace")
            if words.strip() and not ours(words, text):
                sentence = f"{path} was not written by ddg-lsp, it seems; with `--force` it is replaced."
                raise DdgError("NOT_WRITTEN", sentence)
    for path, text in what.files:
        found = difference(what.root, path, text)
        if found is None:
            continue
        if found.state == "unreadable":
            raise DdgError("NOT_WRITTEN", f"{path} cannot be replaced: {found.reason}.")
        _replace(what.root, path, text.encode("utf-8", "replace"))
        written.append(path)
    return tuple(written)


def _replace(root: Path, path: str, data: bytes) -> None:
    folder = (root / path).parent
    try:
        if relative_inside(real(root), real(folder)) is None:
            raise DdgError("NOT_WRITTEN", f"{path} lies behind a link that leaves the folder.")
        beside = folder / f".llms-{secrets.token_hex(6)}.tmp"
        try:
            with beside.open("xb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            if (root / path).is_file():
                shutil.copymode(root / path, beside)
            FileLayer().replace(beside, root / path)
        except BaseException:
            beside.unlink(missing_ok=True)
            raise
    except OSError as error:
        raise DdgError("NOT_WRITTEN", f"{path} cannot be written: {error.strerror}.") from error
