"""What an answer says of its own condition: the `index` and `model` parts of the envelope, for every caller alike."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ddg_lsp.core.model import Skip

if TYPE_CHECKING:  # numpy takes a fifth of a second to import, and a server answers `initialize` without it
    from ddg_lsp.core.embedding import EmbedderInfo
    from ddg_lsp.core.index import Snapshot

STATES = ("ready", "lexicalOnly", "stale", "building", "failed")
"""From best to worst; several folders together are as good as their worst."""

MAX_SKIPPED = 200
"""Skips listed in one answer; `status --files` lists them all."""


@dataclass(frozen=True, slots=True)
class Run:
    """What the last refresh did: passages embedded anew, taken over and dropped, and how long it took."""

    embedded: int = 0
    reused: int = 0
    removed: int = 0
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class IndexReport:
    """The state of one index, or of several together (`merge`)."""

    state: str
    documents: int
    passages: int
    openings: int
    embedded: int
    indexed_at: str
    skipped: tuple[Skip, ...] = ()
    run: Run | None = None
    message: str = ""

    def as_dict(self) -> dict[str, object]:
        """The `index` object of the wire format (docs/reference/protocol.md)."""
        plain: dict[str, object] = {
            "state": self.state,
            "documents": self.documents,
            "passages": self.passages,
            "openings": self.openings,
            "embedded": self.embedded,
            "indexedAt": self.indexed_at or None,
            "skipped": list(skip_dicts(self.skipped[:MAX_SKIPPED])),
        }
        if self.run is not None:
            plain["run"] = {
                "embedded": self.run.embedded,
                "reused": self.run.reused,
                "removed": self.run.removed,
                "seconds": round(self.run.seconds, 3),
            }
        if self.message:
            plain["message"] = self.message
        return plain


def merge(reports: Sequence[IndexReport]) -> IndexReport:
    """One report for several folders: counts added, the worst state, the oldest `indexed_at`."""
    if not reports:
        return IndexReport("ready", 0, 0, 0, 0, "", message="No folder is open.")
    if len(reports) == 1:
        return reports[0]
    runs = [report.run for report in reports if report.run is not None]
    return IndexReport(
        state=max((report.state for report in reports), key=STATES.index),
        documents=sum(report.documents for report in reports),
        passages=sum(report.passages for report in reports),
        openings=sum(report.openings for report in reports),
        embedded=sum(report.embedded for report in reports),
        indexed_at=min(report.indexed_at for report in reports),
        skipped=tuple(skip for report in reports for skip in report.skipped),
        run=_add(runs) if runs else None,
        message=" ".join(dict.fromkeys(report.message for report in reports if report.message)),
    )


def model_dict(info: EmbedderInfo | None) -> dict[str, object] | None:
    """The `model` object of the wire format; None when answers are lexical only."""
    return None if info is None else {"embedder": info.embedder, "id": info.id, "dimensions": info.dimensions}


def file_dicts(snapshot: Snapshot) -> Iterator[dict[str, object]]:
    """What is indexed, document by document: `{path, passages, embedded}`, by path."""
    for path, document in sorted(snapshot.documents.items()):
        done = sum(snapshot.arena.has(passage.fingerprint) for passage in document.passages)
        yield {"path": path, "passages": len(document.passages), "embedded": done}


def skip_dicts(skipped: Sequence[Skip]) -> Iterator[dict[str, object]]:
    """What was left out, and why: `{path, reason}`."""
    for skip in skipped:
        yield {"path": skip.path, "reason": skip.reason}


def _add(runs: Sequence[Run]) -> Run:
    return Run(
        sum(run.embedded for run in runs),
        sum(run.reused for run in runs),
        sum(run.removed for run in runs),
        max(run.seconds for run in runs),
    )


def message_of(state: str, failure: str, why: str, *, empty: bool) -> str:
    """What a person should know of one folder's state besides the word for it; often nothing."""
    if state == "failed":
        return failure
    if state == "lexicalOnly":
        return why or "No model is available; answers come from the words alone."
    if state == "ready" and empty:
        return "There are no documents to search in this folder."
    return ""
