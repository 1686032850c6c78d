"""The built-in model's weights run by sentence-transformers: the same tokens, near vectors, the same first hits."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from ddg_lsp.core.embedding import Matrix, embed_passages
from ddg_lsp.core.embedding.e5 import E5Embedder
from ddg_lsp.core.embedding.sentence_transformers import SentenceTransformersEmbedder
from tests.helpers.e5_folder import write_e5_folder

pytestmark = pytest.mark.torch

TOPICS = """
request timeouts | database migrations | password hashing | rate limits | log rotation | background jobs | file uploads
cross-origin requests | session cookies | template rendering | unit tests | continuous integration | code formatting
type annotations | dependency injection | environment variables | health checks | memory leaks | thread pools
garbage collection | text encodings | date formats | currency rounding | image thumbnails | video playback
screen readers | keyboard shortcuts | dark mode | push notifications | offline storage | search indexes
spelling correction | machine translation | speech recognition | map projections | weather forecasts | sourdough bread
bicycle brakes | garden irrigation | tax returns
"""
NAMES = [topic.strip() for line in TOPICS.strip().splitlines() for topic in line.split("|")]
PASSAGES = [
    f"docs/guide.md\nGuide > {name.capitalize()}\nThis section explains {name}: what they are for, how they are "
    f"set up, and what to do when something about {name} goes wrong."
    for name in NAMES
]
ASKED = [
    "how do I set up {}?",
    "what goes wrong with {}",
    "Wie richte ich {} ein?",
    "¿cómo se configuran {}?",
    "{} 설정 방법",
]
QUESTIONS = [form.format(name) for name in NAMES for form in ASKED]


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SentenceTransformersEmbedder]:
    folder = write_e5_folder(tmp_path_factory.mktemp("models") / "multilingual-e5-small")
    embedder = SentenceTransformersEmbedder(str(folder))
    yield embedder
    embedder.unload()


@pytest.fixture(scope="module")
def built_in() -> E5Embedder:
    return E5Embedder()


def questions(embedder: E5Embedder | SentenceTransformersEmbedder) -> Matrix:
    return embedder.embed([embedder.info.query_prefix + text for text in QUESTIONS])


def test_both_are_the_same_model(library: SentenceTransformersEmbedder, built_in: E5Embedder) -> None:
    one, two = library.info, built_in.info
    assert (one.dimensions, one.max_tokens) == (two.dimensions, two.max_tokens) == (384, 512)
    assert (one.query_prefix, one.passage_prefix) == (two.query_prefix, two.passage_prefix) == ("query: ", "passage: ")
    assert one.key != two.key  # and yet their vectors never share a cache


def test_both_count_the_same_tokens(library: SentenceTransformersEmbedder, built_in: E5Embedder) -> None:
    texts = [*PASSAGES, *QUESTIONS, "", "  two  blanks ", "設定ファイルの値を変更する", "🚀 ﬁne ＡＰＩ", "a\tb\r\nc"]
    assert library.count_tokens(texts) == built_in.count_tokens(texts)


def test_vectors_are_near_each_other(library: SentenceTransformersEmbedder, built_in: E5Embedder) -> None:
    one, two = embed_passages(library, PASSAGES), embed_passages(built_in, PASSAGES)
    cosines = np.einsum("ij,ij->i", one, two)
    assert cosines.mean() >= 0.99
    assert cosines.min() >= 0.98
    cut = np.einsum("ij,ij->i", library.embed(PASSAGES[:5], 16), built_in.embed(PASSAGES[:5], 16))
    assert cut.min() >= 0.98


def test_200_questions_have_the_same_first_hit(library: SentenceTransformersEmbedder, built_in: E5Embedder) -> None:
    assert len(QUESTIONS) == 200
    first = [np.argmax(questions(e) @ embed_passages(e, PASSAGES).T, axis=1) for e in (library, built_in)]
    assert (first[0] == first[1]).mean() >= 0.95
    right = np.repeat(np.arange(len(PASSAGES)), len(ASKED))
    assert (
        first[0] == right
    ).mean() >= 0.95  # and it is the right one: the prefixes and the pooling are as they must be
