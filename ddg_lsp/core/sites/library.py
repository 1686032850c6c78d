"""All documentation sites of a user: adding, listing, refreshing, removing, and opening them for a question.

Owns what each of these does as a whole. Nothing here is reached by anything in a workspace: names come from the user's
own list, and what is fetched from the indexes of the sites on it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timezone
from pathlib import Path

from ddg_lsp.core.embedding import Embedder
from ddg_lsp.core.errors import DdgError
from ddg_lsp.core.folder import no_check
from ddg_lsp.core.llms_txt.model import Index, Link
from ddg_lsp.core.search import Searcher
from ddg_lsp.core.sites import addresses, registry
from ddg_lsp.core.sites.fetch import Fetcher
from ddg_lsp.core.sites.model import REASONS, Miss, Site
from ddg_lsp.core.sites.pages import MOST_WANTED, WANTED, Outcome, Pages
from ddg_lsp.core.sites.shelf import Shelf
from ddg_lsp.core.sites.store import Store, key_of

Check = Callable[[], None]
SHOWN_LINKS = 200


@dataclass(frozen=True, slots=True)
class Overview:
    """What there is of a site."""

    site: Site
    title: str
    index: str
    """Where its index was found; empty where there is none."""
    links: int
    pages: int
    size: int
    """Bytes of its cached pages."""
    fetched_at: str
    misses: tuple[Miss, ...]


@dataclass(frozen=True, slots=True)
class Listing:
    """The links of a site's index, optional ones last, cut to what was asked for."""

    sections: tuple[str, ...]
    links: tuple[tuple[str, Link, bool], ...]
    """Section, link, and whether it is on one of the site's hosts."""
    total: int


class Library:
    """See the module. `config` and `cache` are the user's folders; others than the real ones are for tests."""

    def __init__(
        self, fetcher: Fetcher | None = None, *, config: Path | None = None, cache: Path | None = None
    ) -> None:
        self._fetcher = fetcher or Fetcher()
        self._cache = cache
        self.registry = registry.Registry(config)

    def add(self, site: Site, check: Check = no_check) -> Outcome:
        """Look for the site's index, fetch the pages the user listed, and remember the site.

        Raises `DdgError`: SITE_EXISTS; NO_INDEX where there is neither an index nor a page, with `misses`.
        """
        if site.name in self.registry.sites():
            sentence = f"There is a documentation site called {site.name!r} already; remove it first."
            raise DdgError("SITE_EXISTS", sentence, usage=True)
        store = self._store(site)
        pages = Pages(site, store, self._fetcher)
        found = pages.find_index(check)
        listed = pages.fetch([Link(page, page) for page in site.pages], check) if site.pages else Outcome()
        if not found.fetched and not listed.fetched:
            misses = found.misses + listed.misses
            store.remove()
            raise DdgError("NO_INDEX", _no_index(misses), misses=[(one.url, one.reason) for one in misses])
        self.registry.put(replace(site, added_at=datetime.now(timezone.utc).isoformat(timespec="seconds")))
        return Outcome(found.fetched + listed.fetched, (), found.misses + listed.misses)

    def refresh(self, name: str, check: Check = no_check, *, full: bool = False) -> Outcome:
        """Ask anew for everything that is cached of a site; `full`: fetch its llms-full.txt, too."""
        site = self.registry.get(name)
        pages = Pages(site, self._store(site), self._fetcher)
        found = pages.refresh(check)
        if not full:
            return found
        more = pages.everything(check)
        return Outcome(found.fetched + more.fetched, found.unchanged + more.unchanged, found.misses + more.misses)

    def remove(self, name: str) -> None:
        """Forget a site and delete what is cached of it."""
        site = self.registry.get(name)
        self.registry.drop(name)
        self._store(site).remove()

    def overviews(self) -> list[Overview]:
        """Every site and what there is of it, without asking anybody."""
        return [self._overview(site) for site in self.registry.sites().values()]

    def overview(self, name: str) -> Overview:
        """The same of one site. Raises `DdgError` UNKNOWN_SITE."""
        return self._overview(self.registry.get(name))

    def listing(self, name: str, section: str = "", limit: int = SHOWN_LINKS) -> Listing:
        """The links of a site. Raises `DdgError` UNKNOWN_SITE, UNKNOWN_SECTION."""
        site = self.registry.get(name)
        index = _first_index(self._store(site))
        sections = index.sections if index is not None else ()
        if section and section.casefold() not in {one.name.casefold() for one in sections}:
            names = ", ".join(one.name or "-" for one in sections)
            raise DdgError("UNKNOWN_SECTION", f"There is no section {section!r}; there are: {names}.", usage=True)
        wanted = [one for one in sections if not section or one.name.casefold() == section.casefold()]
        places = registry.places(site)
        ordered = sorted(wanted, key=lambda one: one.optional)
        links = [(one.name, link, is_own(link, places)) for one in ordered for link in one.links]
        return Listing(tuple(one.name for one in sections), tuple(links[:limit]), len(links))

    def open(self, name: str, embedder: Embedder | None, why: str = "") -> Shelf:
        """Open a site for search. Raises `DdgError` UNKNOWN_SITE."""
        site = self.registry.get(name)
        return Shelf(site, self._store(site), embedder, why)

    def collect(
        self, shelf: Shelf, question: str, searcher: Searcher, check: Check = no_check, wanted: int = WANTED
    ) -> Outcome:
        """Fetch the pages a question calls for that are not there yet; indexes that the index leads to come first."""
        pages = Pages(shelf.site, shelf.store, self._fetcher)
        places, wanted = registry.places(shelf.site), min(wanted, MOST_WANTED)
        best = self._called_for(shelf, question, searcher, places, wanted, check)
        hubs = [link for link in best if link.kind == "index"]
        nested = Outcome()
        if hubs:
            nested = pages.nested(hubs, check)
            shelf.refresh(check)
            while searcher.embedder is not None and shelf.embed_some(check, pages=False):
                check()
            best = self._called_for(shelf, question, searcher, places, wanted, check)
        known = shelf.store.contents.pages
        missing = [link for link in best if link.kind == "page" and key_of(link.url) not in known]
        found = pages.fetch(missing, check) if missing else Outcome()
        if missing:
            shelf.refresh(check)
        return Outcome(nested.fetched + found.fetched, (), nested.misses + found.misses)

    def _called_for(
        self, shelf: Shelf, question: str, searcher: Searcher, places: frozenset[str], wanted: int, check: Check
    ) -> list[Link]:
        """The best links on the site's hosts, less those that are known to give nothing; each address once."""
        contents = shelf.store.contents
        best: dict[str, Link] = {}
        for link in shelf.ranked(question, searcher, check):
            key = key_of(link.url)
            done = key in contents.misses or key in contents.indexes or link.kind == "full"
            if not done and is_own(link, places):
                best.setdefault(key, link)
            if len(best) == wanted:
                break
        return list(best.values())

    def _overview(self, site: Site) -> Overview:
        store = self._store(site)
        contents, index = store.contents, _first_index(store)
        records = [*contents.indexes.values(), *contents.pages.values()]
        return Overview(
            site=site,
            title=index.title if index is not None else "",
            index=next(iter(contents.indexes), ""),
            links=len(index.links) if index is not None else 0,
            pages=len(contents.pages),
            size=sum(one.size for one in contents.pages.values()),
            fetched_at=max((one.fetched_at for one in records), default=""),
            misses=tuple(Miss(url, reason) for url, reason in contents.misses.items()),
        )

    def _store(self, site: Site) -> Store:
        return Store(site.name, site.url, self._cache)


def is_own(link: Link, places: frozenset[str]) -> bool:
    """Whether a link leads to one of the places pages of the site may be fetched from."""
    address = addresses.read(link.url)
    return not isinstance(address, Miss) and not addresses.refusal(address, places)


def reason_text(reason: str) -> str:
    """A reason in words."""
    return REASONS.get(reason) or f"the server answers {reason.removeprefix('http_')}"


def _no_index(misses: Sequence[Miss]) -> str:
    tried = "; ".join(f"{miss.url}: {reason_text(miss.reason)}" for miss in misses)
    hint = "Name the address of its llms.txt, or pages with `--page`."
    return f"The site has no index that could be found ({tried}). {hint}"


def _first_index(store: Store) -> Index | None:
    from ddg_lsp.core.llms_txt import parse

    key = next(iter(store.contents.indexes), "")
    found = parse.parse(store.index_data(key), store.contents.indexes[key].url) if key else None
    return found if isinstance(found, Index) else None
