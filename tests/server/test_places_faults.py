"""Addresses no file has, locales that are not UTF-8, a user who interrupts: the server answers right, or ends right."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
from typing import Any

import pytest

from ddg_lsp.server import protocol
from tests.helpers.documents import workspace, write
from tests.helpers.raw_lsp import REPOSITORY, RawServer

ODD = [
    *("file:///nowhere%00", "file:///a%00b", "file://%00/", "file:///\ud800", "file:///%ff%fe", "file://["),
    *("untitled:x", "vscode-vfs://github/a/b", "https://example.org/a", "git:/w/a.md", "zip:///a.zip", "data:,x"),
    *("", ":", "file:", "file://", "/", "relative/path", "C:\\x", "file:///" + "x" * 5_000, "file:///" + "a/" * 3_000),
]
"""Addresses of folders and files that are none, are elsewhere, or cannot be."""
GOOD = {"query": "nightly backup"}


def folder(uri: str) -> dict[str, str]:
    return {"uri": uri, "name": "x"}


def paths(server: RawServer, **fields: Any) -> list[str]:
    give_up = time.monotonic() + 60.0
    while True:
        answer = server.request("ask", protocol.QUERY, {**GOOD, **fields})["result"]
        if answer["hits"] or time.monotonic() > give_up:
            return [hit["path"] for hit in answer["hits"]]
        time.sleep(0.05)


def test_odd_folders_in_initialize_leave_the_others_searched(tmp_path):
    root = workspace(tmp_path)
    with RawServer() as server:
        folders = [folder(uri) for uri in (*ODD, root.as_uri())]
        server.begin(workspaceFolders=folders)
        assert paths(server)[0] == "docs/ops.md"
        assert b"Traceback" not in server.errors


@pytest.mark.parametrize("field", ["rootUri", "rootPath"])
def test_an_odd_root_in_initialize_leaves_the_server_alive(tmp_path, field):
    root = workspace(tmp_path)
    for odd in ("file:///a%00b", "file:///\ud800", "git:/w"):
        with RawServer() as server:
            result = server.begin(**{"workspaceFolders": None, field: odd})
            assert "capabilities" in result["result"]
            change = {"event": {"added": [folder(root.as_uri())], "removed": []}}
            server.send(method="workspace/didChangeWorkspaceFolders", params=change)
            assert paths(server)[0] == "docs/ops.md"
            assert b"Traceback" not in server.errors


def test_odd_addresses_while_the_server_runs_are_refused_or_nothing(tmp_path):
    root = workspace(tmp_path)
    with RawServer() as server:
        server.begin(root)
        for number, uri in enumerate(ODD):
            change = {"event": {"added": [folder(uri)], "removed": []}}
            server.send(method="workspace/didChangeWorkspaceFolders", params=change)
            item = {"uri": uri, "languageId": "markdown", "version": 1, "text": f"# Odd {number}\n\nzebra{number}\n"}
            server.send(method="textDocument/didOpen", params={"textDocument": item})
            server.send(method="textDocument/didSave", params={"textDocument": {"uri": uri}})
            answer = server.request(number, protocol.QUERY, {**GOOD, "folders": [uri]})
            assert "result" in answer or answer["error"]["data"]["code"] == "INVALID_FOLDERS"
            where = {"textDocument": {"uri": uri}, "range": {"start": _AT, "end": _AT}, "context": {"diagnostics": []}}
            assert "result" in server.request("action", "textDocument/codeAction", where)
            server.send(method="textDocument/didClose", params={"textDocument": {"uri": uri}})
            change = {"event": {"added": [], "removed": [folder(uri)]}}
            server.send(method="workspace/didChangeWorkspaceFolders", params=change)
        assert paths(server, folders=[root.as_uri()])[0] == "docs/ops.md"
        assert b"Traceback" not in server.errors


_AT = {"line": 0, "character": 3}


def test_a_document_with_an_address_no_file_has_hides_no_other(tmp_path):
    root = workspace(tmp_path)
    with RawServer() as server:
        server.begin(root)
        uri = (root / "docs/ops.md").as_uri().replace("ops.md", "ops%00.md")
        item = {"uri": uri, "languageId": "markdown", "version": 1, "text": "# Other\n\nquokka\n"}
        server.send(method="textDocument/didOpen", params={"textDocument": item})
        assert "docs/ops.md" in paths(server)


@pytest.mark.skipif(os.name == "nt", reason="POSIX locales")
@pytest.mark.parametrize("locale", [{"LC_ALL": "C", "PYTHONUTF8": "0"}, {"LC_ALL": "POSIX"}, {"LC_ALL": "C.UTF-8"}])
def test_addresses_are_the_same_under_every_locale(tmp_path, locale, monkeypatch):
    root = write(tmp_path / "wörk 한", {"docs/küche 🍎.md": "# Käse\n\nkäse und brot\n", "docs/plain.md": "# B\n\nx\n"})
    write(tmp_path / "config", {"ddg-lsp/config.toml": 'embedder = "none"\n'})
    for name, value in {**locale, "XDG_CONFIG_HOME": str(tmp_path / "config")}.items():
        monkeypatch.setenv(name, value)
    with RawServer("-m", "ddg_lsp", "serve") as server:
        server.begin(root, initializationOptions={"embedder": "none"})
        assert paths(server, query="käse") == ["docs/küche 🍎.md"]
        uri = (root / "docs/küche 🍎.md").as_uri()
        assert server.request(1, protocol.QUERY, {"query": "käse"})["result"]["hits"][0]["uri"] == uri
        item = {"uri": uri, "languageId": "markdown", "version": 1, "text": "# Käse\n\n\n## Brot\n\nkäse brot ofen\n"}
        server.send(method="textDocument/didOpen", params={"textDocument": item})
        hits = server.request(2, protocol.QUERY, {"query": "brot ofen", "mode": "lexical"})["result"]["hits"]
        assert [(hit["uri"], hit["headings"]) for hit in hits] == [(uri, ["Käse", "Brot"])]


@pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")
def test_ctrl_c_ends_a_server_with_130_though_its_client_stays(tmp_path):
    with RawServer("-m", "ddg_lsp", "serve") as server:
        server.begin(workspace(tmp_path), initializationOptions={"embedder": "none"})
        server.request(1, protocol.QUERY, {**GOOD, "mode": "lexical"})
        server.process.send_signal(signal.SIGINT)
        assert server.process.wait(10.0) == 130
        time.sleep(0.1)
        assert b"Traceback" not in server.errors


INTERRUPTED_BESIDE = """
import pathlib, signal, sys, threading, time
from ddg_lsp.cli import main

def beside():
    while not pathlib.Path(sys.argv[1]).exists():
        time.sleep(0.01)
    signal.pthread_kill(threading.get_ident(), signal.SIGINT)

threading.Thread(target=beside, daemon=True).start()
sys.exit(main(["serve"]))
"""


@pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")
def test_ctrl_c_that_comes_to_another_thread_ends_a_server_that_waits(tmp_path):
    """The same as between the loop's last look and its wait: the system wakes nobody, the loop has to be woken."""
    now = tmp_path / "now"
    with RawServer("-c", INTERRUPTED_BESIDE, str(now)) as server:
        server.begin(workspace(tmp_path / "w"), initializationOptions={"embedder": "none"})
        server.request(1, protocol.QUERY, {**GOOD, "mode": "lexical"})
        time.sleep(0.5)
        now.touch()
        assert server.process.wait(10.0) == 130
        assert b"Traceback" not in server.errors


@pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")
def test_ctrl_c_ends_a_server_that_waits_for_its_client(tmp_path):
    command = [sys.executable, "-m", "ddg_lsp", "serve", "--tcp", "127.0.0.1:0"]
    with subprocess.Popen(command, cwd=REPOSITORY, stderr=subprocess.PIPE) as process:
        assert process.stderr is not None
        assert b"Listening on 127.0.0.1:" in process.stderr.readline()
        process.send_signal(signal.SIGINT)
        assert process.wait(10.0) == 130
        assert process.stderr.read() == b""


def test_a_client_over_tcp_that_hangs_up_ends_the_server():
    command = [sys.executable, "-m", "ddg_lsp", "serve", "--tcp", "127.0.0.1:0"]
    with subprocess.Popen(command, cwd=REPOSITORY, stderr=subprocess.PIPE) as process:
        assert process.stderr is not None
        port = int(process.stderr.readline().rstrip(b".\n").rpartition(b":")[2])
        with socket.create_connection(("127.0.0.1", port)) as client:
            body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": protocol.QUERY}).encode()
            client.sendall(b"content-length: %d\r\n\r\n%s" % (len(body), body))
            assert b"-32002" in client.recv(65_536)
        assert process.wait(10.0) == 1
        assert b"Traceback" not in process.stderr.read()
