"""`dotdotgod.config.json`, so that a dotdotgod project is searched with the corpus it already has.

Owns what is read from that file: `documentation.root` and `load.documentationSummary.exclude`; everything else in it
belongs to that tool. Must not know the other settings.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from ddg_lsp.core.disk import read_inside
from ddg_lsp.core.options import OPTIONS
from ddg_lsp.core.setting_values import Problem, check_value, checked_root

FILE = "dotdotgod.config.json"
MAX_BYTES = 64 * 1024
DEFAULT_ROOT = "docs"

_EXCLUDE = next(option for option in OPTIONS if option.name == "exclude")


@dataclass(frozen=True, slots=True)
class Found:
    """What the file says; None where it says nothing (or is not there)."""

    root: str | None = None
    exclude: tuple[str, ...] | None = None


def read(root: Path) -> tuple[Found, list[Problem]]:
    """What the folder's file says, and what is wrong with it."""
    found = read_inside(root, FILE, MAX_BYTES)
    if found == "vanished":
        return Found(), []
    if isinstance(found, str):
        return Found(), [Problem(FILE, f"The file was not read: {found}.")]
    try:
        config = json.loads(found[0].decode("utf-8-sig"))
    except (ValueError, RecursionError) as error:
        return Found(), [Problem(FILE, f"The file is not valid JSON: {error}")]
    problems: list[Problem] = []
    if not isinstance(config, dict):
        return Found(), [Problem(FILE, "An object is wanted.")]
    return Found(_root(root, config, problems), _exclude(config, problems)), problems


def _at(config: object, *keys: str) -> object:
    for key in keys:
        config = config.get(key) if isinstance(config, dict) else None
    return config


def _root(root: Path, config: object, problems: list[Problem]) -> str | None:
    value = _at(config, "documentation", "root")
    default = DEFAULT_ROOT if (root / DEFAULT_ROOT).is_dir() else None
    if value is None:
        return default
    if not isinstance(value, str):
        problems.append(Problem(f"{FILE}: documentation.root", "A text is wanted."))
        return default
    clean, trouble = checked_root(root, value, trusted=False)
    if trouble is not None:
        problems.append(Problem(f"{FILE}: documentation.root", trouble))
        return default
    return clean


def _exclude(config: object, problems: list[Problem]) -> tuple[str, ...] | None:
    value = _at(config, "load", "documentationSummary", "exclude")
    if value is None:
        return None
    checked, trouble = check_value(_EXCLUDE, value)
    if trouble is not None or not isinstance(checked, tuple):
        problems.append(Problem(f"{FILE}: load.documentationSummary.exclude", trouble or "A list is wanted."))
        return None
    return checked
