"""`ddg-lsp query --source`: a question that is also asked of documentation sites.

Owns the order of that: what is fetched, embedded and searched for one command. Without a source it fetches nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from ddg_lsp import docs_commands, terminal
from ddg_lsp.core.embedding import Embedder
from ddg_lsp.core.embedding.errors import EmbedderUnavailable
from ddg_lsp.core.folder import no_check
from ddg_lsp.core.opening import Opened
from ddg_lsp.core.query import Query
from ddg_lsp.core.search import Answer, Searcher
from ddg_lsp.core.sites.names import checked, chosen

if TYPE_CHECKING:
    from ddg_lsp.core.sites.asking import Sources
    from ddg_lsp.core.sites.library import Library
    from ddg_lsp.core.sites.origin import Origin
    from ddg_lsp.core.sites.pages import Outcome


class Asked:
    """The sites of one `query --source`; with none, nothing is opened and nothing is fetched."""

    def __init__(self, names: Sequence[str]) -> None:
        self.names: tuple[str, ...] = ()
        self._library: Library | None = None
        self._sources: Sources | None = None
        self._outcomes: dict[str, Outcome] = {}
        if names:
            self._library = docs_commands.library()
            self.names = chosen(self._library.registry, checked(list(names)))

    def ask(self, opened: Opened, query: Query, seconds: float) -> Answer:
        """The answer of the folder and the sites together, in one order."""
        if self._library is None:
            return opened.ask(query)
        embedder = opened.folder.embedder if query.mode != "lexical" else None
        try:
            return self._asked(self._library, opened, query, seconds, embedder)
        except EmbedderUnavailable as error:
            terminal.note(f"ddg-lsp: {error} The sites are searched by words alone.")
            return self._asked(self._library, opened, query, seconds, None)

    def _asked(
        self, library: Library, opened: Opened, query: Query, seconds: float, embedder: Embedder | None
    ) -> Answer:
        from ddg_lsp.core.sites.asking import Sources  # brings the HTTP client along, which most queries do not need

        self.close()
        searcher = Searcher(embedder)
        self._sources = sources = Sources(library, embedder, opened.reason)
        sources.open(self.names)
        self._outcomes = sources.prepare(self.names, query.text, searcher, seconds=seconds)
        answer = searcher.search([opened.folder.target(), *sources.targets(self.names)], query, no_check)
        return replace(answer, hits=tuple(hit for hit in answer.hits if not sources.is_stray(hit)))

    def origins(self, answer: Answer) -> list[Origin | None]:
        """Where each hit comes from; None for one of the folder."""
        return [self._sources.origin(hit) if self._sources else None for hit in answer.hits]

    def described(self) -> list[dict[str, object]]:
        """The field `sources` of the answer."""
        return self._sources.described(self.names, self._outcomes) if self._sources else []

    def tell(self) -> None:
        """Notes on what could not be fetched."""
        for outcome in self._outcomes.values():
            docs_commands.tell_misses(outcome.misses)

    def close(self) -> None:
        """Write what was embedded."""
        if self._sources is not None:
            self._sources.close()
