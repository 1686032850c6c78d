"""The documentation map: what there is to read, area by area, in the order in which the READMEs lead through it.

Owns the map of a whole folder; sections, order, titles and notes are those of llms.txt, for every document that is
searched and not only for the published ones. Must not know who asks or where texts come from.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from ddg_lsp.core import corpus
from ddg_lsp.core.llms_txt import heads, order, site
from ddg_lsp.core.llms_txt.config import publishing
from ddg_lsp.core.model import Skip
from ddg_lsp.core.settings import Settings

LIMIT_RANGE = (1, 20_000)
DEFAULT_LIMIT = 1_000


@dataclass(frozen=True, slots=True)
class Entry:
    """One document. `area`: the title of its first folder's README, else that folder's name."""

    area: str
    title: str
    summary: str
    """One line; empty where the document offers none."""
    path: str
    """Relative to the workspace folder, with `/`."""


@dataclass(frozen=True, slots=True)
class DocumentationMap:
    """The documents of one folder, those of the published folder first."""

    title: str
    summary: str
    entries: tuple[Entry, ...]


def read_map(root: Path, settings: Settings) -> DocumentationMap:
    """The map of the folder `root` (a real path) as it lies on disk. A document that cannot be read is left out."""
    listing = corpus.scan(root, settings)
    found = ((entry.path, corpus.read(root, entry.path, settings)) for entry in listing.files)
    return make_map(root.name, {path: text for path, text in found if not isinstance(text, Skip)}, settings)


def make_map(
    name: str, texts: Mapping[str, str], settings: Settings, check: Callable[[], None] = lambda: None
) -> DocumentationMap:
    """The map of documents by their paths; `name` is the folder's. `check` may raise to cancel."""
    plan, _ = publishing(settings.llms)
    folder = site.published_folder(texts, settings, plan)
    prefix = f"{folder}/" if folder else ""
    inside, outside = _Part(prefix), _Part("")
    for path in sorted(texts):
        check()
        part, relative = (inside, path[len(prefix) :]) if path.startswith(prefix) else (outside, path)
        part.texts[relative] = texts[path]
        part.heads[relative] = heads.head(texts[path])
    top = inside.top() or outside.top()
    title = plan.title or (top.title if top else "") or heads.one_line(name) or site.UNNAMED
    summary = plan.summary or (top.note if top else "")
    own = outside.top()
    entries = (
        *inside.entries(site.TOP, plan.order),
        *outside.entries((own.title if own else "") or heads.one_line(name) or site.TOP, ()),
    )
    return DocumentationMap(title, summary, entries)


class _Part:
    """Documents below one folder, by path relative to it."""

    def __init__(self, prefix: str) -> None:
        self._prefix = prefix
        self.texts: dict[str, str] = {}
        self.heads: dict[str, heads.Head] = {}

    def top(self) -> heads.Head | None:
        """The head of the index page at the top."""
        page = order.index_of("", self.heads)
        return None if page is None else self.heads[page]

    def entries(self, top_name: str, configured: tuple[str, ...]) -> list[Entry]:
        ranks = site.ranks_of(self.heads, self.texts, configured)
        return [
            Entry(group.name if group.folder else top_name, page.title, page.note, self._prefix + page.path)
            for group in site.arrange(self.heads, ranks)
            for page in group.pages
        ]
