"""The sites a question names: their bounds, and which of the user's they are. Cheap to import: most name none."""

from __future__ import annotations

from collections.abc import Sequence

from ddg_lsp.core.errors import DdgError
from ddg_lsp.core.sites.registry import Registry

ALL = "*"
MAX_SOURCES = 20


def checked(names: object) -> tuple[str, ...]:
    """The field `sources` of a question. Raises `DdgError` INVALID_SOURCES with `usage`."""
    if names is None:
        return ()
    if not isinstance(names, (list, tuple)) or len(names) > MAX_SOURCES:
        raise _bad("INVALID_SOURCES", f"`sources` must be a list of at most {MAX_SOURCES} names.", "not_a_list")
    if not all(isinstance(name, str) for name in names):
        raise _bad("INVALID_SOURCES", "`sources` must hold names.", "not_a_list")
    return tuple(dict.fromkeys(names))


def chosen(registry: Registry, names: Sequence[str]) -> tuple[str, ...]:
    """The sites that are meant; `*` is all of them. Raises `DdgError` INVALID_SOURCES with `usage`."""
    if not names:
        return ()
    known = registry.sites()
    for name in names:
        if name not in known and name != ALL:
            raise _bad("INVALID_SOURCES", f"No documentation site is called {name!r}.", "unknown_source")
    return tuple(known) if ALL in names else tuple(names)


def _bad(code: str, sentence: str, reason: str) -> DdgError:
    return DdgError(code, sentence, usage=True, reason=reason)
