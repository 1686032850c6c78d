"""A documentation site on loopback over real HTTPS, and a fetcher that believes its names live there.

The fetcher gets a resolver and the one private address through its constructor; no setting could do that.
"""

from __future__ import annotations

import ssl
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from ddg_lsp.core.sites.connect import Limits
from ddg_lsp.core.sites.fetch import Fetcher, Wish
from ddg_lsp.core.sites.model import Miss

DATA = Path(__file__).parent.parent / "data"
CERTIFICATE = DATA / "sites-certificate.pem"
WRONG_CERTIFICATE = DATA / "loopback-certificate.pem"
LOOPBACK = "127.0.0.1"

Answer = Callable[[BaseHTTPRequestHandler], None]


@dataclass
class Request:
    """All that one request said."""

    host: str
    path: str
    headers: dict[str, str]
    raw: str


@dataclass
class SiteServer:
    """What the test sees: the port, what was asked, and what is served (by path, under every host name)."""

    port: int = 0
    served: dict[str, Answer] = field(default_factory=dict)
    requests: list[Request] = field(default_factory=list)
    connections: int = 0
    resolved: list[str] = field(default_factory=list)

    def url(self, path: str, host: str = "e.test") -> str:
        return f"https://{host}:{self.port}{path}"

    def paths(self) -> list[str]:
        """What was asked for, robots.txt aside."""
        return [request.path for request in self.requests if request.path != "/robots.txt"]

    def place(self, host: str = "e.test") -> str:
        return f"{host}:{self.port}"

    def wish(self, path: str, *hosts: str, **more: Any) -> Wish:
        """A wish for a page of e.test."""
        places = frozenset(self.place(host) for host in ("e.test", *hosts))
        return Wish(path if "://" in path else self.url(path), places, **more)

    def text(self, path: str, text: str, **more: Any) -> None:
        self.served[path] = reply(text.encode(), **more)

    def resolve(self, host: str, port: int) -> Sequence[str]:
        self.resolved.append(host)
        return [LOOPBACK]

    def fetcher(self, limits: Limits | None = None, **more: Any) -> Fetcher:
        given = {"resolve": self.resolve, "private": [LOOPBACK], "trust": trust(), **more}
        return Fetcher(given.pop("resolve"), limits=limits, **given)


def reason(found: object) -> str:
    """Why a page was missed; "ok" where it was not."""
    return found.reason if isinstance(found, Miss) else "ok"


def trust() -> ssl.SSLContext:
    return ssl.create_default_context(cafile=str(CERTIFICATE))


def reply(
    data: bytes, kind: str | None = "text/markdown", status: int = 200, headers: Mapping[str, str] | None = None
) -> Answer:
    """A good answer, or any other that comes in one piece."""

    def answer(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(status)
        named = {"Content-Length": str(len(data))} | ({"Content-Type": kind} if kind else {})
        for name, value in {**named, **(headers or {})}.items():
            if value:
                handler.send_header(name, value)
        handler.end_headers()
        handler.wfile.write(data)

    return answer


def status(code: int, **headers: str) -> Answer:
    return reply(b"", status=code, headers={name.replace("_", "-"): value for name, value in headers.items()})


def moved(to: str, code: int = 302) -> Answer:
    return status(code, Location=to)


def with_etag(text: str, etag: str) -> Answer:
    """304 to who knows it already."""

    def answer(handler: BaseHTTPRequestHandler) -> None:
        known = handler.headers.get("If-None-Match") == etag
        (status(304, ETag=etag) if known else reply(text.encode(), headers={"ETag": etag}))(handler)

    return answer


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Clients that go away, or do not like the certificate, are part of the tests."""


def _handler(site: SiteServer, context: ssl.SSLContext) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        timeout = 10

        def setup(self) -> None:
            site.connections += 1
            self.request = context.wrap_socket(self.request, server_side=True)  # in the connection's own thread
            super().setup()

        def do_GET(self) -> None:
            length = int(self.headers.get("Content-Length", 0))
            raw = f"{self.requestline}\n{self.headers}{self.rfile.read(length)!r}"
            host = self.headers.get("Host", "")
            site.requests.append(Request(host, self.path, dict(self.headers), raw))
            (site.served.get(f"{host.partition(':')[0]}{self.path}") or site.served.get(self.path) or status(404))(self)

        def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
            """Nothing on the test's stderr."""

    return Handler


@contextmanager
def site_server(certificate: Path = CERTIFICATE) -> Iterator[SiteServer]:
    site = SiteServer()
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    listener = _Server((LOOPBACK, 0), _handler(site, context))
    site.port = listener.server_address[1]
    thread = threading.Thread(target=listener.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield site
    finally:
        listener.shutdown()
        listener.server_close()
