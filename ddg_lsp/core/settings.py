"""The settings of one folder: the user's over the workspace's over the defaults, and what was wrong with them.

Owns the layers and the trust between them: a checked-out repository is hostile until proven otherwise, so its own
files may narrow the corpus and do harmless things, and nothing else. Must not know what the settings are used for.
The options themselves are in `options.py`.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from ddg_lsp.core import dotdotgod
from ddg_lsp.core.disk import read_inside
from ddg_lsp.core.errors import DdgError
from ddg_lsp.core.globs import match_globs
from ddg_lsp.core.listing import shown
from ddg_lsp.core.options import EDITOR_KEYS, OPTIONS, Option, Settings
from ddg_lsp.core.setting_values import Problem, check_value, checked_root
from ddg_lsp.core.toml import loads

__all__ = ["FILE", "OPTIONS", "Option", "Problem", "Settings", "load"]

FILE = "ddg.toml"
MAX_FILE_BYTES = 64 * 1024
SECTION = "ddg"
MAX_PROBLEMS, MAX_WHERE, MAX_MESSAGE = 50, 100, 300

_BY_KEY = {option.key: option for option in OPTIONS}


def load(root: Path, user: Mapping[str, object] | None = None) -> tuple[Settings, tuple[Problem, ...]]:
    """The settings of the folder `root`, and one problem for everything that could not be taken as it stands.

    `user` is the editor's section `ddg` (or a mapping that holds it), or what the command line was given: camelCase
    keys, nested or dotted. A value equal to the default counts as not set, because editors send their defaults, too.
    Reads `ddg.toml` and `dotdotgod.config.json` of the folder; never raises for what they hold.
    """
    problems: list[Problem] = []
    from_user = _values(_section(user or {}), "settings", root, problems)
    from_file = _values(_section(_read_toml(root, problems)), FILE, root, problems)
    foreign, trouble = dotdotgod.read(root)
    problems += trouble
    defaults = {option.name: option.default for option in OPTIONS}
    from_user = {name: value for name, value in from_user.items() if value != defaults[name]}
    allowed = _narrowing(from_file, {**defaults, **from_user}, problems)
    merged: dict[str, Any] = {**allowed, **from_user}
    base = from_user.get("exclude", defaults["exclude"] if foreign.exclude is None else ())
    merged["exclude"] = _joined((base, foreign.exclude or (), from_file.get("exclude", ())), problems)
    merged["include"] = from_user.get("include", defaults["include"])
    merged["also_include"] = from_file.get("include", ())
    if foreign.root is not None and "root" not in merged:
        merged["root"] = foreign.root
    return replace(Settings(), **merged), _bounded(problems)


def _joined(lists: Iterable[tuple[str, ...]], problems: list[Problem]) -> tuple[str, ...]:
    """The lists as one, less those that make it too long to be used."""
    joined: tuple[str, ...] = ()
    for patterns in lists:
        longer = tuple(dict.fromkeys((*joined, *patterns)))
        try:
            match_globs(longer)
            joined = longer
        except DdgError as error:
            problems.append(Problem("exclude", str(error)))
    return joined


def _bounded(problems: list[Problem]) -> tuple[Problem, ...]:
    """Short enough to be shown, and safe to be shown: the words in them may come from a hostile file."""
    safe = [Problem(shown(one.where)[:MAX_WHERE], shown(one.message)[:MAX_MESSAGE]) for one in problems[:MAX_PROBLEMS]]
    if len(problems) > MAX_PROBLEMS:
        safe.append(Problem("settings", f"There are {len(problems) - MAX_PROBLEMS} more problems."))
    return tuple(safe)


def _section(raw: Mapping[str, object], *, outer: bool = True) -> dict[str, object]:
    """The keys of the section, whether it is the whole mapping, one of its tables, or spelled with dots."""
    flat: dict[str, object] = {}
    for key, value in raw.items():
        short = str(key).removeprefix(f"{SECTION}.")
        if key == SECTION and outer and isinstance(value, Mapping):
            flat.update(_section(value, outer=False))
        elif short == "synonyms" and isinstance(value, Mapping):  # `[synonyms]`; `synonyms = "file"` is the file
            flat["synonymTable"] = value
        else:
            flat[short] = value
    return flat


def _values(raw: Mapping[str, object], source: str, root: Path, problems: list[Problem]) -> dict[str, Any]:
    """The valid values of one layer by field name; a problem for each of the others."""
    values: dict[str, Any] = {}
    for key, value in raw.items():
        where = f"{source}: {key}"
        option = _BY_KEY.get(key)
        if option is None:
            if source == FILE or key.split(".")[0] not in EDITOR_KEYS:
                problems.append(Problem(where, "There is no such setting."))
        elif source == FILE and option.who == "user" and key != "gitignore":
            problems.append(Problem(where, "Only the user's own settings may set this, not a file of the workspace."))
        elif value is not None:  # null: not set
            checked, trouble = check_value(option, value)
            if trouble is None and option.name == "root":
                checked, trouble = checked_root(root, str(checked), trusted=source != FILE)
            if trouble is None:
                values[option.name] = checked
            else:
                problems.append(Problem(where, trouble))
    return values


def _narrowing(from_file: Mapping[str, Any], current: Mapping[str, Any], problems: list[Problem]) -> dict[str, Any]:
    """What of the workspace's own values may stand by itself; patterns are joined by the caller."""
    allowed = dict(from_file)
    for name in ("include", "exclude"):
        allowed.pop(name, None)
    for name, key in (("max_file_bytes", "maxFileBytes"), ("max_documents", "maxDocuments")):
        if allowed.get(name, 0) > current[name]:
            problems.append(Problem(f"{FILE}: {key}", f"A workspace can only lower this; it stays at {current[name]}."))
            del allowed[name]
    if not allowed.pop("gitignore", True):
        problems.append(Problem(f"{FILE}: gitignore", "A workspace cannot have ignored files searched."))
    return allowed


def _read_toml(root: Path, problems: list[Problem]) -> Mapping[str, object]:
    found = read_inside(root, FILE, MAX_FILE_BYTES)
    if found == "vanished":
        return {}
    try:
        if isinstance(found, str):
            problems.append(Problem(FILE, f"The file was not read: {found}."))
            return {}
        return loads(found[0].decode("utf-8-sig").replace("\r\n", "\n"))
    except ValueError as error:  # what is no UTF-8, too
        problems.append(Problem(FILE, f"The file is not valid TOML: {error}"))
        return {}


if __name__ == "__main__":
    from ddg_lsp.core.settings_page import page

    sys.stdout.write(page())
