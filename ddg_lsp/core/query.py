"""A question as asked: its fields, their bounds, and one clear error for each that is out of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ddg_lsp.core.errors import DdgError

MAX_QUESTION = 2_000
"""Characters of a question after trimming; beyond any sentence a person asks, and what a model can hold."""
LIMIT_RANGE = (1, 100)
PER_FILE_RANGE = (1, 10)
MODES = ("hybrid", "semantic", "lexical")
MAX_GLOBS = 50
MAX_GLOB = 1_000


@dataclass(frozen=True, slots=True)
class Query:
    """A valid question. `limit` counts files, `per_file` the hits each of them may have."""

    text: str
    limit: int = 30
    mode: str = "hybrid"
    paths: tuple[str, ...] = ()
    per_file: int = 1
    explain: bool = False


def make_query(fields: Mapping[str, object], *, limit: int = 30, mode: str = "hybrid") -> Query:
    """A query from wire-named fields: `query`, `limit`, `mode`, `paths`, `perFile`, `explain`.

    Unknown fields are ignored; `limit` and `mode` are the defaults in force. Raises `DdgError` with `usage=True` and a
    code that names the field.
    """
    return Query(
        text=_question(fields.get("query")),
        limit=_integer(fields, "limit", limit, LIMIT_RANGE),
        mode=_mode(fields.get("mode"), mode),
        paths=_globs(fields.get("paths")),
        per_file=_integer(fields, "perFile", 1, PER_FILE_RANGE),
        explain=_flag(fields.get("explain")),
    )


def _question(value: object) -> str:
    if not isinstance(value, str):
        raise _bad("INVALID_QUERY", "The question must be a text.", "not_a_string")
    question = value.strip()
    if not question or not question.strip("\u200b\ufeff\x00"):
        raise _bad("INVALID_QUERY", "The question is empty.", "empty")
    if len(question) > MAX_QUESTION:
        sentence = f"The question is too long: {len(question)} characters; at most {MAX_QUESTION} are allowed."
        raise _bad("INVALID_QUERY", sentence, "too_long")
    return question


def _integer(fields: Mapping[str, object], name: str, default: int, bounds: tuple[int, int]) -> int:
    value = fields.get(name)
    if value is None:
        return default
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, int) or not bounds[0] <= value <= bounds[1]:
        code = "INVALID_LIMIT" if name == "limit" else "INVALID_PER_FILE"
        raise _bad(code, f"`{name}` must be a whole number from {bounds[0]} to {bounds[1]}.", "out_of_range")
    return value


def _mode(value: object, default: str) -> str:
    if value is None:
        return default
    if value not in MODES:
        raise _bad("INVALID_MODE", f"`mode` must be one of {', '.join(MODES)}.", "unknown_mode")
    return str(value)


def _globs(value: object) -> tuple[str, ...]:
    if value is None:
        return ()
    if isinstance(value, str) or not isinstance(value, Sequence):
        raise _bad("INVALID_PATHS", "`paths` must be a list of globs.", "not_a_list")
    if len(value) > MAX_GLOBS or not all(isinstance(glob, str) and 0 < len(glob) <= MAX_GLOB for glob in value):
        raise _bad("INVALID_PATHS", f"`paths` must hold at most {MAX_GLOBS} globs, none of them empty.", "bad_glob")
    return tuple(value)


def _flag(value: object) -> bool:
    if value is None or isinstance(value, bool):
        return bool(value)
    raise _bad("INVALID_EXPLAIN", "`explain` must be true or false.", "not_a_boolean")


def _bad(code: str, sentence: str, reason: str) -> DdgError:
    return DdgError(code, sentence, usage=True, reason=reason)
