"""Which section a page belongs to, and in which order sections and pages stand.

Owns that order: what the settings name, then the order in which READMEs link, then the path by code point, an index
page before its neighbours. Must not know how anything is written. Paths are relative to the published folder.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from urllib.parse import unquote, urlsplit

from ddg_lsp.core.globs import match_globs

INDEX_NAMES = ("readme", "index")
Rank = tuple[int, int, str]


def is_index(path: str) -> bool:
    """Whether a page stands for its folder."""
    return path.rpartition("/")[2].lower().rpartition(".")[0] in INDEX_NAMES


def index_of(folder: str, paths: Iterable[str]) -> str | None:
    """The page that stands for a folder (empty for the top), a README before an index; None where there is none."""
    inside = sorted(path for path in paths if path.rpartition("/")[0] == folder and is_index(path))
    return next((path for name in INDEX_NAMES for path in inside if _stem(path) == name), None)


def section_of(path: str) -> str:
    """The first folder of a path; empty at the top."""
    return path.partition("/")[0] if "/" in path else ""


class Order:
    """The order of one site's pages."""

    def __init__(
        self, paths: Sequence[str], configured: Sequence[str], linked: Mapping[str, int], led: Mapping[str, int]
    ) -> None:
        """`linked`: the place of what any index page links; `led`: of what the one at the top does."""
        self._tests: list[Callable[[str], bool]] = [match_globs([pattern]) for pattern in configured]
        self._linked = linked
        self._led = led
        self._folders = sorted((one for one in linked if one.endswith("/")), key=len, reverse=True)
        self._ranks = {path: self._rank(path) for path in paths}

    def pages(self, paths: Iterable[str]) -> list[str]:
        """The pages of one section in order."""
        return sorted(paths, key=lambda path: self._ranks[path])

    def sections(self, sections: Mapping[str, Sequence[str]]) -> list[str]:
        """The sections (by first folder) in order: the top's, then as their first page ranks."""
        return sorted(sections, key=lambda name: self._section_rank(name, sections[name]))

    def _section_rank(self, name: str, paths: Sequence[str]) -> Rank:
        if not name:
            return (-1, 0, "")
        configured = min((self._ranks[path][1] for path in paths if self._ranks[path][0] == 0), default=None)
        if configured is not None:
            return (0, configured, name)
        led = min((place for one, place in self._led.items() if one.startswith(f"{name}/")), default=None)
        return (3, 0, name) if led is None else (2, led, name)

    def _rank(self, path: str) -> Rank:
        named = next((number for number, test in enumerate(self._tests) if test(path)), None)
        if named is not None:
            return 0, named, _index_first(path)
        if path in self._linked:
            return 2, self._linked[path], path
        if is_index(path) and self._folder_link(path) is None:
            return 1, 0, _index_first(path)
        folder = self._folder_link(path)
        return (3, 0, _index_first(path)) if folder is None else (2, folder, _index_first(path))

    def _folder_link(self, path: str) -> int | None:
        return next((self._linked[one] for one in self._folders if path.startswith(one)), None)


def link_order(links: Iterable[tuple[str, Sequence[str]]]) -> dict[str, int]:
    """The place of each linked path (a folder's ends in `/`), from `(index page, targets as written)` in order."""
    found: dict[str, int] = {}
    for page, targets in links:
        base = page.rpartition("/")[0]
        for target in targets:
            path = local_path(base, target)
            if path:
                found.setdefault(path, len(found))
    return found


def local_path(base: str, target: str) -> str:
    """The path a link in the folder `base` leads to, below the same top; empty where it leads elsewhere."""
    try:
        parts = urlsplit(target)
    except ValueError:
        return ""
    if parts.scheme or parts.netloc or not parts.path:
        return ""
    path = unquote(parts.path).replace("\\", "/")
    names: list[str] = [] if path.startswith("/") else [name for name in base.split("/") if name]
    for name in path.split("/"):
        if name == "..":
            if not names:
                return ""
            names.pop()
        elif name not in ("", "."):
            names.append(name)
    return "/".join(names) + ("/" if path.endswith("/") and names else "")


def _index_first(path: str) -> str:
    """A sort key: by path, but an index page before everything else in its folder."""
    folder, _, name = path.rpartition("/")
    return f"{folder}/\0{INDEX_NAMES.index(_stem(path))}{name}" if is_index(path) else f"{folder}/{name}"


def _stem(path: str) -> str:
    return path.rpartition("/")[2].lower().rpartition(".")[0]
