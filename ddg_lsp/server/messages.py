"""What is a JSON-RPC message, and what is answered to bytes that are none.

Owns the rules of JSON-RPC 2.0 as the Language Server Protocol narrows them. Must not know methods. An answer never
quotes what was sent: it may be a document.
"""

from __future__ import annotations

import json
import math
from typing import Any, NoReturn

PARSE_ERROR = -32700
INVALID_REQUEST = -32600
MAX_DEPTH = 200
"""Brackets in brackets; a client's settings are some ten deep, and what walks them walks by recursion."""

Message = dict[str, Any]


class NoMessage(Exception):  # noqa: N818 - a thing that came, not a fault of ours
    """Bytes that are no message: what is answered, and to which id (None where that could not be made out)."""

    def __init__(self, code: int, sentence: str, identity: object = None) -> None:
        super().__init__(sentence)
        self.code = code
        self.identity = identity


def decode(body: bytes) -> Message | None:
    """The message in a body; None for a response nobody can be waiting for. Raises `NoMessage`."""
    try:
        value = json.loads(body, parse_constant=_no_number)
    except (ValueError, RecursionError):
        raise NoMessage(PARSE_ERROR, "The message is not valid JSON.") from None
    if not isinstance(value, dict):
        raise NoMessage(INVALID_REQUEST, "A message is one JSON object.")
    known = is_identity(value.get("id"))
    if "method" not in value and ("result" in value or "error" in value):
        return value if known else None
    identity = value["id"] if known else None
    if "id" in value and not known:
        raise NoMessage(INVALID_REQUEST, "The `id` must be a text or a whole number.")
    if value.get("jsonrpc") != "2.0":
        raise NoMessage(INVALID_REQUEST, '`jsonrpc` must be "2.0".', identity)
    if known and "method" not in value:
        return value  # some clients leave out a `result` that is nothing
    if not isinstance(value.get("method"), str):
        raise NoMessage(INVALID_REQUEST, "The `method` must be a text.", identity)
    if _too_deep(body, value):
        raise NoMessage(INVALID_REQUEST, f"The message is nested more than {MAX_DEPTH} deep.", identity)
    return value


def is_identity(value: object) -> bool:
    """Whether a value can be the id of a request."""
    if isinstance(value, float):
        return math.isfinite(value) and value.is_integer()
    return isinstance(value, (str, int)) and not isinstance(value, bool)


def _no_number(_: str) -> NoReturn:
    raise ValueError("JSON has no such number")


def _too_deep(body: bytes, value: object) -> bool:
    if body.count(b"[") + body.count(b"{") <= MAX_DEPTH:
        return False
    level: list[Any] = [value]
    for _ in range(MAX_DEPTH):
        level = [
            inner
            for outer in level
            for inner in (outer.values() if isinstance(outer, dict) else outer)
            if isinstance(inner, (dict, list))
        ]
        if not level:
            return False
    return True
