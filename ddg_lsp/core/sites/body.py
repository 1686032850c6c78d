"""The bytes of an answer, bounded as they come and as they unpack; and whether their type may be text.

Owns unpacking and its bounds: nothing larger than the bound is ever in memory. Must not know where they come from.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable

_STEP = 64 * 1024


class BadBody(Exception):  # noqa: N818 - its `reason` is what is kept
    """It cannot be used; `reason` is one of `model.REASONS`."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


def read(parts: Iterable[bytes], encoding: str, length: str, limit: int) -> bytes:
    """All of a body of at most `limit` bytes, packed or not. Raises `BadBody`."""
    if length.isdecimal() and int(length[:20]) > limit:
        raise BadBody("too_large")
    if encoding not in ("", "identity", "gzip", "x-gzip"):
        raise BadBody("bad_encoding")
    unpacker = zlib.decompressobj(31) if "gzip" in encoding else None
    body = bytearray()
    taken = 0
    for part in parts:
        taken += len(part)
        if taken > limit:
            raise BadBody("too_large")
        body += part if unpacker is None else _unpack(unpacker, part, limit - len(body))
        if len(body) > limit:
            raise BadBody("too_large")
    if unpacker is not None and taken and not unpacker.eof:
        raise BadBody("bad_encoding")
    return bytes(body)


def _unpack(unpacker: zlib._Decompress, part: bytes, room: int) -> bytes:
    """What a part unpacks to, at most one byte more than there is room for."""
    unpacked = bytearray()
    while part and len(unpacked) <= room:
        try:
            unpacked += unpacker.decompress(part, min(_STEP, room + 1 - len(unpacked)))
        except zlib.error:
            raise BadBody("bad_encoding") from None
        part = unpacker.unconsumed_tail
    return bytes(unpacked)


def may_be_text(content_type: str, path: str) -> bool:
    """Whether a header's type is one that text is served as; what it really is, the content says."""
    kind = content_type.partition(";")[0].strip().lower()
    if kind in ("application/octet-stream", "binary/octet-stream"):
        return path.lower().endswith((".md", ".txt", ".markdown", ".mdx"))
    return not kind or kind.startswith("text/") or "markdown" in kind
