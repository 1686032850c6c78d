"""Tokens without a tokenizer: an estimate that is rather too high, for when no model is at hand."""

from __future__ import annotations

import re
from collections.abc import Sequence

_DENSE = re.compile(
    r"[\u1100-\u11ff\u2e80-\ua4cf\ua960-\ua97f\uac00-\ud7ff\uf900-\ufaff\ufe30-\ufe4f\uff00-\uffef\U0001f000-\U0003ffff]"
)


def estimate_tokens(texts: Sequence[str]) -> list[int]:
    """One token per ideograph, syllable or emoji, one per three other characters, and two for the ends.

    Measured ratios of the built-in model: 3.45 characters a token in English, 1.9 to 2.1 in Korean, Japanese, Chinese.
    """
    out = []
    for text in texts:
        dense = len(_DENSE.findall(text))
        out.append(2 + dense + (len(text) - dense + 2) // 3)
    return out
