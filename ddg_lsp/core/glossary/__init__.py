"""What words of the trade mean in English, for questions in Korean, Japanese and Chinese.

A small multilingual model has learnt everyday language; that 의존성 주입 is *dependency injection* it has not. With the
English words said beside the question it finds the page (docs/decisions/0009-glossary.md has the figures).

Owns the list (`terms.tsv`: English, then one column a language, spellings separated by `|`) and how words of it are
found in a question. Must not know embedders or scores.
"""

from __future__ import annotations

import csv
import re
from functools import cache
from importlib import resources
from typing import NamedTuple

from ddg_lsp.core.folding import compatible

LANGUAGES = ("ko", "ja", "zh")
MAX_GLOSSES = 4
"""Glosses of one question, the first ones: more would outweigh the question itself."""
_HANGUL = re.compile(r"[\uac00-\ud7a3]")
_KANA = re.compile(r"[\u3041-\u30ff]")
_HAN = re.compile(r"[\u4e00-\u9fff]")
_KATAKANA = "\u30a1-\u30fa\u30fc"


class Term(NamedTuple):
    """One line of the list: the English words, and the spellings by language."""

    english: str
    spellings: dict[str, tuple[str, ...]]


@cache
def load() -> tuple[Term, ...]:
    """Every line of the list, in its order. No spelling stands twice in one language."""
    text = resources.files(__name__).joinpath("terms.tsv").read_text("utf-8")
    rows = csv.DictReader(text.splitlines(), delimiter="\t", quoting=csv.QUOTE_NONE)
    return tuple(
        Term(row["english"], {code: tuple(filter(None, row[code].split("|"))) for code in LANGUAGES}) for row in rows
    )


def glosses(question: str) -> tuple[str, ...]:
    """English for the words of the trade in a question, each once, in the question's order; often none."""
    text = compatible(question).casefold()
    known, pattern = _lexicon(_languages_of(text))
    found = dict.fromkeys(known[_key(match.group())] for match in pattern.finditer(text))
    return tuple(found)[:MAX_GLOSSES]


def _languages_of(text: str) -> tuple[str, ...]:
    """Columns to look in, by script. A question in Han characters alone may be Japanese as well as Chinese."""
    if _HANGUL.search(text):
        return ("ko",)
    if _KANA.search(text):
        return ("ja",)
    return ("zh", "ja") if _HAN.search(text) else ()


@cache
def _lexicon(languages: tuple[str, ...]) -> tuple[dict[str, str], re.Pattern[str]]:
    """English by spelling, and what finds the spellings in a text: the longest wherever several begin."""
    known: dict[str, str] = {}
    for code in languages:
        for term in load():
            for spelling in term.spellings[code]:
                known.setdefault(_key(spelling), term.english)
    longest_first = sorted(known, key=lambda spelling: (-len(spelling), spelling))
    return known, re.compile("|".join(map(_bounded, longest_first)) or r"(?!)")


def _bounded(spelling: str) -> str:
    """A spelling as a pattern: blanks in it are optional, and it is no part of another word.

    Korean words begin after something else (로그 is not in 프로그램) and may have a particle behind them; words in
    Katakana end where the Katakana does (ログ is not in プログラム). Han characters have no such borders.
    """
    pattern = r"\s?".join(map(re.escape, spelling))
    if _HANGUL.match(spelling):
        return rf"(?<![\uac00-\ud7a3]){pattern}"
    before = rf"(?<![{_KATAKANA}])" if re.match(f"[{_KATAKANA}]", spelling) else ""
    after = rf"(?![{_KATAKANA}])" if re.search(f"[{_KATAKANA}]$", spelling) else ""
    return before + pattern + after


def _key(spelling: str) -> str:
    return "".join(compatible(spelling).casefold().split())
