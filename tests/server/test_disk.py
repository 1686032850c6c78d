"""The disk without watch events, and folders at run time: the next question knows."""

from __future__ import annotations

import asyncio
import shutil
import subprocess

import pytest
from lsprotocol import types

from ddg_lsp.server import protocol
from tests.helpers.documents import many, workspace, write
from tests.helpers.editor import NEOVIM, VSCODE, editing, until

pytestmark = pytest.mark.asyncio


async def test_row19_row20_row28_without_any_watch_event_the_next_question_knows_the_disk(tmp_path):
    root = write(
        tmp_path, {"docs/a.md": "# Alpha\n\nwalrus\n\n## One\n\nx\n\n## Two\n\ny\n", "docs/b.md": "# Beta\n\nlemur\n"}
    )
    async with editing(root) as it:
        await it.ready()
        assert sorted(await it.paths("walrus")) == ["docs/a.md", "docs/b.md"]

        subprocess.run(["sed", "-i", "s/walrus/penguin/", str(root / "docs/a.md")], check=True)
        hit = (await it.fresh("penguin", mode="lexical"))["hits"][0]
        assert hit["path"] == "docs/a.md"
        assert "penguin" in hit["excerpt"]

        (root / "docs/a.md").rename(root / "docs/moved.md")
        assert sorted(await it.paths("penguin")) == ["docs/b.md", "docs/moved.md"]
        assert (await it.fresh("penguin"))["index"]["run"]["embedded"] <= 3

        (root / "docs/moved.md").write_text("# Alpha\n\npenguin\n")
        headings = [hit["headings"] for hit in (await it.fresh("one two", perFile=10))["hits"]]
        assert ["Alpha", "One"] not in headings

        (root / "docs/moved.md").unlink()
        assert await it.paths("penguin") == ["docs/b.md"]

        write(root, {"docs/new/deep/c.md": "# Gamma\n\nokapi\n"})
        assert sorted(await it.paths("okapi")) == ["docs/b.md", "docs/new/deep/c.md"]
        shutil.rmtree(root / "docs/new")
        assert await it.paths("okapi") == ["docs/b.md"]


async def test_row22_a_branch_and_back_leaves_the_index_as_it_was(tmp_path):
    root = many(tmp_path, 6)
    git = [
        "git",
        "-C",
        str(root),
        "-c",
        "user.name=t",
        "-c",
        "user.email=t@example.com",
        "-c",
        "init.defaultBranch=one",
    ]

    def run(*words: str) -> None:
        subprocess.run([*git, *words], check=True, capture_output=True)

    run("init")
    run("add", "docs")
    run("commit", "-m", "one")
    run("checkout", "-b", "two")
    (root / "docs/d0001.md").write_text("# Walrus\n\nonly here\n")
    (root / "docs/d0002.md").unlink()
    run("add", "-A", "docs")
    run("commit", "-m", "two")
    run("checkout", "one")
    async with editing(root) as it:
        await it.ready()
        before = await it.query("thing property", limit=100, perFile=10, mode="semantic")
        run("checkout", "two")
        assert (await it.paths("walrus", mode="lexical"))[0] == "docs/d0001.md"
        run("checkout", "one")
        await it.query("walrus")
        await it.ready()
        after = await it.query("thing property", limit=100, perFile=10, mode="semantic")
        assert after["hits"] == before["hits"]
        assert after["index"]["embedded"] == before["index"]["embedded"]


async def test_row23_a_burst_of_watch_events_is_one_change(tmp_path):
    root = many(tmp_path, 20)
    async with editing(root, editor=VSCODE) as it:
        await it.ready()
        watch = [one for one in it.registered if one.method == types.WORKSPACE_DID_CHANGE_WATCHED_FILES]
        assert len(watch) == 1
        write(root, {"docs/new.md": "# Walrus\n\nwalrus\n"})
        event = types.FileEvent(it.uri("docs/new.md"), types.FileChangeType.Created)
        for events in ([event] * 2000, *[[event]] * 100):
            it.client.workspace_did_change_watched_files(types.DidChangeWatchedFilesParams(events))
        answer = await it.query("walrus", mode="lexical")
        assert answer["hits"][0]["path"] == "docs/new.md"
        revision = answer["revision"]
        await asyncio.sleep(0.5)
        assert (await it.query("walrus", mode="lexical"))["revision"] == revision


async def test_neovim_on_linux_is_not_asked_to_watch(tmp_path):
    async with editing(workspace(tmp_path), editor=NEOVIM) as it:
        await it.ready()
        assert not [one for one in it.registered if one.method == types.WORKSPACE_DID_CHANGE_WATCHED_FILES]


async def test_a_save_alone_brings_the_document_up_to_date(tmp_path):
    root = workspace(tmp_path)
    async with editing(root, adjust=_with_status) as it:
        await it.ready()
        revision = (await it.query("x"))["revision"]
        (root / "docs/ops.md").write_text("# Walrus\n\nwalrus\n")
        it.save(it.uri("docs/ops.md"))
        status = await until(lambda: it.statuses and it.statuses[-1]["index"]["passages"] == 5 and it.statuses[-1])
        assert status["health"] == "ok"
        answer = await it.query("walrus")
        assert answer["revision"] > revision


async def test_row82_a_file_saved_fifty_times_during_a_build_ends_as_it_was_saved_last(tmp_path):
    root = many(tmp_path, 30)
    async with editing(root, command=("-m", "tests.server.launch", "--slow", "0.02")) as it:
        for number in range(50):
            (root / "docs/d0001.md").write_text(f"# Walrus\n\nwalrus number {number}\n")
            it.save(it.uri("docs/d0001.md"))
            await asyncio.sleep(0.01)
        await it.ready()
        hit = (await it.fresh("walrus", mode="lexical"))["hits"][0]
        assert hit["excerpt"] == "walrus number 49"
    async with editing(root) as it:
        status = await it.ready()
        assert status["index"]["run"]["embedded"] == 0


async def test_row98_folders_come_and_go_at_run_time(tmp_path):
    one = write(tmp_path / "one", {"a.md": "# Walrus\n\nwalrus\n"})
    two = write(tmp_path / "two", {"b.md": "# Lemur\n\nlemur\n"})
    three = write(tmp_path / "three", {"c.md": "# Okapi\n\nokapi\n"})
    async with editing(one, two) as it:
        await it.ready()
        assert sorted(await it.paths("walrus")) == ["a.md", "b.md"]
        assert await it.paths("walrus", folders=[two.as_uri()]) == ["b.md"]
        it.open((three / "c.md").as_uri(), "# Okapi\n\nokapi on the screen\n")
        _change_folders(it, added=[three], removed=[one])

        async def settled() -> bool:
            hits = (await it.query("okapi"))["hits"]
            return sorted(hit["path"] for hit in hits) == ["b.md", "c.md"] and (three / ".ddg").exists()

        await until(settled)
        hit = (await it.query("okapi", folders=[three.as_uri()]))["hits"][0]
        assert "screen" in hit["excerpt"]
        assert await it.command(protocol.SHOW_STATUS, {"silent": True})
        _change_folders(it, added=[], removed=[two, three])
        await until(lambda: _no_file_hits(it))
    assert (one / ".ddg" / "vectors" / "manifest.json").exists()
    assert (two / ".ddg" / "vectors" / "manifest.json").exists()


async def test_a_folder_inside_another_does_not_show_its_documents_twice(tmp_path):
    root = write(tmp_path, {"a.md": "# Walrus\n\nwalrus\n", "docs/b.md": "# Walrus too\n\nwalrus\n"})
    async with editing(root, root / "docs") as it:
        await it.ready()
        hits = (await it.fresh("walrus", mode="lexical"))["hits"]
        assert sorted(hit["uri"] for hit in hits) == [it.uri("a.md"), it.uri("docs/b.md")]


async def test_row78_row84_two_servers_on_one_folder_both_answer(tmp_path):
    root = many(tmp_path, 10)
    async with editing(root) as one, editing(root) as other:
        await asyncio.gather(one.ready(), other.ready())
        hits = [(await it.query("thing 3", mode="semantic"))["hits"] for it in (one, other)]
        assert hits[0] == hits[1] != []


async def _no_file_hits(it) -> bool:
    # What is left is the open document, which lies in no folder any more.
    return [hit["path"] for hit in (await it.query("okapi"))["hits"]] == ["c.md"]


def _change_folders(it, *, added, removed) -> None:
    folders = [[types.WorkspaceFolder(root.as_uri(), root.name) for root in roots] for roots in (added, removed)]
    event = types.WorkspaceFoldersChangeEvent(*folders)
    it.client.workspace_did_change_workspace_folders(types.DidChangeWorkspaceFoldersParams(event))


def _with_status(capabilities: types.ClientCapabilities) -> None:
    capabilities.experimental = {protocol.STATUS_CAPABILITY: True}
