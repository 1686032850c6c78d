"""The documents of a folder as a site: which of them are listed, in which sections, in which order.

Owns what the index and the documentation map have in common. Must not know how either is written.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from ddg_lsp.core import corpus
from ddg_lsp.core.globs import match_globs
from ddg_lsp.core.llms_txt import heads, order
from ddg_lsp.core.llms_txt.config import DEFAULT_FOLDER, Publishing
from ddg_lsp.core.llms_txt.heads import Head
from ddg_lsp.core.model import Skip
from ddg_lsp.core.settings import Settings

TOP = "Docs"
"""The section of the pages at the top of the published folder."""
UNNAMED = "Documentation"
SUFFIXES = (".md", ".markdown", ".mdx")


@dataclass(frozen=True, slots=True)
class Page:
    """A listed page; `path` is relative to the published folder."""

    path: str
    title: str
    note: str


@dataclass(frozen=True, slots=True)
class Group:
    """A section: its name, its folder (empty at the top) and its pages, in order."""

    name: str
    folder: str
    pages: tuple[Page, ...]


@dataclass(frozen=True, slots=True)
class Site:
    """All that an index says."""

    title: str
    summary: str
    groups: tuple[Group, ...]
    optional: tuple[Page, ...]
    warnings: tuple[str, ...]
    """Sentences for whoever publishes."""

    @property
    def pages(self) -> tuple[Page, ...]:
        """Every page, in order, the optional ones last."""
        return (*(page for group in self.groups for page in group.pages), *self.optional)


@dataclass(frozen=True, slots=True)
class Source:
    """A published folder as it lies on disk."""

    root: Path
    folder: str
    """The published folder, relative to `root`; empty for `root` itself."""
    texts: Mapping[str, str]
    """By path relative to the published folder, in code-point order."""
    skipped: tuple[Skip, ...]
    """What the corpus leaves out, by path relative to `root`."""

    @property
    def name(self) -> str:
        """What the site is called where nothing says so."""
        return (self.folder or str(self.root)).replace("\\", "/").rstrip("/").rpartition("/")[2]


def collect(root: Path, settings: Settings, plan: Publishing, check: Callable[[], None] = lambda: None) -> Source:
    """Read the documents of the published folder below `root` (a real path). Trouble with one file is a skip."""
    listing = corpus.scan(root, settings, check)
    folder = published_folder((entry.path for entry in listing.files), settings, plan)
    texts: dict[str, str] = {}
    skipped = list(listing.skipped)
    for entry in listing.files:
        check()
        if folder and not entry.path.startswith(f"{folder}/"):
            continue
        text = corpus.read(root, entry.path, settings)
        if isinstance(text, Skip):
            skipped.append(text)
        else:
            texts[entry.path[len(folder) + 1 :] if folder else entry.path] = text
    return Source(root, folder, dict(sorted(texts.items())), tuple(skipped))


def published_folder(paths: Iterable[str], settings: Settings, plan: Publishing) -> str:
    """The folder that is published, relative to the workspace folder: the configured one, the corpus's root, `docs`."""
    if plan.folder is not None:
        return plan.folder
    if settings.root:
        return settings.root
    return DEFAULT_FOLDER if any(path.startswith(f"{DEFAULT_FOLDER}/") for path in paths) else ""


def build(source: Source, plan: Publishing) -> Site:
    """The site of a folder's documents."""
    every = {path: heads.head(text) for path, text in source.texts.items()}
    included = match_globs(plan.include) if plan.include else lambda _: True
    known = {path: one for path, one in every.items() if one.listed and included(path)}
    optional = match_globs(plan.optional) if plan.optional else lambda _: False
    ranks = ranks_of(known, source.texts, plan.order)
    last = ranks.pages(path for path in known if optional(path))
    groups = arrange({path: one for path, one in known.items() if path not in set(last)}, ranks)
    top = order.index_of("", known)
    title = plan.title or (known[top].title if top else "") or heads.one_line(source.name) or UNNAMED
    summary = plan.summary or (known[top].note if top else "")
    warnings = _warnings(source, every, known)
    return Site(title, summary, groups, tuple(_page(path, known) for path in last), warnings)


def arrange(known: Mapping[str, Head], ranks: order.Order) -> tuple[Group, ...]:
    """Pages in their sections, everything in order; no section is empty."""
    sections: dict[str, list[str]] = {}
    for path in known:
        sections.setdefault(order.section_of(path), []).append(path)
    return tuple(
        Group(_section_name(name, known), name, tuple(_page(path, known) for path in ranks.pages(sections[name])))
        for name in ranks.sections(sections)
    )


def ranks_of(known: Mapping[str, Head], texts: Mapping[str, str], configured: Sequence[str]) -> order.Order:
    """The order of pages: `configured` patterns first, then as their index pages link."""
    indexes = sorted((path for path in known if order.is_index(path)), key=lambda path: (path.count("/"), path))
    found = [(path, heads.links(texts[path])) for path in indexes]
    top = order.index_of("", known)
    linked = _resolved(order.link_order(found), known)
    led = _resolved(order.link_order(one for one in found if one[0] == top), known)
    return order.Order(list(known), configured, linked, led)


def _resolved(linked: Mapping[str, int], known: Mapping[str, Head]) -> dict[str, int]:
    """Links to what they mean: a page, also without its ending, or a folder, also without `/`."""
    folders = {"/".join(path.split("/")[:depth]) for path in known for depth in range(1, path.count("/") + 1)}
    found: dict[str, int] = {}
    for path, place in linked.items():
        spelled = (path, *(path + suffix for suffix in SUFFIXES))
        page = next((one for one in spelled if one in known), None)
        folder = path.rstrip("/")
        if page is not None:
            found.setdefault(page, place)
        elif folder in folders:
            found.setdefault(f"{folder}/", place)
    return found


def _page(path: str, known: Mapping[str, Head]) -> Page:
    return Page(path, _title(path, known), known[path].note)


def _title(path: str, known: Mapping[str, Head]) -> str:
    return (
        known[path].title
        or heads.one_line(path.rpartition("/")[2].rpartition(".")[0])
        or heads.one_line(path)
        or "Untitled"
    )


def _section_name(folder: str, known: Mapping[str, Head]) -> str:
    if not folder:
        return TOP
    page = order.index_of(folder, known)
    name = (known[page].title if page else "") or heads.one_line(folder)
    # That name has a meaning of its own in these files.
    return f"{name}/" if name.strip().casefold() == "optional" else name


def _warnings(source: Source, every: Mapping[str, Head], known: Mapping[str, Head]) -> tuple[str, ...]:
    """Sections that would be empty: their documents are there, and every one of them is left out."""
    prefix = f"{source.folder}/" if source.folder else ""
    left = [path for path in every if path not in known]
    reasons = ("excluded", "ignored")
    left += [one.path[len(prefix) :] for one in source.skipped if one.reason in reasons and one.path.startswith(prefix)]
    full = {order.section_of(path) for path in known}
    empty = sorted({order.section_of(path) for path in left if not path.endswith("/")} - full - {""})
    return tuple(f"No document of `{folder}/` is listed: every one is left out." for folder in empty)
