"""A heading's source to what a reader sees."""

from __future__ import annotations

import pytest

from ddg_lsp.core.markdown import parse


@pytest.mark.parametrize(
    ("source", "shown"),
    [
        ("Setup <!-- omit in toc -->", "Setup"),
        ("Setup { #anchor }", "Setup"),
        ("Setup {#anchor}", "Setup"),
        ("Setup{#anchor}", "Setup"),
        ("Setup {/*anchor*/}", "Setup"),
        ("Setup {: #anchor .class }", "Setup"),
        ("Setup {.unnumbered}", "Setup"),
        ("Setup {#a} <!-- b --> {#c} ##", "Setup"),
        ("A <!-- x --> B <!-- y -->", "A B"),
        ("Setup ##", "Setup"),
        ("C#", "C#"),
        ("`{#id}`", "{#id}"),
        ("{#if …}", "{#if …}"),
        ("GET /users/{id}", "GET /users/{id}"),
        ("`useState()` and *em* **strong** __init__", "useState() and em strong init"),
        ("snake_case_name", "snake_case_name"),
        ("[link](http://x/y) and [ref] and [none]", "link and ref and [none]"),
        ("![alt *text*](x.png) logo", "alt text logo"),
        ("[![badge](x)](y) Name", "badge Name"),
        ("<https://example.com>", "https://example.com"),
        ("Tom &amp; Jerry &#x2014; &copy;", "Tom & Jerry — ©"),
        ("\\*not em\\*", "*not em*"),
        ('<a id="x"></a>Title<br> more', "Title more"),
        ("Vec<T> and <Suspense>", "Vec<T> and <Suspense>"),
        ("1 < 2 > 0", "1 < 2 > 0"),
        ("🎉  Done \u3000 now", "🎉 Done now"),
        ("한국어 **제목**", "한국어 제목"),
        ("nul \0 and \ud83d half", "nul \ufffd and \ufffd half"),
    ],
)
def test_row_43_markup_anchors_and_comments_are_not_shown(source: str, shown: str) -> None:
    (heading,) = parse(f"## {source}\n\n[ref]: /r\n").headings
    assert heading.text == shown


def test_a_heading_with_too_much_markup_is_kept_as_it_is() -> None:
    (heading,) = parse("# " + "[" * 40 + " *x*\n").headings
    assert heading.text == "[" * 40 + " *x*"


def test_a_heading_is_read_up_to_a_bound() -> None:
    (heading,) = parse("# " + "word " * 1_000 + "\n").headings
    assert heading.text == ("word " * 200).strip()
