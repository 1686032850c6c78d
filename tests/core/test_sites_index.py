"""Finding a site's index and what is shown of it: cases E02 to E05, E07 to E09, E20."""

from __future__ import annotations

import pytest

from ddg_lsp.core.errors import DdgError
from ddg_lsp.core.sites import registry
from ddg_lsp.core.sites.discover import probes
from ddg_lsp.core.sites.model import Miss
from tests.helpers.documentation_site import add, library, serve
from tests.helpers.site_server import moved, status

INDEX = "# Site\n\n## Docs\n\n- [A](a.md): first\n- [B](b.md)\n"
HTML = "<!DOCTYPE html><html><body><h1>Not found</h1></body></html>"


@pytest.fixture
def shelves(site, tmp_path):
    return library(site, tmp_path)


def test_e02_the_nearest_index_is_looked_for_first(site, shelves):
    site.text("/llms.txt", INDEX)
    site.text("/a/llms.txt", INDEX)
    found = add(shelves, site.url("/a/b/page.html"))
    assert site.paths() == ["/a/b/llms.txt", "/a/llms.txt"]
    assert found.fetched == (site.url("/a/llms.txt"),)
    assert found.misses == (Miss(site.url("/a/b/llms.txt"), "http_404"),)


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("https://e.test", ["/llms.txt"]),
        ("https://e.test/a/b/page.html", ["/a/b/llms.txt", "/a/llms.txt", "/llms.txt"]),
        ("https://e.test/docs/react", ["/docs/react/llms.txt", "/docs/llms.txt", "/llms.txt"]),
        (
            "https://e.test/1/2/3/4/5/6/",
            [f"/{p}llms.txt" for p in ("1/2/3/4/5/6/", "1/2/3/4/5/", "1/2/3/4/", "1/2/3/", "")],
        ),
        ("https://e.test/x/llms.txt", ["/x/llms.txt"]),
    ],
)
def test_e02_at_most_five_addresses_are_tried_the_root_among_them(url, expected):
    assert [one.removeprefix("https://e.test") for one in probes(url)] == expected


def test_e03_a_direct_address_is_the_only_one_tried(site, shelves):
    site.text("/llms.txt", INDEX)
    with pytest.raises(DdgError):
        add(shelves, site.url("/x/llms.txt"))
    assert site.paths() == ["/x/llms.txt"]


def test_e04_what_gave_nothing_on_the_way_is_told_and_kept(site, shelves):
    site.text("/llms.txt", INDEX)
    found = add(shelves, site.url("/docs/"))
    assert found.fetched == (site.url("/llms.txt"),)
    assert found.misses == (Miss(site.url("/docs/llms.txt"), "http_404"),)
    assert shelves.overview("boats").misses == found.misses


def test_e05_a_web_page_is_no_index_and_nothing_else_is_fetched(site, shelves):
    for path in ("/docs/llms.txt", "/llms.txt"):
        site.text(path, HTML)
    with pytest.raises(DdgError) as caught:
        add(shelves, site.url("/docs/"))
    assert caught.value.code == "NO_INDEX"
    assert caught.value.data["misses"] == [(site.url("/docs/llms.txt"), "html"), (site.url("/llms.txt"), "html")]
    assert "`--page`" in str(caught.value)  # the hint
    assert site.paths() == ["/docs/llms.txt", "/llms.txt"]
    assert shelves.overviews() == []


def test_a_site_without_an_index_has_the_pages_the_user_lists(site, shelves):
    site.text("/guide.md", "# Guide\n\nText.\n")
    found = add(shelves, site.url("/"), pages=(site.url("/guide.md"), site.url("/gone.md")))
    assert found.fetched == (site.url("/guide.md"),)
    assert [(m.url, m.reason) for m in found.misses] == [
        (site.url("/llms.txt"), "http_404"),
        (site.url("/gone.md"), "http_404"),
    ]
    assert shelves.overview("boats").pages == 1


def test_e07_the_one_large_file_is_fetched_when_asked_for_and_only_then(site, shelves):
    serve(site)
    site.text(
        "/llms-full.txt",
        f"# Keels\nSource: {site.url('/docs/keels.md')}\n\nAll about keels.\n\n---\n\n# Elsewhere\nSource: https://x.test/y\n\nMore.\n",
    )
    add(shelves, site.url("/"))
    shelves.refresh("boats")
    assert site.paths().count("/llms-full.txt") == 0
    found = shelves.refresh("boats", full=True)
    assert site.paths().count("/llms-full.txt") == 1
    # A page that claims to be somebody else's is shown under the address it really came from.
    assert found.fetched == (site.url("/docs/keels.md"), site.url("/llms-full.txt#page-2"))


def test_e08_a_long_index_says_how_long(site, shelves):
    site.text("/llms.txt", "# Long\n" + "".join(f"- [P{n}](p{n}.md)\n" for n in range(500)))
    add(shelves, site.url("/"))
    shown = shelves.listing("boats")
    assert (len(shown.links), shown.total) == (200, 500)
    assert [link.name for _, link, _ in shelves.listing("boats", limit=3).links] == ["P0", "P1", "P2"]


def test_e09_a_section_by_name_or_an_error_that_lists_them(site, shelves):
    site.text("/llms.txt", "# T\n## Optional\n- [O](o.md)\n## Guides\n- [G](g.md)\n## Reference\n- [R](r.md)\n")
    add(shelves, site.url("/"))
    assert [link.name for _, link, _ in shelves.listing("boats", "reference").links] == ["R"]
    assert [link.name for _, link, _ in shelves.listing("boats").links] == ["G", "R", "O"]  # optional ones last
    with pytest.raises(DdgError, match="Optional, Guides, Reference"):
        shelves.listing("boats", "zzz")


def test_e20_links_off_the_host_are_listed_as_such_and_fetched_once_the_user_allows_it(site, tmp_path):
    other = site.url("/x.md", "other.test")
    site.text("/llms.txt", f"# Fast\n- [Own](own.md): engines\n- [Theirs]({other}): engines\n")
    site.text("e.test/own.md", "# Own\n\nText.\n")
    site.text("other.test/x.md", "# Theirs\n\nText.\n")
    from tests.helpers.documentation_site import ask

    shelves = library(site, tmp_path / "1")
    add(shelves, site.url("/"))
    assert [(link.url, own) for _, link, own in shelves.listing("boats").links] == [
        (site.url("/own.md"), True),
        (other, False),
    ]
    shelf, found = ask(shelves, "engines", None)
    shelf.close()
    assert found.fetched == (site.url("/own.md"),)
    assert {request.host for request in site.requests} == {site.place()}
    allowing = library(site, tmp_path / "2")
    add(allowing, site.url("/"), "boats", site.place("other.test"))
    shelf, found = ask(allowing, "engines", None)
    shelf.close()
    assert set(found.fetched) == {site.url("/own.md"), other}


def test_an_index_that_moved_to_a_foreign_host_is_a_miss(site, shelves):
    site.served["/llms.txt"] = moved(site.url("/docs.html", "other.test"), 308)
    with pytest.raises(DdgError) as caught:
        add(shelves, site.url("/"))
    assert caught.value.data["misses"] == [(site.url("/llms.txt"), "other_host")]


def test_an_index_of_indexes_is_followed_once(site, shelves):
    from tests.helpers.documentation_site import ask

    site.text("/llms.txt", "# Hub\n- [Engines](engines/llms.txt): all about engines\n- [Sails](sails.md): canvas\n")
    site.text(
        "/engines/llms.txt",
        "# Engines\n- [Starting engines](start.md): engines start\n- [Deeper engines](deep/llms.txt): engines\n",
    )
    site.text("/engines/start.md", "# Starting\n\nTurn the key.\n")
    site.text("/engines/deep/llms.txt", "# Deep\n- [X](x.md): engines\n")
    add(shelves, site.url("/"))
    for _ in range(2):
        shelf, _ = ask(shelves, "how do engines start", None)
        shelf.close()
    assert site.paths() == ["/llms.txt", "/engines/llms.txt", "/engines/start.md"]


@pytest.mark.parametrize("name", ["", "Boats", "-x", "a/b", "..", "a" * 41, "boats "])
def test_a_name_is_a_plain_word(name):
    with pytest.raises(DdgError) as caught:
        registry.new(name, "https://e.test/")
    assert (caught.value.code, caught.value.usage) == ("BAD_NAME", True)


@pytest.mark.parametrize("url", ["http://e.test/", "e.test", "https://127.0.0.1/", "https://a@e.test/", "file:///etc"])
def test_an_address_that_would_never_be_fetched_is_not_added(url):
    with pytest.raises(DdgError) as caught:
        registry.new("boats", url)
    assert (caught.value.code, caught.value.usage) == ("BAD_ADDRESS", True)


def test_a_name_is_taken_once_and_forgotten_on_removal(site, shelves, tmp_path):
    serve(site)
    add(shelves, site.url("/"))
    with pytest.raises(DdgError, match="already"):
        add(shelves, site.url("/"))
    shelves.remove("boats")
    assert not [path for path in (tmp_path / "cache").rglob("*") if path.is_file()]
    with pytest.raises(DdgError, match="boats"):
        shelves.remove("boats")
    add(shelves, site.url("/"))


@pytest.mark.parametrize(
    "content", [b"", b"{", b"[]", b'{"sites": [{}]}', b'{"sites": [{"name": "a", "url": "file:///"}]}']
)
def test_a_damaged_list_is_said_to_be_damaged_and_nothing_is_fetched(site, shelves, tmp_path, content):
    (tmp_path / "config").mkdir()
    (tmp_path / "config" / "sites.json").write_bytes(content)
    with pytest.raises(DdgError) as caught:
        shelves.overviews()
    assert caught.value.code == "BAD_SITES"
    assert site.connections == 0


def test_a_server_in_trouble_is_told_by_its_status(site, shelves):
    site.served["/llms.txt"] = status(500)
    with pytest.raises(DdgError, match="the server answers 500"):
        add(shelves, site.url("/"))
