"""A small client of the real server for benchmarks: requests over its pipes, and its memory. Linux and macOS."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import psutil

Json = dict[str, Any]


class Client:
    """Starts `ddg-lsp serve`; one thread reads, requests are answered in any order."""

    def __init__(self, root: Path, options: Json | None = None) -> None:
        self.started = time.perf_counter()
        command = [sys.executable, "-m", "ddg_lsp", "serve", "--stdio"]
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        )
        self.usage = psutil.Process(self._process.pid)
        self._answers: dict[int, Json] = {}
        self._arrived = threading.Condition()
        self._writing = threading.Lock()
        self._count = 0
        threading.Thread(target=self._read, daemon=True).start()
        folders = [{"uri": root.as_uri(), "name": "benchmark"}]
        params: Json = {"processId": None, "rootUri": None, "capabilities": {}, "workspaceFolders": folders}
        self.call("initialize", {**params, "initializationOptions": options or {}})
        self.initialized = time.perf_counter()
        self.notify("initialized", {})

    def call(self, method: str, params: Json, seconds: float = 600.0) -> Any:
        """The result of one request; raises on an error answer or when none comes."""
        with self._arrived:
            self._count += 1
            identity = self._count
        self._send({"id": identity, "method": method, "params": params})
        with self._arrived:
            if not self._arrived.wait_for(lambda: identity in self._answers, seconds):
                raise TimeoutError(method)
            answer = self._answers.pop(identity)
        if "error" in answer:
            raise RuntimeError(answer["error"])
        return answer["result"]

    def ask(self, question: str, **fields: object) -> Json:
        """One answer of `workspace/semanticDocQuery`."""
        answer: Json = self.call("workspace/semanticDocQuery", {"query": question, **fields})
        return answer

    def notify(self, method: str, params: Json) -> None:
        """A notification."""
        self._send({"method": method, "params": params})

    def memory_mb(self) -> float:
        """Resident megabytes of the server now."""
        return float(self.usage.memory_info().rss) / 1e6

    def close(self) -> None:
        """Shut down and wait for the end."""
        self.call("shutdown", {})
        self.notify("exit", {})
        self._process.wait(30)

    def _send(self, message: Json) -> None:
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        assert self._process.stdin is not None
        with self._writing:
            self._process.stdin.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
            self._process.stdin.flush()

    def _read(self) -> None:
        stream = self._process.stdout
        assert stream is not None
        while header := stream.readline():
            while stream.readline().strip():
                pass
            message = json.loads(stream.read(int(header.split(b":")[1])))
            if "method" in message and "id" in message:
                self._send({"id": message["id"], "result": None})
            elif "id" in message:
                with self._arrived:
                    self._answers[message["id"]] = message
                    self._arrived.notify_all()
