"""Citations of documents, and whether they still hold: `path#heading` with a quote, perhaps with a fingerprint.

Owns the written forms and the four states. What needs judgement - whether the quote supports what it is cited for -
is nobody's business here. Must not know the disk: texts come from a function.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from ddg_lsp.core import markdown
from ddg_lsp.core.citation_text import Sections, find_heading, fingerprint, quoted_in
from ddg_lsp.core.llms_txt.order import local_path
from ddg_lsp.core.text import LineIndex

STATES = ("valid", "stale", "missing", "not_found")
"""It holds; what is cited has changed or moved; there is no such file or heading; the quote is not there."""
SUFFIXES = (".md", ".markdown", ".mdx")
MAX_CITATIONS = 2_000

_PLAIN = r"[^\s<>()]*(?:\([^\s<>()]*\)[^\s<>()]*)*"
_LINK = re.compile(rf'\[(?:[^\[\]\\]|\\.)*\]\([ \t]*(?:<([^<>]*)>|({_PLAIN}))(?:[ \t]+"([^"]*)")?[ \t]*\)')
_SOURCE = r"(?:source|from|see|출처|出典|来源|來源|quelle|fuente)[ \t]*[:\uff1a][ \t]*"
_DASH = re.compile(rf"[ \t]*(?:[\u2014\u2013\u2015]|-{{1,3}}|{_SOURCE})[ \t]*", re.I)
_QUOTED = re.compile(r"(?m)^ {0,3}>")
_REST = re.compile(r"[ \t).,;]*")
_COMMENT = re.compile(
    r'<!--\s*cite:\s*(\S{1,2000}?)(?:\s+"((?:[^"\\]|\\.){0,8000})")?(?:\s+([0-9a-f]{16}))?\s*-->', re.DOTALL
)
_FINGERPRINT = re.compile(r"\b[0-9a-f]{16}\b")
_MARK = re.compile(r"[ \t]*(?:>[ \t]?)+")


@dataclass(frozen=True, slots=True)
class Citation:
    """A citation as written. `start` and `end` are where it stands in the citing text, code points."""

    target: str
    """The path as written, without its fragment."""
    heading: str
    """The fragment, a heading's text or a heading path; empty for the whole document."""
    quote: str
    """Empty where none is given."""
    fingerprint: str
    """What the cited section had when it was cited; empty where it was not noted."""
    start: int
    end: int
    line: int
    """From 0."""


@dataclass(frozen=True, slots=True)
class Finding:
    """What became of a citation."""

    citation: Citation
    state: str
    message: str
    """A sentence; empty where the citation holds."""
    path: str = ""
    """The cited document, relative to the root; empty where there is none."""
    line: int = 0
    """The heading's line there, from 0."""
    fingerprint: str = ""
    """The cited section's fingerprint now."""


Read = Callable[[str], "str | None"]
"""The text of a document by its path relative to the root; None where there is none to be read."""


def find(text: str, path: str) -> list[Citation]:
    """The citations in a text, which is Markdown, JSON or JSON lines by the ending of `path`."""
    if path.lower().endswith((".json", ".jsonl", ".ndjson")):
        return list(_in_json(text))[:MAX_CITATIONS]
    if "cite:" not in text and not _QUOTED.search(text):
        return []  # nearly every document, at every pause of whoever types: not worth a parse
    found = sorted(_in_markdown(text), key=lambda one: one.start)
    return found[:MAX_CITATIONS]


def check(citations: list[Citation], path: str, read: Read) -> list[Finding]:
    """What became of each citation in the document at `path` (relative to the root)."""
    known: dict[str, Sections | None] = {}

    def document(one: str) -> Sections | None:
        if one not in known:
            text = read(one) if one.lower().endswith(SUFFIXES) else None
            known[one] = None if text is None else Sections(text)
        return known[one]

    base = path.rpartition("/")[0]
    return [_check(citation, base, document) for citation in citations]


def _check(citation: Citation, base: str, document: Callable[[str], Sections | None]) -> Finding:
    # Links are relative to the file they stand in; what programs write down is relative to the root.
    places = dict.fromkeys((local_path(base, citation.target), local_path("", citation.target)))
    found = next(((one, known) for one in places if one and (known := document(one)) is not None), None)
    if found is None:
        return Finding(citation, "missing", f"There is no document {citation.target}.")
    path, sections = found
    section = find_heading(sections.all, citation.heading)
    if section is None:
        return Finding(citation, "missing", f"{path} has no heading “{citation.heading}”.", path)
    body = sections.letters(section)
    now, there = fingerprint(body), quoted_in(citation.quote, body)
    if citation.fingerprint and citation.fingerprint != now:
        message = f"{path} has changed here since it was cited." + ("" if there else " The quote is gone.")
        return Finding(citation, "stale", message, path, section.line, now)
    if there:
        return Finding(citation, "valid", "", path, section.line, now)
    moved = sections.holding(citation.quote)
    if moved is None:
        return Finding(citation, "not_found", f"The quote is not in {path}.", path, section.line, now)
    where = moved.headings[-1] if moved.headings else path
    message = f"The quote is not under this heading of {path}, but under “{where}”."
    return Finding(citation, "stale", message, path, section.line, now)


def _in_markdown(text: str) -> Iterator[Citation]:
    lines = LineIndex(text)
    for section in markdown.parse(text).sections:
        for number, block in enumerate(section.blocks):
            if block.kind == "quote":
                following = section.blocks[number + 1] if number + 1 < len(section.blocks) else None
                yield from _attributed(text, block, following, lines)
            if block.kind in ("html", "paragraph", "list", "quote"):
                for found in _COMMENT.finditer(text, block.start, block.end):
                    quote = re.sub(r"\\(.)", r"\1", found[2] or "")
                    yield _citation(found[1], quote, found[3] or "", found.start(), found.end(), lines)


def _attributed(
    text: str, block: markdown.Block, following: markdown.Block | None, lines: LineIndex
) -> Iterator[Citation]:
    """The citation of a block quote: a link to a document in its last line, or after a dash right below it."""
    end = block.start + len(text[block.start : block.end].rstrip())
    last = lines.line_start(lines.line_of(max(end - 1, block.start)))
    mark = _MARK.match(text, last, end)
    inner = mark.end() if mark else last
    quote = text[block.start : last]
    if (found := _attribution(text, inner, end, dash=False)) and quote.strip(" \t\r\n>"):
        return (yield _linked(found, quote, lines))
    if following is not None and following.kind in ("paragraph", "list"):
        line_end = lines.line_end(lines.line_of(following.start))
        if found := _attribution(text, following.start, line_end, dash=True):
            yield _linked(found, text[block.start : block.end], lines)
    return None


def _attribution(text: str, start: int, end: int, *, dash: bool) -> re.Match[str] | None:
    """The link of a line that is an attribution and nothing else."""
    opening = _DASH.match(text, start, end)
    if opening is None and dash:
        return None
    at = opening.end() if opening else start
    while at < end and text[at] in " \t(":
        at += 1
    found = _LINK.match(text, at, end)
    if found is None or (rest := _REST.match(text, found.end(), end)) is None or rest.end() < end:
        return None
    target = (found[1] or found[2] or "").partition("#")[0].partition("?")[0]
    return found if "://" not in target and target.lower().endswith(SUFFIXES) else None


def _linked(found: re.Match[str], quote: str, lines: LineIndex) -> Citation:
    noted = _FINGERPRINT.search(found[3] or "")
    target = found[1] if found[1] is not None else found[2]
    return _citation(target, quote, noted[0] if noted else "", found.start(), found.end(), lines)


def _citation(target: str, quote: str, noted: str, start: int, end: int, lines: LineIndex) -> Citation:
    path, _, heading = target.partition("#")
    quote = "\n".join(one[mark.end() if (mark := _MARK.match(one)) else 0 :].rstrip() for one in quote.splitlines())
    return Citation(path, heading, quote.strip(), noted, start, end, lines.line_of(start))


def _in_json(text: str) -> Iterator[Citation]:
    """Objects with a `path`, wherever they stand in one JSON value or in JSON lines."""
    try:
        values: list[tuple[int, object]] = [(0, json.loads(text))]
    except (ValueError, RecursionError):
        values = list(_json_lines(text))
    todo = list(reversed(values))
    while todo:
        line, value = todo.pop()
        if isinstance(value, Mapping):
            if isinstance(value.get("path"), str) and ("quote" in value or "fingerprint" in value):
                yield _from_object(value, line)
            else:
                todo += [(line, item) for item in reversed(list(value.values()))]
        elif isinstance(value, list):
            todo += [(line, item) for item in reversed(value)]


def _json_lines(text: str) -> Iterator[tuple[int, object]]:
    for number, line in enumerate(text.split("\n")):
        try:
            yield number, json.loads(line)
        except (ValueError, RecursionError):
            continue


def _from_object(value: Mapping[str, object], line: int) -> Citation:
    path, _, fragment = str(value["path"]).partition("#")
    named = value.get("heading", value.get("headings"))
    heading = " > ".join(map(str, named)) if isinstance(named, list) else str(named or fragment)
    return Citation(path, heading, str(value.get("quote") or ""), str(value.get("fingerprint") or ""), 0, 0, line)
