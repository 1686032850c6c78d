"""Words that mean the same in every language: identifiers, flags, file names, versions, abbreviations.

In a folder of several languages they alone are compared as words: there, an ordinary word of the question's language
speaks for nothing but the pages that happen to be written in that language.
"""

from __future__ import annotations

import re
import unicodedata

_QUOTED = r"`[^`\n]+`"
_JOINED = r"[A-Za-z0-9_@$]+(?:(?:::|->|[./:@#=\\])[A-Za-z0-9_]+)+"
_FLAG = r"(?<![\w-])--?[A-Za-z][\w-]*"
_SNAKE = r"\w*_\w*"
_CAMEL = r"[A-Za-z]*[a-z][A-Z]\w*"
_CAPITALS = r"[A-Z]{2,}\w*"
_NUMBERED = r"[A-Za-z]*\d[\w.]*"
_NAME = re.compile("|".join((_QUOTED, _JOINED, _FLAG, _SNAKE, _CAMEL, _CAPITALS, _NUMBERED)), re.ASCII)
_LATIN = re.compile(r"[A-Za-z][A-Za-z0-9_./-]*")
_OTHER_SCRIPT = re.compile(r"[\u0370-\u1cff\u3040-\uffdc]")


def names_in(question: str) -> str:
    """The names in a question, separated by blanks; in a question in another script, every Latin word is one."""
    question = unicodedata.normalize("NFKC", question)  # names typed in full-width letters are the same names
    pattern = _LATIN if _OTHER_SCRIPT.search(question) else _NAME
    return " ".join(match.group().strip("`") for match in pattern.finditer(question))


def is_keyword(question: str) -> bool:
    """Whether a question is a single word in Latin script: a name to look up, not a question."""
    question = unicodedata.normalize("NFKC", question)
    return question.isascii() and len(question.split()) == 1
