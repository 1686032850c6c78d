"""Checking one value of one option: type, bounds, choices, patterns, and that a folder lies inside the folder.

Owns the sentences that say what is wrong with a value. Must not know layers or files.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from ddg_lsp.core import corpus_rules
from ddg_lsp.core.disk import below, real, relative_inside
from ddg_lsp.core.errors import DdgError
from ddg_lsp.core.globs import match_globs
from ddg_lsp.core.options import Option
from ddg_lsp.core.secrets import secret_path

MAX_ITEMS = 1_000
"""Entries of one list or table."""
MAX_TEXT = 4_000
"""Characters of one text."""


@dataclass(frozen=True, slots=True)
class Problem:
    """Something about the settings the user should be told. `where`: source and key; `message`: a sentence."""

    where: str
    message: str


def check_value(option: Option, value: object) -> tuple[object, str | None]:
    """The value as `Settings` holds it, or a sentence that says why not."""
    if option.type == "object":
        return _table(option, value)
    if option.type == "array":
        return _strings(option, value)
    if option.type == "boolean":
        return value, None if isinstance(value, bool) else "true or false is wanted."
    if option.type == "string":
        return _text(option, value)
    return _number(option, value)


def _text(option: Option, value: object) -> tuple[object, str | None]:
    if not isinstance(value, str) or "\0" in value or len(value) > MAX_TEXT:
        return value, "A text is wanted."
    if option.choices and value not in option.choices:
        return value, f"One of {', '.join(option.choices)} is wanted."
    if option.name == "http_url" and value and not value.startswith(("http://", "https://")):
        return value, "An address that begins with http:// or https:// is wanted."
    if option.name == "synonyms" and _leaves(value):
        return value, "A path inside the folder is wanted."
    return value, None


def _number(option: Option, value: object) -> tuple[object, str | None]:
    whole = option.type == "integer"
    if isinstance(value, bool) or not isinstance(value, int if whole else (int, float)):
        return value, "A whole number is wanted." if whole else "A number is wanted."
    low, high = option.minimum, option.maximum
    if (low is not None and not value >= low) or (high is not None and not value <= high):
        return value, f"A number from {low} to {high} is wanted."
    return value if whole else float(value), None


def _strings(option: Option, value: object) -> tuple[object, str | None]:
    if isinstance(value, Mapping) and not value:
        value = []  # what an empty Lua table may arrive as
    if not isinstance(value, (list, tuple)) or not all(isinstance(one, str) for one in value):
        return value, "A list of texts is wanted."
    if len(value) > MAX_ITEMS:
        return value, f"At most {MAX_ITEMS} entries are wanted."
    return tuple(value), _bad_glob(value) if option.globs else None


def _table(option: Option, value: object) -> tuple[object, str | None]:
    if isinstance(value, (list, tuple)) and not value:
        value = {}
    if not isinstance(value, Mapping) or not all(isinstance(key, str) for key in value):
        return value, "A table is wanted."
    if len(value) > MAX_ITEMS:
        return value, f"At most {MAX_ITEMS} entries are wanted."
    if option.globs:
        for number in value.values():
            _, trouble = _number(Option("", "", "integer", 0, "user", "", (), option.minimum, option.maximum), number)
            if trouble:
                return value, trouble
        return dict(value), _bad_glob(tuple(value))
    table: dict[str, tuple[str, ...]] = {}
    for term, others in value.items():
        listed = [others] if isinstance(others, str) else others
        if not isinstance(listed, (list, tuple)) or not all(isinstance(one, str) for one in listed):
            return value, f"A list of texts is wanted for {term!r}."
        table[term] = tuple(listed)
    return table, None


def _bad_glob(patterns: list[str] | tuple[str, ...]) -> str | None:
    negated = next((pattern for pattern in patterns if pattern.startswith("!")), None)
    if negated is not None:
        return f"A pattern cannot be negated: {negated!r}."
    try:
        match_globs(patterns)
    except DdgError as error:
        return str(error)
    return None


def _leaves(path: str) -> bool:
    """Whether a relative path points out of its folder by its spelling alone."""
    parts = path.replace("\\", "/").split("/")
    return path[1:2] == ":" or (parts[0] == "" and path != "") or ".." in parts


def checked_root(folder: Path, value: str, *, trusted: bool) -> tuple[str, str | None]:
    """The subfolder as a clean `/`-path, or why it cannot be one; a workspace may not name one the rules leave out."""
    if _leaves(value):
        return value, "A folder inside the workspace folder is wanted."
    clean = "/".join(part for part in value.replace("\\", "/").split("/") if part not in ("", "."))
    try:
        inside = relative_inside(real(folder), real(below(real(folder), clean)))
    except OSError:
        inside = clean  # not there yet: the scan looks again
    except ValueError:  # NUL, a lone surrogate: no name of a folder
        return value, "This is no name of a folder."
    if inside is None:
        return value, "The folder is a link that leaves the workspace folder."
    left_out = corpus_rules.UNMENTIONED_FOLDERS | corpus_rules.SKIP_FOLDERS | corpus_rules.OUTPUT_FOLDERS
    names = [*clean.split("/"), *inside.split("/")]
    if not trusted and clean and (secret_path(clean + "/x") or any(n.startswith(".") or n in left_out for n in names)):
        return value, "A workspace cannot have a folder searched that is left out by rule."
    return clean, None
