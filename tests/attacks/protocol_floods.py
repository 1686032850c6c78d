"""A thousand of everything at once: requests, cancellations, folders, settings, progress, open documents, edits."""

from __future__ import annotations

import random
import tempfile
from pathlib import Path
from typing import Any

from ddg_lsp.server import protocol
from tests.attacks.protocol_target import ABLE, GOOD, SECRET, Message, Target, documents, serving
from tests.attacks.run import Run

MANY = 1_000
COMMAND = "workspace/executeCommand"


def in_flight(run: Run) -> None:
    """1,000 requests before the first answer is read, of one kind or mixed."""
    with serving(run) as one:
        for rng in run.rounds():
            for kind, make in (("questions", _question), ("mixed requests", _mixed)):
                names = []
                for number in range(MANY):
                    method, params = make(rng, number)
                    names.append(one.ask(method, params))
                for name in names:
                    with run.attempt(f"in flight: 1,000 {kind}"):
                        one.answer_to(name, 120.0)
            one.holds()


def _question(rng: random.Random, number: int) -> tuple[str, Any]:
    return protocol.QUERY, {"query": f"{SECRET} {rng.choice(('backup', 'apples', 'night'))} {number}"}


def _mixed(rng: random.Random, number: int) -> tuple[str, Any]:
    place = {"start": {"line": 0, "character": 2}, "end": {"line": 0, "character": 9}}
    action = {"textDocument": {"uri": "file:///nowhere/a.md"}, "range": place, "context": {"diagnostics": []}}
    every: list[tuple[str, Any]] = [
        _question(rng, number),
        (protocol.QUERY_BATCH, {"queries": [{"id": 1, **GOOD}, {"id": 2, "query": ""}]}),
        (protocol.MAP, {}),
        ("textDocument/codeAction", action),
        (COMMAND, {"command": protocol.SHOW_STATUS, "arguments": [{"silent": True, "files": True}]}),
        (COMMAND, {"command": protocol.QUERY, "arguments": [GOOD]}),
        (COMMAND, {"command": f"{SECRET}.unheardOf"}),
        ("workspace/symbol", {"query": SECRET}),
        ("x/unheardOf", {}),
    ]
    return rng.choice(every)


def cancellation_storms(run: Run) -> None:
    """Cancelled at once, in reverse, before they are sent, twice, ids never used, ids of the server's own requests."""
    with serving(run, answering=_cancelling, capabilities=ABLE) as one:
        for rng in run.rounds():
            for order in ("after each", "after all", "before each", "twice", "strangers"):
                names = _storm(one, rng, order, 200)
                for name in names:
                    with run.attempt(f"cancelled {order}"):
                        answer = one.answer_to(name)
                        assert "result" in answer or answer["error"]["code"] == -32800, answer
            with run.attempt("cancelled: reindex and the server's own requests"):
                one.ask(COMMAND, {"command": protocol.REINDEX, "arguments": [{"rebuild": True}]})
                one.send(method="workspace/didChangeConfiguration", params={"settings": {}})
                one.holds()


def _storm(one: Target, rng: random.Random, order: str, count: int) -> list[str]:
    names, cancels = [], []
    for number in range(count):
        identity = one.fresh()
        cancel: Message = {"method": "$/cancelRequest", "params": {"id": identity}}
        if order == "strangers":
            cancel["params"]["id"] = rng.choice((rng.randrange(-5, 10**9), f"{SECRET}{number}"))
        if order in ("before each", "strangers"):
            one.send(**cancel)
        method, params = _question(rng, number)
        names.append(one.ask(method, params, identity))
        if order in ("after each", "twice"):
            one.send(**cancel)
        if order in ("after all", "twice"):
            cancels.append(cancel)
    rng.shuffle(cancels)
    if cancels:
        one.send_at_once(*cancels)
    return names


def _cancelling(one: Target, message: Message) -> None:
    one.send(method="$/cancelRequest", params={"id": message["id"]})
    one.send(id=message["id"], result=[{}] * 3 if message["method"] == "workspace/configuration" else None)


def folders_and_settings(run: Run) -> None:
    """Folders added and removed a thousand times, real ones, missing ones and files; settings changed as often."""
    with serving(run, answering=_settings, capabilities=ABLE) as one:
        real = documents(Path(tempfile.mkdtemp(dir=run.folder)))
        uris = [real.as_uri(), (real / "docs").as_uri(), (real / "gone").as_uri(), (real / "app.py").as_uri(), "x:", ""]
        for rng in run.rounds():
            with run.attempt("flood: 1,000 changes of folders"):
                for _ in range(MANY):
                    added, removed = ([{"uri": rng.choice(uris), "name": "x"}] for _ in range(2))
                    event = {"added": added, "removed": rng.choice((removed, added, []))}
                    one.send(method="workspace/didChangeWorkspaceFolders", params={"event": event})
                one.holds()
                one.rests()
            with run.attempt("flood: 1,000 changes of settings"):
                for number in range(MANY):
                    settings = {"debounceMs": number, "embedder": rng.choice(("none", "auto", 7, SECRET))}
                    one.send(method="workspace/didChangeConfiguration", params={"settings": settings})
                one.holds()
                one.rests()


def _settings(one: Target, message: Message) -> None:
    items = message["params"].get("items", []) if message["method"] == "workspace/configuration" else None
    one.send(id=message["id"], result=None if items is None else [{"debounceMs": 10} for _ in items])


def notifications(run: Run) -> None:
    """1,000 of each notification: trace, progress cancelled, watched files, documents opened, edited, saved, closed."""
    with serving(run, capabilities=ABLE) as one:
        for rng in run.rounds():
            for kind, make in FLOODS.items():
                with run.attempt(f"flood: 1,000 {kind}"):
                    for number in range(MANY):
                        method, params = make(rng, number)
                        one.send(method=method, params=params)
                    one.holds()
            with run.attempt("flood: at rest, and again quiet about the user's words"):
                one.send(method="$/setTrace", params={"value": "off"})
                one.rests()


def _document(number: int) -> dict[str, Any]:
    return {"uri": f"untitled:Untitled-{number % 50}.md"}


def _opened(number: int) -> dict[str, Any]:
    return {**_document(number), "languageId": "markdown", "version": 1, "text": f"# {SECRET} {number}\n\nNothing.\n"}


FLOODS: dict[str, Any] = {
    "traces": lambda rng, _: ("$/setTrace", {"value": rng.choice(("off", "messages", "verbose", "x"))}),
    "progress cancelled": lambda rng, n: (
        "window/workDoneProgress/cancel",
        {"token": rng.choice((n, str(n), SECRET))},
    ),
    "watched files": lambda _, n: (
        "workspace/didChangeWatchedFiles",
        {"changes": [{"uri": f"file:///w/{n}.md", "type": 1 + n % 3}] * 5},
    ),
    "documents opened": lambda _, n: ("textDocument/didOpen", {"textDocument": _opened(n)}),
    "edits": lambda _, n: (
        "textDocument/didChange",
        {
            "textDocument": {**_document(n), "version": n},
            "contentChanges": [
                {"range": {"start": {"line": 0, "character": 2}, "end": {"line": 0, "character": 2}}, "text": "x"}
            ],
        },
    ),
    "saves": lambda _, n: ("textDocument/didSave", {"textDocument": _document(n)}),
    "closings": lambda _, n: ("textDocument/didClose", {"textDocument": _document(n)}),
    "unknown": lambda rng, n: (rng.choice((f"$/{SECRET}", "x/y", "")), {"x": n}),
    "bad params": lambda rng, _: (rng.choice(("textDocument/didOpen", "$/setTrace", "$/cancelRequest")), {"x": SECRET}),
}
