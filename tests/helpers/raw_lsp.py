"""A server process and bare JSON-RPC over its pipes: for what no well-behaved client would send."""

from __future__ import annotations

import contextlib
import json
import queue
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

REPOSITORY = Path(__file__).parents[2]


class RawServer:
    """Context manager; every byte of the server's stdout has to be part of a message."""

    def __init__(self, *command: str) -> None:
        self._command: Sequence[str] = command or ("-m", "tests.server.launch")
        self.messages: queue.Queue[dict[str, Any]] = queue.Queue()
        self.refused: list[int] = []
        """Error codes of answers that came while another was waited for."""
        self.stray = b""
        self.errors = b""
        self.reading = threading.Event()
        """Cleared, nothing more is read of the server's stdout."""
        self.listening = True
        """Whether stdout and stderr are read at all; to be set before it is entered."""
        self.may_be_cut = False
        """Whether it may end in the middle of a message: nobody took the rest."""
        self.hearing = threading.Event()
        """Cleared, no line more is read of its stderr."""
        self.reading.set()
        self.hearing.set()

    def __enter__(self) -> RawServer:
        pipes: dict[str, Any] = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
        self.process = subprocess.Popen([sys.executable, *self._command], cwd=REPOSITORY, **pipes)
        readers = (self._read, self._read_errors) if self.listening else ()
        self._threads = [threading.Thread(target=read, daemon=True) for read in readers]
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        with contextlib.suppress(OSError):
            self.process.kill()
        self.process.wait(10.0)
        self.reading.set()
        self.hearing.set()
        for thread in self._threads:
            thread.join(5.0)

    def send(self, **message: Any) -> None:
        self.send_bytes(json.dumps({"jsonrpc": "2.0", **message}).encode())

    def send_at_once(self, *messages: dict[str, Any]) -> None:
        """Several messages in one write."""
        assert self.process.stdin is not None
        bodies = [json.dumps({"jsonrpc": "2.0", **message}).encode() for message in messages]
        self.process.stdin.write(b"".join(b"Content-Length: %d\r\n\r\n%s" % (len(body), body) for body in bodies))
        self.process.stdin.flush()

    def send_bytes(self, body: bytes) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
        self.process.stdin.flush()

    def request(self, identity: Any, method: str, params: Any = None, seconds: float = 60.0) -> dict[str, Any]:
        self.send(id=identity, method=method, params=params)
        return self.reply(identity, seconds)

    def reply(self, identity: Any, seconds: float = 60.0) -> dict[str, Any]:
        """The answer with this id; requests of the server are answered with null meanwhile."""
        give_up = time.monotonic() + seconds
        while (left := give_up - time.monotonic()) > 0:
            message = self.messages.get(timeout=left)
            if "method" in message and "id" in message:
                self.send(id=message["id"], result=None)
            elif message.get("id") == identity and "method" not in message:
                return message
            elif "error" in message:
                self.refused.append(message["error"]["code"])
        raise AssertionError(f"No answer to {identity!r}.")

    def begin(self, *roots: Path, **params: Any) -> dict[str, Any]:
        """`initialize` and `initialized`."""
        folders = [{"uri": root.as_uri(), "name": root.name} for root in roots]
        base = {"processId": None, "rootUri": None, "capabilities": {}, "workspaceFolders": folders}
        result = self.request("begin", "initialize", {**base, **params})
        self.send(method="initialized", params={})
        return result

    def end(self, seconds: float = 10.0) -> int:
        """Close the server's stdin; its exit code."""
        assert self.process.stdin is not None
        self.process.stdin.close()
        return self.process.wait(seconds)

    def _read(self) -> None:
        assert self.process.stdout is not None
        while (header := self.process.stdout.readline()) and self.reading.wait():
            if self.may_be_cut and not header.endswith(b"\n"):
                break
            if not header.startswith(b"Content-Length: "):
                if header.strip() and not header.startswith(b"Content-Type: "):
                    self.stray += header
                continue
            while self.process.stdout.readline().strip():
                pass
            body = self.process.stdout.read(int(header[16:]))
            if self.may_be_cut and len(body) < int(header[16:]):
                break
            try:
                self.messages.put(json.loads(body))
            except ValueError:
                self.stray += body

    def _read_errors(self) -> None:
        assert self.process.stderr is not None
        for line in self.process.stderr:
            self.errors += line
            self.hearing.wait()
