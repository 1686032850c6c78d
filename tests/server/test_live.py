"""What is on the screen is what is searched: open documents, the disk without watch events, folders at run time."""

from __future__ import annotations

import asyncio
import shutil
import subprocess
import time

import pytest
from lsprotocol import types

from ddg_lsp.server import protocol
from tests.helpers.documents import CRLF, EMOJI, many, workspace, write
from tests.helpers.editor import NEOVIM, VSCODE, editing, until

pytestmark = pytest.mark.asyncio

RETRY = "unicode retry policy failed requests retried"


@pytest.mark.parametrize("editor", [NEOVIM, VSCODE])
async def test_row25_lines_inserted_above_a_heading_without_saving_move_its_range(tmp_path, editor):
    root = workspace(tmp_path)
    async with editing(root, editor=editor) as it:
        await it.ready()
        uri = it.uri("docs/guide 🚀.md")
        it.open(uri, EMOJI)
        it.insert(uri, 3, "A line more.\n" * 40)
        hit = (await it.query(RETRY, mode="semantic"))["hits"][0]
        assert hit["uri"] == uri
        assert hit["selectionRange"]["start"] == {"line": 44, "character": 0}
        heading = EMOJI.split("\n")[4]
        width = len(heading.encode()) if editor == NEOVIM else len(heading.encode("utf-16-le")) // 2
        assert hit["selectionRange"]["end"] == {"line": 44, "character": width}
        assert hit["range"]["start"]["line"] == 44
        it.close(uri)
        hit = (await it.query(RETRY, mode="semantic"))["hits"][0]
        assert hit["selectionRange"]["start"] == {"line": 4, "character": 0}
    assert (root / "docs/guide 🚀.md").read_text() == EMOJI


async def test_edits_in_a_crlf_document_keep_its_ranges(tmp_path):
    async with editing(workspace(tmp_path)) as it:
        await it.ready()
        uri = it.uri("docs/ops.md")
        it.open(uri, CRLF)
        it.insert(uri, 2, "More words.\r\nAnd more. ")
        hit = (await it.query("nightly backup snapshots database", mode="semantic"))["hits"][0]
        assert hit["selectionRange"] == {"start": {"line": 5, "character": 0}, "end": {"line": 5, "character": 17}}


async def test_a_section_just_typed_is_found_within_a_second_and_never_written(tmp_path):
    root = workspace(tmp_path)
    async with editing(root) as it:
        await it.ready()
        uri = it.uri("docs/ops.md")
        it.open(uri, CRLF)
        it.insert(uri, 7, "\r\n## Zeppelin")
        it.insert(uri, 8, " mooring\r\n\r\nThe zeppelin", 11)
        it.insert(uri, 10, " is moored to the mast.\r\n", 12)
        typed = time.monotonic()

        async def found() -> bool:
            hits = (await it.query("zeppelin mooring mast", mode="semantic"))["hits"]
            return bool(hits) and hits[0]["headings"][-1] == "Zeppelin mooring"

        await until(found)
        assert time.monotonic() - typed < 1.0
        await it.ready()
    assert (root / "docs/ops.md").read_bytes() == CRLF.encode()
    for file in (root / ".ddg").rglob("*"):
        assert not file.is_file() or b"eppelin" not in file.read_bytes()


async def test_row10_fifty_keystrokes_in_a_second_are_embedded_once_at_the_end(tmp_path):
    seen = tmp_path / "seen.txt"
    root = workspace(tmp_path / "w")
    async with editing(root, command=("-m", "tests.server.launch", "--seen", str(seen))) as it:
        await it.ready()
        uri = it.uri("docs/ops.md")
        it.open(uri, CRLF)
        before = len(seen.read_text().splitlines())
        for _ in range(50):
            it.insert(uri, 6, "x", 0)
            await asyncio.sleep(0.005)
        await asyncio.sleep(0.6)
        await it.ready()
        assert len(seen.read_text().splitlines()) - before <= 2  # the section's whole, and its opening


async def test_documents_that_are_in_no_file_are_searched_while_they_are_open(tmp_path):
    root = workspace(tmp_path / "w")
    elsewhere = write(tmp_path / "elsewhere", {"note.md": "# Elsewhere\n\nxylophone maintenance\n"})
    async with editing(root) as it:
        await it.ready()
        it.open("untitled:Untitled-1", "# Draft\n\n## Walrus feeding\n\nThe walrus is fed with clams.\n")
        outside = (elsewhere / "note.md").as_uri()
        it.open(outside, "# Elsewhere\n\nxylophone maintenance\n")
        it.open("git:/w/docs/ops.md?ref=HEAD", CRLF)
        await it.ready()
        hit = (await it.query("walrus feeding clams", mode="semantic"))["hits"][0]
        assert (hit["uri"], hit["path"]) == ("untitled:Untitled-1", "Untitled-1")
        assert hit["selectionRange"]["start"]["line"] == 2
        assert (await it.query("xylophone maintenance", mode="semantic"))["hits"][0]["uri"] == outside
        uris = [hit["uri"] for hit in (await it.query("backup"))["hits"]]
        assert not any(uri.startswith("git:") for uri in uris)
        it.close("untitled:Untitled-1")
        it.close(outside)
        uris = [hit["uri"] for hit in (await it.query("walrus xylophone", mode="semantic"))["hits"]]
        assert uris
        assert all(uri.startswith(root.as_uri()) for uri in uris)
    assert not (elsewhere / ".ddg").exists()


async def test_open_documents_that_are_no_part_of_the_corpus_are_not_searched(tmp_path):
    root = write(tmp_path, {"docs/a.md": "# A\n\ntext\n", "docs/plan/secret.md": "# Plan\n", ".gitignore": "build/\n"})
    async with editing(root) as it:
        await it.ready()
        for path in ("docs/plan/secret.md", "build/out.md", ".hidden.md", "docs/a.py"):
            it.open(it.uri(path), "# Walrus\n\nwalrus\n", "markdown" if path.endswith("md") else "python")
        it.open(
            it.uri("docs/key.md"),
            f"# Walrus\n\n-----BEGIN PRIVATE KEY-----\n{'MIIEvQIBADANBg' * 8}\n-----END PRIVATE KEY-----\n",
        )
        it.open(it.uri("docs/new.md"), "# Walrus\n\nwalrus\n")
        await it.ready()
        assert sorted(await it.paths("walrus")) == ["docs/a.md", "docs/new.md"]


async def test_single_file_mode_searches_what_is_open_and_writes_nothing(tmp_path):
    root = workspace(tmp_path)
    async with editing(workspace_folders=None, root_uri=None) as it:
        assert (await it.query("anything"))["hits"] == []
        uri = (root / "docs/ops.md").as_uri()
        it.open(uri, CRLF)
        await it.ready()
        answer = await it.query("nightly backup", mode="semantic")
        assert [hit["uri"] for hit in answer["hits"]] == [uri]
        assert answer["index"]["documents"] == 1
    assert not (root / ".ddg").exists()
    assert not (root / "docs" / ".ddg").exists()


@pytest.mark.parametrize("params", [{"root_uri": "uri"}, {"root_path": "path"}])
async def test_a_root_given_in_the_old_way_is_the_folder(tmp_path, params):
    root = workspace(tmp_path)
    given = {name: root.as_uri() if kind == "uri" else str(root) for name, kind in params.items()}
    async with editing(workspace_folders=None, **given) as it:
        await it.ready()
        assert (await it.query("backup"))["index"]["documents"] == 3


async def test_row19_row20_row28_without_any_watch_event_the_next_question_knows_the_disk(tmp_path):
    root = write(
        tmp_path, {"docs/a.md": "# Alpha\n\nwalrus\n\n## One\n\nx\n\n## Two\n\ny\n", "docs/b.md": "# Beta\n\nlemur\n"}
    )
    async with editing(root) as it:
        await it.ready()
        assert sorted(await it.paths("walrus")) == ["docs/a.md", "docs/b.md"]

        subprocess.run(["sed", "-i", "s/walrus/penguin/", str(root / "docs/a.md")], check=True)
        hit = (await it.query("penguin", mode="lexical"))["hits"][0]
        assert hit["path"] == "docs/a.md"
        assert "penguin" in hit["excerpt"]

        (root / "docs/a.md").rename(root / "docs/moved.md")
        assert sorted(await it.paths("penguin")) == ["docs/b.md", "docs/moved.md"]
        assert (await it.query("penguin"))["index"]["run"]["embedded"] <= 3

        (root / "docs/moved.md").write_text("# Alpha\n\npenguin\n")
        headings = [hit["headings"] for hit in (await it.query("one two", perFile=10))["hits"]]
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
