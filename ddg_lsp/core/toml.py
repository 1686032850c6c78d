"""TOML reading under one name: `tomllib` where Python has it, the same parser from `tomli` on Python 3.10.

Files come from repositories nobody has vetted: whatever is in one, `loads` returns or raises TOMLDecodeError, and soon.
"""

from __future__ import annotations

import sys
from typing import Any

if sys.version_info >= (3, 11):
    import tomllib as _toml
else:
    import tomli as _toml

__all__ = ["MAX_DOTS", "TOMLDecodeError", "loads"]

TOMLDecodeError = _toml.TOMLDecodeError
MAX_DOTS = 500
"""In one line: the parser takes the square of the length of a dotted key, and one of 60 kB held it for 15 seconds."""


def loads(text: str) -> dict[str, Any]:
    """The table a text holds. Raises TOMLDecodeError and nothing else, nesting too deep for the parser included."""
    if any(line.count(".") > MAX_DOTS for line in text.split("\n")):
        raise TOMLDecodeError(f"A line has more than {MAX_DOTS} dots.")
    try:
        return _toml.loads(text)
    except RecursionError as error:
        raise TOMLDecodeError("Values are nested too deeply.") from error
    except TOMLDecodeError:
        raise
    except ValueError as error:  # a number of thousands of digits
        raise TOMLDecodeError(str(error)) from error
