"""A documentation site of sixty pages about sixty things, and a user's library of sites in a folder of its own."""

from __future__ import annotations

from pathlib import Path

from ddg_lsp.core.embedding import Embedder
from ddg_lsp.core.folder import no_check
from ddg_lsp.core.hits import Hit
from ddg_lsp.core.query import Query
from ddg_lsp.core.search import Searcher, Target
from ddg_lsp.core.sites import registry
from ddg_lsp.core.sites.library import Library
from ddg_lsp.core.sites.pages import Outcome
from ddg_lsp.core.sites.shelf import Shelf
from tests.helpers.site_server import SiteServer, with_etag

_NAMES = (
    "anchors bearings compasses davits engines fenders galleys halyards icebergs jibs keels ladders masts nets oars "
    "pumps quays rudders sails tillers umbrellas valves winches yachts zincs buoys charts docks eddies flags gales "
    "harbours inlets jetties knots lanterns moorings navigation outboards pilots quarterdecks reefs sextants tides "
    "uprights vanes wakes yawls barges cabins decks estuaries ferries gangways hatches islands kayaks lagoons marinas "
    "nozzles"
)
THINGS = _NAMES.split()
assert len(THINGS) == 60
QUESTION = "How are broken rudders mended, zanzibar?"
RUDDERS = "/docs/rudders.md"


def page(thing: str) -> str:
    return f"# {thing.capitalize()}\n\nAbout {thing}.\n\n## Repairing {thing}\n\nHow broken {thing} are mended.\n"


def serve(site: SiteServer, *, etags: bool = False) -> None:
    """Sixty pages and their llms.txt, in two sections."""
    lines = ["# Shipyard", "", "> Everything about boats.", ""]
    for number, thing in enumerate(THINGS):
        if number % 30 == 0:
            lines += ["", f"## {('Guides', 'Reference')[number // 30]}", ""]
        lines.append(f"- [{thing.capitalize()}](docs/{thing}.md): what {thing} are and how they are repaired")
        text = page(thing)
        if etags:
            site.served[f"/docs/{thing}.md"] = with_etag(text, f'"{thing}"')
        else:
            site.text(f"/docs/{thing}.md", text)
    text = "\n".join(lines) + "\n"
    if etags:
        site.served["/llms.txt"] = with_etag(text, '"index"')
    else:
        site.text("/llms.txt", text)


def library(site: SiteServer, folder: Path, **fetcher: object) -> Library:
    return Library(site.fetcher(**fetcher), config=folder / "config", cache=folder / "cache")


def files_of(shelf: Shelf) -> list[Path]:
    """The pages that are kept of a site."""
    return list(shelf.store.pages.glob("*.md"))


def add(shelves: Library, url: str, name: str = "boats", *hosts: str, pages: tuple[str, ...] = ()) -> Outcome:
    return shelves.add(registry.new(name, url, hosts, pages))


def embed(shelf: Shelf) -> Shelf:
    while shelf.embed_some():
        pass
    return shelf


def ask(shelves: Library, question: str, embedder: Embedder | None, name: str = "boats") -> tuple[Shelf, Outcome]:
    """What a query does: open, embed the links, fetch, embed the pages."""
    shelf = shelves.open(name, embedder)
    embed(shelf)
    found = shelves.collect(shelf, question, Searcher(embedder), no_check)
    return embed(shelf), found


def search(shelf: Shelf, question: str, *others: Target, embedder: Embedder | None = None) -> tuple[Hit, ...]:
    """The hits of the site's pages, and of other indexes, together."""
    return Searcher(embedder).search([shelf.target(), *others], Query(question), no_check).hits
