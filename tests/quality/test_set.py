"""The judged set agrees with itself: labels with pages, types with languages, questions with what its README says."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ddg_lsp.core import probes
from ddg_lsp.core.markdown import parse

SET = Path(__file__).parent / "set"
CORPUS = SET / "corpus"
DOCUMENTS = sorted(path.relative_to(CORPUS).as_posix() for path in CORPUS.rglob("*.md"))
PAGE_LANGUAGES = {
    "operations/cluster.md": "ko",
    "guides/webhooks.md": "ko",
    "guides/payloads.md": "ja",
    "operations/capacity.md": "de",
}
LANGUAGES = {"en", "ko", "ja", "zh", "de", "es", "ru"}
SMALL_WORDS = re.compile(
    r"\b(?:a|all|an|and|are|at|be|but|by|can|did|do|does|for|from|has|have|how|i|if|in|into|is|it|its|many|my|not|of|on|"
    r"one|only|that|the|them|then|this|to|was|what|when|where|which|who|why|will|with)\b"
)


def rows(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (SET / name).read_text("utf-8").splitlines()]


QUESTIONS = rows("queries.jsonl")
UNANSWERABLE = rows("unanswerable.jsonl")


def text_of(path: str) -> str:
    return (CORPUS / path).read_bytes().decode("utf-8")


def headings_of(path: str) -> dict[int, str]:
    """Headings by 1-based line, told from the text alone: outside fences, `#` and a blank."""
    found: dict[int, str] = {}
    fenced = False
    for number, line in enumerate(re.split(r"\r?\n", text_of(path)), start=1):
        if line.startswith("```"):
            fenced = not fenced
        elif not fenced and re.match(r"#{1,6} ", line):
            found[number] = line.lstrip("#").strip()
    return found


def section_text(path: str, line: int) -> str:
    lines, ends = re.split(r"\r?\n", text_of(path)), sorted(headings_of(path))
    following = [end for end in ends if end > line]
    return "\n".join(lines[line - 1 : following[0] - 1 if following else len(lines)])


def sections() -> Iterator[tuple[str, int]]:
    for path in DOCUMENTS:
        for line in headings_of(path):
            yield path, line


def labels(question: dict[str, Any]) -> set[tuple[str, int]]:
    return {(label["path"], label["line"]) for label in question["relevant"]}


@pytest.mark.parametrize("question", QUESTIONS, ids=lambda question: question["id"])
def test_every_label_is_the_line_and_the_text_of_a_heading(question: dict[str, Any]) -> None:
    assert question["relevant"]
    for label in question["relevant"]:
        assert headings_of(label["path"]).get(label["line"]) == label["heading"]


@pytest.mark.parametrize("path", DOCUMENTS)
def test_the_parser_sees_the_same_headings(path: str) -> None:
    parsed = {heading.line + 1: heading.text for heading in parse(text_of(path)).headings}
    assert parsed == {line: heading.replace("`", "") for line, heading in headings_of(path).items()}


@pytest.mark.parametrize("path", DOCUMENTS)
def test_a_heading_occurs_once(path: str) -> None:
    everywhere = Counter(heading for document in DOCUMENTS for heading in headings_of(document).values())
    assert all(everywhere[heading] == 1 for heading in headings_of(path).values())


def test_questions_are_distinct_and_typed_by_language() -> None:
    everything = QUESTIONS + UNANSWERABLE
    assert len({row["id"] for row in everything}) == len({row["query"].casefold() for row in everything}) == 158
    for question in QUESTIONS:
        asked = question["lang"]
        (page,) = {PAGE_LANGUAGES.get(label["path"], "en") for label in question["relevant"]}
        same = "paraphrase" if page == "en" else "same-language"
        across = "across" if page == "en" else "foreign-page"
        assert question["type"] == ("identifier" if asked == "code" else same if asked == page else across)
    assert {row["lang"] for row in QUESTIONS} == LANGUAGES | {"code"}
    assert {row["lang"] for row in UNANSWERABLE} == LANGUAGES


def test_a_group_is_one_place() -> None:
    places: dict[str, set[frozenset[tuple[str, int]]]] = {}
    for question in QUESTIONS:
        if question["lang"] != "code":
            places.setdefault(question["group"], set()).add(frozenset(labels(question)))
    assert {group: found for group, found in places.items() if len(found) > 1} == {}


@pytest.mark.parametrize("question", [row for row in QUESTIONS if row["lang"] == "code"], ids=lambda row: row["query"])
def test_a_name_stands_in_the_labelled_sections_and_nowhere_else(question: dict[str, Any]) -> None:
    name = question["query"].casefold()
    assert {place for place in sections() if name in section_text(*place).casefold()} == labels(question)


def test_paraphrases_avoid_the_words_of_their_section() -> None:
    shared, all_words = 0, 0
    for question in QUESTIONS:
        if question["type"] == "paraphrase":
            own = set(re.findall(r"[a-z]+", " ".join(section_text(*place) for place in labels(question)).casefold()))
            words = set(re.findall(r"[a-z]+", SMALL_WORDS.sub("", question["query"].casefold())))
            assert len(words & own) <= 1, f"{question['id']} shares {words & own}"
            shared, all_words = shared + len(words & own), all_words + len(words)
    assert shared <= 0.1 * all_words


def test_no_unanswerable_question_is_a_probe() -> None:
    asked = {question.casefold() for questions in probes.load().values() for question in questions}
    assert not asked & {row["query"].casefold() for row in UNANSWERABLE}


def test_the_pages_have_the_traits_they_are_kept_for() -> None:
    assert text_of("operations/upgrading.md").count("\r\n") == text_of("operations/upgrading.md").count("\n") > 50
    backup = parse(text_of("operations/backup.md"))
    assert backup.title == "Safety copies and recovery"
    assert all(heading.level == 2 for heading in backup.headings)
    assert all(not heading.isascii() for heading in headings_of("operations/monitoring.md").values())
    assert "\n# /etc/" in text_of("operations/capacity.md")
    assert len(DOCUMENTS) == 15
    assert len(list(sections())) == 106
