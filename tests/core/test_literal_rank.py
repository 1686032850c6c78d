"""The order of files in mode `lexical`: key, priority, date, path (S16), and what is kept between questions."""

from __future__ import annotations

import itertools

import pytest

from ddg_lsp.core.literal import keys, plan
from ddg_lsp.core.literal_rank import FoldedTexts, date_of, priority_of, search
from ddg_lsp.core.model import Document
from tests.helpers.literal_cases import document


def test_s16_ties() -> None:
    files = [
        document("a", "x", {"date": "2026-01-01"}),
        document("b", "x", {"date": "2025-01-01"}),
        document("docs/b.md", "x", {"date": "2026-01-01"}),
        document("docs/a.md", "x", {"updated": "2026-01-01", "date": "1999-01-01"}),
        document("c", "x"),
    ]
    priority = priority_of({"a": 2, "*": 1})
    for order in itertools.permutations(files):
        result = search(plan(["x"], None), order, FoldedTexts(), priority)
        assert [file.document.path for file in result] == ["docs/a.md", "docs/b.md", "b", "c", "a"]


def test_a_file_is_as_good_as_its_best_passage() -> None:
    one = document("a.md", "x y")
    two = document("a.md", "x y z")
    doc = Document("a.md", "", "", "", (), meta={})
    texts = FoldedTexts()
    merged = [*texts.of([one])[0], *texts.of([two])[0]]
    assert keys(plan(["x", "y", "z"], None), merged).tolist() == [6602, 9903]
    assert search(plan(["x"], None), [doc], FoldedTexts(), priority_of({})) == []


def test_folded_texts_follow_the_document() -> None:
    texts = FoldedTexts()
    assert texts.of([document("a.md", "OLD")]) == [("old",)]
    assert texts.of([document("a.md", "New")]) == [("new",)]


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ({}, {"date": "0001-01-01"}),
        ({"date": "yesterday"}, {"date": "2026-01-01"}),
        ({"date": "2026-01-01"}, {"date": "2026-01-01T00:00:01Z"}),
        ({"date": "2026-01-01T09:00:00+09:00"}, {"date": "2026-01-01T00:00:00.5"}),
        ({"date": "2026-02-01", "updated": "2026-01-01"}, {"updated": "no", "date": "2026-01-02"}),
        ({"date": 2026}, {"date": "2026-12-31T23:59"}),
    ],
)
def test_dates(older: dict[str, object], newer: dict[str, object]) -> None:
    assert date_of(older) < date_of(newer)


def test_priorities_first_pattern_wins() -> None:
    priority = priority_of({"docs/old/**": 200, "docs/**": 10})
    assert [priority(path) for path in ("docs/old/a.md", "docs/a.md", "a.md")] == [200, 10, 100]
