"""The dictionary: synonym files (S19 to S21), the settings' table, front-matter aliases, failures, diagnostics."""

from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ddg_lsp.core.literal import Expansion, plan
from ddg_lsp.core.synonym_file import MAX_BYTES, parse, read_file
from ddg_lsp.core.synonyms import Dictionary, Rules, read_aliases, read_table
from tests.helpers.literal_cases import ALIASES, document


def others(text: str, *terms: str) -> list[str]:
    return parse(text).rules.of(terms)


def codes(text: str) -> list[tuple[int, str]]:
    return [(note.line, note.code) for note in parse(text).diagnostics]


def test_s19_solr_file() -> None:
    text = "\n".join(
        [
            "# comment, not => a rule",
            "",
            r"a\, b, c",
            "x => p",
            "  # another",
            "x => q, r",
            "=> y",
            "good, " + "b" * 300,
            "last, one",
        ]
    )
    assert others(text, "a, b") == ["c"]
    assert others(text, "c") == ["a, b"]
    assert others(text, "x") == ["p", "q", "r"]
    assert codes(text) == [(6, "bad-rule"), (7, "term-too-long")]
    assert others(text, "good") == []
    assert others(text, "one") == ["last"]


def test_s20_two_way() -> None:
    assert others("노트북, 랩톱", "노트북") == ["랩톱"]
    assert others("노트북, 랩톱", "랩톱") == ["노트북"]


def test_s21_one_way_one_hop() -> None:
    text = "a => b\nb => c"
    assert others(text, "a") == ["b"]
    assert others(text, "b") == ["c"]
    assert others(text, "c") == []


@pytest.mark.parametrize("ending", ["\n", "\r\n", "\r"])
def test_line_endings_and_the_byte_order_mark(ending: str) -> None:
    file = read_file(("\ufeffa, b" + ending + "c =>" + ending).encode())
    assert file.rules.of(["a"]) == ["b"]
    assert [(note.line, note.start, note.end) for note in file.diagnostics] == [(1, 0, 4)]


def test_escapes() -> None:
    assert others(r"a\=>b => back\\slash, com\,ma", "a=>b") == ["back\\slash", "com,ma"]
    assert others("a, b\\", "a") == ["b\\"]


def test_the_typed_term_is_never_its_own_expansion() -> None:
    assert others("a, A, b", "a") == ["b"]
    assert others("a, b, c", "a", "B") == ["c"]


def test_the_order_is_the_sources_whatever_was_asked_first() -> None:
    text = "b => 1, 2\na => 3, 1\n"
    assert others(text, "a", "b") == others(text, "b", "a") == ["1", "2", "3"]


def test_terms_are_looked_up_under_the_fold_of_the_matcher() -> None:
    assert others("CAFÉ => x", "cafe\u0301") == ["x"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a => b => c", [(0, "bad-rule")]),
        ("a,,b", [(0, "bad-rule")]),
        ("a =>", [(0, "bad-rule")]),
        ("alone", [(0, "alone")]),
        ("a, b\na, b", [(1, "duplicate")]),
        ("a => b\na => B", [(1, "duplicate")]),
        ("a, b\nb, c", []),
        ("a => a", [(0, "duplicate")]),
        ("a, b, A", [(0, "duplicate")]),
        ("a => " + ", ".join(f"t{i}" for i in range(32)), []),
        ("a => " + ", ".join(f"t{i}" for i in range(33)), [(0, "too-many")]),
        ("a => " + ", ".join(f"t{i}" for i in range(32)) + "\na => x\na => y", [(1, "too-many")]),
        ("x" * 200 + " => y", []),
    ],
)
def test_diagnostics(text: str, expected: list[tuple[int, str]]) -> None:
    assert codes(text) == expected


def test_a_diagnostic_names_its_place() -> None:
    [note] = parse("\n  a => b => c \n").diagnostics
    assert (note.line, note.start, note.end) == (1, 2, 13)


@pytest.mark.parametrize(
    ("data", "word"),
    [
        (b"a, \xff", "UTF-8"),
        (b"#" * (MAX_BYTES + 1), "larger"),
        ("unreadable", "unreadable"),
        ("too-large", "too-large"),
    ],
)
def test_s14_a_file_that_cannot_be_read_is_a_reason(data: bytes | str, word: str) -> None:
    file = read_file(data)
    dictionary = Dictionary(read_table({"a": ["b"]}), file.rules, failure=file.failure)
    assert word in (dictionary.expand(["a"]).reason or "")
    assert dictionary.expand(["a"]).terms == ()
    assert dictionary.found_in("a") == []
    assert plan(["a"], dictionary.expand).search_terms == ("a",)


def test_no_dictionary_and_no_hit() -> None:
    assert read_file("vanished").failure is None
    assert Dictionary().expand(["a"]) == Expansion((), "no_dictionary")
    assert Dictionary(file=parse("a, b").rules).expand(["z"]) == Expansion((), None)


def test_settings_then_file_then_aliases() -> None:
    aliases = read_aliases([document("a.md", "", {"aliases": ["alias", "one"]}, title="SETUP01")])
    dictionary = Dictionary(read_table({"SETUP01": list(ALIASES)}), parse("one, SETUP01, file").rules, aliases)
    assert dictionary.expand(["setup01"]).terms == (*ALIASES, "one", "file", "alias")


def test_table_is_one_way_and_leaves_out_what_no_term_can_be() -> None:
    rules = read_table({"SETUP01": [" 설치 안내 ", "", "x" * 201], " ": ["y"], "k": []})
    assert rules.of(["setup01"]) == ["설치 안내"]
    assert list(rules.terms) == ["setup01"]
    assert rules.of(["설치 안내"]) == []


@pytest.mark.parametrize(
    ("value", "expected"),
    [(["B", "C"], ["B", "C"]), ("B", ["B"]), ([1, None, "B"], ["B"]), (None, []), ({"B": 1}, []), ([], [])],
)
def test_aliases_of_a_document(value: object, expected: list[str]) -> None:
    rules = read_aliases([document("a.md", "", {"aliases": value}, title="A")])
    assert rules.of(["a"]) == expected
    assert rules.of(["b"]) == (["A", *expected[1:]] if expected else [])


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("SETUP01은 어떻게 하나요?", ["setup01"]),
        ("is there a setup01?", ["setup01"]),
        ("setup011 or xsetup01", []),
        ("새노트북은 어디에", ["노트북"]),
        ("how do I get a dead letter queue", ["dead letter queue"]),
        ("노트북과 SETUP01", ["노트북", "setup01"]),
        ("nothing", []),
    ],
)
def test_terms_found_in_a_question(question: str, expected: list[str]) -> None:
    dictionary = Dictionary(file=parse("SETUP01 => 설치\n노트북, 랩톱\ndead letter queue, DLQ").rules)
    found = dictionary.found_in(question)
    assert [term for term, _ in found] == expected
    assert all(terms for _, terms in found)


@pytest.mark.parametrize(
    "text",
    [
        ",".join(map(str, range(150_000))),
        ",".join(map(str, range(75_000))) + "=>" + ",".join(map(str, range(75_000))),
        "x=>y\n" * 100_000,
        "\\" * 300_000,
        "a" * MAX_BYTES,
        "\n".join(f"{i},b{i}" for i in range(30_000)),
    ],
    ids=["one line", "one rule", "one pair", "escapes", "one word", "many lines"],
)
def test_a_hostile_file_costs_seconds_at_most(text: str) -> None:
    started = time.process_time()
    file = parse(text)
    dictionary = Dictionary(file=file.rules)
    plan(["1", "x"], dictionary.expand)
    assert len(file.diagnostics) <= 100
    assert time.process_time() - started < 5


TERM = st.text(alphabet="ab설치, =>\\#é", min_size=1, max_size=6).map(str.strip).filter(lambda t: t and t[0] != "#")


@settings(deadline=None)
@given(st.lists(st.lists(TERM, min_size=2, max_size=4, unique_by=str.casefold), min_size=1, max_size=5))
def test_what_is_written_with_escapes_is_read_back(groups: list[list[str]]) -> None:
    def escape(term: str) -> str:
        return "".join("\\" + c if c in ",=\\" else c for c in term)

    file = parse("\n".join(", ".join(map(escape, group)) for group in groups))
    assert {note.code for note in file.diagnostics} <= {"duplicate"}
    expected = Rules()
    for group in groups:
        expected.add(group, group)
    for term in {term for group in groups for term in group}:
        assert file.rules.of([term]) == expected.of([term])
