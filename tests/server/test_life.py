"""The life of the process: order of messages, exit codes, and an end in time whatever is under way."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
import time

import pytest

from ddg_lsp import __version__
from ddg_lsp.server import protocol
from tests.helpers.documents import many, workspace
from tests.helpers.raw_lsp import RawServer

SLOW = ("-m", "tests.server.launch", "--slow", "0.2")
SHIPPED = ("-m", "ddg_lsp", "serve", "--stdio")


def test_shipped_server_says_who_it_is_and_exits_with_0_after_shutdown(tmp_path):
    with RawServer(*SHIPPED) as server:
        result = server.begin(workspace(tmp_path))["result"]
        assert result["serverInfo"] == {"name": "ddg-lsp", "version": __version__}
        capabilities = result["capabilities"]
        assert capabilities["experimental"] == {"semanticDocQuery": {"version": 1}}
        assert capabilities["positionEncoding"] == "utf-16"
        assert set(capabilities["executeCommandProvider"]["commands"]) == set(protocol.COMMANDS)
        assert capabilities["codeActionProvider"]["codeActionKinds"] == [protocol.OPEN_DOCS_KIND]
        assert capabilities["textDocumentSync"]["change"] == 2
        assert capabilities["workspace"]["workspaceFolders"] == {"supported": True, "changeNotifications": True}
        assert server.request(2, "shutdown")["result"] is None
        server.send(method="exit")
        assert server.process.wait(10.0) == 0
        assert server.stray == b""


def test_row13_what_answers_initialize_is_imported_without_numpy_the_parser_or_the_index():
    script = "import sys, ddg_lsp.server.app; print([m for m in ('numpy', 'markdown_it', 'yaml') if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_exit_without_shutdown_is_1():
    with RawServer() as server:
        server.begin()
        server.send(method="exit")
        assert server.process.wait(10.0) == 1


def test_shutdown_is_answered_though_the_input_ends_behind_it():
    with RawServer() as server:
        server.begin()
        server.send(id=2, method="shutdown", params=None)
        assert server.end() == 0
        assert server.reply(2)["result"] is None


def test_over_tcp_one_client_is_served_and_the_exit_code_is_the_same():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [sys.executable, "-m", "ddg_lsp", "serve", "--tcp", f"127.0.0.1:{port}"]
    with subprocess.Popen(command, stderr=subprocess.DEVNULL) as process, _connected(port) as client:
        pipe = client.makefile("rwb")
        for number, method in enumerate(("initialize", "shutdown", "exit")):
            params = {"processId": None, "rootUri": None, "capabilities": {}} if number == 0 else None
            message = {"jsonrpc": "2.0", "method": method, "params": params}
            body = json.dumps(message if method == "exit" else {**message, "id": number}).encode()
            pipe.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
            pipe.flush()
            if method != "exit":
                length = int(pipe.readline()[16:])
                while pipe.readline().strip():
                    pass
                assert "result" in json.loads(pipe.read(length))
        assert process.wait(10.0) == 0


def test_exit_before_initialize_is_1():
    with RawServer() as server:
        server.send(method="exit")
        assert server.process.wait(20.0) == 1


def test_row95_closed_stdin_in_the_middle_of_a_build_ends_the_process_within_two_seconds(tmp_path):
    with RawServer(*SLOW) as server:
        server.begin(many(tmp_path, 40))
        _until_building(server)
        started = time.monotonic()
        assert server.end() == 1
        assert time.monotonic() - started < 2.0
    manifest = json.loads((tmp_path / ".ddg" / "vectors" / "manifest.json").read_text())
    assert manifest  # what was done is kept


def test_b07_shutdown_in_the_middle_of_a_build_is_answered_within_five_seconds_and_keeps_what_is_done(tmp_path):
    root = many(tmp_path, 40)
    with RawServer(*SLOW) as server:
        server.begin(root)
        _until_building(server)
        started = time.monotonic()
        assert server.request(2, "shutdown")["result"] is None
        server.send(method="exit")
        assert server.process.wait(10.0) == 0
        assert time.monotonic() - started < 5.0
    with RawServer() as server:
        server.begin(root)
        _until(server, lambda index: index["state"] == "ready")
        run = _index(server)["run"]
        assert run["reused"] > 0


def test_requests_out_of_season_are_refused_and_never_left_without_an_answer(tmp_path):
    with RawServer() as server:
        early = server.request(1, protocol.QUERY, {"query": "too early"})
        assert early["error"]["code"] == -32002
        server.send(method="textDocument/didSave", params={"textDocument": {"uri": "file:///a.md"}})
        server.begin(workspace(tmp_path))
        again = server.request(2, "initialize", {"processId": None, "rootUri": None, "capabilities": {}})
        assert again["error"]["code"] == -32600
        assert server.request(3, "shutdown")["result"] is None
        late = server.request(4, protocol.QUERY, {"query": "too late"})
        assert late["error"]["code"] == -32600
        server.send(method="exit")
        assert server.process.wait(10.0) == 0


def test_malformed_messages_are_answered_and_leave_the_server_alive(tmp_path):
    with RawServer() as server:
        server.begin(workspace(tmp_path))
        bad = server.request(1, "textDocument/codeAction", {"textDocument": 7})
        assert bad["error"]["code"] == -32602
        server.send_bytes(b"{ this is no JSON")
        server.send(method="textDocument/didOpen", params={"textDocument": "nonsense"})
        server.send(method="textDocument/didChange", params={"textDocument": {"uri": "file:///x", "version": 1}})
        server.send(method="$/cancelRequest", params={"id": 999})
        assert server.request(2, "$/ddgUnknown", {})["error"]["code"] == -32601
        assert server.request(3, "textDocument/unheardOf", {})["error"]["code"] == -32601
        assert server.request("text id", protocol.QUERY, {"query": "backup"})["result"]["query"] == "backup"
        assert server.stray == b""


@pytest.mark.parametrize(
    ("params", "code", "reason"),
    [
        ({"query": ""}, "INVALID_QUERY", "empty"),
        ({"query": "  \n "}, "INVALID_QUERY", "empty"),
        ({"query": 7}, "INVALID_QUERY", "not_a_string"),
        ({}, "INVALID_QUERY", "not_a_string"),
        (None, "INVALID_QUERY", "not_a_string"),
        ([1], "INVALID_PARAMS", "not_an_object"),
        ({"query": "x" * 2001}, "INVALID_QUERY", "too_long"),
        ({"query": "x", "limit": 0}, "INVALID_LIMIT", "out_of_range"),
        ({"query": "x", "limit": 101}, "INVALID_LIMIT", "out_of_range"),
        ({"query": "x", "limit": 1.5}, "INVALID_LIMIT", "out_of_range"),
        ({"query": "x", "limit": "5"}, "INVALID_LIMIT", "out_of_range"),
        ({"query": "x", "mode": "psychic"}, "INVALID_MODE", "unknown_mode"),
        ({"query": "x", "perFile": 11}, "INVALID_PER_FILE", "out_of_range"),
        ({"query": "x", "folders": "file:///w"}, "INVALID_FOLDERS", "not_a_list"),
        ({"query": "x", "folders": ["file:///nowhere"]}, "INVALID_FOLDERS", "unknown_folder"),
        ({"query": "x", "paths": "docs"}, "INVALID_PATHS", "not_a_list"),
        ({"query": "x", "workDoneToken": []}, "INVALID_TOKEN", "not_a_token"),
    ],
)
def test_q03_row105_bad_params_are_named(shared, params, code, reason):
    shared.number += 1
    error = shared.request(shared.number, protocol.QUERY, params)["error"]
    assert error["code"] == -32602
    assert error["data"] == {"code": code, "reason": reason}
    assert len(error["message"]) > 20


@pytest.mark.parametrize("params", [{"query": "🎉"}, {"query": "x" * 2000}, {"query": "a\0b"}, {"query": "\ud800"}])
def test_odd_questions_are_answered(shared, params):
    shared.number += 1
    assert "result" in shared.request(shared.number, protocol.QUERY, params)


@pytest.mark.parametrize(
    ("command", "arguments", "code"),
    [
        (protocol.QUERY, [], "INVALID_QUERY"),
        (protocol.QUERY, ["text"], "INVALID_PARAMS"),
        (protocol.QUERY_BATCH, [{"queries": []}], "INVALID_BATCH"),
        (protocol.OPEN_HEADING, [], "INVALID_URI"),
        (protocol.OPEN_HEADING, [{"uri": "file:///a.md", "range": {"start": 1}}], "INVALID_RANGE"),
        ("ddg.server.formatDisk", [], "UNKNOWN_COMMAND"),
    ],
)
def test_bad_commands_are_named(shared, command, arguments, code):
    shared.number += 1
    params = {"command": command, "arguments": arguments}
    error = shared.request(shared.number, "workspace/executeCommand", params)["error"]
    assert (error["code"], error["data"]["code"]) == (-32602, code)


@pytest.fixture(scope="module")
def shared(tmp_path_factory):
    with RawServer() as server:
        server.number = 100
        server.begin(workspace(tmp_path_factory.mktemp("w")))
        yield server


def _connected(port: int) -> socket.socket:
    give_up = time.monotonic() + 60.0
    while True:
        try:
            return socket.create_connection(("127.0.0.1", port))
        except OSError:
            assert time.monotonic() < give_up
            time.sleep(0.05)


def _index(server: RawServer) -> dict:
    answer = server.request(f"q{time.monotonic()}", protocol.QUERY, {"query": "thing", "mode": "lexical"})
    return answer["result"]["index"]


def _until(server: RawServer, found) -> None:
    give_up = time.monotonic() + 30.0
    while not found(_index(server)):
        assert time.monotonic() < give_up
        time.sleep(0.02)


def _until_building(server: RawServer) -> None:
    _until(server, lambda index: index["state"] == "building" and index["openings"] > 8)
