"""The index of one workspace folder as a value: `Snapshot`, and `apply(change) -> Snapshot`.

A snapshot is immutable but for one thing: rows of its arena become ready while a build runs (see `dense`).
Owns the alignment of passages, vector rows and lexical slots. Knows nothing of files or of who asks.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from ddg_lsp.core.dense import Rows, VectorArena
from ddg_lsp.core.lexical import Fields, LexicalIndex
from ddg_lsp.core.model import Document, Passage, Skip
from ddg_lsp.core.terms import terms

_NO_ROWS: Rows = np.empty(0, np.int32)


@dataclass(frozen=True)
class Snapshot:
    """All that a query needs, consistent at one revision. Arrays are aligned with `passages`."""

    revision: int
    documents: Mapping[str, Document]
    """By path, in code-point order of the paths: the order of everything else here."""
    passages: tuple[Passage, ...]
    arena: VectorArena
    wholes: Rows
    """Arena row of each passage's whole, int32 (n,)."""
    openings: Rows
    """Arena row of each passage's opening, int32 (n,)."""
    lexical: LexicalIndex
    slots: Rows
    """Slot of each passage in `lexical`, int32 (n,)."""
    skipped: tuple[Skip, ...] = ()
    owners: NDArray[np.int32] = field(default_factory=lambda: np.empty(0, np.int32))
    """Ordinal of each passage's document, int32 (n,)."""

    @property
    def embedded(self) -> int:
        """Passages whose whole is embedded."""
        return int(self.arena.is_ready(self.wholes).sum())

    @property
    def opened(self) -> int:
        """Passages whose opening is embedded."""
        return int(self.arena.is_ready(self.openings).sum())

    @property
    def complete(self) -> bool:
        """Every view of every passage is embedded."""
        return self.embedded == len(self.passages) == self.opened

    @cached_property
    def heading_terms(self) -> Mapping[str, NDArray[np.int32]]:
        """Passage ordinals whose path or headings hold a term, by term; made when first asked for."""
        found: dict[str, list[int]] = {}
        known: dict[tuple[str, tuple[str, ...]], tuple[str, ...]] = {}
        for ordinal, passage in enumerate(self.passages):
            key = (passage.path, passage.headings)
            if key not in known:
                known[key] = tuple(dict.fromkeys(terms("\n".join((passage.path, *passage.headings)))))
            for term in known[key]:
                found.setdefault(term, []).append(ordinal)
        return {term: np.asarray(ordinals, np.int32) for term, ordinals in found.items()}

    def passages_not_in(self, other: Snapshot) -> int:
        """How many of this snapshot's passages the other one has no more."""
        return len({passage.id for passage in self.passages} - {passage.id for passage in other.passages})


def empty(dimensions: int) -> Snapshot:
    """The snapshot of a folder nothing is known about yet: revision 0."""
    lexical = LexicalIndex.empty()
    return Snapshot(0, MappingProxyType({}), (), VectorArena(dimensions), _NO_ROWS, _NO_ROWS, lexical, _NO_ROWS)


def apply(
    snapshot: Snapshot,
    upserts: Iterable[Document] = (),
    removals: Iterable[str] = (),
    skipped: tuple[Skip, ...] | None = None,
) -> Snapshot:
    """The next snapshot, or the same object when nothing a reader could see changes.

    A document whose digest is unchanged only has its stamp replaced, which is no new revision.
    """
    changed: dict[str, Document] = {}
    restamped: dict[str, Document] = {}
    for document in upserts:
        known = snapshot.documents.get(document.path)
        same = known is not None and known.digest == document.digest and known.passages == document.passages
        (restamped if same else changed)[document.path] = document
    removed = {path for path in removals if path in snapshot.documents and path not in changed}
    skips = snapshot.skipped if skipped is None else skipped
    if not changed and not removed:
        return _restamp(snapshot, restamped, skips)
    documents = {p: d for p, d in snapshot.documents.items() if p not in removed} | restamped | changed
    lexical = _update_lexical(snapshot, removed, changed)
    return _build(snapshot.revision + 1, documents, snapshot.arena, lexical, skips)


def compacted(snapshot: Snapshot) -> Snapshot:
    """The same snapshot on a new arena that holds only the rows in use; same revision, same answers."""
    names = [name for passage in snapshot.passages for name in (passage.fingerprint, passage.opening)]
    arena = snapshot.arena.compact(names)
    return _build(snapshot.revision, dict(snapshot.documents), arena, snapshot.lexical, snapshot.skipped)


def _restamp(snapshot: Snapshot, restamped: dict[str, Document], skips: tuple[Skip, ...]) -> Snapshot:
    if not restamped and skips == snapshot.skipped:
        return snapshot
    documents = MappingProxyType({path: restamped.get(path, old) for path, old in snapshot.documents.items()})
    revision = snapshot.revision + (skips != snapshot.skipped)
    return replace(snapshot, revision=revision, documents=documents, skipped=skips)


def _update_lexical(snapshot: Snapshot, removed: set[str], changed: dict[str, Document]) -> LexicalIndex:
    gone = removed | (changed.keys() & snapshot.documents.keys())
    added = ((path, [_fields(changed[path].text, p) for p in changed[path].passages]) for path in sorted(changed))
    return snapshot.lexical.update(sorted(gone), added)


def _fields(text: str, passage: Passage) -> Fields:
    body = text[passage.body_start : passage.body_end]
    return Fields(heading=" > ".join(passage.headings), body=body, path=passage.path)


def _build(
    revision: int,
    documents: dict[str, Document],
    arena: VectorArena,
    lexical: LexicalIndex,
    skips: tuple[Skip, ...],
) -> Snapshot:
    ordered = {path: documents[path] for path in sorted(documents)}
    passages = tuple(passage for document in ordered.values() for passage in document.passages)
    slots = [slot for path in ordered for slot in lexical.slots(path)]
    counts = [len(document.passages) for document in ordered.values()]
    return Snapshot(
        revision=revision,
        documents=MappingProxyType(ordered),
        passages=passages,
        arena=arena,
        wholes=arena.intern([passage.fingerprint for passage in passages]),
        openings=arena.intern([passage.opening for passage in passages]),
        lexical=lexical,
        slots=np.asarray(slots, np.int32),
        skipped=skips,
        owners=np.repeat(np.arange(len(counts), dtype=np.int32), counts),
    )
