"""How well the built-in model answers the project's own judged questions: floors a little below what was measured.

The set is small and hard on purpose (`set/README.md`): the figures compare a change with the state before it, not this
project with another. When a change moves one for good reasons, measure with `python -m benchmarks.quality` and move the
floor in the same change.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import pytest

from benchmarks import metrics
from benchmarks.metrics import DEPTH, Judged
from benchmarks.quality import OWN_SET
from ddg_lsp.core.folder import no_check
from ddg_lsp.core.opening import Opened, open_folder
from ddg_lsp.core.query import make_query
from ddg_lsp.core.search import Hit, Searcher

JUDGED = metrics.load(OWN_SET)
UNANSWERABLE = metrics.load_unanswerable(OWN_SET)
MODES = ("hybrid", "semantic")
Tables = Mapping[str, Mapping[str, Any]]

FLOORS = {
    # nDCG@10 by file and by section in mode hybrid; 0.03 below what was measured, 0.05 for 10 to 16 questions, where
    # one question that slips from the first place to the second costs as much as that.
    "all": (0.71, 0.52),
    "en": (0.53, 0.29),
    "ko": (0.66, 0.39),
    "ja": (0.73, 0.48),
    "zh": (0.78, 0.69),
    "de": (0.84, 0.58),
    "es": (0.79, 0.72),
    "ru": (0.60, 0.36),
    "code": (0.97, 0.97),
    "paraphrase": (0.48, 0.20),
    "across": (0.74, 0.52),
    "same-language": (0.74, 0.47),
    "foreign-page": (0.70, 0.64),
    "identifier": (0.97, 0.97),
}
LOSSES = {"paraphrase": 0.07, "same-language": 0.10}
"""What mode hybrid loses by file to mode semantic where it should lose nothing. In a folder of several languages it
compares no ordinary words and takes the language out of question and passage, which helps pages in other languages past
those in the question's own: right for `foreign-page`, wrong for these two. Lower them when that gets better."""


@dataclass
class Asked:
    """The indexed set, and what was found in it; each question is asked once, as an agent would."""

    opened: Opened
    searcher: Searcher
    _hits: dict[str, dict[str, tuple[Hit, ...]]] = field(default_factory=dict)
    _tables: dict[str, Tables] = field(default_factory=dict)

    def hits(self, question: str, mode: str) -> tuple[Hit, ...]:
        if question not in self._hits:  # both modes in a row: they share the question's vector
            self._hits[question] = {mode: self._ask(question, mode) for mode in MODES}
        return self._hits[question][mode]

    def _ask(self, question: str, mode: str) -> tuple[Hit, ...]:
        query = make_query({"query": question, "mode": mode, "limit": DEPTH, "perFile": DEPTH})
        return self.searcher.search([self.opened.folder.target()], query, no_check).hits

    def places(self, judged: Judged, mode: str) -> list[metrics.Place]:
        return [(hit.passage.path, hit.passage.line + 1) for hit in self.hits(judged.question, mode)]

    def table(self, mode: str) -> Tables:
        """nDCG and the others for all questions, for each language and for each kind."""
        if mode not in self._tables:
            places = {judged.id: self.places(judged, mode) for judged in JUDGED}
            self._tables[mode] = {
                g: r for by in ("language", "kind") for g, r in metrics.table(JUDGED, places, by).items()
            }
        return self._tables[mode]

    def ndcg(self, mode: str, group: str) -> tuple[float, float]:
        """By file and by section; `group` is `all`, a language or a kind."""
        by_file, by_section = (self.table(mode)[group][level] for level in ("file", "section"))
        return by_file["nDCG@10"], by_section["nDCG@10"]

    def first(self, question: str) -> Hit:
        return self.hits(question, "hybrid")[0]

    def files(self, judged: Judged) -> list[object]:
        return metrics.unique([path for path, _ in self.places(judged, "hybrid")])


@pytest.fixture(scope="session")
def asked(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Asked]:
    opened = open_folder(OWN_SET / "corpus", {"cacheDir": str(tmp_path_factory.mktemp("quality"))})
    opened.folder.refresh()
    while opened.folder.pending():
        opened.embed_some()
    yield Asked(opened, Searcher(opened.folder.embedder))
    opened.folder.close()


def test_the_real_model_was_asked(asked: Asked) -> None:
    embedder = asked.opened.folder.embedder
    assert embedder is not None, asked.opened.reason
    assert "multilingual-e5-small" in embedder.info.id
    assert len(asked.opened.folder.target().snapshot.documents) == 15


@pytest.mark.parametrize("group", FLOORS)
def test_hybrid_reaches_its_floor(asked: Asked, group: str) -> None:
    (by_file, by_section), (file_floor, section_floor) = asked.ndcg("hybrid", group), FLOORS[group]
    assert by_file >= file_floor
    assert by_section >= section_floor


def test_every_group_has_a_floor(asked: Asked) -> None:
    assert set(FLOORS) == set(asked.table("hybrid"))


@pytest.mark.parametrize("group", FLOORS)
def test_hybrid_is_not_below_semantic(asked: Asked, group: str) -> None:
    assert asked.ndcg("hybrid", group)[0] >= asked.ndcg("semantic", group)[0] - 0.01 - LOSSES.get(group, 0.0)


def test_hybrid_is_not_below_semantic_by_section(asked: Asked) -> None:
    assert asked.ndcg("hybrid", "all")[1] >= asked.ndcg("semantic", "all")[1] - 0.01


def test_q18_korean_question_english_document(asked: Asked) -> None:
    (certificate,) = (judged for judged in JUDGED if judged.id == "tls-ko")
    assert "guides/access.md" in asked.files(certificate)[:3]


def test_q18_most_korean_questions_have_their_english_document_among_the_first_three(asked: Asked) -> None:
    korean = [judged for judged in JUDGED if judged.language == "ko" and judged.kind == "across"]
    found = [judged.id for judged in korean if judged.files & set(asked.files(judged)[:3])]
    assert len(korean) == 10
    assert len(found) >= 6, f"only {found}"


def test_most_answerable_questions_are_strong(asked: Asked) -> None:
    strong = [judged.id for judged in JUDGED if asked.first(judged.question).match == "strong"]
    assert len(strong) / len(JUDGED) >= 0.62


def test_few_unanswerable_questions_are_strong(asked: Asked) -> None:
    strong = [question for question in UNANSWERABLE if asked.first(question).match == "strong"]
    assert len(UNANSWERABLE) == 40
    assert len(strong) / len(UNANSWERABLE) <= 0.35, strong


@pytest.mark.parametrize("judged", [j for j in JUDGED if j.kind == "identifier"], ids=lambda judged: judged.id)
def test_a_name_is_found_first_and_strong(asked: Asked, judged: Judged) -> None:
    first = asked.first(judged.question)
    assert (first.passage.path, first.passage.line + 1) in judged.sections
    assert first.match == "strong"
