"""What a list of answers says as a whole: B01, B02 and the bound of the output."""

from __future__ import annotations

import json
from typing import Any

import pytest

from ddg_lsp.core.batch import MAX_EXCERPT, bounded, failure, resolved, sayable, summary


def hit(number: int, match: str = "strong") -> dict[str, Any]:
    return {"path": f"docs/{number}.md", "excerpt": "x" * 100, "match": match}


def answered(identity: object, *hits: dict[str, Any], wire: bool = True) -> dict[str, Any]:
    if not wire:
        return {"id": identity, "ok": True, "hits": list(hits)}
    index = {"state": "ready", "skipped": [{"path": "a" * 50, "reason": "hidden"}] * 20}
    return {"id": identity, "ok": True, "result": {"query": "q", "index": index, "hits": list(hits)}}


FAILED = failure("c", "INVALID_QUERY", "The question is empty.", {"id": "c", "query": ""})


@pytest.mark.parametrize("wire", [True, False])
def test_b01_b02_what_failed_or_found_nothing_good_is_unresolved(wire: bool) -> None:
    entries = [
        answered("a", hit(1, "weak"), hit(2), wire=wire),
        answered("b", wire=wire),
        FAILED,
        answered("d", hit(1, "weak"), wire=wire),
    ]
    assert summary(entries) == {"ok": False, "okCount": 3, "failedCount": 1, "unresolved": ["b", "c", "d"]}
    assert [resolved(entry) for entry in entries] == [True, False, False, False]
    assert summary(entries[:2])["ok"] is True
    assert summary([]) == {"ok": True, "okCount": 0, "failedCount": 0, "unresolved": []}


def test_b01_a_failure_keeps_the_question_in_bounds() -> None:
    assert json.loads(FAILED["rawExcerpt"]) == {"id": "c", "query": ""}
    assert failure(1, "X", "y", "한" * 5_000)["rawExcerpt"] == "한" * MAX_EXCERPT
    assert len(failure(1, "X", "y", {"query": ["z"] * 5_000})["rawExcerpt"]) == MAX_EXCERPT


def test_ids_json_cannot_say_are_null() -> None:
    assert sayable(float("inf")) is None
    assert sayable([float("nan")]) is None
    assert sayable({"a": [1, "x", None]}) == {"a": [1, "x", None]}


@pytest.mark.parametrize("wire", [True, False])
def test_the_output_is_bounded_fairly_and_says_what_it_lost(wire: bool) -> None:
    entries = [answered(n, *(hit(i) for i in range(n)), wire=wire) for n in (0, 3, 30, 30)] + [FAILED]
    size = len(json.dumps(entries))
    assert bounded(entries, size + 100) == entries
    for limit in (size - 300, size // 2, 9_000):
        found = bounded(entries, limit)
        assert len(json.dumps(found)) <= limit + 200
        assert [entry["id"] for entry in found] == [entry["id"] for entry in entries]
        assert found[4] == FAILED
        counts = [len(entry.get("result", entry).get("hits", ())) for entry in found]
        assert counts[2] == counts[3] < 30
        assert (found[2]["truncated"], found[2]["totalHits"]) == (True, 30)
        assert found[2].get("result", found[2])["hits"][0] == hit(0)
        assert counts[1] == min(3, counts[2])
    assert len(entries[2].get("result", entries[2])["hits"]) == 30  # what was given is as it was


def test_the_best_hit_of_every_question_stays_and_lists_of_skipped_files_go_first() -> None:
    entries = [answered(n, *(hit(i) for i in range(5))) for n in range(10)]
    found = bounded(entries, 5_000)
    assert all(len(entry["result"]["hits"]) == 1 and entry["result"]["index"]["skipped"] == [] for entry in found)
    assert all(entry["truncated"] and entry["totalHits"] == 5 for entry in found)
