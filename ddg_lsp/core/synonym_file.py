"""`synonyms.txt` in Solr's form: its grammar, its limits, and what a person should look at in it.

One bad line costs that line; bytes that cannot be read cost the file. Knows nothing of folders or of the protocol.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from ddg_lsp.core.folding import literal
from ddg_lsp.core.literal import MAX_EXPANSION_TERMS
from ddg_lsp.core.synonyms import MAX_TERM, Rules

MAX_BYTES = 1 << 20
MAX_DIAGNOSTICS = 100
_MAX_PAIRS = 200_000
"""Pairs of terms remembered to notice repeats; a real dictionary has some thousands."""
_MAX_LINE_PAIRS = 4_096
_LINE = re.compile(r"([^\r\n]*)(\r\n|\r|\n|\Z)")
_ESCAPE = re.compile(r"\\(.)", re.DOTALL)
_SEPARATORS = {separator: re.compile(rf"\\.|{separator}", re.DOTALL) for separator in (",", "=>")}


class Diagnostic(NamedTuple):
    """Something to look at: 0-based line, code points within it (end exclusive), a stable word and a sentence.

    `bad-rule` and `term-too-long`: the line is not used; `alone`, `duplicate`, `too-many`: it is.
    """

    line: int
    start: int
    end: int
    code: str
    message: str


@dataclass(frozen=True)
class SynonymFile:
    """A synonym file's rules. `failure`: why it could not be read at all; None where it could, or is not there."""

    rules: Rules = field(default_factory=Rules)
    diagnostics: tuple[Diagnostic, ...] = ()
    failure: str | None = None


def read_file(data: bytes | str) -> SynonymFile:
    """A synonym file from its bytes, or from the word that says why there are none; `vanished` is no trouble."""
    if data == "vanished":
        return SynonymFile()
    if isinstance(data, str):
        return SynonymFile(failure=f"The synonym file was not read: {data}.")
    if len(data) > MAX_BYTES:
        return SynonymFile(failure=f"The synonym file is larger than {MAX_BYTES} bytes.")
    try:
        return parse(data.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        return SynonymFile(failure=f"The synonym file is not UTF-8 at byte {error.start}.")


def parse(text: str) -> SynonymFile:
    r"""The rules of a text: `a, b, c` stand for one another, `a, b => c` one way; `#` comments, `\` escapes."""
    rules = Rules()
    memory: _Memory | None = _Memory()  # None once nothing more will be said
    notes: list[Diagnostic] = []
    for line, match in enumerate(_LINE.finditer(text)):
        content = match[1]
        if content.strip() and not content.lstrip().startswith("#"):
            start, end = len(content) - len(content.lstrip()), len(content.rstrip())
            notes += [Diagnostic(line, start, end, *note) for note in _rule(rules, memory, content)]
            if len(notes) >= MAX_DIAGNOSTICS:
                memory = None
    return SynonymFile(rules, tuple(notes[:MAX_DIAGNOSTICS]))


def _rule(rules: Rules, memory: _Memory | None, content: str) -> Iterator[tuple[str, str]]:
    """Take one line; yields code and sentence of what is wrong with it."""
    sides = [[_unescaped(term) for term in _split(side, ",")] for side in _split(content, "=>")]
    terms, others = sides[0], sides[-1]
    if len(sides) > 2:
        yield "bad-rule", "A rule has one `=>` at most."
    elif not all(terms) or not all(others):
        yield "bad-rule", "A term is missing."
    elif any(len(term) > MAX_TERM for side in sides for term in side):
        yield "term-too-long", f"A term is longer than {MAX_TERM} characters."
    elif len(sides) == 1 and len(terms) == 1:
        yield "alone", "A term by itself stands for nothing."
    else:
        rules.add(terms, others)
        if memory is not None:
            yield from memory.notice([literal(term) for term in terms], [literal(other) for other in others])


@dataclass
class _Memory:
    """The pairs met so far, to notice what is said twice and what stands for too much."""

    _pairs: dict[str, set[str]] = field(default_factory=dict)
    _size: int = 0

    def notice(self, terms: Sequence[str], others: Sequence[str]) -> Iterator[tuple[str, str]]:
        """What a rule of folded terms repeats, or makes too many of; it is remembered."""
        repeated = len(set(terms)) < len(terms) or len(set(others)) < len(others)
        crowded = terms[0] if len(set(others) - {terms[0]}) > MAX_EXPANSION_TERMS else None
        if len(terms) * len(others) <= _MAX_LINE_PAIRS and self._size < _MAX_PAIRS:
            for term in dict.fromkeys(terms):
                known = self._pairs.setdefault(term, set())
                new = set(others) - {term}
                repeated = repeated or not known.isdisjoint(new) or not new
                before = len(known)
                known |= new
                self._size += len(known) - before
                if before <= MAX_EXPANSION_TERMS < len(known):
                    crowded = term
        if repeated:
            yield "duplicate", "A term, or a pair of terms, was given before."
        if crowded is not None:
            yield "too-many", f"{crowded!r} stands for more than {MAX_EXPANSION_TERMS} terms; the rest is not searched."


def _split(text: str, separator: str) -> list[str]:
    """Pieces between separators that no backslash stands before; escapes stay in."""
    if "\\" not in text:
        return text.split(separator)
    cuts = [match.span() for match in _SEPARATORS[separator].finditer(text) if match[0][0] != "\\"]
    starts = [0, *(end for _, end in cuts)]
    return [text[start:end] for start, end in zip(starts, [*(start for start, _ in cuts), len(text)], strict=True)]


def _unescaped(term: str) -> str:
    term = term.strip()
    return _ESCAPE.sub(r"\1", term) if "\\" in term else term
