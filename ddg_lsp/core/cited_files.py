"""Checking the citations of one text against the documents of a folder on disk.

Owns which files a citation may lead to: documents the folder's own rules let be read, and no others.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from ddg_lsp.core import citations, corpus
from ddg_lsp.core.citations import Finding
from ddg_lsp.core.disk import read_inside
from ddg_lsp.core.errors import DdgError
from ddg_lsp.core.model import Skip
from ddg_lsp.core.settings import Settings

MAX_BYTES = 16 * 1024 * 1024
"""Of a citing file."""


def check_file(root: Path, settings: Settings, file: Path) -> list[Finding]:
    """What became of the citations in `file`, of documents below `root` (a real path). Raises `DdgError` NO_FILE."""
    try:
        real = file.resolve(strict=True)
    except (OSError, RuntimeError, ValueError) as error:
        raise DdgError("NO_FILE", f"There is no file {file}.", usage=True) from error
    found = read_inside(real.parent, real.name, MAX_BYTES)
    text = None if isinstance(found, str) else corpus.decode(found[0])
    if text is None:
        why = found if isinstance(found, str) else "it is no text"
        raise DdgError("NO_FILE", f"{file} cannot be read: {why}.", usage=True)
    inside = real.relative_to(root).as_posix() if real.is_relative_to(root) else real.name
    return check_text(root, settings, text, inside)


def check_text(
    root: Path,
    settings: Settings,
    text: str,
    path: str,
    screen: Callable[[str], str | None] = lambda _: None,
) -> list[Finding]:
    """The same for a text that would stand at `path`, relative to the root; `screen` has what open documents read."""

    def read(one: str) -> str | None:
        shown = screen(one)
        if shown is not None:
            return shown
        found = corpus.read(root, one, settings)
        return None if isinstance(found, Skip) else found

    return citations.check(citations.find(text, path), path, read)
