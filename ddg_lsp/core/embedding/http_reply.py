"""What an embedding server's answer is worth: reading it within bounds, and checking every number in it.

Owns the sentences about wrong answers. Sends nothing, retries nothing; never repeats an answer's own words, which
may hold a key or a document's text.
"""

from __future__ import annotations

import json
import re
import time
from collections.abc import Mapping
from datetime import datetime, timezone
from email.utils import parsedate_to_datetime

import httpx
import numpy as np

from ddg_lsp.core.embedding import Matrix
from ddg_lsp.core.embedding.http_dialects import Dialect

MAX_ANSWER_BYTES = 64 * 1024 * 1024
_RETRY_LATER = frozenset({408, 425, 429, 500, 502, 503, 504})
_CODE = re.compile(r"[A-Za-z][A-Za-z_.-]{2,40}\Z")


class BadAnswer(Exception):  # noqa: N818 - an answer, judged; becomes EmbedderUnavailable once it is final
    """Why an answer is of no use; `again` when asking again may help, `after` seconds if the server said so."""

    def __init__(self, sentence: str, *, again: bool = False, after: float | None = None) -> None:
        super().__init__(sentence)
        self.again = again
        self.after = after


def read_bounded(response: httpx.Response, deadline: float) -> bytes:
    """The body, if it is whole before `deadline` (time.monotonic()) and below 64 MiB; else raises `BadAnswer`."""
    pieces: list[bytes] = []
    size = 0
    for piece in response.iter_bytes():
        size += len(piece)
        if size > MAX_ANSWER_BYTES:
            raise BadAnswer("sent more than 64 MiB for one answer")
        if time.monotonic() > deadline:
            raise BadAnswer("did not finish its answer in time")
        pieces.append(piece)
    return b"".join(pieces)


def check_status(response: httpx.Response, body: bytes, key_name: str, dialect: Dialect, model: str) -> None:
    """Raises `BadAnswer` for every status but 200, with what would help."""
    status = response.status_code
    if status == httpx.codes.OK:
        return
    code = _error_code(body)
    if status in _RETRY_LATER:
        what = "is overloaded or limits the rate of requests" if status in (429, 503) else "failed"
        raise BadAnswer(f"{what} (HTTP {status}{code})", again=True, after=_retry_after(response.headers))
    if 300 <= status < 400:
        raise BadAnswer(
            f"answers with a redirect (HTTP {status}), which is not followed: text goes to the configured URL only; "
            "set the final URL"
        )
    if status in (401, 403):
        held = f"refuses the key in {key_name}" if key_name else "wants a key; name the environment variable it is in"
        raise BadAnswer(f"{held} (HTTP {status}{code})")
    if status == 404:
        pull = f", or pull it with `ollama pull {model}`" if dialect.name == "ollama" else ""
        named = f" and the model's name, {model}{pull}" if model else ""
        raise BadAnswer(f"knows no such address or model (HTTP 404{code}); check the URL, the dialect{named}")
    if status in (400, 413, 422):
        raise BadAnswer(
            f"refuses the request (HTTP {status}{code}); the model's name or the dialect ({dialect.name}) may be "
            "wrong, or the model holds less text than it is sent"
        )
    raise BadAnswer(f"answers with HTTP {status}{code}")


def vectors(response: httpx.Response, body: bytes, dialect: Dialect, count: int, dimensions: int | None) -> Matrix:
    """Rows of norm 1, shape (count, dimensions), from a good answer; raises `BadAnswer` for any other."""
    try:
        answer = json.loads(body)
    except (ValueError, RecursionError):
        page = body[:512].lstrip().lower().startswith((b"<", b"\xef\xbb\xbf<"))
        kind = "a web page" if page or "html" in response.headers.get("content-type", "") else "something else"
        raise BadAnswer(
            f"sent {kind} instead of JSON; is the URL right, or does a proxy or a log-in page stand between?"
        ) from None
    try:
        rows = dialect.rows(answer)
    except (KeyError, TypeError, IndexError, ValueError, AttributeError):
        raise BadAnswer(f"sent JSON without vectors where {dialect.name} has them; is the dialect right?") from None
    if len(rows) != count:
        raise BadAnswer(f"sent {len(rows)} vectors for {count} texts")
    return _checked(rows, dimensions)


def _checked(rows: list[object], dimensions: int | None) -> Matrix:
    try:
        wide = np.asarray(rows)
    except ValueError:
        raise BadAnswer("sent vectors of different lengths") from None
    if wide.ndim != 2 or wide.dtype.kind not in "fiu" or wide.shape[1] == 0:
        raise BadAnswer("sent vectors that are not lists of numbers")
    if dimensions is not None and wide.shape[1] != dimensions:
        raise BadAnswer(
            f"sent vectors of {wide.shape[1]} dimensions, {dimensions} before; has the model been exchanged?"
        )
    wide = wide.astype(np.float64)
    with np.errstate(over="ignore"):
        norms = np.linalg.norm(wide, axis=1, keepdims=True)
    if not np.isfinite(norms).all():
        raise BadAnswer("sent vectors with numbers that are not finite (NaN or infinity)")
    if not (norms > 0).all():
        raise BadAnswer("sent a vector of nothing but zeros")
    matrix: Matrix = (wide / norms).astype(np.float32)
    return matrix


def _error_code(body: bytes) -> str:
    """The error's short code, such as `model_not_found`, with a comma in front; never a sentence of the server's."""
    try:
        answer = json.loads(body)
    except (ValueError, RecursionError):
        return ""
    if not isinstance(answer, Mapping):
        return ""
    error = answer.get("error")
    inner = error if isinstance(error, Mapping) else {}
    for found in (inner.get("code"), inner.get("type"), answer.get("error_type")):
        if isinstance(found, str) and _CODE.match(found):
            return f", {found}"
    return ""


def _retry_after(headers: Mapping[str, str]) -> float | None:
    """Seconds, from either form of the header; None when it is missing or unreadable."""
    value = headers.get("retry-after", "").strip()
    if value.isascii() and value.isdigit():
        return float(value[:9])
    try:
        when = parsedate_to_datetime(value)
    except (TypeError, ValueError):
        return None
    if when.tzinfo is None:
        when = when.replace(tzinfo=timezone.utc)
    return max(0.0, (when - datetime.now(timezone.utc)).total_seconds())
