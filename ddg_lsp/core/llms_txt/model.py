"""What an llms.txt says, as values; and why something is none. No logic beyond derived fields."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

MISS_REASONS = ("html", "json", "empty", "binary", "no-title-no-links")
"""Why content that was asked for as llms.txt is no index."""

WARNINGS: dict[str, str] = {
    "bad-utf8": "bytes that are no UTF-8 were replaced",
    "no-h1": "there is no H1 before the first link",
    "empty-target": "a link leads nowhere",
    "bad-scheme": "a link is neither http nor https",
    "bad-url": "a link's address cannot be read",
    "duplicate": "a page is linked a second time",
    "inner-link": "a line holds a link but does not begin with one, or the link is malformed",
    "empty-heading": "a heading without links below it",
    "unclosed": "a code fence or a comment has no end",
}
"""What may have been dropped or bent while reading, and what it means."""


@dataclass(frozen=True, slots=True)
class Link:
    """One page of the index."""

    name: str
    """As a reader sees it, backslash escapes resolved; the address where the link has no text."""
    url: str
    """Absolute where the base was; with its fragment."""
    notes: str = ""
    sub: tuple[str, ...] = ()
    """Names of the H3 to H6 headings it stands under, outermost first."""
    kind: str = "page"
    """`page`, `index` (another llms.txt) or `full` (an llms-full.txt)."""
    bare: bool = False
    """An address without Markdown around it."""


@dataclass(frozen=True, slots=True)
class Section:
    """Links under one H2; `name` is empty for those before any."""

    name: str
    links: tuple[Link, ...]

    @property
    def optional(self) -> bool:
        """By convention what a reader in a hurry may leave for last."""
        return self.name.strip().casefold() == "optional"


@dataclass(frozen=True, slots=True)
class Index:
    """A read llms.txt."""

    title: str
    """Empty where there is no H1 before the first link."""
    summary: str
    sections: tuple[Section, ...]
    warnings: Mapping[str, int] = field(default_factory=dict)
    """How often each of `WARNINGS` was met."""
    kind: str = "index"
    """`content`: a long text without a single link that merely has the name."""

    @property
    def links(self) -> tuple[Link, ...]:
        """Every link, in order."""
        return tuple(link for section in self.sections for link in section.links)


@dataclass(frozen=True, slots=True)
class Miss:
    """It is no index; `reason` is one of `MISS_REASONS`."""

    reason: str
