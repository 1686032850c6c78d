"""Documentation sites in a session: fetched and embedded beside everything else, searched with the folders.

Owns the one thread that waits for other people's servers, so that neither a build nor a question of a folder does.
Nothing is opened before a question names a site. Must not know how a site is fetched, nor the wire.
"""

from __future__ import annotations

import asyncio
from collections.abc import Container, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from ddg_lsp.core.embedding import Embedder
from ddg_lsp.core.embedding.errors import EmbedderUnavailable
from ddg_lsp.core.query import Query
from ddg_lsp.core.search import Answer, Searcher, Target
from ddg_lsp.core.sites.names import chosen
from ddg_lsp.core.sites.registry import Registry
from ddg_lsp.server.engine import Engine
from ddg_lsp.server.protocol import Wire
from ddg_lsp.server.worker import Token, Worker

if TYPE_CHECKING:
    from ddg_lsp.core.hits import Hit
    from ddg_lsp.core.sites.asking import Sources
    from ddg_lsp.core.sites.library import Library
    from ddg_lsp.core.sites.pages import Outcome

WAIT_SECONDS = 8.0
"""The longest a question waits for pages; what comes later is there for the next one."""
EMBED_SECONDS = 60.0
CLOSE_SECONDS = 1.0


def library() -> Library:
    """The user's sites."""
    from ddg_lsp.core.sites.library import Library

    return Library()


@dataclass
class Prepared:
    """What the sites contribute to one answer."""

    names: tuple[str, ...] = ()
    sources: Sources | None = None
    outcomes: dict[str, Outcome] = field(default_factory=dict)
    complete: bool = False
    """Everything the question calls for was fetched, or could not be."""

    def fits(self, embedder: Embedder | None) -> bool:
        """Whether these sites' vectors are of this embedder."""
        return self.sources is None or self.sources.embedder is embedder

    @property
    def targets(self) -> list[Target]:
        """What a `Searcher` takes."""
        return self.sources.targets(self.names) if self.sources is not None else []

    def uri(self, root: Path, path: str) -> str | None:
        """The address of a page; None for what is of no site."""
        return self.sources.url_of(root, path) if self.sources is not None else None

    def shown(self, hit: Hit, wire: Wire) -> Wire:
        """A hit on the wire, as that of a site where it is one."""
        from ddg_lsp.core.sites.origin import shown

        return shown(wire, self.sources.origin(hit) if self.sources is not None else None)

    def without_strays(self, answer: Answer, folders: Container[Path]) -> Answer:
        """Less the hits of pages that were taken away meanwhile: there is no address to show."""
        sources = self.sources
        if sources is None:
            return answer
        kept = (hit for hit in answer.hits if hit.root in folders or sources.origin(hit) is not None)
        return replace(answer, hits=tuple(kept))

    def described(self) -> Wire:
        """The field `sources` of the answer; nothing where no site was named."""
        if not self.names:
            return {}
        if self.sources is None:  # the sites' thread is still busy for another question
            waiting: Wire = {"state": "building", "pages": 0, "fetched": [], "misses": [], "complete": False}
            return {"sources": [{"name": name, **waiting} for name in self.names]}
        sites = self.sources.described(self.names, self.outcomes)
        return {"sources": [{**site, "complete": self.complete} for site in sites]}


class LiveSites:
    """See the module. Attributes are the loop's; methods named `_job_*` run on the sites' own thread."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._library: Library | None = None
        self._worker: Worker | None = None
        self._sources: Sources | None = None
        self._searcher = Searcher(None)

    def chosen(self, names: Sequence[str]) -> tuple[str, ...]:
        """The user's sites that are meant. Raises `DdgError` INVALID_SOURCES."""
        return chosen(Registry() if self._library is None else self._library.registry, names) if names else ()

    async def prepare(self, names: tuple[str, ...], asked: Query) -> Prepared:
        """Fetch and embed what the question calls for, for a while; cancelled, it stops within a second."""
        found = Prepared(names)
        self._worker = self._worker or Worker()
        work = asyncio.ensure_future(self._worker.index(lambda token: self._job_prepare(token, found, asked)))
        try:
            await asyncio.wait({work}, timeout=WAIT_SECONDS)
        except asyncio.CancelledError:
            work.cancel()
            raise
        if work.done():
            with suppress(EmbedderUnavailable):  # the folders' own search meets it, too, and says so
                work.result()
        else:
            work.add_done_callback(lambda done: done.cancelled() or done.exception())
        return found

    def close(self) -> None:
        """Stop fetching, write what was embedded."""
        if self._worker is not None:
            self._worker.finish(self._job_close)(CLOSE_SECONDS)

    def _job_prepare(self, token: Token, found: Prepared, asked: Query) -> None:
        sources, searcher = self._opened(found.names, asked)
        found.sources = sources
        found.outcomes = sources.prepare(found.names, asked.text, searcher, token.check, EMBED_SECONDS)
        found.complete = True
        self._engine.used()

    def _opened(self, names: tuple[str, ...], asked: Query) -> tuple[Sources, Searcher]:
        from ddg_lsp.core.sites.asking import Sources

        embedder = self._engine.embedder
        if self._library is None:
            self._library = library()
        if self._sources is None or self._sources.embedder is not embedder:
            if self._sources is not None:
                self._sources.close()
            self._sources = Sources(self._library, embedder, self._engine.choice.reason)
            self._searcher = Searcher(embedder)
        self._sources.open(names)
        return self._sources, self._searcher if asked.mode != "lexical" else Searcher(None)

    def _job_close(self) -> None:
        if self._sources is not None:
            self._sources.close()
