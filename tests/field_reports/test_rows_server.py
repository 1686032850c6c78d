"""Field reports on the server as a process: what it opens, starts, connects to and says, watched from outside."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys

import psutil
import pytest
from lsprotocol import types

from ddg_lsp.server import protocol
from tests.field_reports.audited import FILES, NETWORK, PROCESSES, audited, events, opened
from tests.helpers.documents import many, workspace, write
from tests.helpers.editor import VSCODE, editing, until
from tests.helpers.raw_lsp import RawServer

pytestmark = pytest.mark.asyncio

SHIPPED = ("-m", "ddg_lsp", "serve", "--stdio")
LAUNCH = ("-m", "tests.server.launch")


async def test_row_6_row_12_row_14_row_103_two_windows_load_one_model_each_once_and_talk_to_nobody(tmp_path):
    root, logs = workspace(tmp_path / "w"), [tmp_path / "one.log", tmp_path / "two.log"]
    one, two = (audited(log, *SHIPPED) for log in logs)
    async with editing(root, command=one) as first, editing(root, command=two) as second:
        for it in (first, second):
            await it.ready()
            for question in ("how are failed requests retried?", "nightly backup", "apple pie"):
                assert (await it.query(question))["hits"]
        memory = [psutil.Process(it.process.pid).memory_info().rss / 1e6 for it in (first, second)]
        assert max(memory) < 400.0
        for log in logs:
            assert len(opened(log, ".onnx")) == 1  # read, or made where there was none
            assert events(log, PROCESSES) == []
            assert events(log, NETWORK) == []
    generations = list((root / ".ddg" / "vectors").glob("embeddings-*.f32"))
    assert len(generations) == 1  # one writer


async def test_row_12_row_15_a_question_of_an_unchanged_folder_opens_nothing_and_embeds_once(tmp_path):
    log, seen = tmp_path / "log", tmp_path / "seen.txt"
    root = many(tmp_path / "w", 50)
    async with editing(root, command=audited(log, *LAUNCH, "--seen", str(seen))) as it:
        await it.ready()
        await it.query("warm up")
        files, texts = len(opened(log)), len(seen.read_text().splitlines())
        for number in range(20):
            await it.fresh(f"property of thing {number}")
            await it.fresh(f"property of thing {number}")
        assert [path for path in opened(log)[files:] if path != str(seen)] == []
        assert seen.read_text().splitlines()[texts:] == [f"query: property of thing {n}" for n in range(20)]
        assert events(log, PROCESSES) == []


async def test_row_24_what_the_system_refuses_is_a_reason_and_no_loop(tmp_path):
    log = tmp_path / "log"
    root = write(many(tmp_path / "w", 5), {"docs/closed/a.md": "# Closed\n", "docs/z/b.md": "# Walrus\n\nwalrus\n"})
    async with editing(root, editor=VSCODE, command=audited(log, *LAUNCH, refuse="closed")) as it:
        index = (await it.ready())["index"]
        assert index["documents"] == 6
        (root / "docs/closed/c.md").write_text("# New in there\n")
        event = types.FileEvent(it.uri("docs/closed/c.md"), types.FileChangeType.Created)
        it.client.workspace_did_change_watched_files(types.DidChangeWatchedFilesParams([event]))
        answer = await it.fresh("walrus", mode="lexical")
        assert answer["hits"][0]["path"] == "docs/z/b.md"
        assert {"path": "docs/closed/", "reason": "unreadable"} in answer["index"]["skipped"]
        (root / "docs/z/b.md").write_text("# Walrus\n\npenguin\n")  # what lies beside it is watched still
        assert (await it.fresh("penguin", mode="lexical"))["hits"][0]["path"] == "docs/z/b.md"
        await asyncio.sleep(0.5)
        before, spent = len(events(log, FILES)), psutil.Process(it.process.pid).cpu_times()
        await asyncio.sleep(1.5)
        after = psutil.Process(it.process.pid).cpu_times()
        assert events(log, FILES)[before:] == []
        assert after.user + after.system - spent.user - spent.system < 0.5
        assert len(it.client.messages) <= 1


async def test_row_32_a_model_file_that_cannot_be_read_is_a_state_with_a_reason_and_words_still_answer(tmp_path):
    root, log = workspace(tmp_path / "w"), tmp_path / "log"
    command = audited(log, *SHIPPED, refuse="e5-small-q4.bin")
    async with editing(root, command=command, settings={"embedder": "e5"}) as it:
        status = await it.state("lexicalOnly")
        assert status["health"] == "warning"
        answer = await it.query("nightly backup")
        assert answer["hits"][0]["path"] == "docs/ops.md"
        assert answer["model"] is None
        assert "weights" in answer["index"]["message"]
        assert sum("weights" in message.message for message in it.client.messages) == 1


async def test_row_96_what_is_written_below_python_while_the_model_is_loaded_is_no_protocol(tmp_path):
    root, log = workspace(tmp_path / "w"), tmp_path / "log"
    with RawServer(*audited(log, *SHIPPED, shout="e5-small-q4.bin")) as server:
        server.begin(root)
        await until(lambda: opened(log, "e5-small-q4.bin"), 60.0)
        for number in range(3):
            assert "result" in server.request(number, protocol.QUERY, {"query": f"backup {number}"})
        assert server.end() == 1
        assert server.stray == b""
        assert b"loading the model" in server.errors


async def test_row_23_two_thousand_notifications_are_a_few_looks_at_the_folder(tmp_path):
    root, log = many(tmp_path / "w", 20), tmp_path / "log"
    async with editing(root, editor=VSCODE, command=audited(log, *LAUNCH)) as it:
        await it.ready()
        event = types.FileEvent(it.uri("docs/d0001.md"), types.FileChangeType.Changed)
        (root / "docs/d0001.md").write_text("# Walrus\n\nwalrus\n")
        looked, read = _looks(log), len(opened(log, "d0001.md"))
        for _ in range(2_000):
            it.client.workspace_did_change_watched_files(types.DidChangeWatchedFilesParams([event]))
        assert (await it.fresh("walrus", mode="lexical"))["hits"][0]["path"] == "docs/d0001.md"
        await it.ready()
        assert len(opened(log, "d0001.md")) == read + 1
        assert _looks(log) - looked < 60  # one for each second and question; every event one would be 2,000


def _looks(log) -> int:
    return len([path for name, path in events(log, FILES) if name == "os.scandir" and path.endswith("docs")])


async def test_row_85_with_nowhere_to_write_the_index_is_kept_in_memory_and_that_is_said_once(tmp_path, monkeypatch):
    root = workspace(tmp_path / "w")
    (root / ".ddg").write_text("a file where the folder would be")
    (tmp_path / "home").write_text("a file where the user's cache would be")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "home"))
    async with editing(root) as it:
        await it.ready()
        assert (await it.query("nightly backup"))["hits"][0]["path"] == "docs/ops.md"
        write(root, {"docs/new.md": "# Walrus\n\nwalrus\n"})
        assert (await it.fresh("walrus", mode="lexical"))["hits"][0]["path"] == "docs/new.md"
        await it.ready()
        assert sum("memory only" in message.message for message in it.client.messages) == 1
    assert (root / ".ddg").read_text() == "a file where the folder would be"


async def test_row_97_ids_of_commands_are_the_server_s_own_and_registered_once(tmp_path):
    one, two = workspace(tmp_path / "one"), many(tmp_path / "two", 2)
    async with editing(one, editor=VSCODE) as it:
        await it.ready()
        names = it.initialized.capabilities.execute_command_provider.commands
        assert len(names) == len(set(names))
        assert all(name.startswith("ddg.server.") or name in protocol.REQUESTS for name in names)
        added = types.WorkspaceFoldersChangeEvent([types.WorkspaceFolder(two.as_uri(), "two")], [])
        it.client.workspace_did_change_workspace_folders(types.DidChangeWorkspaceFoldersParams(added))

        async def both() -> bool:
            return len((await it.command(protocol.SHOW_STATUS, {"silent": True}))["folders"]) == 2

        await until(both)
        assert not [one for one in it.registered if one.method == types.WORKSPACE_EXECUTE_COMMAND]
        ids = [registration.id for registration in it.registered]
        assert len(ids) == len(set(ids))


LINES = (
    "\ufeff---\ntitle: x\n---\r\n\r\nbefore\r# One 🎉\n\nwalrus one\u2028still this line\r\n\r\n## Two\rwalrus two\n"
)


async def test_row_100_an_editor_s_line_and_the_command_line_s_are_the_heading_s_in_the_file(tmp_path):
    root = write(tmp_path, {"docs/lines.md": LINES})
    async with editing(root) as it:
        await it.ready()
        hits = (await it.query("walrus", mode="lexical", perFile=10))["hits"]
        found = {hit["headings"][-1]: hit["selectionRange"]["start"]["line"] + 1 for hit in hits}
    lines = LINES.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    assert found == {name: lines.index(line) + 1 for name, line in (("One 🎉", "# One 🎉"), ("Two", "## Two"))}
    command = [sys.executable, "-m", "ddg_lsp", "query", str(root), "walrus", "--mode", "lexical", "--per-file", "10"]
    done = subprocess.run([*command, "--json"], capture_output=True, text=True, check=True)
    answer = json.loads(done.stdout)
    assert {hit["headings"][-1]: hit["line"] for hit in answer["hits"]} == found


async def test_row_101_row_103_what_a_script_reads_is_json_with_paths_of_the_folder_alone(tmp_path):
    root = workspace(tmp_path / "secretplace")
    (tmp_path / "questions").write_text('{"id": 1, "query": "backup"}\n')
    calls = [
        ["query", str(root), "backup", "--json"],
        ["index", str(root), "--json"],
        ["status", str(root), "--files", "--json"],
        ["batch", str(root), "--queries", str(tmp_path / "questions")],
    ]
    for call in calls:
        command = [sys.executable, "-m", "ddg_lsp", *call]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        assert [json.loads(line) for line in done.stdout.splitlines()]
        assert len(done.stdout.splitlines()) == 1
        assert "secretplace" not in done.stdout
        assert str(tmp_path) not in done.stdout
        assert "\r" not in done.stderr  # no bar
