"""What each passage of a snapshot is worth to a question, in each mode: the legs, the boost and how they add up.

Owns the weights and everything kept between questions to make them cheap. Knows nothing of files or of what is shown.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from ddg_lsp.core import centring, dense, glossary, literal, literal_rank
from ddg_lsp.core.centring import Centre
from ddg_lsp.core.confidence import Confidence
from ddg_lsp.core.dense import ArenaView, VectorArena
from ddg_lsp.core.embedding import Embedder, Matrix
from ddg_lsp.core.errors import DdgError
from ddg_lsp.core.expanded import expanded_share
from ddg_lsp.core.geometry import NEVER, Geometry
from ddg_lsp.core.index import Snapshot
from ddg_lsp.core.literal import TermPlan
from ddg_lsp.core.names import is_keyword, names_in
from ddg_lsp.core.query import Query
from ddg_lsp.core.synonyms import Dictionary
from ddg_lsp.core.terms import question_terms, terms

Scores = NDArray[np.float64]
Tie = Callable[[str], tuple[int, ...]]
Explain = Callable[[int], Mapping[str, object]]

BOOST_CAP = 0.03
"""Most that words found in path or headings can add in mode `semantic`. The model's cosines crowd into 0.7 to 1.0,
so a bonus of 0.08 (the ancestor's) would overrule most differences of meaning; see docs/decisions/0006-ranking.md."""
CENTRE_LANGUAGE = 0.7
"""Share of the difference between the question's language and the passage's that is taken out of the question."""
CENTRE_COMMON = 0.4
"""Share of what is common to all questions in the passage's language that is taken out of the question."""
LEXICAL_WEIGHT = 0.15
"""Weight of the lexical share in mode `hybrid`."""
KEYWORD_WEIGHT = 1.5
"""The same for a question that is a single word: an identifier or a keyword, where spelling says most."""
DIGITS = 6
"""Scores are compared after rounding: the last bits of a dot product depend on the machine, the order must not."""


@dataclass(frozen=True)
class Asked:
    """What is searched besides the question: the snapshot and what its folder's settings say."""

    snapshot: Snapshot
    dictionary: Dictionary | None = None
    priorities: Mapping[str, int] = field(default_factory=dict)
    """Glob to priority, lower first; only mode `lexical` asks."""


def no_tie(_: str) -> tuple[int, ...]:
    """Equal scores go by path alone."""
    return ()


@dataclass(frozen=True)
class Parts:
    """Scores by passage, aligned with `Snapshot.passages`; `score` is -inf where a passage cannot be a hit."""

    score: Scores
    semantic: Matrix | None = None
    lexical: Matrix | None = None
    boost: Matrix | None = None
    confidence: Matrix | None = None
    """How far each passage lies above the line an unrelated question reaches; None: no line, nothing is weak."""
    tie: Tie = no_tie
    """Further order of equal scores, by path, before the path itself."""
    unit: float = 1.0
    """What `score` is divided by to be shown: mode `lexical` compares whole numbers."""
    explain: Explain = field(default=lambda _: {})

    @cached_property
    def median(self) -> float:
        """The score of the middle one of the passages that can be hits."""
        possible = self.score[self.score > NEVER]
        return float(np.median(possible)) if len(possible) else NEVER

    def shown(self, score: float) -> float:
        """A score as the answer gives it."""
        return round(score / self.unit, DIGITS)

    def strength(self, ordinal: int) -> float:
        """The confidence in one passage; +inf where there is no line."""
        return float("inf") if self.confidence is None else float(self.confidence[ordinal])

    def strong(self, ordinal: int) -> bool:
        """False for a passage that is only the nearest there is."""
        return self.strength(ordinal) >= 0.0


class Scorer:
    """Scores snapshots for one embedder. Used by the one thread that asks."""

    def __init__(self, embedder: Embedder | None, cache_dir: Path | None = None) -> None:
        self._embedder = embedder
        self._cache_dir = cache_dir
        self._centre: Centre | None = None
        self._confidences: WeakKeyDictionary[VectorArena, Confidence] = WeakKeyDictionary()
        self._geometries: WeakKeyDictionary[VectorArena, Geometry] = WeakKeyDictionary()
        self._texts: WeakKeyDictionary[VectorArena, literal_rank.FoldedTexts] = WeakKeyDictionary()

    def score(self, asked: Asked, query: Query, vector: Matrix | None) -> Parts:
        """Score every passage; `vector` is the question's (d,), None when there is no model or no need of one."""
        if query.mode == "lexical":
            return self._literal(asked, query)
        if vector is None:
            return _words(asked, query)
        if query.mode == "semantic":
            return self._semantic(asked.snapshot, query, vector)
        return self._hybrid(asked, query, vector)

    @property
    def centre(self) -> Centre:
        """The probe questions as the embedder sees them; loaded, or computed, when first needed."""
        if self._centre is None:
            if self._embedder is None:
                raise DdgError("NO_MODEL", "There is no model to compare meanings with.")
            self._centre = centring.load(self._embedder, self._cache_dir)
        return self._centre

    def _hybrid(self, asked: Asked, query: Query, vector: Matrix) -> Parts:
        """Centred cosine of the better view of each passage, plus the lexical share; see explanation/ranking.md."""
        snapshot = asked.snapshot
        view = snapshot.arena.view()
        geometry = self._geometry(snapshot, view)
        centre = geometry.centre
        spoken = centre.question_language(query.text, vector)
        cosines = dense.scan(view, vector)
        legs = [
            geometry.centred(cosines, view, rows, spoken, CENTRE_LANGUAGE, CENTRE_COMMON)
            for rows in (snapshot.wholes, snapshot.openings)
        ]
        meaning = np.maximum(*legs)
        weight = KEYWORD_WEIGHT if is_keyword(query.text) else LEXICAL_WEIGHT
        share = lexical_share(snapshot, query.text, asked.dictionary, several_languages=geometry.several_languages)
        # Until a first build gets to a passage its words alone speak for it; they never beat a passage with meaning.
        known = np.isfinite(meaning)
        floor = float(meaning[known].min(initial=0.0)) - weight
        score = np.where(known, meaning, np.where(share > 0, floor, NEVER)) + weight * share
        explain = _hybrid_explanation(snapshot, query, geometry, (cosines, *legs), weight)
        confidence = self._confidence_of(snapshot, query, view, (cosines, vector))
        return Parts(rounded(score.astype(np.float64)), meaning, share, None, confidence, explain=explain)

    def _confidence_of(self, snapshot: Snapshot, query: Query, view: ArenaView, asked: tuple[Matrix, Matrix]) -> Matrix:
        """How far each passage lies above the line (`confidence`); a keyword that stands in a passage is answered."""
        cosines, vector = asked
        geometry = self._geometry(snapshot, view)
        confidence = self._confidences.setdefault(snapshot.arena, Confidence(geometry.centre))
        confidence.update(snapshot, view)
        spoken = geometry.centre.question_language(query.text, vector)
        above = confidence.of(cosines, geometry.products, view, vector, spoken)
        if is_keyword(query.text):
            holds = snapshot.lexical.holding(question_terms(query.text))[snapshot.slots]
            above[holds] = np.maximum(above[holds], 0.0)
        return above

    def _semantic(self, snapshot: Snapshot, query: Query, vector: Matrix) -> Parts:
        """Source A: exact cosine over every passage, plus a small bounded boost for words in path or headings."""
        view = snapshot.arena.view()
        cosines = dense.scan(view, vector)
        wholes = dense.gather(cosines, view.ready, snapshot.wholes, NEVER)
        # During a first build, a passage whose whole is still to come is judged by its opening.
        openings = dense.gather(cosines, view.ready, snapshot.openings, NEVER)
        raw = np.where(np.isfinite(wholes), wholes, openings).astype(np.float32)
        boost = heading_boost(snapshot, query.text)
        confidence = self._confidence_of(snapshot, query, view, (cosines, vector))

        def explain(ordinal: int) -> Mapping[str, object]:
            head = "\n".join((snapshot.passages[ordinal].path, *snapshot.passages[ordinal].headings))
            return {"cosine": round(float(raw[ordinal]), DIGITS), "inPathOrHeadings": _common(query.text, head)}

        return Parts(rounded(raw.astype(np.float64) + boost), raw, None, boost, confidence, explain=explain)

    def _literal(self, asked: Asked, query: Query) -> Parts:
        """Source C: typed words by literal occurrence, dictionary words below them, one integer key."""
        expander = asked.dictionary.expand if asked.dictionary else None
        plan = literal.plan(literal.split_terms(query.text), expander)
        snapshot = asked.snapshot
        texts = self._texts.setdefault(snapshot.arena, literal_rank.FoldedTexts())
        documents = list(snapshot.documents.values())
        folded = [text for passages in texts.of(documents) for text in passages]
        keys = literal.keys(plan, folded).astype(np.float64)
        dates = {document.path: literal_rank.date_of(document.meta) for document in documents}
        priority = literal_rank.priority_of(asked.priorities)
        shown = np.round(keys / literal.USER_UNIT, DIGITS).astype(np.float32)

        def explain(ordinal: int) -> Mapping[str, object]:
            found = literal.score_passage(plan, folded[ordinal])
            return {
                "typed": found.u,
                "dictionary": found.e,
                "occurrences": found.h,
                "key": found.key,
                **_expansion(plan),
            }

        # Keys are whole numbers far below 2**53: as floats they are exact, and equal only when they are equal.
        score = np.where(keys > 0, keys, NEVER)
        tie = lambda path: (priority(path), -dates[path])  # noqa: E731
        return Parts(score, None, shown, tie=tie, unit=literal.USER_UNIT, explain=explain)

    def _geometry(self, snapshot: Snapshot, view: ArenaView) -> Geometry:
        geometry = self._geometries.setdefault(snapshot.arena, Geometry(self.centre))
        geometry.update(snapshot, view)
        return geometry


def heading_boost(snapshot: Snapshot, question: str) -> Matrix:
    """0 to `BOOST_CAP` by passage: the share of the question's terms that stand in its path or headings."""
    boost = np.zeros(len(snapshot.passages), np.float32)
    wanted = [term for term in dict.fromkeys(question_terms(question)) if len(term) > 1]
    index = snapshot.heading_terms if wanted else {}
    for term in wanted:
        if (ordinals := index.get(term)) is not None:
            boost[ordinals] += 1.0
    return boost * np.float32(BOOST_CAP / max(1, len(wanted)))


def lexical_share(
    snapshot: Snapshot, question: str, dictionary: Dictionary | None = None, *, several_languages: bool = False
) -> Matrix:
    """BM25 as a share of what a passage with every word of the question would have, 0 to 1, float32 (n,).

    With `several_languages` only names count (see `names`), out of the same whole. What the dictionary knows of the
    question adds at most half as much again, and never lifts a passage over one with the typed word (`expanded`).
    """
    index, asked = snapshot.lexical, question_terms(question)
    if not several_languages or is_keyword(question):
        found = dictionary.found_in(question) if dictionary else []
        return expanded_share(index, asked, found)[snapshot.slots]
    kept = question_terms(names_in(question))
    part, whole = (sum(index.rarity(term) for term in set(of)) for of in (kept, asked))
    share: Matrix = index.scores(kept)[snapshot.slots] * np.float32(part / whole if whole else 0.0)
    return share


def rounded(scores: Scores) -> Scores:
    """Scores to `DIGITS` decimals; -inf stays."""
    out: Scores = np.round(scores, DIGITS)
    return out


def _words(asked: Asked, query: Query) -> Parts:
    """Without a model: the lexical share alone."""
    share = lexical_share(asked.snapshot, query.text, asked.dictionary)
    return Parts(rounded(np.where(share > 0, share.astype(np.float64), NEVER)), None, share)


def _hybrid_explanation(
    snapshot: Snapshot, query: Query, geometry: Geometry, legs: tuple[Matrix, ...], weight: float
) -> Explain:
    """What a hit's score is made of: plain cosines and centred ones by view, language, and the words that occur."""
    cosines, *centred = legs
    languages, asked, glossed = geometry.centre.languages, question_terms(query.text), glossary.glosses(query.text)

    def explain(ordinal: int) -> Mapping[str, object]:
        out: dict[str, object] = {"language": languages[geometry.passage_languages[ordinal]]}
        for name, rows, leg in zip(("whole", "opening"), (snapshot.wholes, snapshot.openings), centred, strict=True):
            if np.isfinite(leg[ordinal]):
                plain, freed = float(cosines[rows[ordinal]]), float(leg[ordinal])
                out[name] = {"cosine": round(plain, DIGITS), "centred": round(freed, DIGITS)}
        out["lexicalWeight"] = weight
        out["glosses"] = list(glossed)
        out["terms"] = list(snapshot.lexical.matched(asked, int(snapshot.slots[ordinal])))
        return out

    return explain


def _expansion(plan: TermPlan) -> dict[str, object]:
    report = plan.expansion
    terms_and_reason = {"terms": list(report.terms), "reason": report.reason, "truncated": report.truncated}
    return {"expansion": terms_and_reason}


def _common(question: str, text: str) -> list[str]:
    present = set(terms(text))
    return [term for term in dict.fromkeys(question_terms(question)) if len(term) > 1 and term in present]
