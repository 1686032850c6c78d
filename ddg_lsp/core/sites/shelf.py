"""One site opened for search: its links and its cached pages, each an index like any folder's.

Owns which links a question calls for; the question goes to the embedder and the lexical leg on this machine and nowhere
else. Must not know how pages are fetched; used by one thread at a time.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from urllib.parse import unquote, urlsplit

from ddg_lsp.core.embedding import Embedder
from ddg_lsp.core.errors import DdgError
from ddg_lsp.core.folder import Folder, no_check
from ddg_lsp.core.hits import Hit
from ddg_lsp.core.llms_txt import model as llms
from ddg_lsp.core.llms_txt import parse
from ddg_lsp.core.llms_txt.model import Index, Link
from ddg_lsp.core.query import Query
from ddg_lsp.core.search import Searcher, Target
from ddg_lsp.core.settings import Settings
from ddg_lsp.core.sites import files, linkdoc
from ddg_lsp.core.sites.fetch import PAGE_BYTES
from ddg_lsp.core.sites.harmless import harmless
from ddg_lsp.core.sites.model import Site
from ddg_lsp.core.sites.origin import Origin
from ddg_lsp.core.sites.store import MAX_PAGES, Store

RANKED = 100
"""Links of an index, best first, that a question looks at; those beyond are called for by no question."""
SETTINGS = Settings(
    include=("**/*.md",), exclude=(), gitignore=False, secret_names=False, max_file_bytes=PAGE_BYTES * 2,
    max_documents=2 * MAX_PAGES, synonyms="",
)  # fmt: skip
"""Neither a workspace nor the user's `include` has a say in what of a fetched page is searched."""


class Shelf:
    """See the module. Opening it reads the caches; nothing is embedded and nothing is fetched."""

    def __init__(self, site: Site, store: Store, embedder: Embedder | None, why: str = "") -> None:
        self.site = site
        self.store = store
        self.embedder = embedder
        try:
            for folder in (store.pages, store.links):
                files.make(folder)
            roots = store.pages.resolve(), store.links.resolve()
        except (OSError, RuntimeError) as error:
            raise DdgError("NOT_WRITTEN", f"Pages cannot be kept in {store.folder}.") from error
        self.pages = Folder(roots[0], SETTINGS, embedder, why)
        self.links = Folder(roots[1], SETTINGS, embedder, why)
        for one in (self.pages, self.links):
            one.open()
        self.refresh()

    @property
    def root(self) -> Path:
        """What tells the hits of this site from others."""
        return self.pages.root

    def refresh(self, check: Callable[[], None] = no_check) -> None:
        """Take over what is in the store now."""
        self.store.load()
        self._origins = self.store.by_file()
        self.links.refresh(check)
        self.pages.refresh(check)

    def embed_some(self, check: Callable[[], None] = no_check, *, links: bool = True, pages: bool = True) -> int:
        """Embed the next few views, links first; 0 when nothing is left. Raises what the embedder raises."""
        for wanted, folder in ((links, self.links), (pages, self.pages)):
            if wanted and folder.pending():
                done = folder.embed_some(check)
                if not folder.pending():
                    folder.finish()
                return done
        return 0

    def ranked(self, question: str, searcher: Searcher, check: Callable[[], None] = no_check) -> list[Link]:
        """The links a question calls for, best first; links that are equally good stay in the order of the index."""
        query = Query(question, limit=max(1, len(self.store.contents.indexes)), per_file=RANKED)
        hits = searcher.search([self.links.target()], query, check).hits
        order = {self.store.links_file(key): number for number, key in enumerate(self.store.contents.indexes)}
        known = {self.store.links_file(key): self._lines(key) for key in self.store.contents.indexes}
        found = [(hit, known[hit.passage.path].get(hit.passage.line)) for hit in hits if hit.passage.path in known]
        ranked = [
            (-hit.score, order[hit.passage.path], hit.passage.line, link)
            for hit, link in found
            # An index leads to further ones, and those to no more.
            if link and (link.kind != "index" or order[hit.passage.path] == 0)
        ]
        return [link for *_, link in sorted(ranked, key=lambda one: one[:3])]

    def index(self, key: str) -> Index | None:
        """An index that was fetched, read anew."""
        record = self.store.contents.indexes.get(key)
        found = parse.parse(self.store.index_data(key), record.url) if record else None
        return None if isinstance(found, llms.Miss) else found

    def target(self) -> Target:
        """The cached pages, as a `Searcher` takes them; to a question's patterns, a page is the path of its address."""
        names = {file: path_of(record.url) for file, record in self._origins.items()}
        return replace(self.pages.target(), names=names)

    def origin(self, hit: Hit) -> Origin | None:
        """Where a hit of this site comes from; None where the page has been taken away meanwhile."""
        record = self._origins.get(hit.passage.path)
        if record is None:
            return None
        path = path_of(record.url)
        headings = tuple(harmless(one) for one in hit.passage.headings)
        excerpt = harmless(hit.excerpt)
        return Origin(self.site.name, record.url, path, headings, excerpt, record.fetched_at, record.sha256)

    def url_of(self, path: str) -> str:
        """The address of a page; empty where it has been taken away meanwhile."""
        record = self._origins.get(path)
        return record.url if record is not None else ""

    def close(self) -> None:
        """Write what was embedded and let go of the caches."""
        self.links.close()
        self.pages.close()

    def _lines(self, key: str) -> dict[int, Link]:
        index = self.index(key)
        return linkdoc.document(index)[1] if index is not None else {}


def path_of(url: str) -> str:
    """The path of an address as people read it, without the slash it begins with."""
    return unquote(urlsplit(url).path).lstrip("/") or "/"
