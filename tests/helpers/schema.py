"""Valid params for every method, made from lsprotocol's types, and everything that can be wrong with them."""

from __future__ import annotations

import copy
import enum
import types as python_types
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Union, get_args, get_origin

import attrs
from lsprotocol import types
from pygls.protocol import default_converter

from ddg_lsp.server.app import Door

WRONG: tuple[Any, ...] = (None, True, -1, 2**40, 1.5, "x", "\ud800\0", [], [1], {}, {"x": [1]})
"""One of every type JSON has, and the edges of some."""
LIFE = {types.INITIALIZE, types.SHUTDOWN, types.EXIT}
FIELDS: dict[str, Any] = {
    "query": "backup",
    "limit": 5,
    "mode": "hybrid",
    "paths": ["docs/*.md"],
    "perFile": 2,
    "explain": True,
    "folders": [],
    "workDoneToken": "t",
    "id": 1,
    "queries": [{"id": 1, "query": "backup"}],
    "maxOutputChars": 20_000,
    "uri": "file:///nowhere/a.md",
    "takeFocus": True,
    "rebuild": False,
    "silent": True,
    "files": True,
    "range": {"start": {"line": 0, "character": 0}, "end": {"line": 0, "character": 0}},
}
"""Every field of every request and command of our own; what one does not know, it has to ignore."""
DEPTH = 6
_CONVERTER = default_converter()


def served() -> list[str]:
    """The methods of the protocol the server has a handler for, and the one pygls handles by itself."""
    features = Door().server.protocol.fm
    names = {*features.features, *features.builtin_features, types.CANCEL_REQUEST}
    return sorted(names & set(types.METHOD_TO_TYPES) - LIFE)


def params_of(method: str) -> Any:
    """Params with every field there is, optional ones included; None where the method has none."""
    kind = types.METHOD_TO_TYPES[method][2]
    return None if kind is None else _CONVERTER.unstructure(_sample(kind, "", DEPTH))


def spoiled(value: Any, name: str = "params", wrong: Sequence[Any] = WRONG) -> Iterator[tuple[str, Any]]:
    """`value` with one thing wrong: every field left out, and set to everything of another type."""
    for other in wrong:
        yield f"{name} = {other!r}", copy.deepcopy(other)
    if isinstance(value, dict):
        for key, inner in value.items():
            yield f"{name} without {key}", {kept: value[kept] for kept in value if kept != key}
            for label, bad in spoiled(inner, f"{name}.{key}", wrong):
                yield label, {**value, key: bad}
    elif isinstance(value, list) and value:
        for label, bad in spoiled(value[0], f"{name}[]", wrong):
            yield label, [bad]


def _sample(kind: Any, name: str, depth: int) -> Any:
    if isinstance(kind, type) and attrs.has(kind):
        resolved = attrs.resolve_types(kind, types.ALL_TYPES_MAP, {})
        fields = [field for field in attrs.fields(resolved) if depth or field.default is attrs.NOTHING]
        return kind(**{field.name: _sample(field.type, field.name, max(depth - 1, 0)) for field in fields})
    origin, arguments = get_origin(kind), get_args(kind)
    if origin in (Union, python_types.UnionType):
        return _sample(next(one for one in arguments if one is not type(None)), name, depth)
    if origin in (list, Sequence) or (origin is not None and issubclass(origin, Sequence)):
        return [_sample(arguments[0], name, depth)]
    if origin is not None and issubclass(origin, Mapping):
        return {"x": _sample(arguments[1], name, depth)}
    return _plain(kind, name)


def _plain(kind: Any, name: str) -> Any:
    if isinstance(kind, type) and issubclass(kind, enum.Enum):
        return next(iter(kind))
    if kind is str:
        return "file:///nowhere/a.md" if "uri" in name else "x"
    return {int: 0, float: 0.5, bool: True}.get(kind, {"x": 1})
