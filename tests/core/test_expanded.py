"""Dictionary words in mode `hybrid`: they find more, and never lift a document over one with the typed word."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from ddg_lsp.core.expanded import WORTH, expanded_share
from ddg_lsp.core.lexical import Fields, LexicalIndex
from ddg_lsp.core.synonym_file import parse
from ddg_lsp.core.synonyms import Dictionary
from ddg_lsp.core.terms import question_terms

DICTIONARY = Dictionary(file=parse("SETUP01 => 설치 안내, 셋업 가이드, guide\nlaptop, notebook").rules)
QUESTION = "how do I use SETUP01 on a laptop"
WORDS = ["SETUP01", "laptop", "notebook", "guide", "설치", "안내", "설치 안내", "how", "use", "other"]
PASSAGE = st.lists(st.sampled_from(WORDS), max_size=6).map(lambda words: Fields("", " ".join(words), ""))
CORPUS = st.lists(st.lists(PASSAGE, min_size=1, max_size=3), min_size=2, max_size=6)


def made(*bodies: str) -> LexicalIndex:
    return LexicalIndex.empty().update([], ((str(i), [Fields("", body, "")]) for i, body in enumerate(bodies)))


@settings(max_examples=150, deadline=None)
@given(CORPUS, st.data())
def test_a_document_with_the_typed_word_is_never_overtaken(corpus: list[list[Fields]], data: st.DataObject) -> None:
    """Whatever the semantic leg says, whatever the weight: best passage of each document, with and without."""
    index = LexicalIndex.empty().update([], ((str(i), passages) for i, passages in enumerate(corpus)))
    other = np.asarray(
        data.draw(st.lists(st.floats(-1, 1, width=16), min_size=index.slot_count, max_size=index.slot_count))
    )
    weight = data.draw(st.sampled_from([0.05, 0.25, 1.0, 3.0]))
    query = question_terms(QUESTION)
    without = other + weight * index.scores(query).astype(np.float64)
    with_ = other + weight * expanded_share(index, query, DICTIONARY.found_in(QUESTION)).astype(np.float64)

    def best(scores: np.ndarray, document: int) -> float:
        return max(float(scores[slot]) for slot in index.slots(str(document)))

    has = [any("SETUP01" in p.body or "laptop" in p.body for p in passages) for passages in corpus]
    for typed in (i for i, yes in enumerate(has) if yes):
        for rest in (i for i, yes in enumerate(has) if not yes):
            assert best(with_, typed) - best(with_, rest) >= best(without, typed) - best(without, rest) - 1e-6


def test_a_stand_in_finds_what_the_word_does_not() -> None:
    index = made("셋업 가이드 문서", "아무 관계 없음", "the guide")
    query = question_terms("SETUP01")
    assert not index.scores(query).any()
    first, second, third = expanded_share(index, query, DICTIONARY.found_in("SETUP01"))
    assert 0 == second < first == third < WORTH


def test_the_typed_word_still_comes_first() -> None:
    index = made("SETUP01 절차", "설치 안내 셋업 가이드 guide " * 9)
    typed, alias = expanded_share(index, question_terms("SETUP01"), DICTIONARY.found_in("SETUP01"))
    assert typed > alias > 0


def test_half_an_alias_is_none() -> None:
    index = made("설치 절차", "설치 안내")
    half, full = expanded_share(index, question_terms("SETUP01"), DICTIONARY.found_in("SETUP01"))
    assert half == 0 < full


def test_without_a_known_word_nothing_changes() -> None:
    index = made("SETUP01 guide", "notebook")
    query = question_terms("guide to SETUP011")
    assert DICTIONARY.found_in("guide to SETUP011") == []
    assert np.array_equal(expanded_share(index, query, []), index.scores(query))


def test_the_gain_is_bounded() -> None:
    index = made("SETUP01 " * 50, "x")
    query = question_terms("SETUP01")
    assert expanded_share(index, query, DICTIONARY.found_in("SETUP01")).max() <= 1 + WORTH
