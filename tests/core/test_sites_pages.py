"""The pages a question calls for, kept, refreshed, searched, shown: cases E01, E06, E21, E22; a site of sixty."""

from __future__ import annotations

import json
import socket

import pytest

from ddg_lsp.core.embedding.deterministic import DeterministicEmbedder
from ddg_lsp.core.folder import no_check
from ddg_lsp.core.query import Query
from ddg_lsp.core.search import Searcher
from ddg_lsp.core.sites import store as stores
from ddg_lsp.core.sites.harmless import harmless
from ddg_lsp.core.sites.library import Library
from tests.helpers.documentation_site import (
    QUESTION,
    RUDDERS,
    THINGS,
    add,
    ask,
    embed,
    files_of,
    library,
    search,
    serve,
)
from tests.helpers.folders import build, write
from tests.helpers.site_server import site_server


def test_e01_without_a_site_of_the_user_s_nothing_opens_a_socket(tmp_path, monkeypatch):
    hostile = {
        "ddg.toml": 'sites = ["https://evil.test/"]\n[docs]\nurl = "https://evil.test/llms.txt"\n[sources]\nx = "https://evil.test"\n',
        "sites.json": json.dumps({"sites": [{"name": "evil", "url": "https://evil.test/"}]}),
        "docs/llms.txt": "# Evil\n- [x](https://evil.test/x.md)\n",
        "docs/a.md": "# A\n\n[x](https://evil.test/llms.txt)\n",
        ".ddg/sites/x/records.json": "{}",
    }
    root = write(tmp_path / "w", hostile)

    def forbidden(*_args, **_more):
        raise AssertionError("a socket was opened")

    monkeypatch.setattr(socket, "socket", forbidden)
    monkeypatch.setattr(socket, "getaddrinfo", forbidden)
    opened = build(root, DeterministicEmbedder())
    opened.folder.close()
    monkeypatch.chdir(root)
    assert Library().overviews() == []


def test_e06_a_question_fetches_the_five_pages_its_links_call_for_and_no_other(site, shelves):
    lines = [
        f"- [Topic {n}](p{n}.md): {'rudders and tillers' if n in (7, 11, 23, 31, 42) else 'something else'}"
        for n in range(50)
    ]
    site.text("/llms.txt", "# T\n" + "\n".join(lines))
    for number in range(50):
        site.text(f"/p{number}.md", f"# P{number}\n\nText.\n")
    add(shelves, site.url("/"))
    shelf, found = ask(shelves, "rudders and tillers", DeterministicEmbedder())
    shelf.close()
    assert sorted(site.paths()[1:]) == [f"/p{n}.md" for n in (11, 23, 31, 42, 7)]
    assert len(found.fetched) == 5


def test_e06_equally_good_links_are_taken_in_the_order_of_the_index(site, shelves):
    lines = [f"- [Rudders](z{n}.md): the same words" for n in range(20, 0, -1)]
    site.text("/llms.txt", "# T\n" + "\n".join(lines))
    add(shelves, site.url("/"))
    for embedder in (DeterministicEmbedder(), None):
        shelf = embed(shelves.open("boats", embedder))
        ranked = shelf.ranked("rudders", Searcher(embedder))
        shelf.close()
        assert [link.url for link in ranked[:5]] == [site.url(f"/z{n}.md") for n in range(20, 15, -1)]


def test_sixty_pages_five_are_fetched_ranked_among_the_workspace_s_and_there_offline(site, shelves, tmp_path):
    serve(site)
    workspace = {f"docs/{name}.md": f"# {name}\n\nOur {name} of {name}.\n" for name in ("invoices", "taxes", "rudders")}
    embedder = DeterministicEmbedder()
    opened = build(write(tmp_path / "w", workspace), embedder)
    add(shelves, site.url("/"))
    assert site.paths() == ["/llms.txt"]
    shelf, found = ask(shelves, QUESTION, embedder)
    assert len(site.paths()) == 6
    assert site.url(RUDDERS) in found.fetched
    hits = search(shelf, QUESTION, opened.folder.target(), embedder=embedder)
    assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)
    assert {hit.root for hit in hits} == {shelf.root, opened.folder.root}
    origin = shelf.origin(hits[0])
    assert origin is not None
    assert (origin.source, origin.url, origin.path) == ("boats", site.url(RUDDERS), "docs/rudders.md")
    assert origin.headings == ("Rudders", "Repairing rudders")
    assert len(origin.sha256) == 64
    assert origin.fetched_at
    # The workspace's page about rudders and the site's other pages stand where their scores say, in one order.
    places = [hit.passage.path for hit in hits if hit.root == opened.folder.root]
    assert places[0] == "docs/rudders.md"
    alone = Searcher(embedder).search([opened.folder.target()], Query(QUESTION), no_check).hits
    assert {hit.passage.path: hit.score for hit in alone} == {
        hit.passage.path: hit.score for hit in hits if hit.root == opened.folder.root
    }
    shelf.close()
    opened.folder.close()


def test_offline_the_same_pages_answer_without_a_request_and_without_embedding(tmp_path):
    with site_server() as site:
        serve(site)
        shelves = library(site, tmp_path)
        add(shelves, site.url("/"))
        shelf, _ = ask(shelves, QUESTION, DeterministicEmbedder())
        first = [hit.passage.id for hit in search(shelf, QUESTION, embedder=shelf.embedder)]
        shelf.close()
        count = site.connections
    embedder = DeterministicEmbedder()
    shelf = shelves.open("boats", embedder)
    assert shelf.embed_some() == 0
    assert embedder.seen == []
    assert shelves.collect(shelf, QUESTION, Searcher(embedder)).fetched == ()
    assert [hit.passage.id for hit in search(shelf, QUESTION, embedder=embedder)] == first
    other = shelves.collect(shelf, "valves and winches", Searcher(embedder))
    assert {miss.reason for miss in other.misses} == {"unreachable"}
    assert site.connections == count
    shelf.close()


def test_e21_no_request_holds_a_word_of_the_question_that_the_site_does_not_have(site, shelves):
    serve(site)
    add(shelves, site.url("/"))
    for question in (QUESTION, "안녕하세요 rudders", "zanzibar", "?q=zanzibar", "../zanzibar"):
        shelf, _ = ask(shelves, question, DeterministicEmbedder())
        search(shelf, question, embedder=shelf.embedder)
        shelf.close()
    shelves.refresh("boats", full=True)
    addresses = {"/robots.txt", "/llms.txt", "/llms-full.txt", *(f"/docs/{thing}.md" for thing in THINGS)}
    assert {request.path for request in site.requests} <= addresses
    sent = "\n".join(request.raw for request in site.requests).lower()
    # The whole of what was sent is these headers, none of them made from anything but the address and what was fetched.
    names = {name.lower() for request in site.requests for name in request.headers}
    assert names <= {
        "host",
        "user-agent",
        "accept",
        "accept-encoding",
        "connection",
        "if-none-match",
        "if-modified-since",
    }
    for word in ("zanzibar", "broken", "mended", "how", "안녕"):
        assert word not in sent
        assert word.encode().hex() not in sent
    assert all(request.raw.endswith("b''") for request in site.requests)  # no body


def test_e22_what_is_shown_of_a_page_is_plain_text(site, shelves):
    evil = (
        "# Rudders [run](command:evil.run)\n\n[click](command:workbench.action.terminal.sendSequence) the rudders "
        "<img src=x onerror=alert(1)> <command:evil.run> [file](file:///etc/passwd) ![pic](data:image/png;base64,AA) "
        "[ref][x] <a href='javascript:x'>rudders</a> [open](\n\n[x]: command:evil.run\n"
    )
    serve(site)
    site.text(RUDDERS, evil)
    add(shelves, site.url("/"))
    shelf, _ = ask(shelves, "rudders", None)
    origin = next(
        found for hit in search(shelf, "rudders") if (found := shelf.origin(hit)) and found.url.endswith(RUDDERS)
    )
    shelf.close()
    for shown in (origin.excerpt, *origin.headings):
        for active in ("command:", "file:", "data:", "javascript:", "<", "]("):
            assert active not in shown


@pytest.mark.parametrize(
    ("shown", "expected"),
    [
        ("List<String> and a < b", "List‹String› and a < b"),
        ("see <https://e.test/x>", "see ‹https://e.test/x›"),
        ("<vscode://ext/run>", ""),
        ("COMMAND:x", "COMMAND x"),
        ("a file: is b", "a file: is b"),
        ("<scr<script>ipt>", "‹scr‹script›ipt>"),
        ("[a](command:x", "a"),
    ],
)
def test_harmless_text_stays_readable(shown, expected):
    assert harmless(shown) == expected


def test_pages_are_kept_in_the_user_s_cache_under_names_made_of_hashes(site, shelves, tmp_path):
    site.text("/llms.txt", "# T\n- [Rudders](docs/%2e%2e/..%2f..%2fevil.md?x=../../y#z): rudders\n- [CON](CON.md)\n")
    site.text("/docs/%2e%2e/..%2f..%2fevil.md?x=../../y", "# Rudders\n\nText.\n")
    site.text("/CON.md", "no heading at all")
    add(shelves, site.url("/"))
    shelf, found = ask(shelves, "CON rudders", None)
    assert len(found.fetched) == 2
    names = [path.name for path in files_of(shelf)]
    assert all(len(name) == 19 and set(name[:16]) <= set("0123456789abcdef") for name in names)
    assert {hit.passage.headings for hit in search(shelf, "heading")} == {("CON",)}  # the link's name
    shelf.close()
    outside = [
        path for path in tmp_path.rglob("*") if path.is_file() and "user" not in path.relative_to(tmp_path).parts
    ]
    assert outside == []


def test_a_quoted_note_above_the_title_is_left_out(site, shelves):
    serve(site)
    site.text(RUDDERS, "> ## Documentation Index\n> Fetch the complete index at /llms.txt\n\n# Rudders\n\nText.\n")
    add(shelves, site.url("/"))
    shelf, _ = ask(shelves, "rudders", None)
    assert not search(shelf, "complete documentation index fetch")
    shelf.close()


def test_a_site_is_bounded_and_says_what_there_was_no_room_for(site, shelves, monkeypatch):
    serve(site)
    monkeypatch.setattr(stores, "MAX_PAGES", 3)
    add(shelves, site.url("/"))
    shelf, found = ask(shelves, QUESTION, None)
    shelf.close()
    assert (len(found.fetched), [miss.reason for miss in found.misses]) == (3, ["full", "full"])


def test_path_patterns_are_held_against_the_address_s_path(site, shelves):
    serve(site)
    add(shelves, site.url("/"))
    shelf, _ = ask(shelves, QUESTION, None)
    for pattern, count in (("docs/*.md", 1), ("docs/r*", 1), ("guide/**", 0), ("rudders.md", 1)):
        query = Query("rudders", paths=(pattern,))
        hits = Searcher(None).search([shelf.target()], query, no_check).hits
        assert len(hits) == count, pattern
    shelf.close()
