"""Mode `lexical`: the acceptance cases of source C that need no dictionary file (S01 to S18, S22 to S26)."""

from __future__ import annotations

import itertools
import unicodedata
from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ddg_lsp.core.errors import DdgError
from ddg_lsp.core.folding import literal
from ddg_lsp.core.literal import (
    Expander,
    Expansion,
    folded_passages,
    keys,
    make_score,
    occurrences,
    plan,
    score_passage,
    split_terms,
)
from ddg_lsp.core.literal_rank import FoldedTexts, Ranked, priority_of, rank, search
from ddg_lsp.core.model import Document
from ddg_lsp.core.terms import terms
from ddg_lsp.core.text import LineIndex
from tests.helpers.literal_cases import ALIASES, document, giving, score

A = "SETUP01 설치 절차"
B = "설치 안내 / 설치 설명서 / 셋업 가이드"
MANY = tuple(f"별칭{chr(0xAC00 + 28 * i)}" for i in range(40))
COUNTS = st.tuples(st.integers(0, 16), st.integers(0, 32), st.integers(0, 10**6))


def found(documents: Sequence[Document], words: Sequence[str], expander: Expander | None = None) -> list[str]:
    files = search(plan(words, expander), documents, FoldedTexts(), priority_of({}))
    return [file.document.path for file in files]


def test_s01_typed_word() -> None:
    assert score(A, ["SETUP01"], *ALIASES) == (1, 0, 1, 3301, 1.000303)


def test_s02_aliases_only() -> None:
    assert score(B, ["SETUP01"], *ALIASES) == (0, 3, 3, 303, 0.091818)


def test_s03_every_alias_once() -> None:
    assert score(" / ".join(MANY[:32]), ["SETUP01"], *MANY) == (0, 32, 32, 3232, 0.979394)


def test_s04_order() -> None:
    files = [document("b.md", B), document("all.md", " ".join(MANY[:29])), document("a.md", A)]
    assert found(files, ["SETUP01"], giving(*ALIASES, *MANY)) == ["a.md", "all.md", "b.md"]
    assert rank([Ranked("b", 303), Ranked("32", 3232), Ranked("a", 3301)]) == [
        ("a", 3301, 100, 0),
        ("32", 3232, 100, 0),
        ("b", 303, 100, 0),
    ]


@pytest.mark.parametrize("highlights", [99, 100, 101, 102, 500])
def test_s05_boundary(highlights: int) -> None:
    text = " ".join(MANY[:32]) + f" {MANY[0]}" * (highlights - 32)
    result = score(text, ["SETUP01"], *MANY)
    assert result == (0, 32, highlights, 3299, 0.999697)
    assert result.key < score(A, ["SETUP01"], *MANY).key


def test_s06_two_typed_against_one() -> None:
    two = score("one two", ["one", "two"], *MANY)
    one = score("one " + " ".join(MANY[:32]) * 16, ["one", "two"], *MANY)
    assert (one.u, one.e) == (1, 32)
    assert one.h > 500
    assert (two.key, one.key) == (6602, 6599)


def test_s07_repeats() -> None:
    assert score("SETUP01 SETUP01 SETUP01", ["SETUP01"], *ALIASES) == (1, 0, 3, 3303, 1.000909)


def test_s08_mixed() -> None:
    assert score(f"{A} {B}", ["SETUP01"], *ALIASES) == (1, 3, 4, 3604, 1.092121)


@pytest.mark.parametrize(
    "again", ["SETUP01", "setup01", "ＳETUP01".replace("Ｓ", "s")], ids=["s09", "s10", "s10_mixed"]
)
def test_s09_s10_same_word_from_the_dictionary(again: str) -> None:
    made = plan(["SETUP01"], giving(again, *ALIASES))
    assert made.search_terms == ("SETUP01", *ALIASES)
    assert made.expansion_terms == ALIASES
    assert score_passage(made, literal(A)).key == 3301


def test_s10_fold_is_the_matchers() -> None:
    made = plan(["Café"], giving("CAFE\u0301", "cafe"))
    assert made.expansion_terms == ("cafe",)


def test_s11_sixteen_and_two() -> None:
    made = plan([f"t{i}" for i in range(16)], giving("x", "y"))
    assert len(made.search_terms) == 18
    assert (made.expansion.terms, made.expansion.reason, made.expansion.truncated) == (("x", "y"), None, False)


class Forbidden:
    """A dictionary that must not be asked."""

    def __call__(self, terms: Sequence[str]) -> Expansion:
        raise AssertionError("the dictionary was asked")


@pytest.mark.parametrize("expander", [Forbidden(), None, lambda terms: Expansion((), "unreadable")])
@pytest.mark.parametrize(
    ("words", "reason"),
    [
        pytest.param([f"t{i}" for i in range(17)], "too_many_terms", id="s12"),
        pytest.param(["same"] * 17, "too_many_terms", id="s12_counted_as_sent"),
        pytest.param([], "no_terms", id="s26_none"),
        pytest.param([" "], "blank_term", id="s26_blank"),
        pytest.param(["x", "\u3000"], "blank_term", id="s26_blank_among_others"),
    ],
)
def test_s12_s26_invalid(words: list[str], reason: str, expander: Expander | None) -> None:
    with pytest.raises(DdgError) as caught:
        plan(words, expander)
    assert caught.value.code == "SEARCH_INVALID_QUERY"
    assert caught.value.usage
    assert caught.value.data == {"reason": reason, "max": 16, "got": len(words)}


def test_s13_sixteen_and_forty() -> None:
    made = plan([f"t{i}" for i in range(16)], giving(*MANY))
    assert len(made.search_terms) == 48
    assert made.expansion_terms == MANY[:32]
    assert made.expansion.truncated


def test_s13_the_cut_comes_after_typed_words_and_repeats_are_out() -> None:
    made = plan(["a"], giving("A", "b", "B", *MANY[:31]))
    assert made.expansion_terms == ("b", *MANY[:31])
    assert not made.expansion.truncated


def test_s14_failure_is_as_without_dictionary() -> None:
    files = [document("b.md", B), document("a.md", A)]
    made = plan(["SETUP01"], lambda terms: Expansion((), "unreadable"))
    assert (made.expansion.terms, made.expansion.reason) == ((), "unreadable")
    results = [search(p, files, FoldedTexts(), priority_of({})) for p in (made, plan(["SETUP01"], None))]
    assert results[0] == results[1]
    assert [file.document.path for file in results[0]] == ["a.md"]


def test_s14_switched_off() -> None:
    assert plan(["SETUP01"], None).expansion.reason == "disabled"


def test_s15_other_errors_go_through(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(terms: Sequence[str]) -> Expansion:
        raise RuntimeError("not the dictionary's contract")

    def unreadable(self: FoldedTexts, documents: Sequence[Document]) -> list[tuple[str, ...]]:
        raise OSError("the index cannot be read")

    with pytest.raises(RuntimeError):
        plan(["SETUP01"], broken)
    monkeypatch.setattr(FoldedTexts, "of", unreadable)
    with pytest.raises(OSError, match="index"):
        found([document("a.md", A)], ["SETUP01"])


def test_s17_equal_counts_are_equal_keys() -> None:
    one = score("one 설치 안내 설치 설명서", ["one"], *ALIASES)
    other = score("설치 설명서 설치 안내 one", ["one"], *reversed(ALIASES))
    assert one.key == other.key
    assert make_score(0, 1, 1).key == 101 > make_score(0, 0, 101).key == 99


@settings(deadline=None)
@given(COUNTS, COUNTS)
def test_s18_key_order_is_the_order_of_the_counts(one: tuple[int, int, int], other: tuple[int, int, int]) -> None:
    left, right = make_score(*one), make_score(*other)
    assert (left.key < right.key) == ((*one[:2], min(one[2], 99)) < (*other[:2], min(other[2], 99)))
    if one[0] > other[0]:
        assert left.key > right.key


def test_s18_over_all_reachable_counts() -> None:
    triples = itertools.product(range(17), range(33), range(100))
    assert [make_score(*triple).key for triple in triples] == list(range(56_100))


def test_s22_nfd_text_nfc_term() -> None:
    text = "# 머리\n\n" + unicodedata.normalize("NFD", "앞의 설치 안내, 끝")
    doc = document("a.md", text)
    [place] = occurrences(plan(["설치 안내"], None), doc, doc.passages[0])
    assert text[place.start : place.end] == unicodedata.normalize("NFD", "설치 안내")
    assert found([doc], ["설치"]) == ["a.md"]


def test_s22_a_syllable_is_not_found_in_a_longer_one() -> None:
    doc = document("a.md", unicodedata.normalize("NFD", "각"))
    assert found([doc], ["가"]) == []


def test_s23_utf16() -> None:
    text = "🙂🙂 x\n🙂 SETUP01"
    doc = document("a.md", text)
    [place] = occurrences(plan(["setup01"], None), doc, doc.passages[0])
    lines = LineIndex(text)
    assert lines.position(place.start, "utf-16") == (1, 3)
    assert lines.position(place.end, "utf-16") == (1, 10)
    assert lines.position(place.start, "utf-8") == (1, 5)
    assert lines.position(place.start, "utf-32") == (1, 2)


def test_s24_short_korean() -> None:
    assert found([document("a.md", "패키지를설치한다")], ["설치"]) == ["a.md"]
    assert "설치" in terms("패키지를설치한다")


def test_heading_and_body_are_searched_and_never_across() -> None:
    doc = document("a.md", "# 설치\n안내\n")
    assert found([doc], ["설치"]) == found([doc], ["안내"]) == ["a.md"]
    assert found([doc], ["설치안내"]) == found([doc], ["설치 안내"]) == []


def test_text_before_any_heading_is_counted_once() -> None:
    doc = document("a.md", "word\nmore")
    assert score_passage(plan(["word"], None), folded_passages(doc)[0]).h == 1


def test_words_and_quotes() -> None:
    assert split_terms('  how "set up"\u3000파이썬 a"b "" "open') == ["how", "set up", "파이썬", 'a"b', "", '"open']


def test_equal_typed_words_count_once() -> None:
    assert score("setup", ["Setup", "setup"]) == (1, 0, 1, 3301, 1.000303)


def test_occurrences_of_a_term_do_not_overlap_those_of_two_terms_may() -> None:
    assert score("aaaa aa", ["aa"]).h == 3
    assert score("설치 안내", ["설치", "안내", "설치 안내"]) == (3, 0, 3, 9903, 3.000909)


TEXTS = st.text(alphabet="aAbß\u0301é가각ㄱ\u1100\u1161\u11a8İ🙂 \n", max_size=30)


@settings(max_examples=150, deadline=None)
@given(TEXTS, st.text(alphabet="aAbß\u0301é가각\u1100\u1161\u11a8", min_size=1, max_size=4))
def test_what_is_counted_is_what_is_shown(text: str, term: str) -> None:
    doc = document("a.md", text)
    made = plan([term], None)
    places = occurrences(made, doc, doc.passages[0])
    assert len(places) == score_passage(made, folded_passages(doc)[0]).h == keys(made, folded_passages(doc))[0] % 3300
    for place in places:
        assert literal(term) in literal(text[place.start : place.end])


@settings(deadline=None)
@given(
    st.lists(st.sampled_from(["a", "b", "c", "ab", "설치", "x y"]), min_size=1, max_size=4), st.lists(TEXTS, max_size=4)
)
def test_keys_are_the_passages_scores(words: list[str], texts: list[str]) -> None:
    made = plan(words, giving("ab", "é"))
    folded = [literal(text) for text in texts]
    assert keys(made, folded).tolist() == [score_passage(made, text).key for text in folded]
