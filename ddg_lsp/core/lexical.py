"""The lexical leg: an immutable BM25 index over passages, updated file by file, and the lexical share of a question.

Owns which passage has which slot (stable while its document is unchanged) and the scores. Knows nothing of Markdown,
embeddings, or how a share enters a ranking.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ddg_lsp.core.lexical_space import Space
from ddg_lsp.core.lexical_store import Fields, Floats, Ints, Segment, build, merge

__all__ = ["K1", "B", "Fields", "LexicalIndex"]

K1 = 1.2
"""How soon repeats of a term stop counting."""
B = 0.5
"""How much a long passage is held against it: 0 not at all, 1 in proportion to its length. Less than the usual 0.75:
passages are cut to a size, and short ones are more often stubs than to the point."""
MAX_LAYERS = 8
_MOST_DEAD = 0.5


class _Layer(NamedTuple):
    """A segment as one version of the index sees it: the slot of each of its passages, -1 for those that are gone."""

    segment: Segment
    slots: Ints
    dead: int

    @property
    def living(self) -> int:
        return len(self.slots) - self.dead


@dataclass(frozen=True, eq=False)
class LexicalIndex:
    """BM25 over passages with fields. Immutable: `update` gives a new one, and readers of the old are not disturbed."""

    _layers: tuple[_Layer, ...] = ()
    _documents: Mapping[str, range] = field(default_factory=dict)
    _free: tuple[range, ...] = ()
    _lengths: Floats = field(default_factory=lambda: np.zeros(0, np.float32))
    """Weighted number of terms per slot, -1 where no passage is."""
    _passages: int = 0

    @staticmethod
    def empty() -> LexicalIndex:
        """An index of nothing."""
        return LexicalIndex()

    @property
    def slot_count(self) -> int:
        """The length of `scores`; slots of passages that are gone count too, and score 0."""
        return len(self._lengths)

    @property
    def passages(self) -> int:
        """Living passages."""
        return self._passages

    def slots(self, path: str) -> range:
        """The slots of a document's passages, in their order; empty for a path that is not here."""
        return self._documents.get(path, range(0))

    def update(self, removed: Iterable[str], added: Iterable[tuple[str, Sequence[Fields]]]) -> LexicalIndex:
        """The index without `removed` and with `added` (path, passages); a path already here is replaced."""
        new = {path: list(passages) for path, passages in added}
        gone = {path for path in (*removed, *new) if path in self._documents}
        documents = {path: slots for path, slots in self._documents.items() if path not in gone}
        space = Space(self._free, self.slot_count)
        for path in sorted(gone):
            space.give(self._documents[path])
        for path, passages in new.items():
            documents[path] = space.take(len(passages), self._documents.get(path))
        lengths = np.full(space.size, -1, np.float32)
        kept = min(space.size, self.slot_count)
        lengths[:kept] = self._lengths[:kept]
        for path in gone:
            lengths[self._documents[path].start : self._documents[path].stop] = -1
        layers = self._without([self._documents[path] for path in gone])
        texts = [fields for passages in new.values() for fields in passages]
        if texts:
            segment = build(texts)
            slots = np.concatenate(
                [np.arange(documents[path].start, documents[path].stop, dtype=np.int32) for path in new]
            )
            lengths[slots] = segment.lengths
            layers.append(_Layer(segment, slots, 0))
        count = self._passages - sum(len(self._documents[path]) for path in gone) + len(texts)
        return LexicalIndex(tuple(_tidy(layers)), documents, space.free, lengths, count)

    def _without(self, ranges: Sequence[range]) -> list[_Layer]:
        """The layers with the passages of these slots dead."""
        if not ranges:
            return list(self._layers)
        gone = np.zeros(self.slot_count + 1, bool)  # the last one is for slot -1
        for slots in ranges:
            gone[slots.start : slots.stop] = True
        layers = []
        for layer in self._layers:
            left = np.where(gone[layer.slots], np.int32(-1), layer.slots)
            dead = int(np.count_nonzero(left < 0))
            if dead < len(left):
                layers.append(_Layer(layer.segment, left, dead) if dead > layer.dead else layer)
        return layers

    @cached_property
    def _norms(self) -> Floats:
        """What a frequency is measured against, per slot: K1, more for passages longer than the mean."""
        mean = float(np.sum(np.maximum(self._lengths, 0), dtype=np.float64)) / max(self._passages, 1)
        return (K1 * (1 - B + B * self._lengths / np.float32(mean or 1.0))).astype(np.float32)

    def _find(self, term: str) -> tuple[Ints, Floats]:
        """(slots, frequencies) of the living passages with this term."""
        found = [(layer, hit) for layer in self._layers if (hit := layer.segment.find(term))]
        slots, frequencies = [], []
        for layer, (passages, values) in found:
            here = layer.slots[passages]
            if layer.dead:
                keep = here >= 0
                here, values = here[keep], values[keep]
            slots.append(here)
            frequencies.append(values)
        if len(slots) == 1:
            return slots[0], frequencies[0]
        if not slots:
            return np.zeros(0, np.int32), np.zeros(0, np.float32)
        return np.concatenate(slots), np.concatenate(frequencies)

    def scores(self, query_terms: Iterable[str]) -> Floats:
        """The lexical share of every slot, 0..1: BM25 over what it would be with every term, endlessly often."""
        out = np.zeros(self.slot_count, np.float32)
        ceiling = np.float64(0)
        for term in dict.fromkeys(query_terms):
            slots, frequencies = self._find(term)
            idf = _idf(len(slots), self._passages)
            ceiling += idf
            out[slots] += frequencies / (frequencies + self._norms[slots]) * np.float32(idf)
        if ceiling > 0:
            out /= ceiling
        return out

    def rarity(self, term: str) -> float:
        """How much a term tells: BM25's idf over all passages; largest for a term nobody has."""
        return float(_idf(len(self._find(term)[0]), self._passages))

    def holding(self, terms: Iterable[str]) -> NDArray[np.bool_]:
        """Which slots hold every one of the terms; none where there are no terms."""
        wanted = set(terms)
        found = np.zeros(self.slot_count, np.int32)
        for term in wanted:
            found[self._find(term)[0]] += 1
        out: NDArray[np.bool_] = (found == len(wanted)) & bool(wanted)
        return out

    @cached_property
    def _owners(self) -> Ints:
        """Ordinal of each slot's document; one more than the last for slots without."""
        owners = np.full(self.slot_count, len(self._documents), np.int32)
        for ordinal, place in enumerate(self._documents.values()):
            owners[place.start : place.stop] = ordinal
        return owners

    def with_neighbours(self, slots: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Every slot of the documents that have one of `slots` (bool, `slot_count`)."""
        documents = np.zeros(len(self._documents) + 1, bool)
        documents[self._owners[slots]] = True
        documents[-1] = False
        out: NDArray[np.bool_] = documents[self._owners]
        return out

    def matched(self, query_terms: Sequence[str], slot: int) -> tuple[str, ...]:
        """Those of the question's terms that occur in the passage of this slot, each once, in the question's order."""
        return tuple(term for term in dict.fromkeys(query_terms) if slot in self._find(term)[0])


def _idf(found: int, of: int) -> np.float64:
    return np.float64(np.log1p((of - found + 0.5) / (found + 0.5)))


def _tidy(layers: list[_Layer]) -> list[_Layer]:
    """Few layers, none mostly dead: each at least twice as large as the next, so that a passage is rarely copied."""
    layers = sorted(layers, key=lambda layer: -layer.living)
    while len(layers) > 1 and (len(layers) > MAX_LAYERS or layers[-2].living < 2 * layers[-1].living):
        layers[-2:] = [_merged(layers[-2:])]
        layers.sort(key=lambda layer: -layer.living)
    return [_merged([layer]) if layer.dead > _MOST_DEAD * len(layer.slots) else layer for layer in layers]


def _merged(layers: Sequence[_Layer]) -> _Layer:
    alive = [np.flatnonzero(layer.slots >= 0).astype(np.int32) for layer in layers]
    segment = merge((layer.segment, keep) for layer, keep in zip(layers, alive, strict=True))
    slots = np.concatenate([layer.slots[keep] for layer, keep in zip(layers, alive, strict=True)])
    return _Layer(segment, slots, 0)
