"""Questions while the index is built, cancellation that stops, progress, status: honest at every moment."""

from __future__ import annotations

import asyncio
import time

import pytest
from lsprotocol import types
from pygls.exceptions import JsonRpcException

from ddg_lsp.server import protocol
from tests.helpers.documents import many, workspace
from tests.helpers.editor import VSCODE, editing, until
from tests.helpers.raw_lsp import RawServer

pytestmark = pytest.mark.asyncio

LAUNCH = ("-m", "tests.server.launch")
SLOW = (*LAUNCH, "--slow", "0.1")


async def test_row2_row30_a_question_during_a_build_is_answered_at_once_with_honest_counts(tmp_path):
    async with editing(many(tmp_path, 60), command=SLOW, adjust=_with_status) as it:
        await _building(it)
        times, counts = [], []
        for number in range(5):
            asked = time.monotonic()
            answer = await it.query(f"property of thing {number}")
            times.append(time.monotonic() - asked)
            index = answer["index"]
            assert index["state"] == "building"
            assert index["embedded"] < index["passages"] == 300
            assert index["embedded"] <= index["openings"] <= index["passages"]
            assert index["documents"] == 60
            counts.append(index["openings"] + index["embedded"])
            await asyncio.sleep(0.1)
        assert counts == sorted(counts)
        assert counts[0] < counts[-1]
        assert sorted(times)[2] < 1.0
        assert any(status["index"]["state"] == "building" and not status["quiescent"] for status in it.statuses)


async def test_progress_is_shown_and_cancelling_it_stops_the_build_until_it_is_asked_for(tmp_path):
    root = many(tmp_path, 60)
    async with editing(root, editor=VSCODE, command=SLOW) as it:
        token = await until(lambda: next(iter(it.client.progress_reports), None))
        begin = (await until(lambda: it.client.progress_reports[token]))[0]
        assert begin.kind == "begin"
        assert begin.cancellable is True
        await until(lambda: len(it.client.progress_reports[token]) > 3)
        it.client.window_work_done_progress_cancel(types.WorkDoneProgressCancelParams(token=token))
        values = await until(lambda: _ended(it, token))
        reports = [value.percentage for value in values[1:-1]]
        assert reports == sorted(reports)
        assert "passages" in values[1].message
        first = (await it.query("thing", mode="lexical"))["index"]
        await asyncio.sleep(0.5)
        stopped = (await it.query("thing", mode="lexical"))["index"]
        assert stopped["state"] == "building"
        assert "ddg.server.reindex" in stopped["message"]
        done = stopped["openings"] + stopped["embedded"]
        assert 0 < done == first["openings"] + first["embedded"] < 600
        assert (root / ".ddg" / "vectors" / "manifest.json").exists()

        await it.command(protocol.REINDEX)
        await until(lambda: _further(it, done))


async def test_row93_fifty_questions_of_which_forty_nine_are_cancelled_are_one_embedding(tmp_path):
    seen = tmp_path / "seen.txt"
    with RawServer(*LAUNCH, "--seen", str(seen)) as server:
        server.begin(workspace(tmp_path / "w"))
        while server.request("warm", protocol.QUERY, {"query": "warm up"})["result"]["index"]["state"] != "ready":
            await asyncio.sleep(0.05)
        asked = [{"id": n, "method": protocol.QUERY, "params": {"query": f"burst {n}"}} for n in range(50)]
        cancelled = [{"method": "$/cancelRequest", "params": {"id": n}} for n in range(49)]
        server.send_at_once(*asked, *cancelled)
        assert server.reply(49)["result"]["query"] == "burst 49"
        codes = [message["error"]["code"] for message in server.messages.queue if message.get("id") in range(49)]
        assert codes + server.refused == [-32800] * 49
        assert [line for line in seen.read_text().splitlines() if "burst" in line] == ["query: burst 49"]


@pytest.mark.parametrize("by_command", [False, True])
async def test_cancelling_a_question_is_answered_at_once_however_it_was_asked(tmp_path, by_command):
    async with editing(workspace(tmp_path), command=(*LAUNCH, "--slow", "0.5")) as it:
        await it.ready()
        await it.query("warm up")
        method, params = protocol.QUERY, {"query": "slow one"}
        if by_command:
            method, params = types.WORKSPACE_EXECUTE_COMMAND, types.ExecuteCommandParams(protocol.QUERY, [params])
        asked = asyncio.ensure_future(it.request(method, params, msg_id="slow"))
        await asyncio.sleep(0.1)
        cancelled = time.monotonic()
        it.client.cancel_request(types.CancelParams(id="slow"))
        with pytest.raises(JsonRpcException) as caught:
            await asked
        assert caught.value.code == -32800
        assert time.monotonic() - cancelled < 0.3
        assert (await it.query("backup"))["hits"]


async def test_a_command_answers_as_the_request_does(tmp_path):
    async with editing(workspace(tmp_path)) as it:
        await it.ready()
        fields = {"query": "nightly backup", "limit": 2, "mode": "semantic"}
        one, other = await it.request(protocol.QUERY, fields), await it.command(protocol.QUERY, fields)
        for answer in (one, other):
            assert answer.pop("elapsedMs") > 0.0
        assert one == other
        assert set(one) == {"query", "mode", "limit", "revision", "index", "model", "hits"}
        assert len(one["hits"]) == 2


async def test_b01_a_batch_keeps_its_failures_and_its_order(tmp_path):
    async with editing(workspace(tmp_path)) as it:
        await it.ready()
        queries = [{"id": "a", "query": "backup"}, {"id": 2, "query": ""}, "nonsense", {"query": "pie", "limit": 1}]
        answer = await it.request(protocol.QUERY_BATCH, {"queries": queries})
        assert [entry["id"] for entry in answer["results"]] == ["a", 2, None, None]
        assert [entry["ok"] for entry in answer["results"]] == [True, False, False, True]
        assert (answer["ok"], answer["okCount"], answer["failedCount"]) == (False, 2, 2)
        assert answer["unresolved"] == [2, None]
        assert answer["results"][1]["error"]["code"] == "INVALID_QUERY"
        assert answer["results"][0]["result"]["hits"][0]["path"] == "docs/ops.md"
        assert len(answer["results"][3]["result"]["hits"]) == 1


async def test_a_client_s_own_progress_token_is_used(tmp_path):
    async with editing(workspace(tmp_path), editor=VSCODE) as it:
        await it.ready()
        await it.query("backup", workDoneToken="mine")
        kinds = [value.kind for value in it.client.progress_reports["mine"]]
        assert (kinds[0], kinds[-1]) == ("begin", "end")


async def test_row29_looking_for_changes_takes_a_question_no_longer_than_a_moment(tmp_path):
    root = many(tmp_path, 3)
    async with editing(root, command=(*LAUNCH, "--slow", "2")) as it:
        await until(lambda: _read(it))
        (root / "docs/new.md").write_text("# New\n\nwalrus\n")
        asked = time.monotonic()
        answer = await it.query("walrus", mode="lexical")  # the thread that would look is busy for two seconds
        assert time.monotonic() - asked < 1.5
        assert answer["index"]["state"] == "building"


async def test_rebuild_embeds_everything_anew(tmp_path):
    seen = tmp_path / "seen.txt"
    async with editing(workspace(tmp_path / "w"), command=(*LAUNCH, "--seen", str(seen))) as it:
        await it.ready()
        before = _passages(seen)
        await it.command(protocol.REINDEX)
        await it.ready()
        assert _passages(seen) == before
        await it.command(protocol.REINDEX, {"rebuild": True})
        await it.ready()
        assert sorted(_passages(seen)) == sorted(before * 2)


async def test_status_says_what_there_is_and_why(tmp_path):
    root = workspace(tmp_path)
    async with editing(root) as it:
        status = await it.ready()
        assert (status["health"], status["quiescent"], status["reason"]) == ("ok", True, "The test's choice.")
        assert status["index"]["documents"] == 3
        assert [folder["uri"] for folder in status["folders"]] == [root.as_uri()]
        assert it.client.messages == []
        await it.command(protocol.SHOW_STATUS)
        said = await until(lambda: it.client.messages)
        assert "6 of 6 passages in 3 documents" in said[0].message


async def test_status_tells_every_file_where_it_is_asked_to_indexed_or_skipped_and_why(tmp_path):
    root = workspace(tmp_path)
    (root / "docs" / "secrets.md").write_text("# x\n")
    async with editing(root) as it:
        assert "files" not in (await it.ready())["folders"][0]
        folder = (await it.command(protocol.SHOW_STATUS, {"silent": True, "files": True}))["folders"][0]
        assert [file["path"] for file in folder["files"]] == sorted(file["path"] for file in folder["files"])
        assert sum(file["passages"] for file in folder["files"]) == folder["index"]["passages"] > 0
        assert all(file["embedded"] == file["passages"] for file in folder["files"])
        assert {"path": "docs/secrets.md", "reason": "secret-name"} in folder["skipped"]
        assert not {file["path"] for file in folder["files"]} & {skip["path"] for skip in folder["skipped"]}


def _passages(seen) -> list[str]:
    return [line for line in seen.read_text().splitlines() if line.startswith("passage: ")]


async def _read(it) -> bool:
    return (await it.query("thing", mode="lexical"))["index"]["documents"] == 3


async def _building(it) -> None:
    async def begun() -> bool:
        return (await it.query("x", mode="lexical"))["index"]["openings"] > 0

    await until(begun)


async def _further(it, done: int) -> bool:
    index = (await it.query("thing", mode="lexical"))["index"]
    return index["openings"] + index["embedded"] > done + 16 and "message" not in index


def _ended(it, token) -> list | None:
    values = list(it.client.progress_reports[token])
    return values if values[-1].kind == "end" else None


def _with_status(capabilities: types.ClientCapabilities) -> None:
    capabilities.experimental = {protocol.STATUS_CAPABILITY: True}
