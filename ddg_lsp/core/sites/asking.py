"""The sites that one question is also asked of: opened, brought as far as its time allows, searched, described.

Owns what every front end does with a question that names sites. Must not know the front ends.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from pathlib import Path

from ddg_lsp.core.embedding import Embedder
from ddg_lsp.core.folder import no_check
from ddg_lsp.core.hits import Hit
from ddg_lsp.core.search import Searcher, Target
from ddg_lsp.core.sites.library import Library
from ddg_lsp.core.sites.origin import Origin
from ddg_lsp.core.sites.pages import Outcome
from ddg_lsp.core.sites.shelf import Shelf

MAX_MISSES = 20
"""Misses that an answer names; `docs list` names all."""


class Sources:
    """Some sites, open with one embedder. Used by one thread at a time."""

    def __init__(self, library: Library, embedder: Embedder | None, why: str = "") -> None:
        self.embedder = embedder
        self._library = library
        self._why = why
        self._shelves: dict[str, Shelf] = {}
        self._roots: dict[Path, Shelf] = {}

    def open(self, names: Sequence[str]) -> None:
        """Open those of them that are not open, and take over what others have fetched."""
        for name in names:
            known = self._shelves.get(name)
            site = self._library.registry.get(name)
            if known is not None and known.site == site:
                known.refresh()
                continue
            if known is not None:
                known.close()
            shelf = self._library.open(name, self.embedder, self._why)
            self._shelves[name], self._roots[shelf.root] = shelf, shelf

    def prepare(
        self,
        names: Sequence[str],
        question: str,
        searcher: Searcher,
        check: Callable[[], None] = no_check,
        seconds: float = float("inf"),
    ) -> dict[str, Outcome]:
        """Fetch what the question calls for and embed it, for about so many seconds. Raises what the embedder raises.

        Nothing is given up by a lack of time but completeness: what is not embedded yet is found by its words.
        """
        until = time.monotonic() + (seconds if searcher.embedder is not None else 0.0)
        outcomes: dict[str, Outcome] = {}
        for name in names:
            shelf = self._shelves[name]
            self._embed(shelf, check, until, links=True)
            outcomes[name] = self._library.collect(shelf, question, searcher, check)
            self._embed(shelf, check, until, links=False)
        return outcomes

    def targets(self, names: Sequence[str]) -> list[Target]:
        """What a `Searcher` takes."""
        return [shelf.target() for name in names if (shelf := self._shelves.get(name)) is not None]

    def origin(self, hit: Hit) -> Origin | None:
        """Where a hit of a site comes from; None for one of a folder."""
        shelf = self._roots.get(hit.root)
        return shelf.origin(hit) if shelf is not None else None

    def url_of(self, root: Path, path: str) -> str | None:
        """The address of a cached page; None for what is of no site here."""
        shelf = self._roots.get(root)
        return shelf.url_of(path) if shelf is not None else None

    def is_stray(self, hit: Hit) -> bool:
        """Whether a hit is of a page that has been taken away meanwhile: there is no address to show."""
        return hit.root in self._roots and self.origin(hit) is None

    def described(self, names: Sequence[str], outcomes: dict[str, Outcome]) -> list[dict[str, object]]:
        """The field `sources` of an answer: what each site contributed from, and what could not be fetched for it."""
        return [_described(name, self._shelves.get(name), outcomes.get(name, Outcome())) for name in names]

    def close(self) -> None:
        """Write what was embedded and let go of everything."""
        for shelf in self._shelves.values():
            shelf.close()
        self._shelves.clear()
        self._roots.clear()

    def _embed(self, shelf: Shelf, check: Callable[[], None], until: float, *, links: bool) -> None:
        while time.monotonic() < until and shelf.embed_some(check, links=links, pages=not links):
            check()


def _described(name: str, shelf: Shelf | None, outcome: Outcome) -> dict[str, object]:
    return {
        "name": name,
        "state": shelf.pages.report().state if shelf is not None else "building",
        "pages": len(shelf.store.contents.pages) if shelf is not None else 0,
        "fetched": list(outcome.fetched),
        "misses": [{"url": miss.url, "reason": miss.reason} for miss in outcome.misses[:MAX_MISSES]],
    }
