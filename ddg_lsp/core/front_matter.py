"""Front matter: where it ends and what it says. Knows nothing of Markdown; a hostile or broken one never raises."""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping
from typing import Any

import yaml

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

MAX_SIZE = {"---": 64 * 1024, "+++": 8 * 1024}
"""Code points of front matter that are parsed; of more, only the plain `key: value` lines are read. Real ones are under
4 kB; PyYAML manages some 100 kB a second, and TOML's dotted keys cost the square of their length (64 kB: 17 s)."""
_MAX_DEPTH = 16

_FENCE = re.compile(r"(---|\+\+\+)[ \t]*(?=[\r\n]|\Z)")
_CLOSING = {
    "---": re.compile(r"(?<=[\r\n])(?:---|\.\.\.)[ \t]*(?:\r\n|\r|\n|\Z)"),
    "+++": re.compile(r"(?<=[\r\n])\+\+\+[ \t]*(?:\r\n|\r|\n|\Z)"),
}
_KEY_LINE = re.compile(r"""(?m)^["']?(\w[\w.-]*(?: [\w.-]+)*)["']?[ \t]*[:=](?:[ \t](.*))?$""")
_COMMENTS_AND_BLANKS = re.compile(r"\A(?:[ \t]*(?:#.*)?\n)+")
_UNREADABLE = re.compile("[\0\ud800-\udfff]")
# What PyYAML lets escape from its constructors besides YAMLError, seen with `!!timestamp x`, `!!int ""`, `2024-13-45`.
_YAML_TROUBLE = (yaml.YAMLError, ValueError, TypeError, AttributeError, LookupError, ArithmeticError, RecursionError)


def split(text: str, start: int = 0) -> tuple[int, dict[str, object]]:
    """The offset after the front matter's closing line, and what it says; `(start, {})` when there is none.

    `---` … `---` or `...` is YAML, `+++` … `+++` TOML; it must begin at `start`. What stands between two thematic
    breaks but is no mapping is text, not front matter. Values are plain data; YAML's numbers and dates stay as written.
    """
    fence = _FENCE.match(text, start)
    if fence is None:
        return start, {}
    close = _CLOSING[fence[1]].search(text, fence.end())
    if close is None:
        return start, {}
    source = text[fence.end() : close.start()].replace("\r\n", "\n").replace("\r", "\n").lstrip("\n")
    meta = _parse(_UNREADABLE.sub("\ufffd", source), fence[1])
    return (start, {}) if meta is None else (close.end(), meta)


def _parse(source: str, fence: str) -> dict[str, object] | None:
    """What the source says; None when it is prose."""
    if not source.strip():
        return {}
    if len(source) <= MAX_SIZE[fence]:
        try:
            loaded = tomllib.loads(source) if fence == "+++" else yaml.load(source, Loader=_Loader)  # noqa: S506 - safe
        except _YAML_TROUBLE:
            pass
        else:
            if loaded is None:
                return {}
            return _plain_mapping(loaded) if isinstance(loaded, Mapping) else None
    return _salvage(source[: MAX_SIZE["---"]])


def _salvage(source: str) -> dict[str, object] | None:
    """The simple `key: value` lines of a source that does not parse, e.g. `title: Redis: a guide`."""
    if not _KEY_LINE.match(_COMMENTS_AND_BLANKS.sub("", source)):
        return None
    found: dict[str, object] = {}
    for key, value in _KEY_LINE.findall(source):
        plain = value.strip().strip("\"'")
        if plain and plain[0] not in "[{|>&*!":
            found.setdefault(key, plain)
    return found


class _Loader(yaml.SafeLoader):
    """PyYAML's safe loader without aliases (a few lines of them can stand for gigabytes) and with bounded depth.

    Only null, true and false are more than text: `lang: no`, `title: 3.10` and `date: 2024-02-30` stay as written.
    """

    _depth = 0

    def compose_node(self, parent: Any, index: Any) -> Any:
        """See PyYAML's `Composer`."""
        if self.check_event(yaml.AliasEvent):
            raise yaml.YAMLError("aliases are not read")
        if self._depth >= _MAX_DEPTH:
            raise yaml.YAMLError("nested too deeply")
        self._depth += 1
        try:
            return super().compose_node(parent, index)
        finally:
            self._depth -= 1


_Loader.yaml_implicit_resolvers = {}
_Loader.add_implicit_resolver("tag:yaml.org,2002:bool", re.compile(r"(?:true|True|false|False)\Z"), list("tTfF"))
_Loader.add_implicit_resolver("tag:yaml.org,2002:null", re.compile(r"(?:~|null|Null|NULL|)\Z"), ["~", "n", "N", ""])


def _plain_mapping(loaded: Mapping[Any, Any], depth: int = 0) -> dict[str, object]:
    return {str(_plain(key, depth + 1)): _plain(value, depth + 1) for key, value in loaded.items()}


def _plain(value: Any, depth: int) -> object:
    if isinstance(value, int) and value.bit_length() > 64:
        return hex(value)  # str() refuses very long ones
    if isinstance(value, str):  # YAML's escapes can spell halves of characters
        return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if value is None or isinstance(value, (bool, int, float)):
        return value
    if depth > _MAX_DEPTH:
        return None  # TOML's dotted keys nest without recursion: `a.a.a.…`
    if isinstance(value, Mapping):
        return _plain_mapping(value, depth)
    if isinstance(value, (list, tuple, set)):
        return [_plain(item, depth + 1) for item in value]
    return str(value.isoformat()) if hasattr(value, "isoformat") else str(value)
