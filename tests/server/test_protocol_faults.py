"""Bytes that are no message, ids that are none, messages out of season: answered, and the next one is, too."""

from __future__ import annotations

import asyncio
import json
import os
import threading
import time
from collections.abc import Iterator
from functools import partial
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ddg_lsp.server import messages, protocol
from ddg_lsp.server.framing import MAX_BODY, MAX_LINE, Framing
from ddg_lsp.server.inbox import Inbox
from tests.helpers.documents import workspace
from tests.helpers.raw_lsp import RawServer

GOOD = {"query": "nightly backup"}


@pytest.fixture(scope="module")
def server(tmp_path_factory) -> Iterator[RawServer]:
    with RawServer() as server:
        server.begin(workspace(tmp_path_factory.mktemp("w")))
        while not server.request("ready?", protocol.QUERY, GOOD)["result"]["hits"]:
            time.sleep(0.05)
        yield server
        assert server.stray == b""
        assert b"Traceback" not in server.errors


def raw(server: RawServer, data: bytes) -> None:
    assert server.process.stdin is not None
    server.process.stdin.write(data)
    server.process.stdin.flush()


def framed(message: dict[str, Any] | bytes, name: bytes = b"Content-Length: ") -> bytes:
    body = message if isinstance(message, bytes) else json.dumps({"jsonrpc": "2.0", **message}).encode()
    return b"%s%d\r\n\r\n%s" % (name, len(body), body)


def question(identity: Any) -> dict[str, Any]:
    return {"id": identity, "method": protocol.QUERY, "params": GOOD}


def refused(server: RawServer, code: int, identity: Any = None) -> None:
    """The next answer is this refusal, and it tells nothing of what was sent or of us."""
    answer = server.reply(identity)
    assert answer["error"]["code"] == code
    assert "id" in answer
    assert not any(word in str(answer) for word in ("Traceback", ".py", "quokka"))


# -- headers


@pytest.mark.parametrize(
    "name", [b"content-length: ", b"CONTENT-LENGTH:", b"X: y\r\nContent-length :  ", b"\nContent-Length: "]
)
def test_the_names_of_headers_are_the_same_in_upper_and_lower_case(server, name):
    raw(server, framed(question(f"case {name!r}"), name))
    assert server.reply(f"case {name!r}")["result"]["hits"]


@pytest.mark.parametrize(
    "data",
    [
        b'Content-Length: -5\r\n\r\n{"quokka": 1}',
        b'Content-Length: five\r\n\r\n{"quokka": 1}',
        b"Content-Length: \r\n\r\n",
        b'Content-Length: %d\r\n\r\n{"quokka": 1}' % (MAX_BODY + 1),
        b'Content-Length: %s\r\n\r\n{"quokka": 1}' % (b"9" * 18),
        b'Content-Length: %s\r\n\r\n{"quokka": 1}' % (b"9" * 4_000),
        b'Content-Type: text/quokka\r\n\r\n{"quokka": 1}',
        b'{"jsonrpc": "2.0", "id": 1, "method": "quokka"}',
        b"quokka\r\n\r\nquokka\n\nquokka\n",
        b"GET /quokka HTTP/1.1\r\nHost: localhost\r\n\r\n",
        b"\xff\xfe\0" * 20_000 + b"\n\n",
    ],
)
def test_a_header_without_a_length_is_told_once_and_the_next_message_is_found(server, data):
    raw(server, data + framed(question("after")))
    refused(server, -32700)
    assert server.reply("after")["result"]["hits"]
    assert server.messages.empty()


async def _frames(data: bytes, pieces: int) -> list[Any]:
    read, write_end = os.pipe()
    inbox = Inbox(read, partial(os.read, read))

    def send() -> None:
        for start in range(0, len(data), pieces):
            os.write(write_end, data[start : start + pieces])
        os.close(write_end)

    threading.Thread(target=send).start()
    framing, found = Framing(inbox), []
    while (frame := await framing.next()) is not None:
        found.append(frame)
    os.close(read)
    return found


JUNK = st.binary(max_size=60) | st.sampled_from(
    [b"\r\n", b"\n\n", b"{}", b"Content-Length: x\r\n\r\n", b"a" * MAX_LINE]
)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(st.tuples(JUNK, st.binary(max_size=80)), max_size=5), st.integers(1, 200))
def test_whatever_lies_between_two_messages_the_second_is_found(parts, pieces):
    # Junk that is itself the beginning of a header cannot be told from one; a blank line ends it.
    parts = [(junk.lower().replace(b"content-length", b"") + b"\n\n", body) for junk, body in parts]
    data = b"".join(junk + framed(body) for junk, body in parts)
    frames = asyncio.run(_frames(data, pieces))
    assert [frame.body for frame in frames if frame.body is not None] == [body for _, body in parts]


# -- JSON, and what is a request

ENDLESS = [b"[" * 100_000, b"9" * 5_000]


@pytest.mark.parametrize(
    "body", [b"{ no JSON quokka", b"", b"\xff\xff", b'{"id": NaN}', b'{"id": -Infinity}', b"}", *ENDLESS]
)
def test_what_is_no_json_is_answered_with_a_parse_error(server, body):
    raw(server, framed(body) + framed(question("next")))
    refused(server, -32700)
    assert server.reply("next")["result"]["hits"]


DEEP = '{"x":' * 250 + "1" + "}" * 250


@pytest.mark.parametrize(
    "body",
    [
        *(
            '[{"jsonrpc": "2.0", "id": 1, "method": "quokka"}]',
            "[]",
            "7",
            '"quokka"',
            "null",
            "true",
            "{}",
            '{"id": []}',
        ),
        *('{"jsonrpc": "2.0"}', '{"jsonrpc": "2.0", "method": 7}', '{"jsonrpc": "2.0", "method": ["quokka"]}'),
        *(
            f'{{"jsonrpc": "2.0", "id": {identity}, "method": "{method}", "params": {{"query": "quokka"}}}}'
            for identity in ('{"quokka": 1}', "[1]", "null", "true", "1.5", "1e999", "[[[]]]")
            for method in (protocol.QUERY, "textDocument/codeAction", "shutdown", "$/quokka")
        ),
    ],
)
def test_what_is_no_request_is_answered_as_invalid_and_with_a_null_id(server, body):
    raw(server, framed(body.encode()) + framed(question("next")))
    refused(server, -32600)
    assert server.reply("next")["result"]["hits"]


@pytest.mark.parametrize(
    "message",
    [
        {"jsonrpc": "1.0", "method": protocol.QUERY, "params": GOOD},
        {"method": 7},
        {"method": None},
        {"method": "textDocument/didOpen", "params": {"textDocument": {"quokka": 1}}},
        {"method": "textDocument/didClose", "params": {"textDocument": {"uri": "file:///quokka"}}},
        {"method": protocol.QUERY, "params": json.loads(DEEP)},
    ],
)
def test_a_request_that_is_none_is_answered_under_its_id(server, message):
    server.send_bytes(json.dumps({"jsonrpc": "2.0", "id": "odd", **message}).encode())
    answer = server.reply("odd")
    assert answer["error"]["code"] in (-32600, -32602)
    assert "quokka" not in str(answer)


@pytest.mark.parametrize("identity", ["", "\ud800", "x" * 10_000, 0, -1, 2**70, 3.0, "null"])
def test_every_id_a_client_may_choose_is_answered_with_itself(server, identity):
    assert server.request(identity, protocol.QUERY, GOOD)["result"]["hits"]


@pytest.mark.parametrize(
    "response", [{}, {"result": 1}, {"error": 7}, {"error": {"code": "x"}}, {"result": None, "error": None}]
)
@pytest.mark.parametrize("identity", [None, "unheard of", [1], 1e5, {"quokka": 1}])
def test_a_response_nobody_waits_for_is_nothing(server, response, identity):
    server.send(id=identity, **response)
    server.send(id=identity, **response, jsonrpc="1.0")
    assert server.request("next", protocol.QUERY, GOOD)["result"]["hits"]


def test_a_response_cannot_settle_a_request_of_the_client_itself(server):
    server.send_at_once(
        question("own"), {"id": "own", "result": "quokka"}, {"id": "own", "error": {"code": 1, "message": ""}}
    )
    assert server.reply("own")["result"]["hits"]


NAMES = st.sampled_from(["id", "jsonrpc", "method", "params", "result", "error"])
SCALARS = st.none() | st.booleans() | st.floats() | st.integers() | st.text()


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.recursive(SCALARS, lambda inner: st.lists(inner) | st.dictionaries(NAMES, inner)))
def test_any_json_is_a_message_a_response_to_nobody_or_refused(value):
    try:
        message = messages.decode(json.dumps(value).encode())
    except messages.NoMessage as refusal:
        code, identity = refusal.code, refusal.identity
    else:
        assert message is None or "method" not in message or isinstance(message["method"], str)
        return
    assert code in (-32700, -32600)
    assert identity is None or messages.is_identity(identity)


# -- the order of the session's life


def test_before_initialize_and_after_shutdown_every_request_is_refused():
    fields = {"command": protocol.QUERY, "textDocument": {"uri": "file:///a"}}
    methods = [*protocol.REQUESTS, "workspace/executeCommand", "textDocument/hover", "$/quokka"]
    with RawServer() as server:
        server.send(method="initialized", params={})
        server.send(method="textDocument/didOpen", params={})
        for method in methods:
            assert server.request(method, method, fields)["error"]["code"] in (-32002, -32602)
        server.begin()
        late = [{"id": method, "method": method, "params": fields} for method in methods]
        server.send_at_once({"id": "end", "method": "shutdown"}, *late)
        found = [_next(server) for _ in range(len(methods) + 1)]
        codes = {message["id"]: message.get("error", {}).get("code") for message in found}
        assert codes.pop("end") is None
        assert set(codes) == set(methods)
        assert set(codes.values()) <= {-32600, -32602}
        server.send(method="exit")
        assert server.process.wait(10.0) == 0


def test_shutdown_and_exit_in_one_breath_are_both_served(tmp_path):
    with RawServer() as server:
        server.begin(workspace(tmp_path))
        server.send_at_once({"id": "end", "method": "shutdown"}, {"method": "exit"})
        assert server.reply("end")["result"] is None
        assert server.process.wait(10.0) == 0


def _next(server: RawServer) -> dict[str, Any]:
    while "method" in (message := server.messages.get(timeout=60.0)):
        pass
    return message
