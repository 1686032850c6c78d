"""The built-in embedder keeps the protocol: shape, norm, order, independence of batch mates."""

from __future__ import annotations

import numpy as np
import pytest

from ddg_lsp.core.embedding import Embedder, embed_passages, embed_query
from ddg_lsp.core.embedding.e5 import E5Embedder

TEXTS = [
    "passage: How to restore a backup after a disk has failed.",
    "passage: Die Katze schläft auf dem Sofa.",
    "passage: データベースのバックアップを復元する方法",
    "query: restoring data",
    "passage: ",
]


@pytest.fixture(scope="module")
def e5() -> E5Embedder:
    return E5Embedder()


def test_it_is_an_embedder(e5: E5Embedder) -> None:
    assert isinstance(e5, Embedder)
    assert e5.info.dimensions == 384
    assert e5.info.max_tokens == 512
    assert (e5.info.query_prefix, e5.info.passage_prefix) == ("query: ", "passage: ")


def test_vectors_have_shape_type_and_norm_one(e5: E5Embedder) -> None:
    vectors = e5.embed(TEXTS)
    assert vectors.shape == (len(TEXTS), 384)
    assert vectors.dtype == np.float32
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1.0, atol=1e-5)
    assert e5.embed([]).shape == (0, 384)


def test_meaning_crosses_languages(e5: E5Embedder) -> None:
    passages = embed_passages(e5, [text.removeprefix("passage: ") for text in TEXTS[:3]])
    scores = passages @ embed_query(e5, "restore a database from its backup")
    assert scores.argmin() == 1


def test_a_text_is_cut_to_max_tokens(e5: E5Embedder) -> None:
    long = "passage: " + "word " * 1000
    assert e5.count_tokens([long])[0] > 900
    assert np.isfinite(e5.embed([long], 64)).all()
