"""What must never leave: the key anywhere but in its header, text to anywhere but the configured address."""

from __future__ import annotations

import json
import logging
import ssl
import threading
import traceback
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler
from pathlib import Path

import pytest

from ddg_lsp.core.embedding.errors import EmbedderUnavailable
from ddg_lsp.core.embedding.http import HttpEmbedder
from tests.helpers import embedding_server as fake
from tests.helpers.embedding_server import MODEL, EmbeddingServer, embedding_server

KEY = "sk-test-7f3a9c0ffee0000deadbeef"
VARIABLE = "TEAM_EMBEDDING_KEY"
CERTIFICATE = Path(__file__).parent.parent / "data" / "loopback-certificate.pem"


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[EmbeddingServer]:
    monkeypatch.setenv(VARIABLE, KEY)
    with embedding_server("openai") as running:
        yield running


def client(server: EmbeddingServer, **more: object) -> HttpEmbedder:
    known = {"api_key_env": VARIABLE, "pause_s": 0.01, "timeout_s": 0.5, **more}
    return HttpEmbedder(server.url, MODEL, **known)  # type: ignore[arg-type]


def everything_said(embedder: HttpEmbedder, error: BaseException | None) -> str:
    said = [repr(embedder), str(vars(embedder))]
    if error is not None:
        said += [str(error), repr(error), *traceback.format_exception(error), str(getattr(error, "data", ""))]
    return "\n".join(said)


def test_the_key_goes_into_its_header(server: EmbeddingServer) -> None:
    client(server).embed(["a"])
    assert server.requests[0].headers["Authorization"] == f"Bearer {KEY}"
    assert KEY not in str(server.requests[0].body)
    assert KEY not in server.requests[0].path


def echo(handler: BaseHTTPRequestHandler, _answer: object) -> None:
    """As careless as a server can be."""
    body = f'{{"error": {{"code": "{KEY}", "type": "{KEY}", "message": "bad key {KEY}"}}}}'
    fake.send(handler, body.encode(), 401, X_Key=KEY, WWW_Authenticate=KEY)


FAULTS: dict[str, fake.Fault | None] = {
    "good": None,
    "echoes the key": echo,
    "401": fake.status(401),
    "429": fake.status(429, Retry_After="60"),
    "500": fake.status(500, f'{{"error": {{"code": "{KEY}"}}}}'),
    "hang": fake.hang(1.0),
    "broken": fake.break_off,
    "NaN": fake.changed("openai", lambda rows: [[float("nan")] for _ in rows]),
    "count": fake.changed("openai", lambda rows: rows * 2),
    "html": fake.raw(f"<html>{KEY}</html>", "text/html"),
    "echo in JSON": fake.raw(f'{{"data": "{KEY}"}}'),
    "redirect": fake.status(302, Location=f"http://elsewhere.invalid/?key={KEY}"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_the_key_is_in_no_output(server: EmbeddingServer, fault: str, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    server.always = FAULTS[fault]
    embedder = client(server)
    caught: BaseException | None = None
    try:
        embedder.embed(["a"])
        said = str(embedder.info) + embedder.info.key
    except EmbedderUnavailable as error:
        caught, said = error, ""
    assert (caught is None) == (fault == "good")
    assert server.requests[0].headers["Authorization"].endswith(KEY)
    said += everything_said(embedder, caught)
    # httpcore logs an answer's headers at DEBUG; what a server sends back there is not ours to hide.
    ours = [record for record in caplog.records if not record.name.startswith("httpcore")]
    assert KEY not in said + "\n".join(record.getMessage() for record in ours)


@pytest.mark.parametrize("value", [f"{KEY}\nX: y", f"{KEY} {KEY}", f"{KEY}é", f"{KEY}\x00"[:-1] + "\x7f"])
def test_a_key_that_cannot_be_sent_is_not_repeated(
    server: EmbeddingServer, monkeypatch: pytest.MonkeyPatch, value: str
) -> None:
    monkeypatch.setenv(VARIABLE, value)
    embedder = client(server)
    with pytest.raises(EmbedderUnavailable, match=VARIABLE) as caught:
        embedder.embed(["a"])
    assert KEY not in everything_said(embedder, caught.value)
    assert not server.requests


def test_blanks_around_a_key_do_no_harm(server: EmbeddingServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, f" {KEY}\r\n")
    client(server).embed(["a"])
    assert server.requests[0].headers["Authorization"] == f"Bearer {KEY}"


@pytest.mark.parametrize("value", [None, "", "  "])
def test_without_the_key_nothing_is_sent(
    server: EmbeddingServer, monkeypatch: pytest.MonkeyPatch, value: str | None
) -> None:
    monkeypatch.delenv(VARIABLE)
    if value is not None:
        monkeypatch.setenv(VARIABLE, value)
    with pytest.raises(EmbedderUnavailable, match="environment variable"):
        client(server).embed(["a"])
    assert not server.requests


@pytest.mark.parametrize("place", ["a" + KEY, "hf_AbCdEf123456"])
def test_a_key_put_where_the_variables_name_belongs_is_not_repeated(server: EmbeddingServer, place: str) -> None:
    with pytest.raises(EmbedderUnavailable) as caught:
        client(server, api_key_env=place).embed(["a"])
    assert place not in str(caught.value)


@pytest.mark.parametrize("url", [f"http://u:{KEY}@h/", f"http://{KEY}@h", f"http://h/?key={KEY}", f"http://h/#{KEY}",
                                 f"http://h/?api-version=1&key={KEY}", f"http://h:{KEY}/", f"{KEY}"])  # fmt: skip
def test_a_key_in_the_url_is_refused_and_not_repeated(url: str) -> None:
    with pytest.raises(EmbedderUnavailable) as caught:
        HttpEmbedder(url, MODEL)
    assert KEY not in "".join(traceback.format_exception(caught.value))


@pytest.mark.parametrize("code", [301, 302, 303, 307, 308])
def test_no_redirect_is_followed(server: EmbeddingServer, code: int) -> None:
    with embedding_server("openai") as elsewhere:
        server.always = fake.status(code, Location=f"{elsewhere.url}/v1/embeddings")
        with pytest.raises(EmbedderUnavailable, match="redirect") as caught:
            client(server).embed(["a secret text"])
        assert not elsewhere.requests
        assert elsewhere.url not in str(caught.value)


def test_this_machines_server_is_not_asked_through_a_proxy(
    server: EmbeddingServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    with embedding_server("openai") as proxy:
        for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
            monkeypatch.setenv(name, proxy.url)
        for name in ("NO_PROXY", "no_proxy"):
            monkeypatch.delenv(name, raising=False)
        client(server).embed(["a"])
        assert not proxy.requests
        assert len(server.requests) == 1


@pytest.fixture
def secure_server() -> Iterator[tuple[str, list[str]]]:
    """A server whose certificate no authority vouches for; its URL and what it was sent."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(CERTIFICATE)
    received: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            received.extend(body["input"])
            fake.send(self, json.dumps(fake.good_answer("openai", body)).encode())

        def log_message(self, *_: object) -> None:
            """Nothing on the test's stderr."""

    listener = fake.QuietServer(("127.0.0.1", 0), Handler)
    listener.socket = context.wrap_socket(listener.socket, server_side=True, do_handshake_on_connect=False)
    threading.Thread(target=listener.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
    yield f"https://localhost:{listener.server_address[1]}", received
    listener.shutdown()
    listener.server_close()


def test_a_certificate_nobody_vouches_for_is_refused_before_text_is_sent(secure_server: tuple[str, list[str]]) -> None:
    url, received = secure_server
    with pytest.raises(EmbedderUnavailable, match="certificate"):
        HttpEmbedder(url, MODEL, pause_s=0.01).embed(["a secret text"])
    assert not received


def test_a_teams_own_authority_is_believed_where_the_environment_names_it(
    secure_server: tuple[str, list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    url, received = secure_server
    monkeypatch.setenv("SSL_CERT_FILE", str(CERTIFICATE))
    HttpEmbedder(url, MODEL, pause_s=0.01).embed(["a text"])
    assert received == ["a text"]
