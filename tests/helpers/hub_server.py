"""A small real model hub on loopback, as far as fetching a model goes; it can break off, lie and refuse."""

from __future__ import annotations

import hashlib
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from urllib.parse import unquote, urlsplit

from tests.helpers.embedding_server import QuietServer
from tests.helpers.model_folders import COMMIT


@dataclass
class Hub:
    url: str
    identifier: str
    files: dict[str, bytes]
    requests: list[str] = field(default_factory=list)
    mode: str = "good"
    """`good`, `gone` (404), `gated` (403), `broken` (500), `page` (a proxy's HTML for everything)."""
    break_off: set[str] = field(default_factory=set)
    """Files whose next download ends in the middle."""

    def fetched(self) -> set[str]:
        return {
            line.rsplit(f"{COMMIT}/", 1)[1] for line in self.requests if line.startswith("GET") and COMMIT + "/" in line
        }


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    hub: Hub

    def do_HEAD(self) -> None:
        self._answer(body=False)

    def do_GET(self) -> None:
        self._answer(body=True)

    def log_message(self, *_: object) -> None:
        """Nothing on the test's stderr."""

    def _answer(self, body: bool) -> None:
        hub = self.hub
        path = unquote(urlsplit(self.path).path)
        hub.requests.append(f"{self.command} {path}")
        if hub.mode == "page":
            return self._send(200, b"<html>Log in to the proxy</html>", body, {"Content-Type": "text/html"})
        if hub.mode == "broken":
            return self._send(500, b"{}", body)
        if hub.mode == "gone":
            return self._send(404, b"{}", body, {"X-Error-Code": "RepoNotFound"})
        if hub.mode == "gated":
            return self._send(403, b"{}", body, {"X-Error-Code": "GatedRepo"})
        if path.startswith(f"/api/models/{hub.identifier}"):
            return self._send(200, json.dumps(self._listing("/tree/" in path)).encode(), body)
        name = path.rsplit(f"/{hub.identifier}/resolve/", 1)[-1].partition("/")[2]
        if name not in hub.files:
            return self._send(404, b"{}", body, {"X-Error-Code": "EntryNotFound"})
        return self._file(name, body)

    def _listing(self, tree: bool) -> object:
        entries = [(name, len(data), hashlib.sha1(data).hexdigest()) for name, data in self.hub.files.items()]
        if tree:
            return [{"type": "file", "path": name, "size": size, "oid": oid} for name, size, oid in entries]
        siblings = [{"rfilename": name, "size": size, "blobId": oid} for name, size, oid in entries]
        return {
            "_id": "1",
            "id": self.hub.identifier,
            "modelId": self.hub.identifier,
            "sha": COMMIT,
            "siblings": siblings,
        }

    def _file(self, name: str, body: bool) -> None:
        data = self.hub.files[name]
        headers = {"ETag": f'"{hashlib.sha1(data).hexdigest()}"', "X-Repo-Commit": COMMIT, "Accept-Ranges": "bytes"}
        first = int(self.headers.get("Range", "bytes=0-").removeprefix("bytes=").split("-")[0])
        if first:
            headers["Content-Range"] = f"bytes {first}-{len(data) - 1}/{len(data)}"
            self.hub.requests.append(f"RANGE {name} {first}")
        rest = data[first:]
        if body and name in self.hub.break_off:
            self.hub.break_off.discard(name)
            self._send(200, rest, True, headers, only=len(rest) // 2)
            self.close_connection = True
            return
        self._send(206 if first else 200, rest, body, headers)

    def _send(self, code: int, data: bytes, body: bool, headers: dict[str, str] | None = None, only: int = -1) -> None:
        self.send_response(code)
        for name, value in {"Content-Type": "application/json", **(headers or {})}.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        if body:
            self.wfile.write(data if only < 0 else data[:only])


@contextmanager
def hub_server(identifier: str, folder: Path) -> Iterator[Hub]:
    """Serves the files of `folder` as the model `identifier`, with other formats beside it that nobody needs."""
    files = {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    files |= {"pytorch_model.bin": b"not wanted", "onnx/model.onnx": b"not wanted", "tf_model.h5": b"not wanted"}
    hub = Hub("", identifier, files)
    handler = type("Handler", (_Handler,), {"hub": hub})
    listener = QuietServer(("127.0.0.1", 0), handler)
    hub.url = f"http://127.0.0.1:{listener.server_address[1]}"
    threading.Thread(target=listener.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
    try:
        yield hub
    finally:
        listener.shutdown()
        listener.server_close()
