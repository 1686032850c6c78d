"""A valid dialogue, mutated: messages dropped, repeated, swapped, their values and bytes changed; then it is judged.

What has to be answered is decided from the bytes that were sent, not from the dialogue as it was meant.
"""

from __future__ import annotations

import copy
import json
import math
import random
import tempfile
from pathlib import Path
from typing import Any

from ddg_lsp.server import protocol
from tests.attacks.protocol_framing import framed
from tests.attacks.protocol_target import ABLE, GOOD, SECRET, Message, Target, documents
from tests.attacks.run import Run

COMMAND = "workspace/executeCommand"
ODD: tuple[Any, ...] = (
    *(None, True, -1, 0, 2**31, 2**31 - 1, -(2**31), 2**53, 1e308, 0.5),
    *("", "x", SECRET, "\ud800", "\0", "file:///", "file:///..", "untitled:", "é" * 3_000),
    *([], {}, [[]], [None], {"x": {}}, ["x"] * 50),
)


SPOKEN = f"# Ops\n\nThe {SECRET} 🎉.\n\n## Nightly\n\nbackup\n"
SEVERAL = [{"id": "a", **GOOD}, {"id": "b", "query": "pie", "mode": "lexical"}]


def conversation(root: Path) -> list[Message]:
    """What an editor says from `initialize` to before `shutdown`, most of what there is to be said in it."""
    uri = (root / "docs" / "ops.md").as_uri()
    place = {"start": {"line": 0, "character": 2}, "end": {"line": 0, "character": 5}}
    document, folders = {"uri": uri}, [{"uri": root.as_uri(), "name": "w"}]
    item = {**document, "languageId": "markdown", "version": 1, "text": SPOKEN}
    edits = [{"range": place, "text": "x"}, {"text": f"# All new {SECRET}\n"}]
    initialize = {
        "processId": None,
        "rootUri": root.as_uri(),
        "capabilities": {**ABLE, "general": {"positionEncodings": ["utf-8", "utf-16"]}},
        "workspaceFolders": folders,
        "initializationOptions": {"workspaceSymbols": True, "debounceMs": 10},
    }
    spoken: list[tuple[bool, str, Any]] = [
        (True, "initialize", initialize),
        (False, "initialized", {}),
        (False, "textDocument/didOpen", {"textDocument": item}),
        (True, protocol.QUERY, {**GOOD, "limit": 5, "paths": ["docs/**"], "workDoneToken": "t", "explain": True}),
        (False, "textDocument/didChange", {"textDocument": {**document, "version": 2}, "contentChanges": edits}),
        (True, "textDocument/codeAction", {"textDocument": document, "range": place, "context": {"diagnostics": []}}),
        (True, COMMAND, {"command": protocol.QUERY_BATCH, "arguments": [{"queries": [{"id": 1, **GOOD}]}]}),
        (False, "$/cancelRequest", {"id": 3}),
        (True, "workspace/symbol", {"query": f"{SECRET} backup"}),
        (False, "textDocument/didSave", {"textDocument": document}),
        (False, "workspace/didChangeWatchedFiles", {"changes": [{"uri": uri, "type": 2}]}),
        (True, COMMAND, {"command": protocol.REINDEX, "arguments": [{"rebuild": True}]}),
        (True, COMMAND, {"command": protocol.OPEN_HEADING, "arguments": [{"uri": uri, "range": place}]}),
        (False, "workspace/didChangeWorkspaceFolders", {"event": {"added": folders, "removed": folders}}),
        (False, "workspace/didChangeConfiguration", {"settings": {"debounceMs": 20}}),
        (True, COMMAND, {"command": protocol.SHOW_STATUS, "arguments": [{"files": True}]}),
        (True, protocol.MAP, {}),
        (False, "$/setTrace", {"value": "messages"}),
        (False, "textDocument/didClose", {"textDocument": document}),
        (True, protocol.QUERY_BATCH, {"queries": SEVERAL}),
    ]
    return [
        {"jsonrpc": "2.0", **({"id": number} if asked else {}), "method": method, "params": params}
        for number, (asked, method, params) in enumerate(spoken)
    ]


def dialogue(root: Path) -> list[bytes]:
    """The same to its end, as bytes."""
    end: list[Message] = [{"jsonrpc": "2.0", "id": "x", "method": "shutdown"}, {"jsonrpc": "2.0", "method": "exit"}]
    return [framed(json.dumps(message).encode()) for message in (*conversation(root), *end)]


def mutated_dialogues(run: Run) -> None:
    """Each round a server of its own, a dialogue with a few or with many mutations, and the end an editor makes."""
    messages = 0
    for rng in run.rounds():
        root = documents(Path(tempfile.mkdtemp(dir=run.folder)))
        with run.attempt("fuzz: a dialogue", rng.random()), Target(answering=_answering(rng)) as one:
            bodies, share = _mutated(conversation(root), rng), rng.random()
            for body in bodies:
                _enter(one, body)
                one.raw(framed(body))
                run.attempts["fuzz: a message of one"] += 1
                messages += 1
                if rng.random() < share:
                    one.take_all()
            one.expect("late")
            one.send(id="late", method="initialize", params=conversation(root)[0]["params"])
            one.send(method="initialized", params={})
            one.holds(hits=False)
            one.rests()
            one.leaves()
    run.fact(f"{messages:,} messages in mutated dialogues")


def _enter(one: Target, body: bytes) -> None:
    """Into the books with it, if it is a request that has to be answered under its id."""
    try:
        message = json.loads(body)
    except (ValueError, RecursionError):
        return
    if not isinstance(message, dict) or "id" not in message:
        return
    identity = message["id"]
    whole = isinstance(identity, float) and math.isfinite(identity) and identity.is_integer()
    if isinstance(identity, bool) or not (isinstance(identity, (str, int)) or whole):
        return
    if "method" in message or not {"result", "error"} & message.keys():
        key = one.expect(identity)
        if "method" not in message:
            one.lost.add(key)  # an answer without a result, or a request without a method: nobody can tell


def _answering(rng: random.Random) -> Any:
    def answer(one: Target, message: Message) -> None:
        if rng.random() < 0.7:
            one.send(id=message["id"], result=rng.choice((None, [], [{}, {}], {"success": True}, rng.choice(ODD))))

    return answer


def _mutated(spoken: list[Message], rng: random.Random) -> list[bytes]:
    for _ in range(rng.choice((1, 3, 10, 40))):
        where = rng.randrange(len(spoken))
        what = rng.choice(("drop", "repeat", "swap", "value", "value", "value", "member", "method"))
        if what == "drop" and len(spoken) > 3:
            del spoken[where]
        elif what == "repeat":
            spoken[where:where] = [copy.deepcopy(spoken[where]) for _ in range(rng.choice((1, 2, 20)))]
        elif what == "swap":
            other = rng.randrange(len(spoken))
            spoken[where], spoken[other] = spoken[other], spoken[where]
        elif what == "value":
            spoken[where] = _changed(spoken[where], rng)
        elif what == "member":
            spoken[where].pop(rng.choice(("id", "method", "params", "jsonrpc")), None)
        elif what == "method":
            spoken[where]["method"] = rng.choice(spoken).get("method", SECRET)
    bodies = [json.dumps(message).encode() for message in spoken]
    for _ in range(rng.choice((0, 0, 1, 5))):
        where = rng.randrange(len(bodies))
        bodies[where] = _bytes_changed(bodies[where], rng)
    return bodies


def _changed(message: Message, rng: random.Random) -> Message:
    """With one value somewhere in it replaced, or one member more."""
    message = copy.deepcopy(message)
    value: Any = message
    while True:
        keys = list(value) if isinstance(value, dict) else list(range(len(value)))
        if not keys:
            return message
        key = rng.choice(keys)
        inner = value[key]
        if not isinstance(inner, (dict, list)) or not inner or rng.random() < 0.25:
            value[key] = copy.deepcopy(rng.choice(ODD))
            if isinstance(value, dict) and rng.random() < 0.2:
                value[rng.choice(("x", "uri", "range", "version"))] = inner
            return message
        value = inner


def _bytes_changed(body: bytes, rng: random.Random) -> bytes:
    where, changed = rng.randrange(len(body)), bytearray(body)
    what = rng.choice(("flip", "cut", "insert", "double"))
    if what == "flip":
        changed[where] = rng.randrange(256)
    elif what == "cut":
        del changed[where:]
    elif what == "insert":
        changed[where:where] = rng.randbytes(rng.randrange(1, 9))
    else:
        changed[where:where] = changed[: rng.randrange(len(body))]
    return bytes(changed)
