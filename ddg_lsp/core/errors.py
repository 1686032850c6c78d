"""The one exception of the core: trouble the caller must be told about, in a sentence."""

from __future__ import annotations


class DdgError(Exception):
    """Trouble with a request as a whole; trouble with one file is data (`Skip`), never an exception.

    `code` is stable and for programs (`INVALID_QUERY`, `NO_FOLDER`, ...); `str(error)` is a sentence for people;
    `usage` is true where the caller asked for something impossible (JSON-RPC -32602, exit 2).
    """

    def __init__(self, code: str, sentence: str, *, usage: bool = False, **data: object) -> None:
        super().__init__(sentence)
        self.code = code
        self.usage = usage
        self.data = data


class Cancelled(Exception):  # noqa: N818 - not an error: the caller asked for it
    """The work was cancelled between two of its steps; whatever was finished is kept."""
