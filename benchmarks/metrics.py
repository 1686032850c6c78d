"""Retrieval metrics with binary relevance, by file and by section, as the judged sets define them.

A set is a folder with `corpus/` and `queries.jsonl` (`id`, `lang`, `type`, `query`, `group`, `relevant`: a list of
`path`, `heading`, `line`). Only `query` is ever given to the engine.
It may have `unanswerable.jsonl` (`id`, `lang`, `query`), too.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

DEPTH = 10
NAMES = ("nDCG@10", "R@1", "R@5", "R@10", "MRR@10")
Place = tuple[str, int]
"""Path and 1-based line of a heading."""


@dataclass(frozen=True)
class Judged:
    """One question with its right answers: files, and sections where the label names one."""

    id: str
    language: str
    kind: str
    question: str
    group: str
    files: frozenset[str]
    sections: frozenset[Place]


def load(folder: Path, name: str = "queries.jsonl") -> list[Judged]:
    """The judged questions of a set."""
    lines = (folder / name).read_text("utf-8").splitlines()
    return [_judged(json.loads(line)) for line in lines if line.strip()]


def load_unanswerable(folder: Path) -> list[str]:
    """The questions a set has for its corpus not to answer, `unanswerable.jsonl`; often there are none."""
    path = folder / "unanswerable.jsonl"
    lines = path.read_text("utf-8").splitlines() if path.is_file() else []
    return [str(json.loads(line)["query"]) for line in lines if line.strip()]


def _judged(raw: Mapping[str, object]) -> Judged:
    relevant = raw["relevant"]
    assert isinstance(relevant, list)
    sections = frozenset((r["path"], r["line"]) for r in relevant if r.get("heading") is not None)
    files = frozenset(r["path"] for r in relevant)
    identity, group = str(raw["id"]), str(raw.get("group") or raw["id"])
    return Judged(
        identity, str(raw.get("lang", "")), str(raw.get("type", "")), str(raw["query"]), group, files, sections
    )


def measure(found: Sequence[object], relevant: frozenset[object]) -> dict[str, float]:
    """Every metric of one ranking of distinct things, best first."""
    hits = [1 if thing in relevant else 0 for thing in found[:DEPTH]]
    ideal = sum(1 / math.log2(i + 2) for i in range(min(DEPTH, len(relevant))))
    return {
        "nDCG@10": sum(hit / math.log2(i + 2) for i, hit in enumerate(hits)) / ideal,
        "R@1": sum(hits[:1]) / len(relevant),
        "R@5": sum(hits[:5]) / len(relevant),
        "R@10": sum(hits) / len(relevant),
        "MRR@10": next((1 / (i + 1) for i, hit in enumerate(hits) if hit), 0.0),
    }


def unique(items: Sequence[object]) -> list[object]:
    """The first of each, in order."""
    return list(dict.fromkeys(items))


def mean(rows: Sequence[Mapping[str, float]]) -> dict[str, float]:
    """The mean of each metric."""
    return {name: sum(row[name] for row in rows) / len(rows) for name in NAMES} if rows else dict.fromkeys(NAMES, 0.0)


def table(judged: Sequence[Judged], places: Mapping[str, Sequence[Place]], by: str) -> dict[str, dict[str, object]]:
    """Metrics for all questions and for each value of `by` (`kind` or `language`), by file and by section.

    `places` are the sections found for each question id, best first; files are their distinct paths.
    """
    rows: dict[str, tuple[list[dict[str, float]], list[dict[str, float]]]] = {}
    for question in judged:
        found = places.get(question.id, ())
        for key in ("all", getattr(question, by)):
            files, sections = rows.setdefault(key, ([], []))
            files.append(measure(unique([path for path, _ in found]), frozenset(question.files)))
            if question.sections:
                sections.append(measure(unique(found), frozenset(question.sections)))
    return {
        key: {"questions": len(files), "file": mean(files), "section": mean(sections)}
        for key, (files, sections) in sorted(rows.items(), key=lambda item: (item[0] != "all", item[0]))
    }


def area_under_curve(positive: Sequence[float], negative: Sequence[float]) -> float:
    """Chance that a positive scores above a negative, ties counting half."""
    order = sorted([(score, 1) for score in positive] + [(score, 0) for score in negative])
    wins, below, at = 0.0, 0, 0
    while at < len(order):
        end = at
        while end < len(order) and order[end][0] == order[at][0]:
            end += 1
        ups = sum(flag for _, flag in order[at:end])
        downs = end - at - ups
        wins += ups * (below + downs / 2)
        below += downs
        at = end
    return wins / (len(positive) * len(negative))
