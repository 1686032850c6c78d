"""Fetching for a site: its index, the pages a question calls for, a fresh copy of what is there, all of it at once.

Owns what is fetched when. Nothing here sends a question, nor anything made from one, but the choice of a site's own
addresses. Every address that gave nothing is kept with its reason, and not asked again before a refresh.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple
from urllib.parse import urljoin

from ddg_lsp.core.folder import no_check
from ddg_lsp.core.llms_txt import full
from ddg_lsp.core.llms_txt import model as llms
from ddg_lsp.core.llms_txt.model import Link
from ddg_lsp.core.sites import addresses, crew, discover, linkdoc, markdown_page, registry
from ddg_lsp.core.sites.fetch import FULL_BYTES, INDEX_BYTES, PAGE_BYTES, Fetched, Fetcher, Wish
from ddg_lsp.core.sites.model import Miss, Site
from ddg_lsp.core.sites.store import Record, Store, key_of

WANTED = 5
"""Pages a question calls for."""
MOST_WANTED = 20
NESTED = 50
"""Indexes that an index may lead to; what those lead to is not followed."""
FETCHED, UNCHANGED, MISSED = "fetched", "unchanged", "missed"
GONE = ("http_404", "http_410")

Check = Callable[[], None]


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of fetching: addresses with something new, addresses that are as they were, and the others."""

    fetched: tuple[str, ...] = ()
    unchanged: tuple[str, ...] = ()
    misses: tuple[Miss, ...] = ()


class Pages:
    """The fetching for one site."""

    def __init__(self, site: Site, store: Store, fetcher: Fetcher) -> None:
        self._site = site
        self._store = store
        self._fetcher = fetcher
        self._places = registry.places(site)

    def find_index(self, check: Check = no_check) -> Outcome:
        """Look for the site's index, nearest first, and keep it; `fetched` is empty where there is none."""
        found = discover.find(self._site.url, lambda url: self._ask([Wish(url, self._places, INDEX_BYTES)], check)[0])
        with self._store.changing():
            self._keep(found.misses)
            if found.answer is not None and found.index is not None:
                self._store.put_index(
                    found.answer.url, found.index.title, found.answer, linkdoc.document(found.index)[0]
                )
        return Outcome((found.answer.url,) if found.answer else (), (), found.misses)

    def fetch(self, links: Sequence[Link], check: Check = no_check) -> Outcome:
        """Fetch these pages and keep them, all of them, whether they are there already or not."""
        wishes = [self._wish(key_of(link.url), self._store.contents.pages) for link in links]
        answers = self._ask(wishes, check)
        with self._store.changing():
            kept = [self._keep_page(w, link.name, a) for w, link, a in zip(wishes, links, answers, strict=True)]
        return _outcome(kept)

    def nested(self, links: Sequence[Link], check: Check = no_check) -> Outcome:
        """Fetch these indexes that an index leads to, at most as many as there is room for."""
        room = NESTED + 1 - len(self._store.contents.indexes)
        wishes = [Wish(key_of(link.url), self._places, INDEX_BYTES) for link in links[: max(0, room)]]
        answers = self._ask(wishes, check)
        with self._store.changing():
            kept = [self._keep_index(wish.url, answer) for wish, answer in zip(wishes, answers, strict=True)]
        return _outcome(kept)

    def refresh(self, check: Check = no_check) -> Outcome:
        """Ask for everything that is there, where possible only whether it has changed; forget what is gone."""
        contents = self._store.contents
        wishes = [self._wish(key, contents.indexes, INDEX_BYTES) for key in contents.indexes]
        answers = self._ask(wishes, check)
        with self._store.changing() as now:
            now.misses.clear()
            kept = [self._keep_index(wish.url, answer) for wish, answer in zip(wishes, answers, strict=True)]
        first = self.find_index(check) if not self._store.contents.indexes else Outcome()
        listed = dict.fromkeys((*self._site.pages, *self._store.contents.pages))
        titles = {key: record.title for key, record in self._store.contents.pages.items()}
        pages = self.fetch([Link(titles.get(key, key), key) for key in listed if "#" not in key], check)
        return _joined(first, _outcome(kept), pages)

    def everything(self, check: Check = no_check) -> Outcome:
        """Fetch the site's llms-full.txt, one file that may be very large, and keep its pages."""
        first = next(iter(self._store.contents.indexes), self._site.url)
        url = urljoin(first, "llms-full.txt")
        answer = self._ask([Wish(url, self._places, FULL_BYTES)], check)[0]
        found = full.pages(answer.data, answer.url) if isinstance(answer, Fetched) else answer
        with self._store.changing():
            if isinstance(answer, Miss) or not isinstance(found, tuple):
                miss = Miss(url, found.reason) if not isinstance(found, tuple) else Miss(url, "empty")
                return self._missed(miss)
            kept = [self._keep_part(answer, number, page) for number, page in enumerate(found, 1)]
        return _outcome(kept)

    def _missed(self, miss: Miss) -> Outcome:
        self._keep((miss,))
        return Outcome(misses=(miss,))

    def _wish(self, key: str, known: dict[str, Record], limit: int = PAGE_BYTES) -> Wish:
        record = known.get(key)
        etag, modified = (record.etag, record.modified) if record else ("", "")
        return Wish(key, self._places, limit, etag, modified)

    def _ask(self, wishes: Sequence[Wish], check: Check) -> list[Fetched | Miss]:
        return crew.fetch(self._fetcher, wishes, check)

    def _keep(self, misses: Sequence[Miss]) -> None:
        for miss in misses:
            self._store.put_miss(miss)

    def _keep_page(self, wish: Wish, name: str, answer: Fetched | Miss) -> _Kept:
        pages = self._store.contents.pages
        if isinstance(answer, Fetched) and answer.status == 304:
            self._store.seen(pages, wish.url)
            return _Kept(wish.url, UNCHANGED)
        if isinstance(answer, Fetched):
            strict = not answer.content_type.lower().startswith("text/")
            found = markdown_page.text(answer.data, name, strict=strict)
            if isinstance(found, str):
                return self._put(wish.url, name, answer, found)
            answer = Miss(wish.url, found.reason)
        if answer.reason in GONE:
            pages.pop(wish.url, None)
        self._store.put_miss(answer)
        return _Kept(*_parts(answer))

    def _put(self, key: str, name: str, answer: Fetched, text: str) -> _Kept:
        before = self._store.contents.pages.get(key)
        self._store.put_page(key, name, answer, text)
        if reason := self._store.contents.misses.get(key):
            return _Kept(key, MISSED, reason)
        same = before is not None and before.sha256 == self._store.contents.pages[key].sha256
        return _Kept(key, UNCHANGED if same else FETCHED)

    def _keep_index(self, key: str, answer: Fetched | Miss) -> _Kept:
        indexes = self._store.contents.indexes
        if isinstance(answer, Fetched) and answer.status == 304:
            self._store.seen(indexes, key)
            return _Kept(key, UNCHANGED)
        found = discover.read(answer, key)
        if found.index is not None and found.answer is not None:
            before = indexes.get(key)
            self._store.put_index(key, found.index.title, found.answer, linkdoc.document(found.index)[0])
            same = before is not None and before.sha256 == indexes[key].sha256
            return _Kept(key, UNCHANGED if same else FETCHED)
        if found.misses[0].reason in GONE:
            indexes.pop(key, None)
        self._keep(found.misses)
        return _Kept(*_parts(found.misses[0]))

    def _keep_part(self, answer: Fetched, number: int, page: full.Page) -> _Kept:
        """A page of an llms-full.txt, under its own address where that is one of the site's."""
        own = addresses.read(page.url)
        theirs = not isinstance(own, Miss) and not addresses.refusal(own, self._places)
        key = key_of(page.url) if theirs else f"{answer.url}#page-{number}"
        title = page.title or key
        found = markdown_page.text(f"# {' '.join(title.split())}\n\n{page.body}", title, strict=False)
        if isinstance(found, llms.Miss):
            return _Kept(key, MISSED, found.reason)
        part = Fetched(key, 200, found.encode("utf-8", "replace"), answer.content_type, "", "")
        return self._put(key, title, part, found)


class _Kept(NamedTuple):
    """What became of one address."""

    url: str
    state: str
    reason: str = ""


def _parts(miss: Miss) -> tuple[str, str, str]:
    return miss.url, MISSED, miss.reason


def _outcome(kept: Sequence[_Kept]) -> Outcome:
    return Outcome(
        tuple(one.url for one in kept if one.state == FETCHED),
        tuple(one.url for one in kept if one.state == UNCHANGED),
        tuple(Miss(one.url, one.reason) for one in kept if one.state == MISSED),
    )


def _joined(*outcomes: Outcome) -> Outcome:
    return Outcome(
        tuple(url for one in outcomes for url in one.fetched),
        tuple(url for one in outcomes for url in one.unchanged),
        tuple(miss for one in outcomes for miss in one.misses),
    )
