"""The searcher itself: several indexes in one order, what is kept between questions, how sure it is of a first hit."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from ddg_lsp.core import grouping
from ddg_lsp.core.embedding import Matrix
from ddg_lsp.core.embedding.deterministic import DeterministicEmbedder
from ddg_lsp.core.folder import no_check
from ddg_lsp.core.query import Query, make_query
from ddg_lsp.core.search import QUERY_VECTORS, Answer, Searcher, Target
from tests.helpers.folders import build, write

RETRY = "# Retry policy\n\nA failed delivery is tried again.\n\n## Retry limits\n\nFive times, retry policy.\n"


@pytest.fixture
def target(tmp_path: Path) -> Target:
    files = {"docs/retry.md": RETRY, "docs/backup.md": "# Backup\n\nCopies are kept for a week.\n"}
    opened = build(write(tmp_path / "one", files), DeterministicEmbedder())
    return opened.folder.target()


@pytest.fixture
def other(tmp_path: Path) -> Target:
    files = {"guide/again.md": "# Trying again\n\nThe retry policy.\n\n## More of it\n\nRetry policy.\n"}
    opened = build(write(tmp_path / "two", files), DeterministicEmbedder())
    opened.folder.refresh()
    return opened.folder.target()


class Counted(DeterministicEmbedder):
    """Counts how often a question is embedded."""

    def __init__(self) -> None:
        super().__init__()
        self.questions: list[str] = []

    def embed(self, texts: Sequence[str], max_tokens: int | None = None) -> Matrix:
        self.questions += [text for text in texts if text.startswith(self.info.query_prefix)]
        return super().embed(texts, max_tokens)


def asked(searcher: Searcher, targets: Sequence[Target], question: str, **fields: object) -> Answer:
    return searcher.search(targets, make_query({"query": question, **fields}), no_check)


@pytest.mark.parametrize("mode", ["hybrid", "semantic", "lexical"])
def test_several_indexes_are_ranked_as_one_in_either_order(target: Target, other: Target, mode: str) -> None:
    searcher = Searcher(DeterministicEmbedder())
    both = asked(searcher, [target, other], "retry policy", mode=mode)
    assert {hit.root for hit in both.hits} == {target.root, other.root}
    assert [hit.score for hit in both.hits] == sorted((hit.score for hit in both.hits), reverse=True)
    turned = asked(searcher, [other, target], "retry policy", mode=mode)
    places = [(hit.root, hit.passage.path, hit.score) for hit in both.hits]
    assert places == [(hit.root, hit.passage.path, hit.score) for hit in turned.hits]
    assert both.revision == target.snapshot.revision + other.snapshot.revision
    assert len(asked(searcher, [target, other], "retry policy", mode=mode, limit=1).hits) == 1


def test_of_a_file_there_is_one_hit_or_as_many_as_are_wanted_and_all_are_in_one_order(
    target: Target, other: Target
) -> None:
    searcher = Searcher(DeterministicEmbedder())
    one = asked(searcher, [target, other], "retry policy", perFile=1).hits
    assert len({(hit.root, hit.passage.path) for hit in one}) == len(one) == 3
    two = asked(searcher, [target, other], "retry policy", perFile=2).hits
    assert len(two) == 5
    assert [hit.score for hit in two] == sorted((hit.score for hit in two), reverse=True)
    by_file = [(hit.root, hit.passage.path) for hit in two]
    assert by_file != sorted(by_file, key=by_file.index), "the hits of one file are among those of the others"


def test_a_question_is_embedded_once_for_each_way_of_asking(target: Target) -> None:
    embedder = Counted()
    searcher = Searcher(embedder)
    asked(searcher, [target], "retry policy", mode="semantic")
    embedder.questions.clear()
    asked(searcher, [target], "retry policy", mode="semantic", limit=1)
    asked(searcher, [target], "retry policy", mode="lexical")
    assert embedder.questions == []
    searcher.prepare()
    embedder.questions.clear()
    for _ in range(3):
        asked(searcher, [target], "retry policy", mode="hybrid")
    assert len(embedder.questions) == 1


def test_the_questions_asked_last_are_kept_and_no_more(target: Target) -> None:
    embedder = Counted()
    searcher = Searcher(embedder)
    for number in range(QUERY_VECTORS + 1):
        asked(searcher, [target], f"question {number}", mode="semantic")
        asked(searcher, [target], "question 0", mode="semantic")  # asked again and again: never the oldest
    embedder.questions.clear()
    asked(searcher, [target], "question 0", mode="semantic")
    asked(searcher, [target], "question 2", mode="semantic")
    assert embedder.questions == []
    asked(searcher, [target], "question 1", mode="semantic")
    assert len(embedder.questions) == 1


def test_what_a_model_needs_is_loaded_ahead_and_kept_in_the_users_cache(tmp_path: Path, target: Target) -> None:
    kept = tmp_path / "kept"
    embedder = Counted()
    searcher = Searcher(embedder, kept)
    searcher.prepare()
    assert any(path.is_file() for path in kept.rglob("*"))
    probes = len(embedder.questions)
    assert probes > 100
    asked(searcher, [target], "retry policy")
    assert len(embedder.questions) == probes + 1
    again = Counted()
    Searcher(again, kept).prepare()
    assert again.questions == []
    Searcher(None, kept).prepare()  # without a model there is nothing to load


def test_pages_are_grouped_once_for_a_snapshot(target: Target, monkeypatch: pytest.MonkeyPatch) -> None:
    calls = []
    real = grouping.groups
    monkeypatch.setattr(grouping, "groups", lambda documents: calls.append(1) or real(documents))
    searcher = Searcher(DeterministicEmbedder())
    for _ in range(3):
        asked(searcher, [target], "retry policy")
    assert len(calls) == 1
    asked(searcher, [replace(target, snapshot=replace(target.snapshot, revision=target.snapshot.revision + 1))], "x y")
    assert len(calls) == 2


def test_a_search_can_be_stopped_between_indexes(target: Target, other: Target) -> None:
    calls = []

    def check() -> None:
        calls.append(1)
        if len(calls) == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        Searcher(DeterministicEmbedder()).search([target, other], Query("retry policy"), check)


@pytest.mark.parametrize("mode", ["hybrid", "semantic", "lexical"])
def test_an_answer_says_what_was_asked_how_and_how_long_it_took(target: Target, mode: str) -> None:
    answer = asked(Searcher(DeterministicEmbedder()), [target], "retry policy", mode=mode)
    assert (answer.query.text, answer.mode) == ("retry policy", mode)
    assert 0 < answer.elapsed_ms < 60_000


def test_confidence_is_that_of_the_best_passage(target: Target, tmp_path: Path) -> None:
    searcher = Searcher(DeterministicEmbedder())
    fits, strange = Query("a failed delivery is tried again"), Query("zebra giraffe hippo")
    assert searcher.confidence(target, fits) > max(0.0, searcher.confidence(target, strange))
    answer = searcher.search([target], fits, no_check)
    assert answer.hits[0].match == "strong"
    assert searcher.confidence(target, fits) == searcher.confidence(target, fits)
    empty = build(write(tmp_path / "empty", {"a.txt": "no document"}), DeterministicEmbedder()).folder
    assert math.isinf(searcher.confidence(empty.target(), fits))
    assert searcher.confidence(empty.target(), fits) < 0


def test_a_question_by_words_is_never_embedded(target: Target) -> None:
    embedder = Counted()
    assert asked(Searcher(embedder), [target], "retry policy", mode="lexical").hits
    assert embedder.questions == []


def test_words_of_the_trade_are_put_before_a_hybrid_question_only(target: Target) -> None:
    embedder = Counted()
    searcher = Searcher(embedder)
    searcher.prepare()
    embedder.questions.clear()
    asked(searcher, [target], "의존성 주입은 어떻게 하나요?", mode="semantic")
    assert len(embedder.questions) == 1
    asked(searcher, [target], "의존성 주입은 어떻게 하나요?", mode="hybrid")
    assert len(embedder.questions) == 3
    assert "dependency injection" in embedder.questions[-1]


def test_paths_are_held_against_the_names_a_target_gives_its_documents(target: Target) -> None:
    named = replace(target, names={"docs/retry.md": "deep/inside/retry.md"})
    for mode in ("hybrid", "lexical"):
        hits = asked(Searcher(DeterministicEmbedder()), [named], "retry policy", mode=mode, paths=["deep/**"]).hits
        assert [hit.passage.path for hit in hits] == ["docs/retry.md"]


@pytest.mark.parametrize(
    ("embedder", "question", "languages", "wanted"),
    [
        (DeterministicEmbedder(), "설치는 어떻게 하나요", (), "docs/ko/install.md"),
        (DeterministicEmbedder(), "설치는 어떻게 하나요", ("ja",), "docs/ko/install.md"),
        (None, "install guide", ("ko",), "docs/ko/install.md"),
        (None, "install guide", ("ja", "ko"), "docs/ja/install.md"),
        (None, "install guide", (), "docs/install.md"),
    ],
)
def test_of_a_translated_page_the_questions_language_counts_then_the_preferred_one(
    tmp_path: Path, embedder: DeterministicEmbedder | None, question: str, languages: tuple[str, ...], wanted: str
) -> None:
    text = {
        "docs/": "# Install guide",
        "docs/ko/": "# 설치는 Install guide",
        "docs/ja/": "# 導入は Install guide",
    }
    files = {f"{folder}install.md": f"{title}\n\n{title[2:]} of it.\n" for folder, title in text.items()}
    folder = build(write(tmp_path, files), DeterministicEmbedder()).folder
    (hit,) = asked(Searcher(embedder), [replace(folder.target(), languages=languages)], question).hits
    assert hit.passage.path == wanted
    assert {alternate.path for alternate in hit.alternates} == files.keys() - {wanted}
