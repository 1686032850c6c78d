"""Which files a question is likely to need, told from their raw text: for the first seconds of a folder never seen.

Counting letters is a thousand times cheaper than cutting and embedding. It decides only what is read first; what is
answered is decided by the index. Must not know files or indexes.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping

from ddg_lsp.core.glossary import glosses
from ddg_lsp.core.terms import question_terms

MAX_FILES = 4_000
"""Files whose text is looked at; more of them would take longer than the question wants to wait."""
SATURATION = 3.0
HEADING = 4.0
"""A word in a heading or in the path counts as much as so many in the text."""
_HEADING = re.compile(r"^ {0,3}#{1,6}[ \t].*$", re.MULTILINE)
FEW_LETTERS = 2
"""A word of one or two Latin letters is part of too many others to be counted."""


def words(question: str) -> list[str]:
    """What to look for: the question's terms, and English for its words of the trade."""
    found = [term for text in (question, *glosses(question)) for term in question_terms(text)]
    return [term for term in dict.fromkeys(found) if len(term) > FEW_LETTERS or not term.isascii()]


def files(question: str, texts: Mapping[str, str]) -> list[str]:
    """Paths of the texts that hold some word of the question, most promising first, then by path."""
    wanted = words(question)
    lowered = {path: text.lower() for path, text in texts.items()}
    counts = {path: _counts(wanted, path, text) for path, text in lowered.items()}
    rarity = [math.log1p(len(texts) / (1 + sum(row[at] > 0 for row in counts.values()))) for at in range(len(wanted))]
    worth = {
        path: sum(idf * count / (count + SATURATION) for idf, count in zip(rarity, row, strict=True))
        for path, row in counts.items()
    }
    return sorted((path for path in texts if worth[path] > 0), key=lambda path: (-round(worth[path], 9), path))


def _counts(wanted: list[str], path: str, lowered: str) -> list[float]:
    """How often each word stands in a text, more for the path and headings."""
    found = [lowered.count(word) for word in wanted]
    place, headings = path.lower(), "\n".join(_HEADING.findall(lowered)) if any(found) else ""
    return [n + HEADING * (headings.count(word) + (word in place)) for n, word in zip(found, wanted, strict=True)]
