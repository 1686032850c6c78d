"""Texts made to make a reader slow: what each reader needs for four times the text, and texts of a megabyte.

Owns shapes and the measure. A reader may take four times as long for four times the text, and some more; with a
quadratic step anywhere it is sixteen times. Seconds are the processor's, and only texts that cost something count.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from itertools import product

from ddg_lsp.core import citations, front_matter, likely, markdown, synonym_file
from ddg_lsp.core.citation_text import extents, letters
from ddg_lsp.core.embedded_text import flatten
from ddg_lsp.core.excerpts import excerpt
from ddg_lsp.core.ignore import IgnoreRules
from ddg_lsp.core.llms_txt.parse import parse as parse_llms
from ddg_lsp.core.names import names_in
from ddg_lsp.core.outline import outlined
from ddg_lsp.core.passages import cut
from ddg_lsp.core.query import MAX_QUESTION
from ddg_lsp.core.secrets import holds_private_key, secret_path
from ddg_lsp.core.terms import question_terms, spans, terms
from ddg_lsp.core.text import LineIndex
from tests.attacks.run import Run
from tests.helpers.markdown_samples import FRAGMENTS, SLOW_SHAPES

FLOOR_SECONDS = 0.1
"""What a text costs less than is no news, whatever its ratio."""
MOST = 9.0
"""Times as much for four times the text; the square of it is sixteen."""
TRIES = 3
EXTREME_SECONDS = 120.0
"""For a megabyte, of the processor, on the slowest machine; the square of anything would take hours."""
SHORT, LONG = 5_000, 60_000
SHORT_UNITS = 15
"""How many of the shapes a short run tries, chosen by its seed."""
LONG_SECONDS = 2.0
"""A share of the time of at least this makes a run long."""


def _cheap(texts: object) -> list[int]:
    return [len(text) // 3 for text in texts]  # type: ignore[attr-defined]


def _document(text: str) -> None:
    parsed = markdown.parse(text)
    found = cut("a.md", parsed, text, _cheap)
    for passage in found[:50]:
        excerpt(text, passage, frozenset({"word", "a"}))


def _question(text: str) -> None:
    names_in(text[:MAX_QUESTION])  # a question's own bound
    question_terms(text)
    secret_path(text)


READERS: dict[str, Callable[[str], object]] = {
    "parsing and cutting": _document,
    "outline": outlined,
    "front matter": lambda text: (front_matter.split("---\n" + text), front_matter.split("+++\n" + text + "\n+++")),
    "terms": terms,
    "places of terms": spans,
    "questions and paths": _question,
    "lines": lambda text: LineIndex(text).position(len(text) // 2, "utf-16"),
    "dropping data": flatten,
    "citations": lambda text: citations.find(text + "> a\ncite:", "a.md"),
    "JSON citations": lambda text: citations.find(text, "a.jsonl"),
    "extents": extents,
    "letters": letters,
    "llms.txt": lambda text: parse_llms(text, "https://example.org/"),
    "private keys": holds_private_key,
    "synonyms": lambda text: synonym_file.parse(text),
    "ignore rules": lambda text: IgnoreRules(text.encode("utf-8", "surrogatepass")),
    "a first question": lambda text: likely.files("word one", {"a.md": text, "b.md": "word"}),
}
# fmt: off
UNITS = (
    *FRAGMENTS, "> ", "- ", "#", "*a ", "![a", "[a](b", "<!--", "<a ", "a_b.", "[x]: y\n", "* * *\n", "    a\n\n",
    "a\n\n", "| a ", "|-", "| a |\n", "{: .a}", "{#", "~", "a=1\n", "'a'=>b,", "http://a ", "-----BEGIN ", "A ",
    "\\", '"', "://", "!a/**/\n", "<!--cite: a ",
    "> [a](b.md)\n", '{"path":', "data:a/b;", "e\u0301", "\u200d👩", "1.", "aB1", "::", "-", "\r", "\r\n",
    "\v", "\u3000", "&#1;", "<x>\n",
)
# fmt: on


def growth(run: Run) -> None:
    """Every shape at four times its length for every reader; then shapes put together at random."""
    long = run.seconds >= LONG_SECONDS
    worst: tuple[float, str] = (0.0, "nothing")
    units = list(dict.fromkeys(UNITS))
    for unit, (name, read) in product(units if long else run.rng.sample(units, SHORT_UNITS), READERS.items()):
        worst = max(worst, _grows(run, f"one thing again and again, {name}", read, ("", unit, ""), long=long))
    for rng in run.rounds(at_least=3):
        shape = (_some(rng, 2), _some(rng, 3) or "a", _some(rng, 2))
        for name, read in READERS.items():
            worst = max(worst, _grows(run, f"a shape at random, {name}", read, shape, long=long))
    run.fact(f"four times the text took at most {worst[0]:.1f} times as long ({worst[1]})")


def _some(rng: random.Random, most: int) -> str:
    return "".join(rng.choice(UNITS) for _ in range(rng.randrange(most + 1)))


def _grows(
    run: Run, kind: str, read: Callable[[str], object], shape: tuple[str, str, str], *, long: bool
) -> tuple[float, str]:
    """The ratio, where there was something to measure; the least of some tries, for other programs run here, too."""
    before, unit, after = shape
    size = LONG if long else SHORT
    small, large = (before + unit * (points // len(unit)) + after for points in (size, 4 * size))
    ratio = 0.0
    with run.attempt(kind, repr(shape)):
        for _ in range(TRIES):
            spent = _seconds(read, large)
            if spent < FLOOR_SECONDS:
                return 0.0, kind
            ratio = spent / max(_seconds(read, small), 1e-4)
            if ratio < MOST:
                return ratio, kind
        raise AssertionError(f"{ratio:.1f} times as long, {spent:.2f} s, for four times the text")
    return ratio, kind


def _seconds(read: Callable[[str], object], text: str) -> float:
    started = time.process_time()
    read(text)
    return time.process_time() - started


EXTREMES: dict[str, Callable[[], str]] = {
    "a line of 1 MB, words": lambda: "word " * 200_000,
    "a line of 1 MB, one word": lambda: "x" * 1_000_000,
    "a line of 1 MB, no spaces in its script": lambda: "漢字" * 170_000,
    "a heading of 1 MB": lambda: "# " + "a *b* " * 160_000,
    "a table row of 1 MB": lambda: "| a |\n|---|\n" + "| b " * 250_000,
    "100,000 opening brackets": lambda: "[" * 100_000,
    "100,000 brackets in a heading": lambda: "# " + "[" * 50_000 + "]" * 50_000,
    "100,000 brackets, one a line": lambda: "[\n" * 100_000,
    "100,000 parentheses after a bracket": lambda: "[a]" + "(" * 100_000,
    "100,000 headings": lambda: "# a\n" * 100_000,
    "100,000 headings of every level": lambda: "".join(f"{'#' * (n % 6 + 1)} h{n}\n" for n in range(60_000)),
    "100,000 underlined headings": lambda: "a\n=\n\n" * 100_000,
    "100,000 list items": lambda: "- a\n" * 100_000,
    "100,000 link definitions": lambda: "".join(f"[{n}]: b\n" for n in range(80_000)),
    "100,000 blank lines": lambda: "\r\n" * 100_000,
}
"""What a document of at most a megabyte may hold at worst."""
QUICK = frozenset({"a line of 1 MB, one word", "100,000 opening brackets", "100,000 brackets in a heading"})
"""Those a short run tries, too; each takes every reader a moment."""


def extremes(run: Run) -> None:
    """Documents of up to a megabyte to every reader; short, the cheaper readers and shapes."""
    long = run.seconds >= LONG_SECONDS
    slowest: tuple[float, str] = (0.0, "nothing")
    for name, make in {**EXTREMES, **{name: lambda text=text: text for name, text in SLOW_SHAPES.items()}}.items():
        if not long and name not in QUICK:
            continue
        text = make()
        for kind, read in READERS.items():
            with run.attempt(f"extreme, {kind}", name):
                spent = _seconds(read, text)
                slowest = max(slowest, (spent, f"{kind}: {name}"))
                assert spent < EXTREME_SECONDS, f"{spent:.0f} s"
    run.fact(f"the slowest took {slowest[0]:.1f} s of the processor ({slowest[1]})")
