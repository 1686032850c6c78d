"""Whatever a client sends in whatever field: an answer or nothing, none of our insides, and the next good question."""

from __future__ import annotations

import copy
import json
import logging
import time
from collections.abc import Iterator
from typing import Any

import pytest
from lsprotocol import types

from ddg_lsp.server import protocol, sync
from ddg_lsp.server.app import Door
from ddg_lsp.server.service import Service
from tests.helpers.documents import workspace
from tests.helpers.raw_lsp import RawServer
from tests.helpers.schema import FIELDS, WRONG, params_of, served, spoiled


@pytest.fixture(scope="module")
def server(tmp_path_factory) -> Iterator[RawServer]:
    root = workspace(tmp_path_factory.mktemp("w"))
    with RawServer() as server:
        capabilities = {"workspace": {"configuration": False}, "window": {"workDoneProgress": True}}
        server.begin(root, capabilities=capabilities, initializationOptions={"workspaceSymbols": True})
        yield server
        assert server.process.poll() is None
        server.request("end", "shutdown")
        server.send(method="exit")
        assert server.process.wait(10.0) == 0
        assert server.stray == b""
        assert b"Traceback" not in server.errors
        assert b"ERROR ddg_lsp" not in server.errors


def answers(server: RawServer, asked: dict[str, dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """Send every message, each with its label as the id, and wait for all the answers."""
    for label, message in asked.items():
        server.send(id=label, **message)
    found: dict[str, dict[str, Any]] = {}
    give_up = time.monotonic() + 60.0
    while len(found) < len(asked):
        message = server.messages.get(timeout=max(0.01, give_up - time.monotonic()))
        if "method" in message and "id" in message:
            server.send(id=message["id"], result=None)
        elif message.get("id") in asked and "method" not in message:
            found[message["id"]] = message
    return found


def judge(found: dict[str, dict[str, Any]]) -> None:
    for label, message in found.items():
        if "error" in message:
            error = message["error"]
            assert error["code"] in (-32600, -32602, -32803, -32800), (label, error)
            assert not any(word in str(error) for word in (".py", "Traceback", "/ddg_lsp/")), (label, error)
        else:
            assert "result" in message, label


def still_answers(server: RawServer, label: str) -> None:
    hits = server.request(f"after {label}", protocol.QUERY, {"query": "nightly backup"})["result"]["hits"]
    assert hits[0]["path"] == "docs/ops.md"


@pytest.mark.parametrize("method", served())
def test_a_wrong_field_of_a_method_of_the_protocol(server, method):
    item = {"uri": "file:///nowhere/a.md", "languageId": "markdown", "version": 1, "text": "# A\n\nbackup\n"}
    server.send(method="textDocument/didOpen", params={"textDocument": item})
    messages = [{"method": method, "params": params} for _, params in spoiled(params_of(method))]
    messages += [{"method": method}]
    if "Request" in types.METHOD_TO_TYPES[method][0].__name__:
        judge(answers(server, {f"{method} {number}": message for number, message in enumerate(messages)}))
    else:
        for message in messages:
            server.send(**message)
    still_answers(server, method)


@pytest.mark.parametrize("method", protocol.REQUESTS)
def test_a_wrong_field_of_a_request_of_our_own(server, method):
    params = [wrong for _, wrong in spoiled(FIELDS)]
    judge(answers(server, {f"{method} {n}": {"method": method, "params": one} for n, one in enumerate(params)}))
    still_answers(server, method)


@pytest.mark.parametrize("command", protocol.COMMANDS)
def test_a_wrong_field_of_a_command_of_our_own(server, command):
    arguments = [[wrong] for _, wrong in spoiled(FIELDS)] + [copy.deepcopy(wrong) for wrong in WRONG]
    params = [{"command": command, "arguments": one} for one in arguments]
    method = types.WORKSPACE_EXECUTE_COMMAND
    judge(answers(server, {f"{command} {n}": {"method": method, "params": one} for n, one in enumerate(params)}))
    still_answers(server, command)


@pytest.mark.asyncio
async def test_a_wrong_field_of_initialize_is_refused_or_taken_and_never_a_fault(caplog):
    door, sent = Door(), Written()
    door.server.protocol.set_writer(sent, include_headers=False)
    session = Service(door.server, None, None).session
    caplog.set_level(logging.CRITICAL, "pygls")  # it formats every refusal at length
    for label, params in spoiled(params_of(types.INITIALIZE), wrong=(None, -1, "x", [1])):
        door.params, door.server.begun = None, False
        answer = sent.answer(door, {"id": 1, "method": types.INITIALIZE, "params": params})
        if "error" in answer:
            assert answer["error"]["code"] == -32602, label
        else:
            assert "capabilities" in answer["result"], label
            sync.initialize(session, door.params)
            assert session.client.encoding in ("utf-8", "utf-16", "utf-32"), label
    assert session.end()(5.0)


class Written:
    """What the server has written last."""

    def __init__(self) -> None:
        self.last = b""

    def write(self, data: bytes) -> None:
        self.last = data

    def answer(self, door: Door, message: dict[str, Any]) -> dict[str, Any]:
        self.last = b"{}"
        door.server.protocol.receive(json.dumps({"jsonrpc": "2.0", **message}).encode())
        answer = json.loads(self.last)
        assert answer["id"] == message["id"]
        return answer


@pytest.mark.parametrize("reply", [{}, {"result": {"a": 1}}, {"result": ["x", [1]]}, {"error": 7}])
def test_a_client_that_gives_no_settings_worth_the_name_is_served_all_the_same(tmp_path, reply):
    with RawServer() as server:
        capabilities = {"workspace": {"configuration": True, "didChangeConfiguration": {"dynamicRegistration": True}}}
        server.begin(workspace(tmp_path), capabilities=capabilities)
        asked, give_up = 0, time.monotonic() + 60.0
        server.send(id=0, method=protocol.QUERY, params={"query": "backup"})
        while True:
            message = server.messages.get(timeout=max(0.01, give_up - time.monotonic()))
            if "method" in message and "id" in message:
                server.send(id=message["id"], **reply)
            elif message.get("id") == asked and message["result"]["hits"]:
                break
            elif message.get("id") == asked:
                asked += 1
                server.send(id=asked, method=protocol.QUERY, params={"query": "backup"})
        assert b"Traceback" not in server.errors
