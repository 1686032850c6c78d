"""Terms: what becomes a term, that documents and questions are folded alike, and that places are right."""

from __future__ import annotations

import time
import unicodedata

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from ddg_lsp.core.folding import compatible, literal, with_places
from ddg_lsp.core.terms import MAX_TERM, fold, question_terms, spans, terms


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Hello, world!", "hello world"),
        ("FastAPI's", "fastapi fast api s"),
        ("HTTPException", "httpexception http exception"),
        ("getUserById", "getuserbyid get user by id"),
        ("APIs URLs", "apis api urls url"),
        ("snake_case_name", "snake_case_name snake case name"),
        ("__init__ _private _emphasis_", "__init__ init private emphasis"),
        ("kebab-case", "kebab-case kebab case"),
        ("a.b.C", "a.b.c a b c"),
        ("os.path.join_paths", "os.path.join_paths os path join_paths join paths"),
        ("std::vec::Vec main:app", "std::vec::vec std vec vec main:app main app"),
        ("docs/en/python-types.md", "docs/en/python-types.md docs en python-types.md python-types md python types"),
        ("--no-cache -x a -- b", "--no-cache no-cache no cache -x x a b"),
        ("a - b, 3-4", "a b 3-4 3 4"),
        ("E0308 error", "e0308 error"),
        ("3.11.2", "3.11.2 3.11 3"),
        ("v3.11.2rc1", "v3.11.2rc1 3.11.2 3.11 3"),
        ("python-3.11", "python-3.11 python 3.11 3"),
        ("C++ C# c", "c++ c# c"),
        ("utf8 utf-8", "utf8 utf 8 utf-8 utf 8"),
        ("a3f9c2d1e4", "a3f9c2d1e4"),
        ("Straße STRASSE", "strasse strasse"),
        ("ＦａｓｔＡＰＩ ﬁne", "fastapi fast api fine"),
        ("co\u00adoperate", "cooperate"),
        ("हिन्दी भाषा", "हिन्दी भाषा"),
        ("nội dung", "nội dung"),
        ("Ёлка и ёж", "ёлка и ёж"),
        ("שָׁלוֹם", "שָׁלוֹם"),
        ("_ __ - .", ""),
    ],
)
def test_words_and_identifiers(text: str, expected: str) -> None:
    assert terms(text) == [unicodedata.normalize("NFKC", term) for term in expected.split()]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("설치", "설 치 설치"),
        ("설", "설"),
        ("FastAPI를", "fastapi fast api 를"),
        ("型の追加", "型 の 追 加 追加"),
        ("索引", "索 引 索引"),
        ("ﾊﾞｯｸ", "バ ッ ク バッ ック"),
        ("ไทย", "ไ ท ย ไท ทย"),
    ],
)
def test_scripts_without_spaces(text: str, expected: str) -> None:
    assert terms(text) == expected.split()


def test_a_question_keeps_single_characters_only_where_they_stand_alone() -> None:
    assert question_terms("설치 안내") == ["설치", "안내"]
    assert question_terms("型の追加") == ["型", "の", "追加"]
    assert question_terms("FastAPI --reload 3.11") == terms("FastAPI --reload 3.11")


@pytest.mark.parametrize(
    "question", ["型", "설치", "索引", "ＡＰＩ", "--reload", "E0308", "3.11", "docs/a.md", "joinPaths"]
)
def test_s24_a_question_finds_its_document(question: str) -> None:
    document = terms(
        "型ヒントの索引, 패키지설치하기; Api, uvicorn --reload: error E0308 in Python 3.11.2, see docs/a.md#joinPaths"
    )
    assert set(question_terms(question)) <= set(document)


SAMPLE = st.text(
    alphabet="aAzZ09_-./:\\#+ éßİŉǰ́\u00ad가각ㄱㅏ\u1100\u1161\u11a8漢字型のカタﾊﾞ々ー🙂हि่ไทय़\u200d\u3000½™ſΣς",
    max_size=40,
)


@settings(max_examples=200, deadline=None)
@given(SAMPLE)
@example("A\u200d\u0301")
def test_spans_are_terms_with_their_places(text: str) -> None:
    found = spans(text)
    assert [span.term for span in found] == [fold(term) for term in terms(text)]
    for term, start, end in found:
        assert 0 <= start < end <= len(text)
        assert set(term) <= set(fold(text[start:end]))


@settings(deadline=None)
@given(SAMPLE)
def test_equivalent_texts_have_equal_terms(text: str) -> None:
    plain = text.replace("\\", "")
    assert terms(unicodedata.normalize("NFD", plain)) == terms(unicodedata.normalize("NFC", plain))
    assert terms(unicodedata.normalize("NFKC", plain)) == terms(plain)


@settings(deadline=None)
@given(SAMPLE)
def test_a_question_has_no_terms_its_document_lacks(text: str) -> None:
    assert set(question_terms(text)) <= set(terms(text))


@settings(deadline=None)
@given(SAMPLE)
def test_an_ascii_text_is_read_as_any_other(text: str) -> None:
    ascii_text = text.encode("ascii", "ignore").decode()
    assert terms(ascii_text) == terms(ascii_text + " é")[:-1]


@settings(max_examples=200, deadline=None)
@given(st.text(max_size=40) | SAMPLE)
def test_folding_piece_by_piece_is_folding_the_whole(text: str) -> None:
    for change in (literal, compatible):
        folded, starts, ends = with_places(text, change)
        assert folded == change(text)
        assert len(folded) == len(starts) == len(ends)
        assert starts == sorted(starts)
        assert all(a < b <= len(text) for a, b in zip(starts, ends, strict=True))


def test_terms_are_bounded() -> None:
    assert terms("x" * 1000) == ["x" * MAX_TERM]


@pytest.mark.parametrize(
    "text",
    [
        "a" * 100_000,
        "a." * 50_000,
        "-" * 100_000,
        "aB" * 50_000,
        "_" * 100_000,
        "1." * 50_000,
        "漢" * 100_000,
        "e\u0301" * 50_000,
    ],
)
def test_no_text_takes_more_than_linear_time(text: str) -> None:
    started = time.process_time()
    terms(text)
    spans(text[:4_000])
    assert time.process_time() - started < 4
