"""Pieces of fetched pages as plain text: whatever renders them, an editor or a terminal, finds nothing to act upon."""

from __future__ import annotations

import re

_LINK = re.compile(r"!?\[([^\]\n]*)\]\s?(?:\([^)\n]*\)?|\[[^\]\n]*\])")
_AUTOLINK = re.compile(r"<(?!https?://)[a-z][a-z0-9+.-]*:[^>\s]*>?", re.I)
_TAG = re.compile(r"<([a-z/!?][^<>]*)>", re.I)
_OPEN = re.compile(r"<(?=[a-z/!?])", re.I)
_SCHEME = re.compile(r"\b(command|file|data|javascript|vbscript|vscode[a-z-]*):(?=\S)", re.I)


def harmless(shown: str) -> str:
    """A piece of a page as plain text: no link, no tag, no address that an editor would act upon."""
    plain = _AUTOLINK.sub("", _LINK.sub(r"\1", shown))
    # Not taken out: `List<String>` is no tag to its reader.
    return _SCHEME.sub(r"\1 ", _OPEN.sub("‹", _TAG.sub(r"‹\1›", plain)))
