"""Every way an embedding server can fail becomes one clear state, in words, within a bounded time."""

from __future__ import annotations

import socket
import time
from collections.abc import Iterator
from datetime import datetime, timedelta, timezone
from email.utils import format_datetime

import pytest

from ddg_lsp.core.embedding import http, http_reply
from ddg_lsp.core.embedding.errors import EmbedderUnavailable
from ddg_lsp.core.embedding.http import HttpEmbedder
from tests.helpers import embedding_server as fake
from tests.helpers.embedding_server import DIMENSIONS, MODEL, EmbeddingServer, embedding_server

DIALECTS = ["openai", "ollama", "tei"]


@pytest.fixture(params=DIALECTS)
def server(request: pytest.FixtureRequest) -> Iterator[EmbeddingServer]:
    with embedding_server(request.param) as running:
        yield running


@pytest.fixture
def openai() -> Iterator[EmbeddingServer]:
    with embedding_server("openai") as running:
        yield running


def client(server: EmbeddingServer, **more: object) -> HttpEmbedder:
    return HttpEmbedder(server.url, MODEL, dialect=server.dialect, **{"pause_s": 0.01, "timeout_s": 5.0, **more})  # type: ignore[arg-type]


def refused(server: EmbeddingServer, fault: fake.Fault, **more: object) -> str:
    server.always = fault
    with pytest.raises(EmbedderUnavailable) as caught:
        client(server, **more).embed(["some text", "another"])
    assert caught.value.code == "EMBEDDER_UNAVAILABLE"
    assert server.url in str(caught.value)
    return str(caught.value)


@pytest.mark.parametrize(
    ("code", "word"), [(401, "key"), (403, "key"), (404, "model"), (400, "dialect"), (413, "less")]
)
def test_a_refusal_is_not_retried(server: EmbeddingServer, code: int, word: str) -> None:
    assert word in refused(server, fake.status(code))
    assert len(server.requests) == 1


def test_the_errors_code_is_told_and_its_words_are_not(openai: EmbeddingServer) -> None:
    body = '{"error": {"code": "model_not_found", "message": "The text some text is bad"}}'
    sentence = refused(openai, fake.status(404, body))
    assert "model_not_found" in sentence
    assert "some text" not in sentence


def test_429_is_waited_out_as_long_as_the_server_asks(server: EmbeddingServer) -> None:
    server.faults = [fake.status(429, Retry_After="1")]
    assert client(server).embed(["a"]).shape == (1, DIMENSIONS)
    assert 0.95 <= server.requests[1].at - server.requests[0].at < 20


def test_429_with_a_date_is_understood(openai: EmbeddingServer) -> None:
    later = format_datetime(datetime.now(timezone.utc) + timedelta(seconds=2), usegmt=True)
    openai.faults = [fake.status(429, Retry_After=later)]
    client(openai).embed(["a"])
    assert 0.5 <= openai.requests[1].at - openai.requests[0].at < 20


def test_a_server_that_asks_for_minutes_is_a_state_and_is_left_alone(openai: EmbeddingServer) -> None:
    openai.always = fake.status(429, Retry_After="120")
    embedder = client(openai)
    for _ in range(3):
        start = time.monotonic()
        with pytest.raises(EmbedderUnavailable, match="120 seconds") as caught:
            embedder.embed(["a"])
        assert time.monotonic() - start < 10
    assert len(openai.requests) == 1
    openai.always = None
    embedder.unload()
    assert embedder.embed(["a"]).shape == (1, DIMENSIONS)
    assert caught.value.code == "EMBEDDER_UNAVAILABLE"


def test_how_long_to_wait_is_told_to_programs(openai: EmbeddingServer) -> None:
    openai.always = fake.status(429, Retry_After="120")
    embedder = client(openai)
    for _ in range(2):
        with pytest.raises(EmbedderUnavailable) as caught:
            embedder.embed(["a"])
        assert 110 < float(str(caught.value.data["retryAfterSeconds"])) <= 120


@pytest.mark.parametrize("nonsense", ["soon", "-5", "", "９", "1e999", "9" * 400])
def test_a_retry_after_that_makes_no_sense_harms_nobody(openai: EmbeddingServer, nonsense: str) -> None:
    openai.faults = [lambda handler, _: fake.send(handler, b"{}", 503, Retry_After=nonsense.encode().decode("latin-1"))]
    start = time.monotonic()
    embedder = client(openai)
    try:
        embedder.embed(["a"])
    except EmbedderUnavailable as error:
        assert nonsense.startswith("99"), error  # noqa: PT017 - only the huge one may end so
    assert time.monotonic() - start < 10


@pytest.mark.parametrize("code", [500, 502, 503, 504])
def test_a_passing_failure_is_ridden_out_with_growing_pauses(
    server: EmbeddingServer, code: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    pauses: list[float] = []
    monkeypatch.setattr(time, "sleep", pauses.append)
    server.faults = [fake.status(code)] * 3
    assert client(server, pause_s=1.0).embed(["a"]).shape == (1, DIMENSIONS)
    assert (len(server.requests), len(pauses)) == (4, 3)
    assert all(0.7 * 2**n <= pause <= 1.3 * 2**n for n, pause in enumerate(pauses))


def test_a_lasting_failure_ends_after_a_few_attempts(server: EmbeddingServer) -> None:
    assert "HTTP 500" in refused(server, fake.status(500, "<html>stack trace</html>"))
    assert len(server.requests) == http.ATTEMPTS


def test_a_server_that_hangs_costs_one_time_limit(server: EmbeddingServer) -> None:
    start = time.monotonic()
    assert "0.3 seconds" in refused(server, fake.hang(30), timeout_s=0.3)
    assert time.monotonic() - start < 10
    assert len(server.requests) == 1


def test_a_server_that_drips_costs_one_time_limit(openai: EmbeddingServer) -> None:
    start = time.monotonic()
    assert "in time" in refused(openai, fake.drip, timeout_s=0.3)
    assert time.monotonic() - start < 10


def test_a_broken_connection_is_tried_again(openai: EmbeddingServer) -> None:
    openai.faults = [fake.break_off]
    assert client(openai).embed(["a"]).shape == (1, DIMENSIONS)
    assert "broke off" in refused(openai, fake.break_off)


def test_too_few_and_too_many_vectors(server: EmbeddingServer) -> None:
    assert "1 vectors for 2 texts" in refused(server, fake.changed(server.dialect, lambda rows: rows[:1]))
    assert "4 vectors for 2 texts" in refused(server, fake.changed(server.dialect, lambda rows: rows * 2))


def test_vectors_of_another_length_than_before(server: EmbeddingServer) -> None:
    embedder = client(server)
    embedder.embed(["a"])
    server.always = fake.changed(server.dialect, lambda rows: [row[:-1] for row in rows])
    with pytest.raises(EmbedderUnavailable, match=f"47 dimensions, {DIMENSIONS} before"):
        embedder.embed(["a"])


BAD_ROWS = {
    "NaN": lambda row: [float("nan"), *row[1:]],
    "infinity": lambda row: [float("inf"), *row[1:]],
    "null": lambda row: [None, *row[1:]],
    "text": lambda row: [str(x) for x in row],
    "truth": lambda row: [True] * len(row),
    "zeros": lambda row: [0.0] * len(row),
    "nothing": lambda _row: [],
    "nested": lambda row: [row],
    "an object": lambda row: {"values": row},
    "base64": lambda _row: "AAAA",
    "too large": lambda row: [1e300] * len(row),
}


@pytest.mark.parametrize("kind", BAD_ROWS)
def test_numbers_that_are_none(server: EmbeddingServer, kind: str) -> None:
    change = BAD_ROWS[kind]
    sentence = refused(server, fake.changed(server.dialect, lambda rows: [change(row) for row in rows]))
    words = {"NaN": "finite", "infinity": "finite", "zeros": "zeros"}
    if kind != "too large":
        assert words.get(kind, "lists of numbers") in sentence
    if kind == "truth":
        return  # beside numbers it is a one
    server.always = fake.changed(server.dialect, lambda rows: [rows[0], change(rows[1])])
    with pytest.raises(EmbedderUnavailable):
        client(server).embed(["good", "bad"])


BODIES = {
    "a web page": ("<!DOCTYPE html><html><body>Log in</body></html>", "web page"),
    "nothing": ("", "instead of JSON"),
    "half": ('{"data": [', "instead of JSON"),
    "deep": ("[" * 100_000, ""),
    "null": ("null", "dialect"),
    "a number": ("17", "dialect"),
    "an error": ('{"error": "no"}', "dialect"),
    "indexes twice": ('{"data": [{"index": 0, "embedding": [1]}, {"index": 0, "embedding": [1]}]}', "dialect"),
    "no index": ('{"data": [{"index": "a", "embedding": [1]}, {"index": 1, "embedding": [1]}]}', "dialect"),
    "ragged": ('{"data": [{"embedding": [1, 2]}, {"embedding": [1]}]}', "lengths"),
}


@pytest.mark.parametrize("kind", BODIES)
def test_bodies_that_are_no_answer(openai: EmbeddingServer, kind: str) -> None:
    body, word = BODIES[kind]
    assert word in refused(openai, fake.raw(body, "text/html" if "<" in body else "application/json"))
    assert len(openai.requests) == 1


@pytest.mark.parametrize("spoken", DIALECTS)
@pytest.mark.parametrize("expected", DIALECTS)
def test_another_dialects_answer_is_named_as_that(spoken: str, expected: str) -> None:
    if spoken == expected:
        return
    with embedding_server(spoken) as server:
        server.always = lambda handler, answer: fake.send(handler, fake.json.dumps(answer).encode())
        server.dialect = spoken
        with pytest.raises(EmbedderUnavailable, match="dialect"):
            HttpEmbedder(server.url, MODEL, dialect=expected).embed(["a"])


def test_an_endless_answer_is_cut_off(openai: EmbeddingServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(http_reply, "MAX_ANSWER_BYTES", 1000)
    assert "64 MiB" in refused(openai, fake.raw(" " * 10_000))


def test_nobody_listens(monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{free.getsockname()[1]}"
    with pytest.raises(EmbedderUnavailable, match=r"is it running\?$"):
        HttpEmbedder(url, MODEL, pause_s=0.01).embed(["a"])
    with pytest.raises(EmbedderUnavailable, match="is it running"):
        assert HttpEmbedder(url, MODEL, pause_s=0.01).info


def test_a_name_nobody_knows(monkeypatch: pytest.MonkeyPatch) -> None:
    def unknown(*_args: object, **_more: object) -> None:
        raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")

    monkeypatch.setattr(socket, "getaddrinfo", unknown)
    with pytest.raises(EmbedderUnavailable, match="name is not known"):
        HttpEmbedder("http://embeddings.invalid", MODEL, pause_s=0.01).embed(["a"])
