"""Questions that name documentation sites, through the server: fetched, ranked with the folders', offline later."""

from __future__ import annotations

import asyncio
import time
from pathlib import Path

import pytest
from lsprotocol import types
from pygls.exceptions import JsonRpcException

from ddg_lsp.server import protocol
from tests.helpers.documentation_site import add, library, serve
from tests.helpers.editor import editing, until
from tests.helpers.folders import write
from tests.helpers.site_server import SiteServer, site_server

QUESTION = "How are broken rudders mended?"
FILES = {"docs/rudders.md": "# Rudders\n\nOur rudders.\n", "docs/taxes.md": "# Taxes\n\nPaid in May.\n"}


@pytest.fixture
def site(tmp_path):
    with site_server() as found:
        serve(found)
        add(library(found, tmp_path / "user"), found.url("/"))
        yield found


def command(site: SiteServer, folder: Path) -> tuple[str, ...]:
    return ("-m", "tests.server.launch_sites", str(site.port), str(folder))


async def complete(editor, question: str, **fields: object):
    """The first answer for which everything was fetched and embedded (a busy machine takes longer than one waits)."""

    async def asked():
        answer = await editor.query(question, **fields)
        done = all(one["complete"] and one["state"] == "ready" for one in answer["sources"])
        return answer if done and answer["index"]["state"] == "ready" else None

    return await until(asked, 60.0)


@pytest.mark.asyncio
async def test_pages_of_a_site_are_hits_among_the_folder_s_and_there_offline(site, tmp_path):
    root = write(tmp_path / "w", FILES)
    async with editing(root, command=command(site, tmp_path / "user")) as editor:
        await editor.ready()
        count = site.connections
        plain = await editor.query(QUESTION)
        assert "sources" not in plain
        assert site.connections == count
        answer = await complete(editor, QUESTION, sources=["boats"])
        first = answer["hits"][0]
        assert (first["source"], first["uri"]) == ("boats", site.url("/docs/rudders.md"))
        assert (first["path"], first["headings"]) == ("docs/rudders.md", ["Rudders", "Repairing rudders"])
        assert {"fetchedAt", "sha256", "range", "selectionRange"} <= first.keys()
        assert [hit["score"] for hit in answer["hits"]] == sorted((h["score"] for h in answer["hits"]), reverse=True)
        ours = [hit for hit in answer["hits"] if "source" not in hit]
        assert {hit["uri"] for hit in ours} == {editor.uri(path) for path in FILES}
        assert {hit["path"]: hit["score"] for hit in ours} == {hit["path"]: hit["score"] for hit in plain["hits"]}
        assert len({path for path in site.paths() if path.startswith("/docs/")}) == 5
        site.served.clear()
        count = site.connections
        again = await complete(editor, QUESTION, sources=["*"], folders=[])
        assert {hit["source"] for hit in again["hits"]} == {"boats"}
        assert len(again["hits"]) == 5
        assert site.connections == count
        batch = await editor.request(protocol.QUERY_BATCH, {"queries": [{"query": QUESTION, "sources": ["boats"]}]})
        assert batch["results"][0]["result"]["hits"][0]["source"] == "boats"
        assert not any("broken" in request.raw or "mended" in request.raw for request in site.requests)


REFUSED = [(["ships"], "unknown_source"), ("boats", "not_a_list"), ([1], "not_a_list"), (["a"] * 21, "not_a_list")]


@pytest.mark.asyncio
async def test_a_source_that_is_none_is_refused_before_anything_is_asked(site, tmp_path):
    count = site.connections
    async with editing(write(tmp_path / "w", FILES), command=command(site, tmp_path / "user")) as editor:
        for sources, reason in REFUSED:
            with pytest.raises(JsonRpcException) as caught:
                await editor.query(QUESTION, sources=sources)
            assert protocol.plain(caught.value.data) == {"code": "INVALID_SOURCES", "reason": reason}
    assert site.connections == count


@pytest.mark.asyncio
async def test_a_slow_site_holds_up_neither_the_folders_nor_the_end_and_can_be_given_up(site, tmp_path):
    reached = []

    def slow(handler):
        reached.append(1)
        time.sleep(12)

    for path in [path for path in site.served if path.startswith("/docs/")]:
        site.served[path] = slow
    async with editing(write(tmp_path / "w", FILES), command=command(site, tmp_path / "user")) as editor:
        await editor.ready()
        asked = asyncio.ensure_future(editor.request(protocol.QUERY, {"query": QUESTION, "sources": ["boats"]}, "7"))
        await until(lambda: reached)
        began = time.monotonic()
        assert (await editor.query(QUESTION))["hits"]
        editor.client.cancel_request(types.CancelParams(id="7"))
        with pytest.raises(JsonRpcException):
            await asked
        assert time.monotonic() - began < 6.0
    # `editing` holds that the server ends in time, although the site still says nothing


@pytest.mark.asyncio
async def test_e01_a_hostile_workspace_causes_no_request(site, tmp_path):
    count = site.connections
    evil = site.url("/llms.txt")
    files = {
        **FILES,
        "ddg.toml": f'sites = ["{evil}"]\nsources = ["boats"]\n[docs]\nevil = "{evil}"\n[llms]\nbaseUrl = "{evil}"\n',
        "sites.json": f'{{"schema": 1, "sites": [{{"name": "evil", "url": "{evil}"}}]}}',
        "docs/llms.txt": f"# Evil\n- [x]({evil})\n",
        "docs/links.md": f"# Links\n\n[x]({evil}) <{evil}> ![x]({evil})\n",
    }
    async with editing(write(tmp_path / "w", files), command=command(site, tmp_path / "user")) as editor:
        await editor.ready()
        assert (await editor.query("Links of Evil"))["hits"]
        with pytest.raises(JsonRpcException):
            await editor.query("Links", sources=["evil"])
    assert site.connections == count
