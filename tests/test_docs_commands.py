"""`ddg-lsp docs` and `query --source`, with a real site on loopback in place of the internet."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from ddg_lsp import docs_commands
from ddg_lsp.cli import main
from ddg_lsp.core.embedding import choose
from ddg_lsp.core.embedding.choose import Choice
from ddg_lsp.core.embedding.deterministic import DeterministicEmbedder
from ddg_lsp.core.sites.model import REASONS
from tests.helpers.documentation_site import library, serve
from tests.helpers.folders import write
from tests.helpers.site_server import site_server

QUESTION = ("how", "are", "broken", "rudders", "mended")


@pytest.fixture
def site(tmp_path, monkeypatch):
    """A site with sixty pages, and a command line whose library of sites lives in the test's folder."""
    with site_server() as found:
        serve(found)
        monkeypatch.setattr(docs_commands, "library", lambda: library(found, tmp_path / "user"))
        yield found


@pytest.fixture
def root(tmp_path, monkeypatch):
    from ddg_lsp.core import opening

    monkeypatch.setattr(
        opening, "choose", lambda *_, **__: Choice(DeterministicEmbedder(), "the test's", (), "deterministic")
    )
    assert choose.choose is not opening.choose
    return write(
        tmp_path / "w", {"docs/rudders.md": "# Rudders\n\nOur rudders.\n", "docs/taxes.md": "# Taxes\n\nPaid.\n"}
    )


def run(capsys, *arguments: str) -> tuple[int, dict, str]:
    code = main([*arguments, "--json"])
    said = capsys.readouterr()
    return code, json.loads(said.out), said.err


def test_a_site_is_added_listed_asked_refreshed_and_removed(site, root, capsys):
    code, found, _ = run(capsys, "docs", "add", "boats", site.url("/guide/"))
    assert (code, found["site"]["totalLinks"], found["site"]["title"]) == (0, 60, "Shipyard")
    assert found["missed"] == [{"url": site.url("/guide/llms.txt"), "reason": "http_404"}]
    code, found, _ = run(capsys, "query", str(root), *QUESTION, "--source", "boats")
    assert code == 0
    first = found["hits"][0]
    assert (first["source"], first["uri"], first["path"]) == ("boats", site.url("/docs/rudders.md"), "docs/rudders.md")
    assert first["headings"] == ["Rudders", "Repairing rudders"]
    assert "source" not in next(hit for hit in found["hits"] if hit["path"] == "docs/taxes.md")
    assert found["sources"][0]["name"] == "boats"
    assert len(found["sources"][0]["fetched"]) == 5
    count = len(site.requests)
    code, again, _ = run(capsys, "query", str(root), *QUESTION, "--source", "*")
    assert [hit["id"] for hit in again["hits"]] == [hit["id"] for hit in found["hits"]]
    assert again["sources"][0]["fetched"] == []
    assert len(site.requests) == count
    code, listed, _ = run(capsys, "docs", "list")
    assert [(one["name"], one["pages"]) for one in listed["sites"]] == [("boats", 5)]
    code, links, _ = run(capsys, "docs", "list", "boats", "--section", "reference", "--limit", "2")
    assert (links["totalLinks"], links["truncated"], len(links["links"])) == (30, True, 2)
    assert links["links"][0]["sameOrigin"] is True
    code, fresh, _ = run(capsys, "docs", "refresh", "boats")
    assert (code, len(fresh["sites"][0]["unchanged"])) == (0, 6)
    assert run(capsys, "docs", "remove", "boats")[0] == 0
    assert run(capsys, "docs", "list")[1]["sites"] == []


def test_a_query_without_a_source_asks_no_site(site, root, capsys):
    run(capsys, "docs", "add", "boats", site.url("/"))
    count = site.connections
    code, found, _ = run(capsys, "query", str(root), *QUESTION)
    assert (code, site.connections) == (0, count)
    assert "sources" not in found
    assert {hit["path"] for hit in found["hits"]} == {"docs/rudders.md", "docs/taxes.md"}


def test_a_person_sees_the_address_of_a_hit(site, root, capsys):
    assert main(["docs", "add", "boats", site.url("/")]) == 0
    assert f"60 links in {site.url('/llms.txt')}" in capsys.readouterr().out
    assert main(["query", str(root), *QUESTION, "--source", "boats"]) == 0
    out = capsys.readouterr().out
    assert f" 1. Rudders > Repairing rudders\n    {site.url('/docs/rudders.md')}\n" in out
    assert "    docs/rudders.md:1\n" in out
    assert main(["docs", "list", "boats"]) == 0
    assert (
        f"  Keels: what keels are and how they are repaired\n    {site.url('/docs/keels.md')}\n"
        in capsys.readouterr().out
    )


@pytest.mark.parametrize(
    ("arguments", "code", "exit_code"),
    [
        (("docs", "add", "Boats", "https://e.test/"), "BAD_NAME", 2),
        (("docs", "add", "boats", "http://e.test/"), "BAD_ADDRESS", 2),
        (("docs", "add", "boats", "https://10.0.0.1/"), "BAD_ADDRESS", 2),
        (("docs", "refresh", "boats"), "UNKNOWN_SITE", 1),
        (("docs", "remove", "boats"), "UNKNOWN_SITE", 1),
        (("docs", "list", "boats"), "UNKNOWN_SITE", 1),
        (("query", ".", "x", "--source", "boats"), "INVALID_SOURCES", 2),
    ],
)
def test_what_cannot_be_done_is_said_and_nothing_is_asked(site, capsys, arguments, code, exit_code):
    returned, found, _ = run(capsys, *arguments)
    assert (returned, found["ok"], found["error"]["code"]) == (exit_code, False, code)
    assert site.connections == 0


def test_a_site_without_an_index_says_why(site, capsys):
    site.served.clear()
    code, found, _ = run(capsys, "docs", "add", "boats", site.url("/a/"))
    assert (code, found["error"]["code"]) == (1, "NO_INDEX")
    assert f"{site.url('/a/llms.txt')}: the server answers 404" in found["error"]["message"]


def test_every_reason_is_on_the_page_and_the_page_names_no_other():
    page = (Path(__file__).parents[1] / "docs" / "how-to" / "documentation-sites.md").read_text(encoding="utf-8")
    rows = [row.split("|")[1] for row in page.split("| reason |")[1].splitlines() if row.startswith("| `")]
    assert {word for row in rows for word in re.findall(r"`([a-z_-]+)`", row)} == {*REASONS, "http_"}


def test_the_shipped_library_is_the_user_s(monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    shipped = docs_commands.library()
    assert shipped.overviews() == []
    assert not list(Path(tmp_path).iterdir())  # looking writes nothing
