"""Any bytes to the index they are, or to the reason why they are none. Total: nothing raises, time is linear.

Owns headings, fences, sections and which links count. Must not know where the bytes came from: fetching is elsewhere.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple
from urllib.parse import quote, urljoin, urlsplit

from ddg_lsp.core.llms_txt.links import Leading, bare_link, leading_link, unescape
from ddg_lsp.core.llms_txt.model import Index, Link, Miss, Section
from ddg_lsp.core.llms_txt.sniff import text_of

CONTENT_POINTS = 20_000
"""A text of this many code points without one link is no index but content that merely has the name."""

_HEADING = re.compile(r" {0,3}(#{1,6})(?:[ \t]+(.*))?")
_FENCE = re.compile(r"[ \t]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)?(`{3,}|~{3,})(.*)")
_QUOTE = re.compile(r" {0,3}>[ ]?(.*)")
_UNSAFE = re.compile(r'[\x00-\x20\\"<>`{}|^\x7f]')
_WEB = ("http", "https")


def parse(data: bytes | str, base: str = "") -> Index | Miss:
    """Read an llms.txt that was found at the address `base`; without one, links stay relative."""
    found = text_of(data)
    if isinstance(found, Miss):
        return found
    text, replaced = found
    reader = _Reader(base)
    reader.warnings["bad-utf8"] += replaced
    for line in _visible(text.split("\n"), reader.warnings):
        reader.take(line)
    index = reader.finish(len(text))
    if index is None:
        return Miss("no-title-no-links")
    return index


def _visible(lines: list[str], warnings: Counter[str]) -> Iterator[str]:
    """The lines outside fences and comments."""
    fence, comment = "", False
    for line in lines:
        if fence:
            closing = line.strip()
            if closing.startswith(fence) and not closing.strip(fence[0]):
                fence = ""
        elif comment:
            comment = "-->" not in line
        elif opened := _fence(line):
            fence = opened
        elif line.lstrip().startswith("<!--"):
            comment = "-->" not in line
        else:
            yield line
    if fence or comment:
        warnings["unclosed"] += 1


def _fence(line: str) -> str:
    """The characters that open a code fence; empty where none is opened."""
    found = _FENCE.fullmatch(line) if "```" in line or "~~~" in line else None
    return found[1] if found and not (found[1][0] == "`" and "`" in found[2]) else ""


class _Place(NamedTuple):
    """Where a link stands."""

    section: int
    headings: tuple[_Open, ...]


class _Open(NamedTuple):
    """A heading that is in force, from H2 on."""

    level: int
    name: str
    ordinal: int


class _Reader:
    """Takes line after line."""

    def __init__(self, base: str) -> None:
        self.warnings: Counter[str] = Counter()
        self._base = base
        self._title = ""
        self._quotes: list[str] = []
        self._sections: list[tuple[str, list[Link]]] = [("", [])]
        self._headings: tuple[_Open, ...] = ()
        self._count = 0
        self._used: set[int] = set()
        """Ordinals of headings that have a link below them."""
        self._seen: set[object] = set()
        self._known: dict[str, tuple[str, str]] = {}
        """What targets resolve to."""
        self._linked = False
        """A line began with a link."""
        self._bare: list[tuple[_Place, Leading]] = []

    def take(self, line: str) -> None:
        """The next line outside fences."""
        if "#" in line and (heading := _HEADING.fullmatch(line)):
            return self._heading(len(heading[1]), _heading_text(heading[2] or ""))
        if ">" in line and (quoted := _QUOTE.fullmatch(line)):
            if self._at_top:
                self._quotes.append(quoted[1].strip())
            return None
        place = _Place(len(self._sections) - 1, self._headings)
        if "](" in line:
            if (found := leading_link(line)) is not None:
                self._linked = True
                return self._add(found, place, bare=False)
            self.warnings["inner-link"] += 1
        elif "://" in line and not self._linked and (bare := bare_link(line)) is not None:
            self._bare.append((place, bare))
        return None

    @property
    def _at_top(self) -> bool:
        """Neither a link nor a section has begun."""
        return not self._linked and len(self._sections) == 1

    def _heading(self, level: int, name: str) -> None:
        if level == 1 and not self._title and self._at_top:
            self._title = name
            return
        above = tuple(one for one in self._headings if one.level < max(level, 2))
        self._headings = (*above, _Open(max(level, 2), name, self._count))
        self._count += 1
        if level <= 2:
            self._sections.append((name, []))

    def _add(self, found: Leading, place: _Place, *, bare: bool) -> None:
        url, trouble = self._known.get(found.target) or _resolved(self._base, found.target)
        self._known[found.target] = url, trouble
        key = _identity(url) if not trouble else None
        if not trouble and key in self._seen:
            trouble = "duplicate"
        if trouble:
            self.warnings[trouble] += 1
            return
        self._seen.add(key)
        self._used.update(one.ordinal for one in place.headings)
        sub = tuple(one.name for one in place.headings if one.level > 2 and one.name)
        self._sections[place.section][1].append(Link(found.name or url, url, found.notes, sub, _kind(url), bare))

    def finish(self, size: int) -> Index | None:
        """What all lines say; None where there is neither title nor link."""
        if not self._linked and not self.warnings["inner-link"]:
            for place, found in self._bare:
                self._add(found, place, bare=True)
        self.warnings["empty-heading"] += self._count - len(self._used)
        sections = tuple(Section(name, tuple(links)) for name, links in self._sections if links)
        if not self._title and not sections:
            return None
        if not self._title:
            self.warnings["no-h1"] += 1
        content = not sections and size >= CONTENT_POINTS
        summary = " ".join(line for line in self._quotes if line)
        counted = {code: count for code, count in sorted(self.warnings.items()) if count}
        return Index(self._title, summary, sections, counted, "content" if content else "index")


def _heading_text(source: str) -> str:
    """Without closing `#` and blanks; escapes resolved."""
    text = source.strip()
    bare = text.rstrip("#")
    if bare != text and (not bare or bare[-1] in " \t"):
        text = bare
    return " ".join(unescape(text).split())


def _resolved(base: str, target: str) -> tuple[str, str]:
    """The address of a link and, where there is none, the warning."""
    target = target.strip()
    if not target:
        return "", "empty-target"
    # Backslashes and blanks mean different things to different readers of addresses; escaped they mean one.
    target = _UNSAFE.sub(lambda found: quote(found[0]), target)
    try:
        url = urljoin(base, target)
        parts = urlsplit(url)
        _ = parts.port
    except ValueError:
        return "", "bad-url"
    if parts.scheme in _WEB:
        return (url, "") if parts.hostname else ("", "bad-url")
    return ("", "bad-scheme") if parts.scheme or base or parts.netloc else (url, "")


def _identity(url: str) -> object:
    """What two spellings of one page have in common: all but the fragment and the case of the host."""
    parts = urlsplit(url)
    return parts.scheme, parts.netloc.lower(), parts.path or ("/" if parts.netloc else ""), parts.query


def _kind(url: str) -> str:
    name = urlsplit(url).path.rpartition("/")[2].lower()
    return {"llms.txt": "index", "llms-full.txt": "full"}.get(name, "page")
