"""What bytes that were asked for as llms.txt are: text, or a web page, JSON, nothing, something binary.

Owns decoding and the look at the beginning. The content decides, never a header: half of what sites answer with 200 is
no index, and some serve a good one as HTML.
"""

from __future__ import annotations

import json
import re

from ddg_lsp.core.llms_txt.model import Miss

_HTML = re.compile(r"<(?:!doctype\s+html|(?:html|head|body|script|style|meta|title|link|iframe|frameset)[\s>/])", re.I)
_BLANKS = re.compile(r"\s*")


def text_of(data: bytes | str) -> tuple[str, bool] | Miss:
    """The text without byte-order mark, lines ending in LF, and whether bytes had to be replaced; or why it is none."""
    replaced = False
    if isinstance(data, bytes):
        try:
            text = data.decode("utf-8")
        except UnicodeDecodeError:
            text, replaced = data.decode("utf-8", "replace"), True
    else:
        text = data
    text = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    if "\0" in text:
        return Miss("binary")
    if not text.strip():
        return Miss("empty")
    if _HTML.match(text, _after_prologue(text)):
        return Miss("html")
    return Miss("json") if _is_json(text) else (text, replaced)


def _after_prologue(text: str) -> int:
    """Where the content begins, after blanks, an XML declaration and comments."""
    at = 0
    while True:
        blanks = _BLANKS.match(text, at)
        at = blanks.end() if blanks else at
        if text.startswith("<?xml", at):
            end, size = text.find("?>", at), 2
        elif text.startswith("<!--", at):
            end, size = text.find("-->", at + 4), 3
        else:
            return at
        if end < 0:
            return at
        at = end + size


def _is_json(text: str) -> bool:
    if text.lstrip()[0] not in '{["-0123456789tfn':
        return False
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True
