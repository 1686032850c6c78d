"""What a dictionary may add to the lexical share in mode `hybrid`, without ever overtaking a typed word.

Owns one promise: where one document has a typed word that the dictionary knows, and another only words that stand for
it, the first does not fall behind the second because of the dictionary, whatever else is added to the shares.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ddg_lsp.core.lexical import LexicalIndex
from ddg_lsp.core.lexical_store import Floats
from ddg_lsp.core.literal import MAX_EXPANSION_TERMS
from ddg_lsp.core.terms import question_terms

WORTH = 0.5
"""What a stand-in adds, in parts of its word's part of the question: about as much as the word itself, met once."""
_ALIAS = MAX_EXPANSION_TERMS / (MAX_EXPANSION_TERMS + 1)


def expanded_share(
    index: LexicalIndex, query_terms: Sequence[str], found: Sequence[tuple[str, Sequence[str]]]
) -> Floats:
    """`index.scores(query_terms)`, plus what the dictionary adds: float32 by slot, at most 1.5.

    `found`: the dictionary's words in the question with what they stand for (`Dictionary.found_in`). A document with
    such a word gains the same in all its passages; a passage with a stand-in, in a document without it, gains less.
    """
    share = index.scores(query_terms)
    words = [(question_terms(word), [question_terms(other) for other in others]) for word, others in found]
    words = [(word, others[:MAX_EXPANSION_TERMS]) for word, others in words if word and others]
    if not words:
        return share
    typed = np.zeros(index.slot_count, bool)
    standing_in = np.zeros(index.slot_count, np.float32)
    for word, others in words:
        typed |= index.holding(word)
        # `any` over aliases, not a sum: many names for one thing are not many things.
        standing_in += np.any([index.holding(other) for other in others], axis=0)
    gain = np.where(index.with_neighbours(typed), 1.0, standing_in * (_ALIAS / len(words)))
    return share + (gain * _worth(index, query_terms, [word for word, _ in words])).astype(np.float32)


def _worth(index: LexicalIndex, query_terms: Sequence[str], words: Sequence[Sequence[str]]) -> float:
    """One figure for all words: were they worth different ones, one word's alias could beat another word itself."""
    everything = sum(index.rarity(term) for term in {*query_terms, *(term for word in words for term in word)})
    return WORTH * max(sum(index.rarity(term) for term in set(word)) for word in words) / (everything or 1.0)
