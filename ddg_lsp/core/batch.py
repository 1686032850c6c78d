"""Many questions answered together: failures kept, gaps named, output bounded. Works on JSON objects.

Owns what a list of answers says as a whole. Must not know how a question is answered.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

Entry = dict[str, Any]
"""The answer to one question: `{id, ok: true, hits}` or `{id, ok: true, result: {hits, …}}`, or a failure."""

MAX_EXCERPT = 2_000
"""Code points of a question that failed which are given back with the failure."""
OUTPUT_RANGE = (10_000, 50_000_000)
DEFAULT_OUTPUT = 1_000_000


def failure(identity: object, code: str, message: str, asked: object) -> Entry:
    """The entry of a question that failed: why, and how it was asked, cut to `MAX_EXCERPT`."""
    raw = asked if isinstance(asked, str) else json.dumps(asked, ensure_ascii=False, default=str)
    error = {"code": code, "message": message}
    return {"id": identity, "ok": False, "error": error, "rawExcerpt": raw[:MAX_EXCERPT]}


def summary(entries: Sequence[Mapping[str, Any]]) -> Entry:
    """`{ok, okCount, failedCount, unresolved}`; unresolved are the ids of questions that have no good answer.

    Those that failed, found nothing, or found only what unrelated questions find, too.
    """
    failed = sum(not entry["ok"] for entry in entries)
    return {
        "ok": not failed,
        "okCount": len(entries) - failed,
        "failedCount": failed,
        "unresolved": [entry["id"] for entry in entries if not resolved(entry)],
    }


def resolved(entry: Mapping[str, Any]) -> bool:
    """Whether a question has a good answer."""
    return bool(entry["ok"]) and any(hit["match"] == "strong" for hit in _hits(entry))


def bounded(entries: Sequence[Entry], max_chars: int) -> list[Entry]:
    """The entries in at most about `max_chars` characters of JSON.

    Where they have more, every question keeps the same number of its best hits, at least one; an entry that lost
    something says `truncated` and how many hits it had, `totalHits`. Lists of skipped files go before the last hit.
    """
    if sum(map(_size, entries)) <= max_chars:
        return list(entries)
    lengths = [[_size(hit) for hit in _hits(entry)] for entry in entries]
    rest = sum(map(_size, entries)) - sum(map(sum, lengths))
    keep = max(map(len, lengths), default=1)
    while keep > 1 and rest + sum(sum(one[:keep]) for one in lengths) > max_chars:
        keep -= 1
    bare = keep <= 1 and rest + sum(sum(one[:1]) for one in lengths) > max_chars
    return [_cut(entry, keep, bare) for entry in entries]


def sayable(identity: object) -> object:
    """An id as JSON can say it: None where Python has read numbers out of it that JSON has not, such as 1e999."""
    try:
        json.dumps(identity, allow_nan=False)
    except (ValueError, RecursionError):
        return None
    return identity


def _cut(entry: Entry, keep: int, bare: bool) -> Entry:
    hits = _hits(entry)
    if len(hits) <= keep and not bare:
        return entry
    mark = {"truncated": True, "totalHits": len(hits)}
    if "result" not in entry:
        return {**entry, "hits": hits[:keep], **mark} if hits else entry
    result = {**entry["result"], "hits": hits[:keep]}
    if bare:
        result["index"] = {**result["index"], "skipped": []}
    return {**entry, "result": result, **mark}


def _hits(entry: Mapping[str, Any]) -> list[Entry]:
    hits: list[Entry] = entry.get("result", entry).get("hits", [])
    return hits


def _size(value: object) -> int:
    return len(json.dumps(value, ensure_ascii=False, default=str))
