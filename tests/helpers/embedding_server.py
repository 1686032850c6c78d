"""A small real embedding server on loopback, in the three dialects, that can be told to fail in every way.

It answers with the vectors of `DeterministicEmbedder`, so a test knows what must come back, and keeps every request.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from ddg_lsp.core.embedding.deterministic import DeterministicEmbedder

DIMENSIONS = 48
PATHS = {"openai": "/v1/embeddings", "ollama": "/api/embed", "tei": "/embed"}
MODEL = "some-model"

Fault = Callable[[BaseHTTPRequestHandler, Any], None]
"""Answers one request in its own way, given the good answer as Python values."""


@dataclass
class Request:
    path: str
    headers: dict[str, str]
    body: dict[str, Any]
    at: float


@dataclass
class EmbeddingServer:
    """What the test sees: where the server is, what it was asked, and what it shall do next."""

    dialect: str
    url: str = ""
    requests: list[Request] = field(default_factory=list)
    faults: list[Fault] = field(default_factory=list)
    """One is used up by each request; when none is left, answers are good."""
    always: Fault | None = None

    def texts(self) -> list[str]:
        return [text for request in self.requests for text in request.body.get("input", request.body.get("inputs"))]


def good_answer(dialect: str, body: dict[str, Any]) -> Any:
    texts = body.get("input", body.get("inputs"))
    rows = [[3.0 * float(x) for x in row] for row in DeterministicEmbedder(DIMENSIONS).embed(texts)]
    if dialect == "tei":
        return rows
    if dialect == "ollama":
        return {"model": body.get("model"), "embeddings": rows}
    data = [{"object": "embedding", "index": i, "embedding": row} for i, row in enumerate(rows)]
    return {"object": "list", "data": data[::-1], "model": body.get("model")}  # out of order, as the protocol allows


def with_rows(dialect: str, answer: Any, change: Callable[[list[Any]], list[Any]]) -> Any:
    """The answer with its vectors changed."""
    if dialect == "tei":
        return change(answer)
    if dialect == "ollama":
        return {**answer, "embeddings": change(answer["embeddings"])}
    rows = change([item["embedding"] for item in answer["data"]])
    return {**answer, "data": [{"index": i, "embedding": row} for i, row in enumerate(rows)]}


def send(handler: BaseHTTPRequestHandler, body: bytes, status: int = 200, **headers: str) -> None:
    handler.send_response(status)
    named = {"Content-Type": "application/json", "Content-Length": str(len(body))}
    for name, value in {**named, **{k.replace("_", "-"): v for k, v in headers.items()}}.items():
        handler.send_header(name, value)
    handler.end_headers()
    handler.wfile.write(body)


def status(code: int, body: str = "{}", **headers: str) -> Fault:
    return lambda handler, _answer: send(handler, body.encode(), code, **headers)


def raw(body: str, content_type: str = "application/json") -> Fault:
    return lambda handler, _answer: send(handler, body.encode(), Content_Type=content_type)


def changed(dialect: str, change: Callable[[list[Any]], list[Any]]) -> Fault:
    return lambda handler, answer: send(handler, json.dumps(with_rows(dialect, answer, change)).encode())


def hang(seconds: float) -> Fault:
    return lambda _handler, _answer: time.sleep(seconds)


def drip(handler: BaseHTTPRequestHandler, _answer: Any) -> None:
    """A byte now and then, so that no single wait is long."""
    handler.send_response(200)
    handler.send_header("Content-Length", "1000")
    handler.end_headers()
    try:
        for _ in range(600):
            handler.wfile.write(b" ")
            time.sleep(0.05)
    except OSError:
        return


def break_off(handler: BaseHTTPRequestHandler, _answer: Any) -> None:
    handler.send_response(200)
    handler.send_header("Content-Length", "1000")
    handler.end_headers()
    handler.wfile.write(b'{"data": [')
    handler.close_connection = True


class QuietServer(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Clients that go away are part of the tests."""


@contextmanager
def embedding_server(dialect: str = "openai") -> Iterator[EmbeddingServer]:
    server = EmbeddingServer(dialect)

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            server.requests.append(Request(self.path, dict(self.headers), body, time.monotonic()))
            fault = server.faults.pop(0) if server.faults else server.always
            if fault is None and self.path != PATHS[dialect]:
                fault = status(404)
            answer = good_answer(dialect, body)
            if fault is None:
                send(self, json.dumps(answer).encode())
            else:
                fault(self, answer)

        def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
            """Nothing on the test's stderr."""

    listener = QuietServer(("127.0.0.1", 0), Handler)
    server.url = f"http://127.0.0.1:{listener.server_address[1]}"
    thread = threading.Thread(target=listener.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        listener.shutdown()
        listener.server_close()
