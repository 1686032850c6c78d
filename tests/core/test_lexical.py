"""The lexical leg: equal to BM25 written out plainly, whatever updates led there; slots stay; old indexes stay."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from ddg_lsp.core import lexical_store
from ddg_lsp.core.lexical import K1, B, Fields, LexicalIndex
from ddg_lsp.core.lexical_store import WEIGHTS
from ddg_lsp.core.terms import question_terms, terms

Corpus = Mapping[str, Sequence[Fields]]
WORDS = ["get", "set", "fastAPI", "snake_case", "설치", "안내", "型の追加", "--reload", "a", "b", "c", "3.11.2", "the"]
TEXT = st.lists(st.sampled_from(WORDS), max_size=8).map(" ".join)
PASSAGE = st.builds(Fields, TEXT, TEXT, st.sampled_from(["docs/a.md", "b.md", ""]))
PASSAGES = st.lists(PASSAGE, max_size=4)
CORPUS = st.dictionaries(st.sampled_from("pqrstuv"), PASSAGES, max_size=6)


def weighted(passage: Fields) -> Counter[str]:
    counts: Counter[str] = Counter()
    for text, weight in zip(passage, WEIGHTS, strict=True):
        for term in terms(text):
            counts[term] += weight
    return counts


def plain_scores(corpus: Corpus, query: Sequence[str]) -> dict[tuple[str, int], float]:
    """The lexical share of every passage, by the book: no index, no vectors, one loop after the other."""
    counts = {(path, i): weighted(p) for path, passages in corpus.items() for i, p in enumerate(passages)}
    mean = sum(sum(c.values()) for c in counts.values()) / max(len(counts), 1) or 1.0
    scores = {}
    for place, own in counts.items():
        gain, ceiling = 0.0, 0.0
        for term in dict.fromkeys(query):
            df = sum(1 for other in counts.values() if term in other)
            idf = math.log(1 + (len(counts) - df + 0.5) / (df + 0.5))
            ceiling += idf * (K1 + 1)
            norm = K1 * (1 - B + B * sum(own.values()) / mean)
            gain += idf * own[term] * (K1 + 1) / (own[term] + norm)
        scores[place] = gain / ceiling if ceiling else 0.0
    return scores


def by_place(index: LexicalIndex, scores: np.ndarray, corpus: Corpus) -> dict[tuple[str, int], float]:
    return {(path, i): float(scores[slot]) for path in corpus for i, slot in enumerate(index.slots(path))}


@settings(max_examples=80, deadline=None)
@given(CORPUS, TEXT)
def test_scores_are_bm25(corpus: Corpus, question: str) -> None:
    index = LexicalIndex.empty().update([], corpus.items())
    query = question_terms(question)
    assert by_place(index, index.scores(query), corpus) == pytest.approx(plain_scores(corpus, query), abs=1e-6)


class Updates(RuleBasedStateMachine):
    """Any history of updates ends in the scores of the corpus it led to, and leaves earlier indexes as they were."""

    @initialize()
    def start(self) -> None:
        self.index = LexicalIndex.empty()
        self.corpus: dict[str, list[Fields]] = {}
        self.kept: list[tuple[LexicalIndex, np.ndarray, dict[str, range]]] = []

    @rule(added=CORPUS, removed=st.lists(st.sampled_from("pqrstuvx"), max_size=3))
    def update(self, added: dict[str, list[Fields]], removed: list[str]) -> None:
        self.kept = [
            *self.kept[-3:],
            (self.index, self.index.scores(QUERY), {p: self.index.slots(p) for p in self.corpus}),
        ]
        before = {path: self.index.slots(path) for path in self.corpus}
        self.index = self.index.update(removed, added.items())
        for path in removed:
            self.corpus.pop(path, None)
        self.corpus.update(added)
        for path in self.corpus.keys() - added.keys():
            assert self.index.slots(path) == before[path]

    @invariant()
    def scores_follow_from_the_corpus(self) -> None:
        fresh = LexicalIndex.empty().update([], sorted(self.corpus.items()))
        mine, other = self.index.scores(QUERY), fresh.scores(QUERY)
        assert by_place(self.index, mine, self.corpus) == pytest.approx(by_place(fresh, other, self.corpus), abs=1e-6)
        assert self.index.passages == fresh.passages == sum(map(len, self.corpus.values()))
        assert len(mine) == self.index.slot_count

    @invariant()
    def slots_are_apart_and_the_rest_scores_nothing(self) -> None:
        used = [slot for path in self.corpus for slot in self.index.slots(path)]
        assert len(used) == len(set(used)) == sum(map(len, self.corpus.values()))
        assert all(len(self.index.slots(path)) == len(passages) for path, passages in self.corpus.items())
        idle = np.setdiff1d(np.arange(self.index.slot_count), used)
        assert not self.index.scores(QUERY)[idle].any()
        assert self.index.slot_count == max(used, default=-1) + 1

    @invariant()
    def old_indexes_are_untouched(self) -> None:
        for index, scores, slots in self.kept:
            assert np.array_equal(index.scores(QUERY), scores)
            assert {path: index.slots(path) for path in slots} == slots


QUERY = question_terms("getFastAPI 설치 型 the --reload")
Updates.TestCase.settings = settings(max_examples=15, stateful_step_count=15, deadline=None)
TestUpdates = Updates.TestCase


def test_many_updates_merge_and_do_not_grow() -> None:
    corpus = {f"{i}.md": [Fields("title", f"word{i} common", "x.md")] * (1 + i % 3) for i in range(100)}
    index = LexicalIndex.empty().update([], corpus.items())
    size = index.slot_count
    for round_ in range(400):
        path = f"{round_ % 100}.md"
        corpus[path] = [Fields("title", f"word{round_} common", "x.md")] * (1 + round_ % 3)
        index = index.update([], [(path, corpus[path])])
    assert index.slot_count <= size * 1.2
    assert len(index._layers) <= 8
    assert sum(layer.dead for layer in index._layers) <= 2 * index.passages
    query = ["common", "word399"]
    assert by_place(index, index.scores(query), corpus) == pytest.approx(plain_scores(corpus, query), abs=1e-6)


def test_blocks_and_forgotten_words_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    corpus = {"a.md": [Fields(f"h{i}", f"word{i % 7} fastAPI 설치 {i}", f"d/{i % 3}.md") for i in range(50)]}
    whole = LexicalIndex.empty().update([], corpus.items())
    monkeypatch.setattr(lexical_store, "BLOCK", 7)
    monkeypatch.setattr(lexical_store, "MAX_WORDS_KEPT", 5)
    pieces = LexicalIndex.empty().update([], corpus.items())
    query = terms("word3 api 설치 d/1.md h4")
    assert np.array_equal(whole.scores(query), pieces.scores(query))


def test_share_is_between_none_and_all() -> None:
    index = LexicalIndex.empty().update([], [("a", [Fields("x y", "x y " * 500, "x/y.md"), Fields("", "z", "")])])
    full, none = index.scores(["x", "y"])
    assert 0.9 < full <= 1.0
    assert none == 0.0


def test_a_term_nobody_has_lowers_the_share() -> None:
    index = LexicalIndex.empty().update([], [("a", [Fields("", "x", "")] + [Fields("", "y", "")] * 9)])
    assert 0 < index.scores(["x", "unheard"])[0] < index.scores(["x"])[0]


def test_repeats_in_the_question_count_once() -> None:
    index = LexicalIndex.empty().update([], [("a", [Fields("", "x y", ""), Fields("", "y", "")])])
    assert np.array_equal(index.scores(["x", "y", "x"]), index.scores(["x", "y"]))


def test_heading_counts_more_than_body() -> None:
    index = LexicalIndex.empty().update([], [("a", [Fields("x", "y", ""), Fields("y", "x", "")])])
    first, second = index.scores(["x"])
    assert first > second > 0


def test_matched() -> None:
    index = LexicalIndex.empty().update([], [("a", [Fields("setUp", "b", ""), Fields("", "c", "d.md")])])
    index = index.update([], [("b", [Fields("", "b c", "")])])
    slots = [*index.slots("a"), *index.slots("b")]
    query = ["c", "set", "b", "c", "none"]
    assert [index.matched(query, slot) for slot in slots] == [("set", "b"), ("c",), ("c", "b")]


def test_nothing_in_nothing_out() -> None:
    empty = LexicalIndex.empty()
    assert empty.scores(["x"]).shape == (0,)
    assert empty.update(["gone"], []).slots("gone") == range(0)
    index = empty.update([], [("blank", [Fields("", "", ""), Fields("", "…", "")]), ("none", [])])
    assert index.scores([]).tolist() == index.scores(["x"]).tolist() == [0, 0]
    assert index.matched(["x"], 1) == ()
    assert index.update(["blank", "none"], []).slot_count == 0
