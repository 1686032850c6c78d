"""JSON-RPC bent: ids of every type and twice, members that contradict each other, answers to nothing, out of season."""

from __future__ import annotations

import json
import random
import tempfile
from pathlib import Path
from typing import Any

from ddg_lsp.server import protocol
from tests.attacks.protocol_framing import framed
from tests.attacks.protocol_target import DEAF, GOOD, SECRET, Target, documents, serving
from tests.attacks.run import Run

NO_IDS = (None, True, False, 1.5, [], [1], {}, {"x": SECRET}, [[[]]])
IDS = (0, -1, 2**53, 2**70, 3.0, "", " ", "null", "\ud800", "\0", "é🎉", "x" * 100_000, "1", 1)
METHODS = (protocol.QUERY, "textDocument/codeAction", "workspace/executeCommand", "$/unheardOf", "ddg/unheardOf", "")
FIELDS = {"command": protocol.QUERY, "textDocument": {"uri": "file:///a.md"}, **GOOD}


def ids_of_every_type(run: Run) -> None:
    """Each is answered under itself, or as invalid without an id."""
    with serving(run) as one:
        for rng in run.rounds():
            for identity in (*IDS, rng.getrandbits(200), str(rng.random()) * 50):
                for method in METHODS:
                    with run.attempt("id that can be one", (identity, method)):
                        one.answer_to(one.ask(method, FIELDS, identity))
            for identity in NO_IDS:
                for method in (*METHODS, "shutdown", "initialize", "exit"):
                    with run.attempt("id that can be none", (identity, method)):
                        one.send(id=identity, method=method, params=FIELDS)
                        one.answer_to(one.ask(protocol.QUERY, GOOD))
                        assert len(one.nameless) == 1
                        assert one.nameless.pop()["error"]["code"] == -32600
            for count in (2, rng.randrange(3, 50)):
                with run.attempt("id used twice at once", count):
                    name = one.expect("twice", count)
                    message = {"id": "twice", "method": protocol.QUERY, "params": GOOD}
                    one.send_at_once(*[message] * count)
                    one.collect(lambda name=name: one.asked[name] == 0)
            one.holds()


def members_that_contradict(run: Run) -> None:
    """Keys twice, requests with results, notifications with ids, no version, another version, methods of every type."""
    with serving(run) as one:
        for rng in run.rounds():
            for kind, text, answers in _odd_messages(rng):
                with run.attempt(f"message {kind}", text[:100]):
                    identity = one.fresh()
                    if answers:
                        one.expect(identity)
                    one.raw(framed(text.replace("ID", json.dumps(identity)).encode()))
                    one.answer_to(one.ask(protocol.QUERY, GOOD))
                    one.collect(lambda: not one.missing())
            one.nameless.clear()
            one.holds()


def _odd_messages(rng: random.Random) -> list[tuple[str, str, bool]]:
    """Its kind, its text and whether it has to be answered under its id."""
    params = json.dumps(FIELDS)
    request = f'{{"jsonrpc":"2.0","id":ID,"method":"{protocol.QUERY}","params":{params}}}'
    of_any_type = ["7", "null", "true", "[]", "{}", "1.5", f'["{SECRET}"]', '"\\ud800"', '""']
    known = [f"textDocument/{name}" for name in ("didOpen", "didChange", "didClose", "didSave")]
    notifications = [*known, "initialized", "$/cancelRequest", "$/setTrace", "window/workDoneProgress/cancel"]
    return [
        ("a key twice", request.replace('"jsonrpc":"2.0"', '"jsonrpc":"1.0","jsonrpc":"2.0"'), True),
        ("params twice", request[:-1] + ',"params":{"query":7}}', True),
        ("two methods", request[:-1] + ',"method":"$/x"}', True),
        ("a request with a result", request[:-1] + ',"result":1}', True),
        ("a request with an error", request[:-1] + ',"error":{"code":1,"message":"x"}}', True),
        ("members unheard of", request[:-1] + ',"x":{"y":[1]}}', True),
        ("no version", request.replace('"jsonrpc":"2.0",', ""), True),
        *(("a version of any type", request.replace('"2.0"', one), True) for one in of_any_type),
        *(("a method of any type", request.replace(f'"{protocol.QUERY}"', one), True) for one in of_any_type),
        *(("params of any type", request.replace(params, one), True) for one in of_any_type),
        *(
            ("a notification with an id", f'{{"jsonrpc":"2.0","id":ID,"method":"{name}","params":{params}}}', True)
            for name in notifications
        ),
        *(
            ("a request without an id", f'{{"jsonrpc":"2.0","method":"{name}","params":{params}}}', False)
            for name in (*METHODS[:-1], "initialize", "shutdown", rng.choice(protocol.REQUESTS))
        ),
        *(
            ("an answer to nothing", f'{{"jsonrpc":"2.0","id":ID,{rest}}}', False)
            for rest in ('"result":1', '"result":null', '"error":7', '"error":{"code":1,"message":"x"}', '"x":1')
        ),
        ("an answer without an id", '{"jsonrpc":"2.0","result":{}}', False),
        ("an answer to null", '{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"x"}}', False),
        *(
            ("an unknown method of $", f'{{"jsonrpc":"2.0","method":"$/{SECRET}","params":{one}}}', False)
            for one in of_any_type
        ),
    ]


def out_of_season(run: Run) -> None:
    """Before `initialize`, between the two, twice, after `shutdown`, after `exit`: answered, and a clean end."""
    for rng in run.rounds():
        kinds = ("before", "twice", "after", "exit first", "exit at once")
        for kind in kinds:
            with run.attempt(f"season {kind}"), Target() as one:
                _season(kind, one, documents(Path(tempfile.mkdtemp(dir=run.folder))), rng)


def _season(kind: str, one: Target, root: Path, rng: random.Random) -> None:
    if kind == "exit first":
        one.send(method="exit")
        one.ends([1])
        return
    methods = [*METHODS, "shutdown"] if kind == "after" else [*METHODS]
    rng.shuffle(methods)
    notes: list[dict[str, Any]] = [
        {"method": name, "params": FIELDS} for name in ("textDocument/didOpen", "initialized")
    ]
    if kind == "before":
        names = [one.ask(method, FIELDS) for method in methods]
        one.send_at_once(*notes)
        assert {one.answer_to(name)["error"]["code"] for name in names} <= {-32002, -32602}
    one.start(root, capabilities=DEAF)
    if kind == "twice":
        for _ in range(3):
            asked = one.ask("initialize", {"processId": None, "rootUri": None, "capabilities": {}})
            assert one.answer_to(asked)["error"]["code"] == -32600
            one.send(method="initialized", params={})
        one.holds()
    if kind == "exit at once":
        identity = one.fresh()
        one.lost.add(one.expect(identity))
        one.send_at_once({"id": identity, "method": protocol.QUERY, "params": GOOD}, {"method": "exit"})
        one.ends([1])
        return
    end = one.ask("shutdown")
    late = [one.ask(method, FIELDS) for method in methods] if kind == "after" else []
    one.send_at_once(*notes)
    assert one.answer_to(end)["result"] is None
    assert {one.answer_to(name)["error"]["code"] for name in late} <= {-32600, -32602}
    one.send(method="exit")
    one.ends([0])
