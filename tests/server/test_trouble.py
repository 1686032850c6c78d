"""What goes wrong is said once, in a sentence, and never with what a document or a question says."""

from __future__ import annotations

import asyncio
import time

import pytest

from ddg_lsp.server import protocol
from tests.helpers.documents import many, workspace, write
from tests.helpers.editor import editing, until
from tests.helpers.raw_lsp import RawServer

LAUNCH = ("-m", "tests.server.launch")


@pytest.mark.asyncio
async def test_row32_a_model_that_cannot_work_leaves_answers_by_words_that_say_so(tmp_path):
    async with editing(workspace(tmp_path), command=(*LAUNCH, "--broken")) as it:
        status = await it.state("lexicalOnly")
        assert status["health"] == "warning"
        assert status["tried"] == [{"embedder": "deterministic", "reason": "The test's model is broken."}]
        answer = await it.query("nightly backup")
        assert answer["hits"][0]["path"] == "docs/ops.md"
        assert answer["model"] is None
        assert "broken" in answer["index"]["message"]
        shown = [message.message for message in it.client.messages]
        assert shown == ["No embedder works: The test's model is broken."]
        await it.command(protocol.REINDEX)
        await it.state("lexicalOnly")


@pytest.mark.asyncio
async def test_an_unforeseen_error_is_told_in_a_sentence_and_questions_are_answered_still(tmp_path):
    root = write(tmp_path, {"docs/a.md": "# A\n\nwalrus\n", "docs/b.md": "# B\n\ncrashword\n"})
    async with editing(root, command=(*LAUNCH, "--crash", "crashword")) as it:
        await it.state("failed")
        answer = await it.query("walrus", mode="lexical")
        assert answer["index"]["state"] == "failed"
        assert "log" in answer["index"]["message"]
        assert answer["hits"][0]["path"] == "docs/a.md"
        texts = [message.message for message in (*it.client.messages, *it.client.log_messages)]
        assert not any("secret text" in text or "Traceback" in text for text in texts)
        (root / "docs/b.md").write_text("# B\n\nharmless\n")
        await it.query("harmless")
        await it.ready()


def test_an_unforeseen_error_in_a_request_reaches_the_client_without_its_text(tmp_path):
    with RawServer(*LAUNCH, "--crash", "crashword") as server:
        server.begin(workspace(tmp_path))
        while server.request(0, protocol.QUERY, {"query": "backup"})["result"]["index"]["state"] != "ready":
            time.sleep(0.05)
        error = server.request(1, protocol.QUERY, {"query": "crashword", "mode": "semantic"})["error"]
        assert error["code"] == -32603
        assert "secret" not in str(error)
        assert "data" not in error or error["data"] is None
        assert "result" in server.request(2, protocol.QUERY, {"query": "backup"})


def test_row96_whatever_a_library_prints_stdout_is_protocol(tmp_path):
    with RawServer(*LAUNCH, "--noise") as server:
        server.begin(workspace(tmp_path))
        for number in range(5):
            assert "result" in server.request(number, protocol.QUERY, {"query": f"backup {number}"})
        server.request("end", "shutdown")
        server.send(method="exit")
        assert server.process.wait(10.0) == 0
        assert server.stray == b""
        assert b"loading the model" in server.errors


def test_b06_at_the_default_level_no_log_holds_a_question_or_a_document(tmp_path):
    root = write(tmp_path, {"docs/a.md": "# Zanzibar\n\nquokka\n"})
    with RawServer() as server:
        server.begin(root)
        uri = (root / "docs/a.md").as_uri()
        item = {"uri": uri, "languageId": "markdown", "version": 1, "text": "# Zanzibar\n\nquokka wombat\n"}
        server.send(method="textDocument/didOpen", params={"textDocument": item})
        server.request(1, protocol.QUERY, {"query": "wherehides the quokka"})
        server.request(2, protocol.QUERY, {"query": "quokka", "limit": "wherehides"})
        server.request(3, "textDocument/codeAction", {"wherehides": "quokka"})
        server.send(method="textDocument/didChange", params={"wherehides": "quokka"})
        server.request("end", "shutdown")
        server.send(method="exit")
        server.process.wait(10.0)
        logs = [message for message in server.messages.queue if message.get("method") == "window/logMessage"]
        told = server.errors.decode() + str(logs)
        for word in ("quokka", "wherehides", "Zanzibar", "wombat"):
            assert word not in told


@pytest.mark.asyncio
async def test_a_folder_that_is_not_there_is_no_empty_one_and_is_searched_when_it_is(tmp_path):
    root = tmp_path / "later"
    async with editing(root) as it:
        await it.state("failed")
        answer = await it.query("walrus")
        assert answer["hits"] == []
        assert "cannot be read" in answer["index"]["message"]
        write(root, {"a.md": "# A\n\nwalrus\n"})
        await until(lambda: _finds(it, "a.md"))


@pytest.mark.asyncio
async def test_a_folder_removed_in_the_middle_of_a_build_ends_the_build(tmp_path):
    root = many(tmp_path / "w", 40)
    async with editing(root, command=(*LAUNCH, "--slow", "0.05")) as it:
        await until(lambda: _has(it, 40))
        root.rename(tmp_path / "elsewhere")

        async def told() -> bool:
            return (await it.query("thing", mode="lexical"))["index"]["state"] == "failed"

        await until(told)
        assert (await it.state("failed"))["quiescent"] is True


@pytest.mark.asyncio
async def test_row33_one_unreadable_file_is_named_and_the_others_are_searched(tmp_path):
    root = many(tmp_path, 9)
    (root / "docs/bad.md").write_bytes(b"# \xff\xfe\xfa broken")
    async with editing(root) as it:
        index = (await it.ready())["index"]
        assert index["documents"] == 9
        answer = await it.query("thing 3")
        assert {"path": "docs/bad.md", "reason": "undecodable"} in answer["index"]["skipped"]


@pytest.mark.asyncio
async def test_settings_are_asked_for_changed_at_run_time_and_bad_ones_told_once(tmp_path):
    root = many(tmp_path, 5)
    settings = {"limit": 2, "mode": "psychic", "noSuchThing": 1}
    async with editing(root, settings=settings, options={"limit": 4}) as it:
        await it.ready()
        answer = await it.query("thing")
        assert (answer["limit"], answer["mode"]) == (2, "hybrid")
        await _configure(it, {**settings, "exclude": ["docs/d0001.md"]})
        await until(lambda: _has(it, 4))
        assert (await it.query("thing"))["limit"] == 2
        await _configure(it, {"limit": 3})
        await until(lambda: _has(it, 5))
        assert (await it.query("thing"))["limit"] == 3
        shown = [message.message for message in it.client.messages]
        assert sum("mode" in text for text in shown) == 1
        assert sum("noSuchThing" in text for text in shown) == 1


@pytest.mark.asyncio
async def test_another_embedder_is_taken_without_a_restart(tmp_path):
    async with editing(workspace(tmp_path)) as it:
        await it.ready()
        await _configure(it, {"embedder": "none"})
        assert (await it.state("lexicalOnly"))["health"] == "ok"  # it is what the user asked for
        assert (await it.query("backup"))["model"] is None
        await _configure(it, {})
        await it.ready()
        assert (await it.query("backup"))["model"]["embedder"] == "deterministic"


@pytest.mark.asyncio
async def test_initialization_options_are_the_settings_of_a_client_that_cannot_be_asked(tmp_path):
    def adjust(capabilities) -> None:
        capabilities.workspace.configuration = None

    async with editing(many(tmp_path, 5), options={"ddg": {"limit": 3}}, adjust=adjust) as it:
        await it.ready()
        assert (await it.query("thing"))["limit"] == 3


@pytest.mark.asyncio
async def test_a_settings_file_changed_on_disk_is_in_force_for_the_next_question(tmp_path):
    root = many(tmp_path, 5)
    async with editing(root) as it:
        await it.ready()
        (root / "ddg.toml").write_text('limit = 2\nexclude = ["docs/d0000.md"]\n')
        answer = await it.fresh("thing")
        assert answer["index"]["documents"] == 4
        assert (await it.fresh("thing"))["limit"] == 2
        (root / "ddg.toml").write_text("limit = [\n")
        await it.fresh("thing")
        await until(lambda: any("TOML" in message.message for message in it.client.messages))
        (root / "ddg.toml").unlink()
        assert (await it.fresh("thing"))["index"]["documents"] == 5


@pytest.mark.asyncio
async def test_row102_a_workspace_cannot_name_a_model_a_cache_or_a_folder_outside(tmp_path):
    text = 'embedder = "http"\nhttpUrl = "http://127.0.0.1:9/"\ncacheDir = "/tmp/evil"\nroot = "../.."\n'
    root = write(tmp_path / "w", {"ddg.toml": text, "docs/a.md": "# A\n\nwalrus\n"})
    write(tmp_path, {"outside.md": "# Outside\n\nwalrus\n"})
    async with editing(root) as it:
        await it.ready()
        answer = await it.query("walrus")
        assert [hit["path"] for hit in answer["hits"]] == ["docs/a.md"]
        assert answer["model"]["embedder"] == "deterministic"
        told = " ".join(message.message for message in it.client.messages)
        assert all(key in told for key in ("embedder", "httpUrl", "cacheDir", "root"))


async def _configure(it, settings) -> None:
    from lsprotocol import types

    it.client.set_configuration(settings, section="ddg")
    it.client.workspace_did_change_configuration(types.DidChangeConfigurationParams(settings=None))
    await asyncio.sleep(0)


async def _has(it, documents: int) -> bool:
    return (await it.query("thing", mode="lexical"))["index"]["documents"] == documents


async def _finds(it, path: str) -> bool:
    await asyncio.sleep(0.05)
    return await it.paths("walrus") == [path]


@pytest.mark.asyncio
async def test_row13_row99_initialize_is_answered_before_anything_is_read(tmp_path):
    root = many(tmp_path, 400)
    with RawServer(*LAUNCH, "--slow", "1") as server:
        server.send(method="nothing")  # the process is up when this has been read
        server.request(0, "textDocument/hover")
        started = time.monotonic()
        server.begin(root)
        assert time.monotonic() - started < 1.0
        early = server.request(1, protocol.QUERY, {"query": "thing"})["result"]
        assert early["index"]["state"] == "building"
