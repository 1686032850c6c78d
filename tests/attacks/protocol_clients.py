"""Clients nobody would want: they never answer, refuse everything, can do nothing, do not read, leave at any moment."""

from __future__ import annotations

import contextlib
import random
import signal
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

from ddg_lsp.server import protocol
from tests.attacks.protocol_framing import framed
from tests.attacks.protocol_fuzz import dialogue
from tests.attacks.protocol_target import ABLE, GOOD, SECRET, SHIPPED, Message, Reply, Target, documents, serving
from tests.attacks.run import Run
from tests.helpers.documents import many

COMMAND = "workspace/executeCommand"
PLACE = {"start": {"line": 0, "character": 0}, "end": {"line": 0, "character": 1}}


def _never(one: Target, message: Message) -> None:
    """No answer, ever."""


def _refusing(one: Target, message: Message) -> None:
    one.send(id=message["id"], error={"code": -32601, "message": f"No {SECRET}, and no {message['method']}."})


def _twice(one: Target, message: Message) -> None:
    for result in (None, [{}], {"success": True}):
        one.send(id=message["id"], result=result)
        one.send(id=message["id"], error={"code": 1, "message": SECRET})


def _nonsense(one: Target, message: Message) -> None:
    one.send(id=message["id"], **random.Random(str(message["id"])).choice(NONSENSE))


NONSENSE: tuple[dict[str, Any], ...] = (
    {"result": 7},
    {"result": [[[]]]},
    {"result": {"success": SECRET}},
    {"result": [SECRET] * 5},
    {"error": 7},
    {"error": {"code": "x"}},
    {},
)
ANSWERS: dict[str, Reply] = {
    "never answers": _never,
    "refuses everything": _refusing,
    "answers three times": _twice,
    "answers nonsense": _nonsense,
}


def answers_to_our_requests(run: Run) -> None:
    """Never, refused, several, nonsense; the commands that ask the client are answered all the same."""
    for kind, answering in ANSWERS.items() if run.seconds else run.rng.sample(list(ANSWERS.items()), 2):
        with serving(run, answering=answering, capabilities=ABLE) as one:
            place = {"uri": "file:///nowhere/a.md", "range": PLACE}
            many(run.folder / "more", 30)
            added = [{"uri": (run.folder / "more").as_uri(), "name": "more"}]
            event = {"event": {"added": added, "removed": []}}
            for command, argument in (
                (protocol.OPEN_HEADING, place),
                (protocol.REINDEX, {"rebuild": True}),
                (protocol.SHOW_STATUS, {}),
                (protocol.QUERY, {**GOOD, "workDoneToken": 1}),
            ):
                one.send(method="workspace/didChangeConfiguration", params={"settings": {"x": SECRET}})
                one.send(method="workspace/didChangeWorkspaceFolders", params=event)
                with run.attempt(f"client {kind}", command):
                    answer = one.answer_to(one.ask(COMMAND, {"command": command, "arguments": [argument]}))
                    assert "result" in answer, answer
            with run.attempt(f"client {kind}: shutdown while it is asked"):
                asked = one.ask(COMMAND, {"command": protocol.OPEN_HEADING, "arguments": [place]})
                one.answer_to(one.ask("shutdown"))
                one.answer_to(asked)
                one.send(method="exit")
                one.ends([0])


def odd_capabilities(run: Run) -> None:
    """None at all, everything refused, of other types, and every encoding."""
    refused: dict[str, Any] = {"workspace": {"configuration": False}, "window": {"workDoneProgress": False}}
    encodings: list[Any] = [["utf-8"], ["utf-32", "utf-8"], ["utf-7"], []]
    odd = [{}, refused, {"experimental": 7}, {"experimental": {"ddgStatus": SECRET}}, {"workspace": {}}]
    odd += [{"general": {"positionEncodings": encoding}} for encoding in encodings]
    for capabilities in odd if run.seconds else [odd[0], *run.rng.sample(odd[1:], 2)]:
        with run.attempt("capabilities", capabilities), serving(run, capabilities=capabilities) as one:
            one.holds()


def does_not_read(run: Run) -> None:
    """stdout is left full while thousands of requests are sent, then read again; stderr is left full for ever."""
    with serving(run) as one:
        for kind, params in (("refused requests", 7), ("questions", GOOD)):
            with run.attempt(f"stdout not read: {kind}"):
                one.reading.clear()
                timer = threading.Timer(20.0, one.reading.set)  # a server that waits for us while we wait for it
                timer.start()
                names = [one.ask(protocol.QUERY, params) for _ in range(3_000 if params == 7 else 300)]
                assert not one.reading.is_set(), "The server stops reading while its answers are not read."
                timer.cancel()
                one.reading.set()
                for name in names:
                    one.answer_to(name)
                one.holds()
    with run.attempt("stdout not read and stdin closed"), Target() as one:
        one.start(documents(Path(tempfile.mkdtemp(dir=run.folder))))
        one.may_be_cut = True
        one.reading.clear()
        for _ in range(3_000):
            one.lost.add(one.ask(protocol.QUERY, 7))
        _close(one.process.stdin)
        one.process.wait(15.0)
        one.reading.set()
        one.ends([1])
    with run.attempt("stderr not read"), Target() as one:
        one.start(documents(Path(tempfile.mkdtemp(dir=run.folder))))
        one.hearing.clear()
        for number in range(5_000):
            one.send(method="textDocument/didOpen", params={"textDocument": number})
            one.send(method="textDocument/didClose", params={"x": SECRET})
        one.holds()
        one.hearing.set()
        one.leaves()


def leaves_at_any_moment(run: Run) -> None:
    """stdin closed after any byte of a dialogue, stdout or stderr closed, signals: an end in time, no child left."""
    for rng in run.rounds():
        for kind in ("stdin", *CLOSED, *(name for name in SIGNALS if not _ignored(name))):
            command = rng.choice(((), SHIPPED)) if run.seconds > 0 else ()
            one = Target(*command)
            one.listening = kind not in CLOSED
            with run.attempt(f"client leaves: {kind}"), one:
                root = documents(Path(tempfile.mkdtemp(dir=run.folder)))
                data = b"".join(dialogue(root))
                if kind in SIGNALS:  # before its first line of ours runs, a signal is Python's to answer
                    one.start(root)
                for name in ("x", *range(100)):
                    one.lost.add(one.expect(name))
                _send(one, data[: rng.randrange(len(data) + 1)])
                time.sleep(rng.random() * 0.3)
                _leave(one, kind)


CLOSED = {"stdout": ("stdout",), "stderr": ("stderr", "stdin"), "everything": ("stdout", "stderr", "stdin")}
SIGNALS = ("SIGTERM", "SIGINT", "SIGHUP", "SIGPIPE") if sys.platform != "win32" else ()


def _ignored(name: str) -> bool:
    """Whether whoever started us has children of ours ignore it, as `nohup` and a shell's `&` do."""
    return name != "SIGPIPE" and signal.getsignal(getattr(signal, name)) is signal.SIG_IGN


def _send(one: Target, data: bytes) -> None:
    with contextlib.suppress(OSError):  # an `exit` was among it
        one.raw(data)


def _leave(one: Target, kind: str) -> None:
    ended = [0, 1]
    if kind in SIGNALS:
        number = getattr(signal, kind)
        one.process.send_signal(number)
        ended += [130, -number]
    for name in CLOSED.get(kind, ("stdin",) if kind in ("stdin", "SIGPIPE") else ()):
        _close(getattr(one.process, name))
    if kind == "stdout":  # it notices when it has something to say
        _send(one, framed(b"7") * 2)
    one.ends(ended)
    if kind == "stdout":
        one.errors = one.process.stderr.read()  # type: ignore[union-attr]
        one.said_nothing_wrong()


def _close(pipe: Any) -> None:
    with contextlib.suppress(OSError):  # the process is gone already
        pipe.close()
