"""Which words a model wants in front of questions and passages, where only its name is known.

Owns the families whose makers ask for prefixes; a model's own configuration and the user's settings come first,
and are read elsewhere.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

# E5's instruction-tuned and Mistral relatives want a sentence of instruction instead, which is the user's to write.
_FAMILIES: tuple[tuple[re.Pattern[str], str, str], ...] = (
    (re.compile(r"(?:^|[/_.-])e5(?:[_.-](?!.*(?:instruct|mistral))|$)", re.IGNORECASE), "query: ", "passage: "),
    (re.compile(r"(?:^|[/_.-])nomic-embed-text", re.IGNORECASE), "search_query: ", "search_document: "),
)


def prefixes_for(names: Iterable[str]) -> tuple[str, str]:
    """The query prefix and the passage prefix of the first family one of `names` belongs to; else two empty ones."""
    for name in names:
        for pattern, query, passage in _FAMILIES:
            if pattern.search(name):
                return query, passage
    return "", ""
