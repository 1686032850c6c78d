"""Mode `lexical`: typed words found literally, dictionary words beside them, and typed words always first.

Owns the limits, the integer key and the order (docs/explanation: a passage with more typed words outranks any number of
dictionary words and repeats). Knows nothing of where a dictionary comes from, of BM25 or of embeddings.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ddg_lsp.core.errors import DdgError
from ddg_lsp.core.folding import literal, with_places
from ddg_lsp.core.model import Document, Passage

MAX_USER_TERMS = 16
MAX_EXPANSION_TERMS = 32
MAX_HIGHLIGHTS = 99
"""Occurrences that count. Without this bound, 32 dictionary words with 102 occurrences outrank a typed word."""
USER_UNIT = 100 * (MAX_EXPANSION_TERMS + 1)
"""The key's worth of one typed word: more than every dictionary word and every repeat together."""
_EXPANSION_UNIT = MAX_HIGHLIGHTS + 1
_TERM = re.compile(r'"([^"]*)"|(\S+)')


class Expansion(NamedTuple):
    """What a dictionary adds to some terms. `reason` says why nothing was added, None where nothing had to be."""

    terms: tuple[str, ...]
    reason: str | None = None


Expander = Callable[[Sequence[str]], Expansion]
"""Gives the dictionary's terms, in its order. Its own trouble is an empty `Expansion` with a reason; what it raises
is nobody's contract and goes through to the caller."""


@dataclass(frozen=True, slots=True)
class ExpansionReport:
    """The dictionary terms that are searched, why there are none, and whether some were left out."""

    terms: tuple[str, ...]
    reason: str | None
    truncated: bool


@dataclass(frozen=True, slots=True)
class TermPlan:
    """What is searched for: terms as written, typed ones first, equal ones once; and their folds, for matching."""

    search_terms: tuple[str, ...]
    expansion_terms: tuple[str, ...]
    expansion: ExpansionReport
    folded: tuple[str, ...]
    """`search_terms` as `folding.literal` makes them."""
    typed: int
    """How many of them were typed."""


class LiteralScore(NamedTuple):
    """Distinct typed terms, distinct dictionary terms and occurrences in a passage; `key` orders, `score` is shown."""

    u: int
    e: int
    h: int
    key: int
    score: float


class Occurrence(NamedTuple):
    """One literal occurrence of a term; offsets are code points of the document's text, end exclusive."""

    start: int
    end: int
    term: str
    typed: bool


def split_terms(question: str) -> list[str]:
    """The terms of a question as typed: words between white space; `"..."` is one term, as it stands."""
    return [match[1] if match[1] is not None else match[2] for match in _TERM.finditer(question)]


def plan(terms: Sequence[str], expander: Expander | None) -> TermPlan:
    """Check the typed terms, then ask the dictionary. `expander` None: expansion is switched off.

    Raises `DdgError` (`SEARCH_INVALID_QUERY`) for no term, a blank one or more than 16, before the dictionary is asked.
    """
    _check(terms)
    user: dict[str, str] = {}
    for term in terms:
        user.setdefault(literal(term), term)
    found = Expansion((), "disabled") if expander is None else expander(tuple(user.values()))
    added: dict[str, str] = {}
    for term in found.terms:
        fold = literal(term)
        if fold.strip() and fold not in user:
            added.setdefault(fold, term)
    kept = dict(list(added.items())[:MAX_EXPANSION_TERMS])
    report = ExpansionReport(tuple(kept.values()), found.reason, len(added) > len(kept))
    return TermPlan((*user.values(), *kept.values()), report.terms, report, (*user, *kept), len(user))


def _check(terms: Sequence[str]) -> None:
    count = len(terms)
    if count > MAX_USER_TERMS:
        reason, sentence = "too_many_terms", f"There are {count} search terms; at most {MAX_USER_TERMS} are allowed."
    elif not count:
        reason, sentence = "no_terms", "There is no search term."
    elif not all(term.strip() for term in terms):
        reason, sentence = "blank_term", "A search term is blank."
    else:
        return
    raise DdgError("SEARCH_INVALID_QUERY", sentence, usage=True, reason=reason, max=MAX_USER_TERMS, got=count)


def make_score(u: int, e: int, h: int) -> LiteralScore:
    """The score of `u` typed terms, `e` (at most 32) dictionary terms and `h` occurrences. Compare keys, not scores."""
    key = USER_UNIT * u + _EXPANSION_UNIT * e + min(h, MAX_HIGHLIGHTS)
    return LiteralScore(u, e, h, key, round(key / USER_UNIT, 6))


def score_passage(plan: TermPlan, folded_text: str) -> LiteralScore:
    """Score one passage by its text as `folded_passages` gives it."""
    counts = [folded_text.count(term) for term in plan.folded]
    typed = sum(1 for count in counts[: plan.typed] if count)
    return make_score(typed, sum(1 for count in counts[plan.typed :] if count), sum(counts))


def keys(plan: TermPlan, folded_texts: Sequence[str]) -> NDArray[np.int64]:
    """The keys of many passages, int64 (n,); 0 where no term occurs."""
    total = np.zeros(len(folded_texts), np.int64)
    highlights = np.zeros(len(folded_texts), np.int64)
    for number, term in enumerate(plan.folded):
        counts = np.fromiter((text.count(term) for text in folded_texts), np.int64, len(folded_texts))
        highlights += counts
        total += (counts > 0) * (USER_UNIT if number < plan.typed else _EXPANSION_UNIT)
    return total + np.minimum(highlights, MAX_HIGHLIGHTS)


def parts_of(passage: Passage) -> tuple[tuple[int, int], ...]:
    """The places in the document's text that are searched for a passage: its heading and its piece of the body."""
    body = (passage.body_start, passage.body_end)
    heading = (passage.heading_start, passage.heading_end)
    # Text before the first heading names its own first line as its heading: counted once.
    return (heading, body) if heading[1] <= body[0] and passage.level else (body,)


def folded_passages(document: Document) -> tuple[str, ...]:
    """The searched text of each passage of a document, folded; no term crosses from heading to body."""
    text = document.text
    return tuple(
        "\n".join(literal(text[start:end]) for start, end in parts_of(passage)) for passage in document.passages
    )


def occurrences(plan: TermPlan, document: Document, passage: Passage) -> list[Occurrence]:
    """Where the terms stand in a passage, in reading order; those of one term do not overlap each other."""
    found: list[Occurrence] = []
    for start, end in parts_of(passage):
        folded = with_places(document.text[start:end], literal)
        for number, (term, fold) in enumerate(zip(plan.search_terms, plan.folded, strict=True)):
            at = folded.text.find(fold)
            while at >= 0:
                last = at + len(fold)
                place = start + folded.starts[at], start + folded.ends[last - 1]
                found.append(Occurrence(*place, term, number < plan.typed))
                at = folded.text.find(fold, last)
    return sorted(found)
