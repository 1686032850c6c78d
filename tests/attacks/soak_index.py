"""Whether two indexes of the same documents are the same: what servers answer, and what lies in their caches.

Owns the comparing and its tolerances. Must not know how either came about.
"""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import Any

from ddg_lsp.core.index import Snapshot
from ddg_lsp.core.opening import open_folder

QUESTIONS = (
    "how is a backup restored", "백업을 복원하는 방법", "retry queue latency", "Sicherung", "invoice payment customer",
    "kettle", "where do sessions and tokens live", "数据库",
)  # fmt: skip
SCORE_TOLERANCE = 2e-3
COSINE = 0.9995
"""The same text in another batch is padded otherwise, and comes out a little otherwise."""


def same_answers(one: dict[str, Any], other: dict[str, Any]) -> None:
    """The same headings with the same scores, in the same order where scores are not as good as equal."""
    for key in ("documents", "passages", "embedded", "openings", "state"):
        assert one["index"][key] == other["index"][key], key
    mine, theirs = ({_place(hit): hit["score"] for hit in answer["hits"]} for answer in (one, other))
    assert mine.keys() == theirs.keys(), sorted(mine.keys() ^ theirs.keys())[:4]
    for place, score in mine.items():
        assert abs(score - theirs[place]) <= SCORE_TOLERANCE, (place, score, theirs[place])
    in_order = [theirs[place] for place in mine]
    assert all(a >= b - 2 * SCORE_TOLERANCE for a, b in pairwise(in_order)), "the order differs"


def same_caches(one: Path, other: Path) -> int:
    """Both folders' caches hold every vector of the same passages, and the same ones; how many passages."""
    mine, theirs = _snapshot(one), _snapshot(other)
    assert {path: d.digest for path, d in mine.documents.items()} == {p: d.digest for p, d in theirs.documents.items()}
    assert mine.passages == theirs.passages
    for rows_of in (lambda s: s.wholes, lambda s: s.openings):
        a, b = (found.arena.view().matrix[rows_of(found)] for found in (mine, theirs))
        least = float((a * b).sum(axis=1).min())
        assert least >= COSINE, f"vectors of the same text have a cosine of {least}"
    return len(mine.passages)


def _place(hit: dict[str, Any]) -> tuple[object, ...]:
    start, end = hit["range"]["start"], hit["range"]["end"]
    return (hit["path"], *hit["headings"], start["line"], start["character"], end["line"], end["character"])


def _snapshot(root: Path) -> Snapshot:
    """What the cache of a folder gives, without embedding anything."""
    opened = open_folder(root, {})
    opened.folder.refresh()
    found, missing = opened.folder.snapshot, opened.folder.pending()
    assert not missing, f"{missing} vectors are not in the cache"
    opened.folder.close()
    return found
