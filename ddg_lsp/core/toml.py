"""TOML reading under one name: `tomllib` where Python has it, the same parser from `tomli` on Python 3.10.

Files come from repositories nobody has vetted: whatever is in one, `loads` returns or raises TOMLDecodeError, and soon.
"""

from __future__ import annotations

import re
import sys
from typing import Any

if sys.version_info >= (3, 11):
    import tomllib as _toml
else:
    import tomli as _toml

__all__ = ["MAX_DOTS", "TOMLDecodeError", "loads"]

TOMLDecodeError = _toml.TOMLDecodeError
MAX_DOTS = 500
"""In the keys of one line: the parser takes the square of a dotted key's length; one of 60 kB held it 15 seconds."""
MAX_STEPS = 20_000
"""Dots of all keys, each with those of the table it is in: the parser goes that way for every key."""
_STRINGS = {
    '"""': re.compile(r'(?:[^"\\]|\\.|"(?!""))*(?:""")?', re.DOTALL),
    "'''": re.compile(r"(?:[^']|'(?!''))*(?:''')?", re.DOTALL),
    '"': re.compile(r'(?:[^"\\\n]|\\[^\n])*"?'),
    "'": re.compile(r"[^'\n]*'?"),
    "#": re.compile(r"[^\n]*"),
}
"""What follows an opening mark: the rest of a string, or of a comment. None of them looks back."""
_MARK = re.compile(r"\"\"\"|'''|[\"'#]")


def loads(text: str) -> dict[str, Any]:
    """The table a text holds. Raises TOMLDecodeError and nothing else, nesting too deep for the parser included."""
    _check_keys(text)
    try:
        return _toml.loads(text)
    except RecursionError as error:
        raise TOMLDecodeError("Values are nested too deeply.") from error
    except TOMLDecodeError:
        raise
    except ValueError as error:  # a number of thousands of digits
        raise TOMLDecodeError(str(error)) from error


def _check_keys(text: str) -> None:
    table = steps = 0
    for line in _bare(text).split("\n"):
        dots = line.count(".")
        if line.lstrip().startswith("["):
            table = dots
        steps += dots + table if "=" in line else 0
        if dots > MAX_DOTS or steps > MAX_STEPS:
            raise TOMLDecodeError(f"Keys have too many parts: more than {MAX_DOTS} in a line or {MAX_STEPS} in all")


def _bare(text: str) -> str:
    """The text without strings and comments: dots in those are cheap, and paths are full of them."""
    kept, place = [], 0
    while mark := _MARK.search(text, place):
        kept.append(text[place : mark.start()])
        rest = _STRINGS[mark.group()].match(text, mark.end())
        place = rest.end() if rest else mark.end()
    return "".join([*kept, text[place:]])
