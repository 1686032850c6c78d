"""A server under attack and what has to be true of it whatever was sent.

Owns the book of what was asked and what came back, and the invariants: one answer for every request, nothing but
frames, no words of the user's and no traceback on stderr, an answer to a good question afterwards, a process at rest,
nothing left when it has ended. Must not know any attack.
"""

from __future__ import annotations

import contextlib
import json
import queue
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psutil

from ddg_lsp.server import protocol
from tests.attacks.run import Run
from tests.helpers.documents import write
from tests.helpers.raw_lsp import RawServer

SECRET = "quokkabarrow"
"""A word of the documents and of the questions; it may come back in answers, and be nowhere on stderr."""
CODES = {-32700, -32600, -32601, -32602, -32002, -32800, -32801, -32803}
"""Errors a client may be given. -32603, a fault of ours, is none of these."""
GOOD = {"query": f"nightly backup {SECRET}"}
ANSWER_SECONDS = 60.0
REST_SECONDS = 1.0
REST_SHARE = 0.2
"""A process at rest uses less of a processor than this; one that spins uses all of it."""
LAUNCH = ("-m", "tests.server.launch")
SHIPPED = ("-m", "ddg_lsp", "serve", "--stdio")
DEAF = {"workspace": {"configuration": False}}
ABLE = {
    "workspace": {
        "configuration": True,
        "workspaceFolders": True,
        "didChangeConfiguration": {"dynamicRegistration": True},
        "didChangeWatchedFiles": {"dynamicRegistration": True},
        "symbol": {"dynamicRegistration": True},
    },
    "window": {"workDoneProgress": True, "showDocument": {"support": True}},
    "experimental": {"ddgStatus": True},
}

Message = dict[str, Any]
Reply = Callable[["Target", Message], None]


def documents(root: Path) -> Path:
    """A workspace with the secret word in every document."""
    text = f"# Operations\n\nDaily {SECRET}.\n\n## Nightly backup\n\nThe {SECRET} database is copied every night.\n"
    other = f"# Kitchen\n\n## Apple pie\n\nBake the {SECRET} apples in butter.\n"
    return write(root, {"docs/ops.md": text, "docs/pie.md": other, "app.py": f"x = '{SECRET}'\n"})


def with_null(target: Target, message: Message) -> None:
    """What most of the server's requests are answered with."""
    target.send(id=message["id"], result=None)


class Target(RawServer):
    """Context manager. `answering` is what the client does with a request of the server's."""

    def __init__(self, *command: str, answering: Reply = with_null) -> None:
        super().__init__(*(command or LAUNCH))
        self._answering = answering
        self._number = 0
        self.asked: Counter[str] = Counter()
        """Ids of requests, as JSON, with how many answers are still to come."""
        self.lost: set[str] = set()
        """Requests that may have been swallowed by what was sent before them: answered once, or not at all."""
        self.answers: dict[str, Message] = {}
        self.nameless: list[Message] = []
        """Errors with a null id: what the server could not read, or could not tell the id of."""
        self.over = False
        """Its end was looked at."""
        self.wrong: list[str] = []
        """What came and should not have."""

    def start(self, root: Path, **params: Any) -> Target:
        """`initialize` and a first good question that is answered with a hit."""
        folders = [{"uri": root.as_uri(), "name": root.name}]
        base = {"processId": None, "rootUri": None, "capabilities": DEAF, "workspaceFolders": folders}
        assert "capabilities" in self.result("initialize", {**base, **params})
        self.send(method="initialized", params={})
        give_up = time.monotonic() + ANSWER_SECONDS
        while not self.result(protocol.QUERY, GOOD)["hits"]:
            assert time.monotonic() < give_up, "Nothing is found in the documents."
            time.sleep(0.05)
        return self

    # -- talking

    def fresh(self) -> str:
        """An id never used before."""
        self._number += 1
        return f"n{self._number}"

    def expect(self, identity: Any, count: int = 1) -> str:
        """A request with this id was or will be sent by other means; its key in the books."""
        name = json.dumps(identity)
        self.asked[name] += count
        return name

    def ask(self, method: str, params: Any = None, identity: Any = None) -> str:
        """Send a request; its key in the books."""
        identity = self.fresh() if identity is None else identity
        name = self.expect(identity)
        self.send(id=identity, method=method, params=params)
        return name

    def raw(self, data: bytes) -> None:
        """Send bytes as they are."""
        assert self.process.stdin is not None
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def answer_to(self, name: str, seconds: float = ANSWER_SECONDS) -> Message:
        """The answer to a request in the books."""
        self.collect(lambda: name in self.answers, seconds, name)
        return self.answers[name]

    def result(self, method: str, params: Any) -> Any:
        """The result of a request that has to succeed."""
        answer = self.answer_to(self.ask(method, params))
        assert "result" in answer, answer
        return answer["result"]

    def collect(self, enough: Callable[[], bool], seconds: float = ANSWER_SECONDS, what: str = "answers") -> None:
        """Take in what the server says until that is enough."""
        give_up = time.monotonic() + seconds
        while not enough():
            try:
                self._take(self.messages.get(timeout=min(0.5, max(0.0, give_up - time.monotonic()))))
            except queue.Empty:
                code = self.process.poll()
                assert code is None, f"The server ended with {code} while {what} were waited for: {self._tail()}"
                assert time.monotonic() < give_up, f"Silence for {seconds} s; missing {what}: {self.missing()}"

    def take_all(self) -> None:
        """Take in what has come already."""
        while not self.messages.empty():
            self._take(self.messages.get())

    def _take(self, message: Message) -> None:
        if "method" in message:
            if "id" in message:
                with contextlib.suppress(OSError, ValueError):  # nobody is there any more, or we have closed its input
                    self._answering(self, message)
            elif message["method"] == "window/logMessage" and SECRET in json.dumps(message):
                self.wrong.append(f"secret in a log message: {message}")
            return
        self.wrong += [f"{fault}: {json.dumps(message)[:400]}" for fault in faults(message)]
        if message.get("id") is None:
            self.nameless.append(message)
            return
        name = json.dumps(message["id"])
        if self.asked[name] <= 0:
            self.wrong.append(f"an answer nobody waits for: {json.dumps(message)[:400]}")
        self.asked[name] -= 1
        self.answers[name] = message

    def missing(self) -> list[str]:
        return [name for name, count in self.asked.items() if count > 0 and name not in self.lost][:10]

    def _tail(self) -> str:
        return self.errors[-600:].decode(errors="replace")

    # -- what has to be true

    def holds(self, *, hits: bool = True) -> None:
        """All is answered, the next good question is, too, and nothing was said that must not be said."""
        self.collect(lambda: not self.missing())
        found = self.result(protocol.QUERY, GOOD)["hits"]
        assert found or not hits, "The good question finds nothing any more."
        self.take_all()
        self.said_nothing_wrong()

    def said_nothing_wrong(self) -> None:
        """Of what has come until now."""
        wrong, self.wrong = self.wrong, []
        assert not wrong, wrong[:5]
        assert self.stray == b"", self.stray[:400]
        assert b"Traceback" not in self.errors, self._tail()
        assert SECRET.encode() not in self.errors, self._tail()

    def rests(self, seconds: float = 60.0) -> None:
        """Within that time there is a second in which the process computes next to nothing, and it has no children."""
        process = psutil.Process(self.process.pid)
        give_up = time.monotonic() + seconds
        while (used := _used(process, REST_SECONDS)) > REST_SHARE * REST_SECONDS:
            self.take_all()
            assert time.monotonic() < give_up, f"The server uses {used:.2f} s of processor time a second."
        assert not process.children(recursive=True), process.children(recursive=True)

    def ends(self, codes: Sequence[int], seconds: float = 15.0) -> None:
        """The process ends in that time with one of these codes, and has left no child."""
        self.over = True
        children: list[psutil.Process] = []
        if self.process.poll() is None:
            children = psutil.Process(self.process.pid).children(recursive=True)
        code = self.process.wait(seconds)
        for thread in self._threads:
            thread.join(5.0)
        assert code in codes, f"Exit code {code}: {self._tail()}"
        assert not [child for child in children if child.is_running()], children
        self.take_all()
        self.said_nothing_wrong()

    def leaves(self) -> None:
        """`shutdown` and `exit` work still."""
        assert self.answer_to(self.ask("shutdown"))["result"] is None
        self.send(method="exit")
        self.ends([0])


@contextmanager
def serving(run: Run, *command: str, answering: Reply = with_null, **params: Any) -> Iterator[Target]:
    """A server that has answered a question about documents of its own. In the end it has to hold, rest and leave.

    That is an attempt, too, so that whatever is raised in here, a dead server for one, is counted.
    """
    started = False
    with run.attempt("life: started, attacked, answers, at rest, ended by shutdown and exit", command):
        root = Path(tempfile.mkdtemp(dir=run.folder))
        with Target(*command, answering=answering) as one:
            one.start(documents(root), **params)
            started = True
            yield one
            if not one.over:
                one.holds()
                one.rests()
                one.leaves()
    if not started:
        raise RuntimeError("The server did not start; the failure before this one says why.")


def faults(message: Message) -> list[str]:
    """What is wrong with a response."""
    found = []
    if message.get("jsonrpc") != "2.0" or "id" not in message:
        found.append("no response of JSON-RPC")
    if ("result" in message) == ("error" in message):
        found.append("a result and an error, or neither")
    error = message.get("error")
    if "error" in message and not (isinstance(error, dict) and isinstance(error.get("message"), str)):
        found.append("an error without a message")
    if isinstance(error, dict):
        if error.get("code") not in CODES:
            found.append("an error code that is none of those a client may be given")
        if any(word in json.dumps(error) for word in ("Traceback", ".py", "/ddg_lsp/", SECRET)):
            found.append("an error that tells of our insides or quotes the client")
    return found


def _used(process: psutil.Process, seconds: float) -> float:
    before = process.cpu_times()
    time.sleep(seconds)
    after = process.cpu_times()
    return float(after.user + after.system - before.user - before.system)
