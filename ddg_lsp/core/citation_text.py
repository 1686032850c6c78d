"""Comparing what is quoted with what is written, and finding a heading by how links name it. Linear; nothing raises.

Owns what counts as the same words. Must not know citations.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import unquote

import xxhash

from ddg_lsp.core import markdown

_LINK = re.compile(r"!?\[([^\[\]]*)\]\([^()\n]*\)")
_QUOTE_MARK = re.compile(r"(?m)^[ \t]*(?:>[ \t]?)+")
_MARKUP = re.compile(r"[\s*_`~\\|#]+")
_ELLIPSIS = re.compile(r"\[(?:…|\.{3})\]|\((?:…|\.{3})\)|…|\.{3,}")
_NO_SLUG = re.compile(r"[^\w\- ]")
_ID = re.compile(r"\{[^{}]*#([^\s{}]+)[^{}]*\}")
_SAME = str.maketrans({**dict.fromkeys("“”„«»‟″", '"'), **dict.fromkeys("‘’‚‛′", "'"), **dict.fromkeys("–—―‐‑‒−", "-")})


@dataclass(frozen=True, slots=True)
class Extent:
    """A section with everything below it, as far as its own heading reaches. Offsets in code points; line from 0."""

    headings: tuple[str, ...]
    names: frozenset[str]
    """Every fragment that leads here."""
    start: int
    end: int
    line: int


def extents(text: str) -> list[Extent]:
    """The sections of a document, in order; the first is the whole document."""
    parsed = markdown.parse(text)
    found = [Extent((parsed.title,) if parsed.title else (), frozenset({""}), 0, len(text), 0)]
    counts: dict[str, int] = {}
    ends = _ends(parsed.sections, len(text))
    for section, end in zip(parsed.sections, ends, strict=True):
        if section.heading is None:
            continue
        name = slug(section.heading.text)
        number = counts.get(name, 0)
        counts[name] = number + 1
        names = {f"{name}-{number}" if number else name}
        names |= set(_ID.findall(text[section.heading_start : section.heading_end]))
        found.append(Extent(section.path, frozenset(names), section.start, end, section.line))
    return found


def find_heading(sections: Sequence[Extent], name: str) -> Extent | None:
    """The section a fragment, a heading's text or a heading path (`A > B`) names; None where none does."""
    wanted = unquote(name).strip().lstrip("#").strip()
    if not wanted:
        return sections[0]
    by_id = next((one for one in sections if wanted in one.names or wanted.lower() in one.names), None)
    if by_id is not None:
        return by_id
    path = [slug(part) for part in wanted.split(" > ")]
    for one in sections[1:]:
        if [slug(part) for part in one.headings[-len(path) :]] == path:
            return one
    return next((one for one in sections[1:] if slug(wanted) in one.names), None)


def slug(heading: str) -> str:
    """A heading's text as GitHub makes a fragment of it."""
    return _NO_SLUG.sub("", heading.strip().lower()).replace(" ", "-")


def letters(text: str) -> str:
    """What is left of a text when blanks, Markdown's marks and ways of writing quotes and dashes are taken away."""
    plain = _LINK.sub(r"\1", _QUOTE_MARK.sub("", text))
    return _MARKUP.sub("", unicodedata.normalize("NFKC", plain).translate(_SAME))


def quoted_in(quote: str, body: str) -> bool:
    """Whether the words of a quote stand in `body`, the letters of a text, in their order; `…` stands for anything."""
    pieces = [piece for part in _ELLIPSIS.split(quote) if (piece := letters(part).strip("\"'"))]
    at = 0
    for piece in pieces:
        found = body.find(piece, at)
        if found < 0:
            return False
        at = found + len(piece)
    return True


def fingerprint(body: str) -> str:
    """16 hex of the letters of a section: they change when its words do, and not with line endings or blanks."""
    return xxhash.xxh3_64_hexdigest(body.encode("utf-8", "surrogatepass"))


class Sections:
    """A document's sections and, each made when it is first asked for, their letters."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._letters: dict[Extent, str] = {}
        self.all = extents(text)

    def letters(self, section: Extent) -> str:
        """The letters of a section with everything below its heading."""
        if section not in self._letters:
            self._letters[section] = letters(self._text[section.start : section.end])
        return self._letters[section]

    def holding(self, quote: str) -> Extent | None:
        """The smallest section that holds a quote; None where the document does not."""
        if not quoted_in(quote, self.letters(self.all[0])):
            return None
        return next((one for one in reversed(self.all) if quoted_in(quote, self.letters(one))), None)


def _ends(sections: Sequence[markdown.Section], length: int) -> list[int]:
    """Where each section ends when what stands below its heading belongs to it."""
    ends = [length] * len(sections)
    open_sections: list[int] = []
    for index, section in enumerate(sections):
        while open_sections and sections[open_sections[-1]].level >= section.level:
            ends[open_sections.pop()] = section.start
        open_sections.append(index)
    return ends
