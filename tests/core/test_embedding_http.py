"""The embedder `http` against a real server on loopback: right vectors, right requests, right words."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from ddg_lsp.core.embedding import Embedder, embed_passages, embed_query, passage_token_counter
from ddg_lsp.core.embedding.deterministic import DeterministicEmbedder
from ddg_lsp.core.embedding.errors import EmbedderUnavailable
from ddg_lsp.core.embedding.http import BATCH, HttpEmbedder
from tests.helpers.embedding_server import DIMENSIONS, MODEL, PATHS, EmbeddingServer, embedding_server

DIALECTS = ["openai", "ollama", "tei"]
TEXTS = [f"text number {i} about {'timeouts' * (i % 5)}" for i in range(2 * BATCH + 3)]


@pytest.fixture(params=DIALECTS)
def server(request: pytest.FixtureRequest) -> Iterator[EmbeddingServer]:
    with embedding_server(request.param) as running:
        yield running


def client(server: EmbeddingServer, **more: object) -> HttpEmbedder:
    model = "" if server.dialect == "tei" else MODEL
    return HttpEmbedder(server.url, model, dialect=server.dialect, **{"pause_s": 0.01, **more})  # type: ignore[arg-type]


def test_vectors_come_back_in_order_with_norm_one(server: EmbeddingServer) -> None:
    embedder = client(server)
    got = embedder.embed(TEXTS)
    assert isinstance(embedder, Embedder)
    assert got.dtype == np.float32
    assert got.shape == (len(TEXTS), DIMENSIONS)
    np.testing.assert_allclose(got, DeterministicEmbedder(DIMENSIONS).embed(TEXTS), atol=1e-6)
    np.testing.assert_allclose(np.linalg.norm(got, axis=1), 1, atol=1e-6)


def test_texts_go_out_in_batches_to_one_address(server: EmbeddingServer) -> None:
    client(server).embed(TEXTS)
    assert [r.path for r in server.requests] == [PATHS[server.dialect]] * 3
    assert server.texts() == TEXTS
    assert all(len(r.body.get("input", r.body.get("inputs"))) <= BATCH for r in server.requests)
    assert all("Authorization" not in r.headers for r in server.requests)


def test_nothing_is_asked_before_the_first_use_and_the_dimensions_once(server: EmbeddingServer) -> None:
    embedder = client(server)
    assert embedder.count_tokens(["one", "two words"]) == [3, 5]
    assert not server.requests
    info = embedder.info
    assert (info.embedder, info.dimensions, info.max_tokens) == ("http", DIMENSIONS, 512)
    assert embedder.embed([]).shape == (0, DIMENSIONS)
    assert embedder.info == info
    assert len(server.requests) == 1


def test_no_request_is_made_for_the_dimensions_once_vectors_came(server: EmbeddingServer) -> None:
    embedder = client(server)
    embedder.embed(["a"])
    assert embedder.info.dimensions == DIMENSIONS
    assert len(server.requests) == 1


def test_info_says_where_text_went(server: EmbeddingServer) -> None:
    host = server.url.removeprefix("http://")
    info = client(server).info
    assert info.id == f"{'tei' if server.dialect == 'tei' else MODEL}@{host}"
    assert host in info.weights


@pytest.mark.parametrize(
    ("model", "query", "passage"),
    [
        ("intfloat/multilingual-e5-large", "query: ", "passage: "),
        ("e5-base-v2", "query: ", "passage: "),
        ("nomic-embed-text:latest", "search_query: ", "search_document: "),
        ("intfloat/multilingual-e5-large-instruct", "", ""),
        ("intfloat/e5-mistral-7b-instruct", "", ""),
        ("text-embedding-3-small", "", ""),
        ("somebody/me5", "", ""),
    ],
)
def test_prefixes_follow_the_models_family(model: str, query: str, passage: str) -> None:
    with embedding_server("openai") as server:
        embedder = HttpEmbedder(server.url, model)
        embed_query(embedder, "how?")
        embed_passages(embedder, ["thus"])
        assert server.texts()[1:] == [f"{query}how?", f"{passage}thus"]  # the first asked for the dimensions


def test_prefixes_can_be_set_and_set_to_nothing() -> None:
    with embedding_server("openai") as server:
        embedder = HttpEmbedder(server.url, "e5-small", query_prefix="", passage_prefix=" p:  ")
        embed_query(embedder, "how?")
        embed_passages(embedder, ["thus"])
        assert server.texts()[1:] == ["how?", " p:  thus"]
        assert (embedder.info.query_prefix, embedder.info.passage_prefix) == ("", " p:  ")


def test_a_text_is_cut_before_it_is_sent(server: EmbeddingServer) -> None:
    embedder = client(server)
    embedder.embed(["word " * 1000, "設定" * 1000, "x" * 5000], max_tokens=64)
    embedder.embed(["word " * 1000], max_tokens=4096)
    sent = server.texts()
    assert all(0 < count <= 64 for count in embedder.count_tokens(sent[:3]))
    assert 500 < embedder.count_tokens(sent[3:])[0] <= 512
    assert passage_token_counter(embedder)(["word " * 3]) == [8]


def test_text_that_is_no_utf8_is_sent_all_the_same(server: EmbeddingServer) -> None:
    assert client(server).embed(["a\ud800b", "\0", "", "🚀 é"]).shape == (4, DIMENSIONS)
    assert server.texts() == ["a?b", "\0", "", "🚀 é"]


def test_after_unload_it_connects_again(server: EmbeddingServer) -> None:
    embedder = client(server)
    before = embedder.embed(TEXTS[:1])
    embedder.unload()
    np.testing.assert_array_equal(embedder.embed(TEXTS[:1]), before)


@pytest.mark.parametrize(
    ("dialect", "url", "called"),
    [
        ("openai", "http://h:1", "http://h:1/v1/embeddings"),
        ("openai", "http://h:1/v1/", "http://h:1/v1/embeddings"),
        ("openai", "https://h/gateway/v1/embeddings", "https://h/gateway/v1/embeddings"),
        ("openai", "https://h/openai/embeddings", "https://h/openai/embeddings"),
        ("openai", "https://h/v1?api-version=2024-10-21", "https://h/v1/embeddings?api-version=2024-10-21"),
        ("ollama", "http://[::1]:11434", "http://[::1]:11434/api/embed"),
        ("ollama", "http://h/api", "http://h/api/embed"),
        ("tei", "http://h/", "http://h/embed"),
        ("tei", "http://h/a/embed", "http://h/a/embed"),
    ],
)
def test_an_address_is_completed_to_the_dialects_endpoint(dialect: str, url: str, called: str) -> None:
    assert HttpEmbedder(url, MODEL, dialect=dialect)._address.url == called


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        ({"url": "ftp://h/x"}, "http://"),
        ({"url": "h:11434"}, "http://"),
        ({"url": "http://"}, "http://"),
        ({"url": "http://h:port"}, "valid"),
        ({"url": "http://h/a b"}, "blank"),
        ({"url": "http://h\r\nX: y"}, "blank"),
        ({"url": "http://h", "dialect": "cohere"}, "openai"),
        ({"url": "http://h", "model": ""}, "Name the model"),
        ({"url": "http://h", "model": "", "dialect": "ollama"}, "Name the model"),
    ],
)
def test_settings_that_cannot_work_are_refused_in_words(arguments: dict[str, str], word: str) -> None:
    with pytest.raises(EmbedderUnavailable, match=word):
        HttpEmbedder(**{"model": MODEL, **arguments})  # type: ignore[arg-type]


def test_vectors_of_two_places_never_share_a_key() -> None:
    with embedding_server("openai") as one, embedding_server("openai") as two:
        keys = {HttpEmbedder(s.url, m).info.key for s in (one, two) for m in ("a", "b")}
        assert len(keys) == 4
