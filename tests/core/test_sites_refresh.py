"""What is kept of a site, and what becomes of it: a refresh (case E19), trouble, damage, a second process."""

from __future__ import annotations

import json
from collections.abc import Iterator

from ddg_lsp.core.embedding.deterministic import DeterministicEmbedder
from ddg_lsp.core.search import Searcher
from ddg_lsp.core.sites.model import Miss
from tests.helpers.documentation_site import QUESTION, RUDDERS, add, ask, files_of, library, page, search, serve
from tests.helpers.site_server import status, with_etag


def test_e19_what_has_not_changed_is_neither_sent_nor_embedded_again(site, shelves):
    serve(site, etags=True)
    add(shelves, site.url("/"))
    shelf, _ = ask(shelves, QUESTION, DeterministicEmbedder())
    shelf.close()
    files = {path: path.stat().st_mtime_ns for path in shelf.store.pages.glob("*.md")}
    found = shelves.refresh("boats")
    assert (len(found.unchanged), found.fetched, found.misses) == (6, (), ())
    assert {path: path.stat().st_mtime_ns for path in shelf.store.pages.glob("*.md")} == files
    embedder = DeterministicEmbedder()
    shelf = shelves.open("boats", embedder)
    assert shelf.embed_some() == 0
    assert embedder.seen == []
    shelf.close()


def test_a_page_that_changed_or_has_gone_is_that_after_a_refresh(site, shelves):
    serve(site, etags=True)
    add(shelves, site.url("/"))
    shelf, found = ask(shelves, QUESTION, None)
    shelf.close()
    gone = next(url for url in found.fetched if not url.endswith(RUDDERS))
    site.served[RUDDERS] = with_etag("# Rudders\n\nNew words: gudgeon and pintle.\n", '"new"')
    del site.served[gone.removeprefix(site.url(""))]
    found = shelves.refresh("boats")
    assert found.fetched == (site.url(RUDDERS),)
    assert found.misses == (Miss(gone, "http_404"),)
    shelf = shelves.open("boats", None)
    hits = search(shelf, "gudgeon pintle")
    assert [shelf.origin(hit).url for hit in hits] == [site.url(RUDDERS)]  # type: ignore[union-attr]
    assert shelves.overview("boats").pages == len(files_of(shelf)) == 4
    shelf.close()


def test_a_server_in_trouble_takes_no_page_away(site, shelves):
    serve(site)
    add(shelves, site.url("/"))
    shelf, _ = ask(shelves, QUESTION, None)
    shelf.close()
    for path in list(site.served):
        site.served[path] = status(500)
    found = shelves.refresh("boats")
    assert {miss.reason for miss in found.misses} == {"http_500"}
    assert (shelves.overview("boats").pages, shelves.overview("boats").links) == (5, 60)


def test_what_gave_nothing_is_kept_with_its_reason_and_not_asked_again_before_a_refresh(site, shelves):
    serve(site)
    site.text(RUDDERS, "<!DOCTYPE html><html><body>Rudders</body></html>")
    add(shelves, site.url("/"))
    for _ in range(2):
        shelf, _ = ask(shelves, "rudders", None)
        shelf.close()
    assert site.paths().count(RUDDERS) == 1
    assert Miss(site.url(RUDDERS), "html") in shelves.overview("boats").misses
    site.text(RUDDERS, page("rudders"))
    shelves.refresh("boats")
    shelf, found = ask(shelves, "rudders", None)
    shelf.close()
    assert site.url(RUDDERS) in found.fetched


def damaged(good: bytes) -> Iterator[bytes]:
    """Everything a file may hold that is no list of records."""
    yield from (b"", b"{}", b"[1]", b"\xff", b'{"schema": 1, "site": "https://x.test/"}', good[:-9], b"[" * 99_999)
    whole = json.loads(good)
    for name in whole:
        for value in (None, 7, "x", [1], {"x": 1}):
            if name != "misses" or not isinstance(value, dict):
                yield json.dumps({**whole, name: value}).encode()
    key, record = next(iter(whole["pages"].items()))
    for name in record:
        for value in (None, [], {}, True, "../../../etc/passwd" if name in ("file", "size") else 1.5):
            yield json.dumps({**whole, "pages": {key: {**record, name: value}}}).encode()
    yield json.dumps({**whole, "pages": {key: {**record, "more": 1}}}).encode()


def test_a_damaged_store_is_an_empty_one_and_mended_by_a_refresh(site, shelves):
    serve(site)
    add(shelves, site.url("/"))
    shelf, _ = ask(shelves, QUESTION, None)
    shelf.close()
    records = shelf.store.folder / "records.json"
    for damage in damaged(records.read_bytes()):
        records.write_bytes(damage)
        assert shelves.overview("boats").pages == 0, damage[:200]
    shelf = shelves.open("boats", None)
    assert {shelf.origin(hit) for hit in search(shelf, "rudders")} <= {None}
    shelf.close()
    shelves.refresh("boats")
    assert shelves.overview("boats").links == 60


def test_two_processes_keep_each_other_s_pages(site, shelves, tmp_path):
    serve(site)
    add(shelves, site.url("/"))
    second = library(site, tmp_path / "user")
    one, two = shelves.open("boats", None), second.open("boats", None)
    shelves.collect(one, "rudders", Searcher(None))
    second.collect(two, "sails", Searcher(None))
    one.close()
    two.close()
    urls = {record.url for record in shelves.open("boats", None).store.contents.pages.values()}
    assert {site.url(RUDDERS), site.url("/docs/sails.md")} <= urls
