"""Which language a text is in, as far as ranking needs to know: its script decides what is possible, vectors the rest.

Works on what the model has already computed; there is no detector to install. Languages are numbered as `probes` does.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

_SCRIPTS = {
    "hangul": r"[\u1100-\u11ff\u3130-\u318f\uac00-\ud7a3]",
    "kana": r"[\u3040-\u30ff]",
    "han": r"[\u3400-\u9fff]",
    "cyrillic": r"[\u0400-\u052f]",
    "arabic": r"[\u0600-\u06ff]",
    "devanagari": r"[\u0900-\u097f]",
    "latin": r"[A-Za-z\u00c0-\u024f\u1e00-\u1eff]",
}
_PATTERNS = {name: re.compile(pattern) for name, pattern in _SCRIPTS.items()}
_LANGUAGES = {
    "hangul": {"ko"},
    "kana": {"ja"},
    "han": {"zh", "ja"},
    "cyrillic": {"ru", "uk"},
    "arabic": {"ar"},
    "devanagari": {"hi"},
}
_WEIGHTS = {"hangul": 15, "kana": 15, "han": 15, "cyrillic": 3, "arabic": 3, "devanagari": 3, "latin": 1}
"""How many Latin letters a letter of a script outweighs: a page in Korean is Korean although its code is not, and a
syllable or ideograph says as much as a few letters. An English page with a handful of foreign words stays Latin."""
SAMPLE = 3_000
"""Code points of a text that are looked at."""


def script_of(text: str) -> str:
    """The script most of a text is written in, "" when it has no letters of a known one."""
    sample = text[:SAMPLE]
    if sample.isascii():
        return "latin" if _PATTERNS["latin"].search(sample) else ""
    counts = {name: len(pattern.findall(sample)) for name, pattern in _PATTERNS.items()}
    weights = {name: count * _WEIGHTS[name] for name, count in counts.items()}
    if counts["kana"] * 10 >= counts["han"] and counts["kana"] > 1:
        weights["kana"] += weights["han"]
    best = max(weights, key=lambda name: weights[name])
    return best if weights[best] else ""


def possible(script: str, languages: Sequence[str]) -> NDArray[np.bool_]:
    """Bool (L,): the languages written in a script; all of them where none of the known ones is."""
    if script == "latin":
        elsewhere = set().union(*_LANGUAGES.values())
        mask = np.array([language not in elsewhere for language in languages])
    else:
        mask = np.array([language in _LANGUAGES.get(script, ()) for language in languages])
    return mask if mask.any() else np.ones(len(languages), np.bool_)


def nearest(scores: NDArray[np.float32], mask: NDArray[np.bool_]) -> int:
    """The number of the best scored language, float32 (L,), among those of the mask."""
    return int(np.where(mask, scores, -np.inf).argmax())
