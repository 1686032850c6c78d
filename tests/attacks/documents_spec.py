"""The CommonMark specification's examples: each is read as the specification reads it, alone and inside documents.

The examples are not in this repository: they come with the source package of markdown-it-py, which `make setup` puts
below the virtual environment; where they are not, a fact says so. Constructs of our own are always tried. Owns the
comparison with the specification's HTML; knows nothing of files or folders of documents.
"""

from __future__ import annotations

import json
import sys
import tarfile
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path

from ddg_lsp.core.markdown import Parsed, parse
from ddg_lsp.core.passages import cut
from tests.attacks.run import Run
from tests.helpers.document_properties import check_passages, check_sections, check_shown
from tests.helpers.token_counters import Recorder, counter

PLACE = Path(sys.prefix) / "share" / "commonmark-spec"
MEMBER = "tests/test_cmark_spec/commonmark.json"
_WRAPS = {
    "alone": "{}",
    "below a heading": "# Above\n\n{}",
    "between headings": "## Above\n\ntext\n\n{}\n\n# Below\n\ntext\n",
    "after front matter": "---\ntitle: Front\n---\n{}",
    "in a quote": "> {}",
    "in a list": "- {}",
    "twice": "{0}\n\n{0}",
}
# fmt: off
OWN = (
    "Title\n===", "two\nlines\n---", "# a #", "#\ta", "####### a", "#a", "\\# a", "   # a", "    # a", "a\n    # b",
    "* * *", "- - -\n- a", "a\n***\nb", "```\n# a\n```", "~~~ x\n# a", "````\n```\n````", "- a\n\n  ```\n  # b\n  ```",
    "> # a", "> a\nb\n> ---", "- # a\n\n  ## b", "1) a\n2) b\n3. c", "-\n\n  a", "10. a\n    1. b", "- a\n - b\n  - c",
    "<!-- a\n\n# b -->\n# c", "<div>\n# a\n\n# b\n</div>", "<pre>\n\n# a\n</pre>", "<?x\n# a\n?>",
    "<![CDATA[\n# a\n]]>",
    "<!X\n# a>", "</div>\n# a", "<x>\n# a\n\n# b", "[a]: /b '\nc\n'\n# [a]", "[a]:\n/b\n===", "[a]: <\n# b>", "&#35; a",
    "# &amp; `a` *b* [c](d) ![e](f) <g@h.i> <br>", "a  \n# b", "a\\\n===", "\t# a", "> ```\n# a",
    "- a\n\n\n# b", "`\n# a\n`",
    "| a |\n|---|\n# b", "| a |\n|---|\n| b |\n\nc\n===", "a | b\n- | -\nc | d\n# e", "\u00a0# a",
    "\u2028# a", "a\u2028===", "",
)
# fmt: on
"""Every block of the specification and what interrupts it, written for this file; nothing of it is copied."""


def specification() -> list[dict[str, str]]:
    """The examples, as `markdown`, `html` and `section`; empty where they are not installed."""
    for archive in sorted(PLACE.glob("markdown_it_py-*.tar.gz"), reverse=True):
        with tarfile.open(archive) as packed:
            for name in packed.getnames():
                member = packed.extractfile(name) if name.endswith(MEMBER) else None
                if member is not None:
                    found: list[dict[str, str]] = json.load(member)
                    return found
    return []


class _Headings(HTMLParser):
    """The headings of an HTML text that stand in no quote and no list: `(level, text)` each."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[tuple[int, str]] = []
        self._depth = 0
        self._level = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in ("blockquote", "ul", "ol"):
            self._depth += 1
        elif tag in ("h1", "h2", "h3", "h4", "h5", "h6") and not self._depth:
            self._level = int(tag[1])
            self.found.append((self._level, ""))
        elif tag == "img" and self._level:
            self.handle_data(dict(attrs).get("alt") or "")

    def handle_endtag(self, tag: str) -> None:
        if tag in ("blockquote", "ul", "ol"):
            self._depth -= 1
        elif tag == f"h{self._level}":
            self._level = 0

    def handle_data(self, data: str) -> None:
        if self._level:
            level, text = self.found.pop()
            self.found.append((level, text + data))


def headings_of(html: str) -> list[tuple[int, str]]:
    """The top-level headings the specification sees, blanks collapsed."""
    reader = _Headings()
    reader.feed(html)
    reader.close()
    return [(level, " ".join(text.split())) for level, text in reader.found]


def examples(run: Run) -> None:
    """Each example has the headings its HTML has; in every surrounding nothing of it is lost."""
    known = specification()
    if not known:
        run.fact(f"the specification's examples are not here: `make setup` puts them into {PLACE}")
    for number, one in enumerate(known, 1):
        with run.attempt("example, headings as in its HTML", f"{number} {one['section']}: {one['markdown']!r}"):
            seen = [(heading.level, heading.text) for heading in parse(one["markdown"]).headings]
            assert seen == headings_of(one["html"]), seen
    for text in (*(one["markdown"] for one in known), *OWN):
        for kind, document in _surrounded(text):
            with run.attempt(kind, repr(text)):
                _check(document)


def _surrounded(text: str) -> Iterator[tuple[str, str]]:
    origin = "construct" if text in OWN else "example"
    for wrap, form in _WRAPS.items():
        inner = text.replace("\n", "\n> " if wrap == "in a quote" else "\n  " if wrap == "in a list" else "\n")
        document = form.format(inner)
        for ending in ("\n", "\r\n", "\r"):
            yield f"{origin} {wrap}, every line ending", document.replace("\n", ending)


def _check(text: str) -> Parsed:
    parsed = parse(text)
    check_sections(text, parsed)
    check_shown(parsed)
    recorder = Recorder(counter("deterministic"))
    found = cut("a.md", parsed, text, recorder, max_tokens=60, max_points=40)
    check_passages(text, parsed, found, recorder, 60, 40)
    return parsed
