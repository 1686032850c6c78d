"""An llms-full.txt, all pages of a site in one text, to its pages, where it says where they begin. Total and linear.

Owns the forms that are about; the format is in no specification. Must not know what is done with the pages.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from urllib.parse import urljoin

from ddg_lsp.core.llms_txt.model import Miss
from ddg_lsp.core.llms_txt.sniff import text_of

_TITLE = re.compile(r"#{1,3} +(.+)")
_SOURCE = re.compile(r"(?:source|url): *<?([^\s<>]+)>?", re.I)
_FRONT_URL = re.compile(r"(?:url|source): *['\"]?([^\s'\"]+)['\"]?", re.I)
_RULE = "---"
MAX_FRONT_LINES = 30


@dataclass(frozen=True, slots=True)
class Page:
    """One page. `url` is empty for a text that does not say where its pages begin."""

    title: str
    url: str
    body: str


def pages(data: bytes | str, base: str = "") -> tuple[Page, ...] | Miss:
    """The pages of the text found at `base`, in order; the whole as a single one where no marker is recognised.

    Recognised: a heading followed by `Source: <url>` or `URL: <url>`, and front matter with a `url`.
    """
    found = text_of(data)
    if isinstance(found, Miss):
        return found
    lines = found[0].split("\n")
    starts = list(_starts(lines))
    if not starts:
        return (Page(_first_title(lines), "", "\n".join(lines).strip()),)
    result = []
    for number, (_, body, title, url) in enumerate(starts):
        last = starts[number + 1][0] if number + 1 < len(starts) else len(lines)
        content = _trimmed(lines[body:last])
        result.append(Page(title or _first_title(content) or url, _joined(base, url), "\n".join(content)))
    return tuple(result)


def _starts(lines: list[str]) -> Iterator[tuple[int, int, str, str]]:
    """First line, first line of the body, title and address of each page."""
    at = 0
    while at < len(lines):
        line = lines[at]
        begun = None
        if line.startswith("#") and (title := _TITLE.fullmatch(line)):
            begun = _after_heading(lines, at, title[1].strip(" #"))
        elif line == _RULE:
            begun = _front_matter(lines, at)
        if begun is not None:
            yield begun
        at = begun[1] if begun is not None else at + 1


def _after_heading(lines: list[str], at: int, title: str) -> tuple[int, int, str, str] | None:
    below = next((one for one in range(at + 1, min(at + 4, len(lines))) if lines[one].strip()), None)
    source = _SOURCE.fullmatch(lines[below].strip()) if below is not None else None
    return None if source is None or below is None else (at, below + 1, title, source[1])


def _front_matter(lines: list[str], at: int) -> tuple[int, int, str, str] | None:
    url = ""
    for one in range(at + 1, min(at + MAX_FRONT_LINES, len(lines))):
        if lines[one] == _RULE:
            return (at, one + 1, "", url) if url else None
        if not lines[one].strip() and not url:
            return None  # a rule between two paragraphs
        if not url and (found := _FRONT_URL.fullmatch(lines[one].strip())):
            url = found[1]
    return None


def _trimmed(lines: list[str]) -> list[str]:
    """Without blank lines and rules at the ends, and the word `Markdown:` that some put before the text."""
    first, last = 0, len(lines)
    while first < last and lines[first].strip() in ("", _RULE, "Markdown:"):
        first += 1
    while last > first and lines[last - 1].strip() in ("", _RULE):
        last -= 1
    return lines[first:last]


def _first_title(lines: list[str]) -> str:
    found = next((title for line in lines if line.startswith("#") and (title := _TITLE.fullmatch(line))), None)
    return found[1].strip(" #") if found else ""


def _joined(base: str, url: str) -> str:
    try:
        return urljoin(base, url)
    except ValueError:
        return ""
