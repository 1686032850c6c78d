"""Mode `hybrid`: how meaning and words add up, what is strong, and what is said of a hit."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ddg_lsp.core.embedding.deterministic import DeterministicEmbedder
from ddg_lsp.core.embedding.e5 import E5Embedder
from ddg_lsp.core.folder import Folder
from ddg_lsp.core.names import is_keyword, names_in
from ddg_lsp.core.opening import open_folder
from ddg_lsp.core.scoring import KEYWORD_WEIGHT, LEXICAL_WEIGHT
from tests.helpers.folders import ask, build, paths, write

DOCS = {
    "courier/retries.md": "# Delivering again\n\nWhen a receiver is away, the courier tries again after a pause.\n",
    "courier/storage.md": "# Where parcels wait\n\nParcels are kept in the depot until `DEPOT_MAX_AGE` is over.\n",
    "courier/prices.md": "# What it costs\n\nThe price follows weight and distance; see the table of zones.\n",
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Folder:
    """Three pages indexed with the built-in model."""
    return build(write(tmp_path_factory.mktemp("docs"), DOCS), E5Embedder()).folder


@pytest.mark.parametrize(
    ("question", "path"),
    [
        ("what happens if nobody is at home?", "courier/retries.md"),
        ("아무도 없으면 어떻게 되나요?", "courier/retries.md"),
        ("DEPOT_MAX_AGE", "courier/storage.md"),
        ("wie teuer ist der Versand?", "courier/prices.md"),
        ("荷物はどこで保管されますか?", "courier/storage.md"),
    ],
)
def test_the_right_page_comes_first(folder: Folder, question: str, path: str) -> None:
    assert paths(ask(folder, question, mode="hybrid"))[0] == path


def test_row_34_a_question_about_something_else_is_weak(folder: Folder) -> None:
    for question in ("a good recipe for apple pie", "how do whales sleep", "최고의 축구 선수는 누구인가요"):
        hits = ask(folder, question, mode="hybrid").hits
        assert hits[0].match == "weak"
        assert hits[0].score < 0.9


def test_row_36_the_score_of_nonsense_is_not_scaled_up(folder: Folder) -> None:
    nonsense = ask(folder, "colourless green ideas sleep furiously", mode="hybrid").hits[0]
    sense = ask(folder, "when does the courier try again", mode="hybrid").hits[0]
    assert sense.match == "strong"
    assert nonsense.score < sense.score - 0.05


def test_the_parts_of_a_hit_add_up(folder: Folder) -> None:
    for question, weight in (("parcels in the depot", LEXICAL_WEIGHT), ("depot", KEYWORD_WEIGHT)):
        for hit in ask(folder, question, mode="hybrid", explain=True).hits:
            assert hit.semantic_score is not None
            assert hit.lexical_score is not None
            assert hit.score == pytest.approx(hit.semantic_score + weight * hit.lexical_score, abs=2e-6)
            assert hit.explain is not None
            assert hit.explain["lexicalWeight"] == weight
    best = ask(folder, "parcels in the depot", mode="hybrid", explain=True).hits[0].explain
    assert best is not None
    assert {"parcels", "depot"} <= set(best["terms"])
    assert best["language"] == "en"


def test_without_a_model_words_answer_and_the_report_says_so(tmp_path: Path) -> None:
    opened = open_folder(write(tmp_path, DOCS), {"embedder": "none"})
    opened.folder.refresh()
    report = opened.folder.report()
    assert report.state == "lexicalOnly"
    assert report.message
    answer = ask(opened.folder, "parcels waiting in the depot", mode="hybrid")
    assert paths(answer)[0] == "courier/storage.md"
    assert answer.hits[0].semantic_score is None


def test_during_a_build_words_find_what_has_no_vector_yet(tmp_path: Path) -> None:
    opened = open_folder(write(tmp_path, DOCS), {}, DeterministicEmbedder())
    opened.folder.refresh()
    assert paths(ask(opened.folder, "table of zones", mode="hybrid")) == ["courier/prices.md"]
    assert opened.folder.report().state == "building"


@pytest.mark.parametrize(
    ("question", "names"),
    [
        ("how do I set `max_age` and --no-cache?", "max_age --no-cache"),
        ("what does HTTPException mean", "HTTPException"),
        ("where is app.state.ready set in v2.3.1", "app.state.ready v2.3.1"),
        ("a plain question about nothing in particular", ""),
        ("FastAPI에서 의존성은 어떻게 쓰나요?", "FastAPI"),
        ("usar el well-known en español", ""),
    ],
)
def test_names_are_what_means_the_same_in_every_language(question: str, names: str) -> None:
    assert names_in(question) == names


def test_a_keyword_is_one_word_in_latin_script() -> None:
    assert is_keyword("DEPOT_MAX_AGE")
    assert is_keyword("  retry ")
    assert not is_keyword("two words")
    assert not is_keyword("재시도")


@settings(max_examples=25, deadline=None)
@given(question=st.text(min_size=1, max_size=60).filter(lambda text: text.strip("\u200b\ufeff\x00 \n\t\r")))
def test_any_question_gets_an_ordered_answer(folder: Folder, question: str) -> None:
    if not question.strip() or not question.strip().strip("\u200b\ufeff\x00"):
        return
    hits = ask(folder, question, mode="hybrid", perFile=3).hits
    scores = [hit.score for hit in hits]
    assert scores == sorted(scores, reverse=True)
    assert len({hit.passage.id for hit in hits}) == len(hits)
    assert all(np.isfinite(score) for score in scores)
    assert hits == ask(folder, question, mode="hybrid", perFile=3).hits
