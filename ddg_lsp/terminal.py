"""Standard input, output and error as the command line finds them: open, closed, full, or a terminal to be protected.

Owns what is written where, and how text of documents and names of files are made safe to look at. Must not know what
is written. The result goes to standard output, everything else to standard error.
"""

from __future__ import annotations

import io
import os
import re
import sys
import unicodedata

from ddg_lsp.core.errors import DdgError

_SPELLING = "\u200c\u200d\xad"
"""Invisible, but emoji and several scripts are spelled with them, and long words are broken."""
_PLAIN = re.compile(r"[ -~]*")


def prepare() -> None:
    """Once, before anything is opened or written.

    A closed descriptor would be given to the next file that is opened, and what a library prints would land in it.
    """
    for descriptor in (0, 1, 2):
        try:
            os.fstat(descriptor)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # the lowest free one: this
    if sys.stderr is None:  # `print(file=None)` prints to standard output
        sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115, PTH123 - for as long as the process runs
    for stream in (sys.stdout, sys.stderr):
        # Documents come in every script; a terminal's legacy code page must not end a search.
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(encoding="utf-8", errors="replace")


def require_output() -> None:
    """Raises `DdgError` NO_OUTPUT where standard output is closed: nobody could read the answer."""
    if sys.stdout is None:
        raise DdgError("NO_OUTPUT", "Standard output is closed.")


def line(text: str) -> None:
    """A line of the result. Raises `DdgError` NO_OUTPUT where it cannot be written, `BrokenPipeError` unread."""
    try:
        print(text, flush=True)
    except BrokenPipeError:
        raise
    except (OSError, ValueError) as error:
        why = error.strerror if isinstance(error, OSError) else "it is closed"
        raise DdgError("NO_OUTPUT", f"Standard output cannot be written: {why}.") from error


def flush() -> None:
    """Write what a library has left in the buffer of standard output; raises as `line`."""
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        raise
    except (OSError, ValueError) as error:
        raise DdgError("NO_OUTPUT", "Standard output cannot be written.") from error


def note(text: str) -> None:
    """A line for the user beside the result; what cannot be told is not."""
    try:
        print(visible(text), file=sys.stderr, flush=True)
    except (OSError, ValueError):
        return


def abandon_output() -> None:
    """Nothing more is written, and Python does not complain at the exit about what it could not write."""
    try:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)
    except (OSError, ValueError, AttributeError):
        return  # it is no stream of the system, or closed


def wants_colour() -> bool:
    """Colour only on a terminal, and not where the user has said no (no-color.org)."""
    return sys.stdout.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def visible(text: str) -> str:
    r"""One line of text that a terminal shows and does not obey: blanks become spaces, what is obeyed becomes `\x1b`.

    Control characters, marks that turn the direction of text around, invisible ones, and bytes that are no Unicode.
    """
    return text if _PLAIN.fullmatch(text) else "".join(map(_shown, text))


def _shown(character: str) -> str:
    if character.isspace():
        return " "
    if character in _SPELLING or unicodedata.category(character) not in ("Cc", "Cf", "Cs"):
        return character
    return character.encode("unicode_escape", "surrogatepass").decode("ascii")
