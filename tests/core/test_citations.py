"""Citations: the case B03, the written forms, what counts as the same words, and what is no citation."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ddg_lsp.core.citation_text import Sections, find_heading, quoted_in, slug
from ddg_lsp.core.citations import STATES, Citation, Finding, check, find
from ddg_lsp.core.cited_files import check_text
from ddg_lsp.core.settings import Settings
from tests.helpers.folders import write

RETRY = """---
title: x
---
# Delivery

Messages are *sent* once.

## Retry policy {#retry}

A failed delivery is tried again
later, [at most](limits.md) `five` times — “always”.

### Backoff

It doubles.

## Retry policy

Another one.
"""


def findings(text: str, documents: dict[str, str] | None = None, path: str = "notes.md") -> list[Finding]:
    known = {"docs/retry.md": RETRY} if documents is None else documents
    return check(find(text, path), path, known.get)


def quoted(quote: str, target: str) -> str:
    lines = "\n".join(f"> {line}" for line in quote.split("\n"))
    return f"Before.\n\n{lines}\n>\n> — [it]({target})\n\nAfter.\n"


def state(quote: str, target: str = "docs/retry.md#retry-policy") -> str:
    [found] = findings(quoted(quote, target))
    return found.state


def test_b03_valid_stale_missing_not_found() -> None:
    assert state("A failed delivery is tried again later") == "valid"
    [found] = findings(quoted("It doubles.", "docs/retry.md#backoff"))
    noted = found.fingerprint
    assert len(noted) == 16
    assert state("It doubles.", f'docs/retry.md#backoff "{noted}"') == "valid"
    changed = {"docs/retry.md": RETRY.replace("It doubles.", "It doubles. Each time.")}
    [found] = findings(quoted("It doubles.", f'docs/retry.md#backoff "{noted}"'), changed)
    assert (found.state, "quote is gone" in found.message) == ("stale", False)
    [found] = findings(
        quoted("It doubles.", f'docs/retry.md#backoff "{noted}"'), {"docs/retry.md": "# A\n## Backoff\n"}
    )
    assert (found.state, "quote is gone" in found.message) == ("stale", True)
    assert state("It doubles.", "docs/retry.md#gone") == "missing"
    assert state("It doubles.", "docs/gone.md#backoff") == "missing"
    assert state("It triples.") == "not_found"


def test_a_fingerprint_holds_whatever_the_line_endings_and_changes_with_the_words() -> None:
    def of(text: str) -> str:
        [found] = findings(quoted("It doubles", "docs/retry.md#backoff"), {"docs/retry.md": text})
        return found.fingerprint

    assert of(RETRY) == of(RETRY.replace("\n", "\r\n")) == of("\ufeff" + RETRY + "\n\n")
    assert of(RETRY) != of(RETRY.replace("It doubles.", "It doubles!"))


@pytest.mark.parametrize(
    "quote",
    [
        "A failed delivery is tried again later, at most five times",
        "A **failed** delivery\nis tried again later, at most",
        '“A failed delivery … at most five times - "always".”',
        "later, [at most](elsewhere.md) five",
        "failed [...] five",
        "It doubles.",  # a section holds what stands below its heading
    ],
)
def test_the_same_words_are_the_same_however_they_are_set(quote: str) -> None:
    assert state(quote) == "valid"


@pytest.mark.parametrize("quote", ["five … failed", "a failed delivery", "A failed delivery is tried, again"])
def test_other_words_are_not(quote: str) -> None:
    assert state(quote) == "not_found"


def test_lines_of_scripts_without_blanks_may_be_broken_anywhere() -> None:
    documents = {"a.md": "# 題\n\n失敗した配信は後で\n再試行されます。\n"}
    [found] = findings(quoted("失敗した配信は\n後で再試行", "a.md#題"), documents)
    assert found.state == "valid"


def test_a_quote_under_another_heading_has_moved() -> None:
    [found] = findings(quoted("Messages are sent once.", "docs/retry.md#backoff"))
    assert found.state == "stale"
    assert "“Delivery”" in found.message


@pytest.mark.parametrize(
    ("heading", "line"),
    [
        ("", 0),
        ("retry-policy", 7),
        ("retry-policy-1", 16),
        ("retry", 7),
        ("Retry policy", 7),
        ("Retry%20policy", 7),
        ("Retry policy > Backoff", 12),
        ("BACKOFF", 12),
        ("#backoff", 12),
        ("delivery", 3),
    ],
)
def test_a_heading_is_found_by_every_name_it_has(heading: str, line: int) -> None:
    found = find_heading(Sections(RETRY).all, heading)
    assert found is not None
    assert found.line == line


def test_fragments_are_those_of_github() -> None:
    assert slug("What's new in v2.0?") == "whats-new-in-v20"
    assert slug("설치 안내 (한국어)") == "설치-안내-한국어"
    assert slug("a_b  - c") == "a_b----c"


def test_the_forms_of_a_citation() -> None:
    link = "[x](docs/retry.md#backoff)"
    for text in (
        f"> It doubles.\n> — {link}\n",
        f"> It doubles.\n>\n> -- {link}.\n",
        f"> It doubles.\n>\n> ({link})\n",
        f"> It doubles.\n\n— {link}\n",
        f"> It doubles.\n\nSource: {link}\n",
        f"> It doubles.\n\n출처: {link}\n",
        f"> It doubles.\n\n— [x [y]]({link[4:-1]})\n".replace("[x [y]]", "[x \\[y\\]]"),
        "> It doubles.\n\n— [x](<docs/retry.md#backoff>)\n",
        '<!-- cite: docs/retry.md#backoff "It doubles." -->\n',
        'Text <!-- cite: docs/retry.md#backoff\n "It doubles." --> goes on.\n',
        '- item <!-- cite: docs/retry.md#backoff "It doubles." -->\n',
    ):
        [found] = findings(text)
        assert (found.state, found.path, found.citation.quote) == ("valid", "docs/retry.md", "It doubles."), text
        where = text[found.citation.start : found.citation.end]
        assert where.startswith(("[x", "<!--"))
        assert where.endswith((")", "-->"))


@pytest.mark.parametrize(
    "text",
    [
        "> Just a quote.\n",
        "> A quote.\n\nSee [more](docs/retry.md) on that.\n",
        "> A quote with a [link](docs/retry.md) in it, and words behind.\n",
        "> A quote.\n\n[a paragraph of one link](docs/retry.md)\n",
        "> — [only a link](docs/retry.md)\n",
        "> A quote.\n\n— [web](https://x.test/docs/retry.md#a)\n",
        "> A quote.\n\n— [a picture](docs/retry.png)\n",
        "```\n> It doubles.\n> — [x](docs/gone.md)\n<!-- cite: docs/gone.md -->\n```\n",
        "",
    ],
)
def test_what_is_no_citation(text: str) -> None:
    assert find(text, "notes.md") == []


def test_paths_are_the_file_s_own_or_the_root_s_and_never_lead_out() -> None:
    documents = {"docs/retry.md": RETRY, "secret.md": "x", "docs/b (1).md": "# B\n\nbee\n"}
    assert findings(quoted("It doubles.", "retry.md#backoff"), documents, "docs/notes.md")[0].state == "valid"
    assert findings(quoted("It doubles.", "docs/retry.md#backoff"), documents, "docs/notes.md")[0].state == "valid"
    assert findings(quoted("bee", "./b%20(1).md"), documents, "docs/notes.md")[0].state == "valid"
    asked: list[str] = []

    def read(path: str) -> None:
        asked.append(path)

    check(find(quoted("x", "../../secret.md") + quoted("x", "/../../etc/x.md"), "docs/notes.md"), "docs/notes.md", read)
    assert not [path for path in asked if ".." in path or path.startswith("/")]


def test_only_documents_the_folder_lets_be_read_are_read(tmp_path: Path) -> None:
    root = write(
        tmp_path / "w", {"docs/plan/a.md": "# A\n\nplanned\n", ".env.md": "# E\n\nkey\n", "secrets/b.md": "# B\n"}
    )
    write(tmp_path, {"out.md": "# O\n\nout\n"})
    (root / "link.md").symlink_to("../out.md")

    def state_of(quote: str, target: str) -> str:
        [found] = check_text(root, Settings(), quoted(quote, target), "notes.md")
        return found.state

    assert state_of("planned", "docs/plan/a.md") == "valid"  # not searched, and read where it is named
    assert state_of("key", ".env.md") == "missing"
    assert state_of("B", "secrets/b.md") == "missing"
    assert state_of("out", "link.md") == "missing"
    [found] = check_text(root, Settings(), quoted("typed", "docs/new.md"), "n.md", {"docs/new.md": "typed"}.get)
    assert found.state == "valid"


def test_json_in_every_shape() -> None:
    one = {"path": "docs/retry.md", "headings": ["Retry policy", "Backoff"], "quote": "It doubles."}
    other = {"path": "docs/retry.md#gone", "quote": "It doubles.", "fingerprint": ""}
    for text, path in (
        (json.dumps([one, other]), "a.json"),
        (json.dumps({"claims": [{"text": "x", "citations": [one]}, {"citations": [other]}]}), "a.json"),
        (f"{json.dumps(one)}\n{json.dumps(other)}\nnot json\n", "a.jsonl"),
    ):
        assert [found.state for found in findings(text, path=path)] == ["valid", "missing"]
    assert [found.citation.line for found in findings(f"{{}}\n{json.dumps(one)}\n", path="a.jsonl")] == [1]
    for text in ("", "[", "3", "[" * 100_000, '{"path": 3, "quote": []}'):
        assert find(text, "a.json") == []


MARKS = st.sampled_from(
    ["> ", "— ", "[x](", "a.md#b", ")", "<!-- cite: ", '"', " -->", "\n", "x", "\\", "[", " ", "\0"]
)


@given(st.lists(MARKS, max_size=30).map("".join))
@settings(max_examples=300, deadline=None)
def test_any_text_is_looked_through(text: str) -> None:
    for found in check(find(text, "n.md"), "n.md", {"a.md": text}.get):
        assert found.state in STATES
        assert 0 <= found.citation.start < found.citation.end <= len(text)
        assert isinstance(found.citation, Citation)
    find(text, "n.json")
    quoted_in(text, text)


@pytest.mark.parametrize(
    "piece", ["> x\n", "<!-- cite: ", "[", "> — [", "<!-- cite: a ", '"', "> \u2014 [x](a.md)\n\n", "…"]
)
def test_time_grows_with_the_length_and_not_with_its_square(piece: str) -> None:
    def seconds(count: int) -> float:
        text = piece * count
        started = time.process_time()  # other programs' work is none of ours
        check(find(text, "n.md"), "n.md", {"a.md": "# A\n"}.get)
        return time.process_time() - started

    short, long = (min(seconds(count) for _ in range(3)) for count in (1_000, 10_000))
    assert long < 10 * short * 5 + 0.2, (short, long)
