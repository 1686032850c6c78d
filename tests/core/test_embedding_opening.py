"""A folder opens whatever its embedder's state: with a server that is down it is searched by words, and says why."""

from __future__ import annotations

from pathlib import Path

import pytest

from ddg_lsp.core.embedding.errors import EmbedderUnavailable
from ddg_lsp.core.opening import Opened, open_folder
from tests.helpers import embedding_server as fake
from tests.helpers.embedding_server import MODEL, EmbeddingServer, embedding_server

DIALECTS = ["openai", "ollama", "tei"]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "a.md").write_text("# Time limits\n\nA request that takes too long is cancelled.\n")
    return tmp_path


def opened(root: Path, server: EmbeddingServer) -> Opened:
    user = {"embedder": "http", "httpUrl": server.url, "httpDialect": server.dialect, "model": MODEL}
    made = open_folder(root, {**user, "cacheDir": "memory"})
    made.folder.refresh()
    return made


@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_server_embeds_a_folder(root: Path, dialect: str) -> None:
    with embedding_server(dialect) as server:
        made = opened(root, server)
        while made.folder.pending():
            made.embed_some()
        assert made.folder.snapshot.embedded == 1
        assert any("too long" in text for text in server.texts())


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize(
    "fault", [fake.status(401), fake.status(429, Retry_After="60"), fake.raw("<html>", "text/html")]
)
def test_a_server_that_is_of_no_use_at_the_start(root: Path, dialect: str, fault: fake.Fault) -> None:
    with embedding_server(dialect) as server:
        server.always = fault
        made = opened(root, server)
        assert made.folder.embedder is None
        assert server.url in made.reason
        assert [name for name, _ in made.tried] == ["http"]
        assert made.embed_some() == 0
        assert len(made.folder.snapshot.passages) == 1


def test_a_server_that_fails_later(root: Path) -> None:
    with embedding_server("openai") as server:
        made = opened(root, server)
        assert made.folder.pending()
        server.always = fake.status(401)
        assert made.embed_some() == 0
        assert made.folder.embedder is None
        assert "wants a key" in made.reason
        assert len(made.folder.snapshot.passages) == 1


def test_an_embedder_the_caller_brought_speaks_for_itself(root: Path) -> None:
    from ddg_lsp.core.embedding.http import HttpEmbedder

    with embedding_server("openai") as server:
        server.always = fake.status(401)
        with pytest.raises(EmbedderUnavailable, match="wants a key"):
            open_folder(root, {"cacheDir": "memory"}, HttpEmbedder(server.url, MODEL))
