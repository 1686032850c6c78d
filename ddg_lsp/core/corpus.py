"""Which files of a folder belong to the corpus, why the others do not, and the text of one of them.

Owns the two questions callers ask, `scan` and `read`; the rules lie in `judge.py`, `ignore.py`, `secrets.py` and
`corpus_rules.py`. Must not know passages, caches or who asks. Trouble with one file is a `Skip`, never an exception.
"""

from __future__ import annotations

import codecs
from collections.abc import Callable
from pathlib import Path

from ddg_lsp.core.disk import read_inside, real, why
from ddg_lsp.core.globs import match_globs
from ddg_lsp.core.listing import FileEntry, Listing, shown
from ddg_lsp.core.model import Skip
from ddg_lsp.core.options import Settings
from ddg_lsp.core.secrets import holds_private_key, secret_path
from ddg_lsp.core.walk import Kept, Walk

__all__ = ["FileEntry", "Listing", "Scanner", "decode", "match_globs", "read", "scan"]

_BYTE_ORDER_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),  # before UTF-16, whose mark it begins with
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)


class Scanner:
    """Scans one folder again and again; what did not change since the last time is not looked up twice."""

    def __init__(self) -> None:
        self._kept = Kept()

    def scan(self, root: Path, settings: Settings, check: Callable[[], None] = lambda: None) -> Listing:
        """The documents below `root` and what was left out. Opens no file but ignore files.

        `check` is called for every folder and raises to stop the scan. A folder that is not there or cannot be
        listed is one skip with the path `./`.
        """
        try:
            base = real(root)
        except OSError as error:
            return Listing((), (Skip("./", why(error)),))
        key = (base, settings.policy)
        kept = self._kept if self._kept.key == key else Kept(key)
        listing, self._kept = Walk(base, settings, kept, check).run()
        return listing


def scan(root: Path, settings: Settings, check: Callable[[], None] = lambda: None) -> Listing:
    """`Scanner.scan` for those who look once."""
    return Scanner().scan(root, settings, check)


def read(root: Path, path: str, settings: Settings) -> str | Skip:
    """The text of a document of the corpus (`path` as listed), without byte-order mark, line endings untouched.

    What the scan saw is checked again on what is opened: that it lies inside the folder, that it is a file, its size,
    its real name.
    """
    found = read_inside(root, path, settings.max_file_bytes)
    if isinstance(found, str):
        return Skip(shown(path), found)
    data, where = found
    if settings.secret_names and any(secret_path(_below(settings.root, one)) for one in (path, where)):
        return Skip(shown(path), "secret-name")
    text = decode(data)
    if text is None:
        return Skip(shown(path), "undecodable")
    if holds_private_key(text):
        return Skip(shown(path), "secret-content")
    return text


def decode(data: bytes) -> str | None:
    """UTF-8, or UTF-16 or UTF-32 with a byte-order mark; None for anything else, and for text with NUL in it."""
    encoding = "utf-8"
    for mark, name in _BYTE_ORDER_MARKS:
        if data.startswith(mark):
            data, encoding = data[len(mark) :], name
            break
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError:
        return None
    return None if "\0" in text else text


def _below(root: str, path: str) -> str:
    """The part of a path the rules look at: the user may have named a root they would leave out."""
    return path[len(root) + 1 :] if root and path.startswith(f"{root}/") else path
