"""Words of the trade in Korean, Japanese and Chinese questions: found, and what they do to the question's vector."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ddg_lsp.core import glossary, question_vector
from ddg_lsp.core.embedding.deterministic import DeterministicEmbedder
from ddg_lsp.core.embedding.e5 import E5Embedder
from ddg_lsp.core.glossary import LANGUAGES, MAX_GLOSSES, glosses
from tests.helpers.folders import ask, build, paths, write

SPELLINGS = [
    (code, spelling, term.english)
    for term in glossary.load()
    for code in LANGUAGES
    for spelling in term.spellings[code]
]


def test_the_list_is_well_formed() -> None:
    for code in LANGUAGES:
        keys = ["".join(spelling.split()) for language, spelling, _ in SPELLINGS if language == code]
        assert len(keys) == len(set(keys)), f"a spelling stands twice in {code}"
    for _, spelling, english in SPELLINGS:
        assert len(spelling) > 1
        assert not spelling.isascii()
        assert english.isascii()
        assert english == english.strip() != ""
    assert len({term.english for term in glossary.load()}) == len(glossary.load())


def test_every_spelling_is_found_on_its_own() -> None:
    """A spelling in Han characters alone may be looked up as Chinese: another English word, never none."""
    for code, spelling, english in SPELLINGS:
        found = glosses(spelling)
        assert found, (code, spelling)
        if code == "ko":
            assert found == (english,)


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("의존성 주입은 어떻게 하나요?", ("dependency injection",)),
        ("의존성주입", ("dependency injection",)),
        ("依存性注入はどうやって使いますか?", ("dependency injection",)),
        ("依赖注入怎么用?", ("dependency injection",)),
        ("プログラムのログを見たい", ("program", "log")),
        ("프로그램이 멈춰요", ("program",)),  # not 로그
        ("로그인이 안 돼요", ("login sign in",)),  # not 로그
        ("무엇인가요", ()),  # not 인가
        ("ｷｬｯｼｭ", ("cache",)),
        ("캐시와 캐시", ("cache",)),
        ("how do I use dependency injection?", ()),
        ("wie funktioniert die Authentifizierung?", ()),
        ("", ()),
    ],
)
def test_words_are_found_as_words(question: str, expected: tuple[str, ...]) -> None:
    assert glosses(question) == expected


@given(st.lists(st.sampled_from([spelling for _, spelling, _ in SPELLINGS]), max_size=12), st.text(max_size=20))
def test_any_question_has_few_glosses_each_once(spellings: list[str], more: str) -> None:
    found = glosses(" ".join([*spellings, more]))
    assert len(found) == len(set(found)) <= MAX_GLOSSES
    assert set(found) <= {term.english for term in glossary.load()}


def test_the_vector_is_a_unit_vector_between_the_question_and_the_glossed_one() -> None:
    embedder = DeterministicEmbedder()
    question = "캐시는 어떻게 비우나요?"
    plain, glossed = question_vector.plain(embedder, question), question_vector.glossed(embedder, question)
    beside = question_vector.plain(embedder, f"cache: {question}")
    assert np.linalg.norm(glossed) == pytest.approx(1.0, abs=1e-6)
    assert min(glossed @ plain, glossed @ beside) > plain @ beside
    assert np.array_equal(
        question_vector.glossed(embedder, "how to clear it"), question_vector.plain(embedder, "how to clear it")
    )


def test_a_word_the_model_does_not_know_is_answered(tmp_path: Path) -> None:
    """The model alone puts a page about something else first; mode `semantic` is the plain model."""
    pages = {
        "injection.md": "# Dependencies\n\nDependency injection: declare what a function needs and it is handed in.\n",
        "vaccine.md": "# Needles\n\nAn injection is given by a nurse; inject the dose slowly.\n",
        "families.md": "# Dependants\n\nChildren depend on their parents for their upkeep.\n",
        "addiction.md": "# Addiction\n\nHow people become addicted, and how they are treated.\n",
    }
    folder = build(write(tmp_path, pages), E5Embedder()).folder
    for question in ("의존성 주입은 어떻게 하나요?", "依存性注入はどうやって使いますか?", "依赖注入怎么用?"):
        answer = ask(folder, question, mode="hybrid", explain=True)
        assert paths(answer)[0] == "injection.md"
        assert answer.hits[0].explain is not None
        assert answer.hits[0].explain["glosses"] == ["dependency injection"]
