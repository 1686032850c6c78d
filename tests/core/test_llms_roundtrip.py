"""What stands for a page, and that what is written is read back: rules P8, P12 and P13, and full texts of others."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ddg_lsp.core.llms_txt import full, heads
from ddg_lsp.core.llms_txt.config import Publishing
from ddg_lsp.core.llms_txt.model import Index
from ddg_lsp.core.llms_txt.parse import parse
from ddg_lsp.core.llms_txt.publish import index_text
from ddg_lsp.core.llms_txt.site import Source, build


@pytest.mark.parametrize(
    ("text", "title", "note"),
    [
        ("+++\ntitle = 'T'\n+++\n# H\n\nP.\n", "T", "P."),
        ("# H `x` *y* {#id}\n\n[![CI](b)](c)\n\nOne [two](x) `three`. Four.\n", "H x y", "One two three."),
        (
            "Title\n=====\n\n```\ncode\n```\n\n| a |\n|---|\n\nUse e.g. Foo vs. Bar v1.2. Next.",
            "Title",
            "Use e.g. Foo vs. Bar v1.2.",
        ),
        ("# 제목\n\n첫 문장입니다. 둘째.", "제목", "첫 문장입니다."),
        ("# 題\n\n一つ目。二つ目。", "題", "一つ目。"),
        ("# H\n\n[text][ref] here.\n\n[ref]: /x\n", "H", "text here."),
        ("# H\n\n" + "word " * 60, "H", ("word " * 39).strip() + "…"),
        ("# H\n\n" + "字" * 300, "H", "字" * 199 + "…"),
        ("## Only\n\n> quote\n\n- list\n", "", ""),
        ("", "", ""),
    ],
)
def test_p8_title_and_note(text: str, title: str, note: str) -> None:
    found = heads.head(text)
    assert (found.title, found.note) == (title, note)
    assert len(found.note) <= heads.MAX_NOTE
    long = heads.head(text + "\n\n" + "More text, and more.\n\n" * 2_000)
    assert (long.title, long.note) == (title, note or "More text, and more.")


NAMES = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="/\0"), min_size=1, max_size=12)
TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=30) | st.sampled_from(
    [
        "# a](b) [",
        "# \\[ #\n\n- x: y",
        "# `[x]` *y*\n\n> q\n\n: note",
        "# #\n\n- [a](b)",
        "# T\n\n-- z",
        "---\ntitle: '[]\\ #'\n---\n",
    ]
)


@given(st.dictionaries(st.lists(NAMES, min_size=1, max_size=3).map("/".join), TEXTS, max_size=6), st.text(max_size=9))
@settings(max_examples=300, deadline=None)
def test_p13_what_is_written_is_read_back_to_the_same_entries(files: dict[str, str], name: str) -> None:
    source = Source(Path("/r"), name.replace("/", "").replace("\0", "") or "x", dict(sorted(files.items())), ())
    site = build(source, Publishing())
    text = index_text(site, Publishing(base_url="https://h.test"))
    assert text.endswith("\n")
    assert not text.endswith("\n\n")
    assert "\n\n\n" not in text
    found = parse(text)
    assert isinstance(found, Index), text
    assert (found.title, found.summary, found.warnings) == (site.title, site.summary, {})
    assert [(s.name, [(k.name, k.notes) for k in s.links]) for s in found.sections] == [
        (group.name, [(page.title, page.note) for page in group.pages]) for group in site.groups
    ]


def test_full_pages_in_the_forms_that_are_about() -> None:
    forms = {
        "### A\nURL: /a\nMarkdown:\n\nbody\n\n---\n\n### B\n\nURL: /b\n\nmore\n": [
            ("A", "/a", "body"),
            ("B", "/b", "more"),
        ],
        "---\nurl: /a.md\n---\n\n# A\n\nbody\n\n---\n\nstill\n---\nurl: '/b.md'\n---\n# B\n": [
            ("A", "/a.md", "# A\n\nbody\n\n---\n\nstill"),
            ("B", "/b.md", "# B"),
        ],
        "# A\nSource: https://x.test/a\n\nbody\n\n# B\nSource: https://x.test/b\n": [
            ("A", "https://x.test/a", "body"),
            ("B", "https://x.test/b", ""),
        ],
        "<SYSTEM>Data</SYSTEM>\n\n# Svelte\n\nText\n\n## More\n": [
            ("Svelte", "", "<SYSTEM>Data</SYSTEM>\n\n# Svelte\n\nText\n\n## More")
        ],
    }
    for text, wanted_pages in forms.items():
        found = full.pages(text)
        assert isinstance(found, tuple)
        assert [(page.title, page.url, page.body) for page in found] == wanted_pages


@given(
    st.lists(
        st.sampled_from(["# A", "Source: /a", "---", "url: /b", "", "x", "URL: http://[", "## ", "\0"]), max_size=20
    )
)
@settings(max_examples=200, deadline=None)
def test_any_full_text_is_read(lines: list[str]) -> None:
    full.pages("\n".join(lines), "https://h.test/")


def test_a_page_is_read_no_further_than_what_stands_for_it() -> None:
    page = "# T\n\nSaid here. More.\n\n" + "## S\n\nText with [a link](x.md) and `code`.\n\n" * 25_000
    started = time.perf_counter()
    assert heads.head(page) == heads.Head("T", "Said here.", True)
    assert heads.body(page).startswith("Said here. More.")
    assert time.perf_counter() - started < 1.0  # parsed to the end it takes many seconds
