"""Reading anybody's llms.txt: the cases X01 to X21 and every shape seen in the wild."""

from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ddg_lsp.core.llms_txt.model import MISS_REASONS, WARNINGS, Index, Link, Miss
from ddg_lsp.core.llms_txt.parse import parse

BASE = "https://h.test/docs/llms.txt"


def read(text: bytes | str, base: str = BASE) -> Index:
    found = parse(text, base)
    assert isinstance(found, Index), found
    return found


def urls(text: str) -> list[str]:
    return [link.url for link in read(text).links]


def only(text: str) -> Link:
    [link] = read(text).links
    return link


def test_x01_title_only() -> None:
    found = read("# T\n")
    assert (found.title, found.summary, found.links, dict(found.warnings), found.kind) == ("T", "", (), {}, "index")


@pytest.mark.parametrize("ending", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_x02_byte_order_mark_and_line_endings(mark: str, ending: str) -> None:
    text = mark + "# T\n\n> s\n\n## A\n\n- [x](http://a/): d\n".replace("\n", ending)
    for data in (text, text.encode()):
        found = read(data)
        assert (found.title, found.summary, found.sections[0].name) == ("T", "s", "A")
        assert found.links == (Link("x", "http://a/", "d"),)
        assert found.warnings == {}


def test_x03_no_h1_is_a_warning() -> None:
    found = read("## A\n- [x](http://a/)")
    assert (found.title, len(found.links), found.warnings) == ("", 1, {"no-h1": 1})


def test_x04_links_are_resolved_against_where_the_file_was_found() -> None:
    assert urls("# T\n- [x](../b/c.md)\n- [y](/g.md)") == ["https://h.test/b/c.md", "https://h.test/g.md"]
    assert read("# T\n- [x](a/b.md)", base="").links[0].url == "a/b.md"


def test_x05_brackets_in_names_and_parentheses_in_addresses() -> None:
    assert only("- [x [y]](http://a/f_(b)): d") == Link("x [y]", "http://a/f_(b)", "d")
    assert only(r"- [x \] \[y](http://a/\(b): d") == Link("x ] [y", "http://a/(b", "d")


@pytest.mark.parametrize(
    "target", ['http://a/ "t"', "http://a/ 't'", "http://a/ (t)", '<http://a/> "t)"', ' http://a/  "a \\" b" ']
)
def test_x06_titles_are_no_part_of_the_address(target: str) -> None:
    assert only(f"- [x]({target}): d") == Link("x", "http://a/", "d")


def test_x07_nested_lists_are_one_section() -> None:
    found = read("# T\n## A\n- [x](http://a/)\n    - [y](http://b/)\n\t* [z](http://c/)\n1. [o](http://d/)\n")
    assert [(section.name, len(section.links)) for section in found.sections] == [("A", 4)]


def test_x08_headings_below_a_section_are_kept_with_each_link() -> None:
    text = "# Vite\n## Table of Contents\n### Introduction\n- [a](/a.md)\n### Breaking Changes\n### APIs\n#### Deep\n"
    found = read(f"{text}- [b](/b.md)\n### Last\n")
    [section] = found.sections
    assert section.name == "Table of Contents"
    assert [link.sub for link in section.links] == [("Introduction",), ("APIs", "Deep")]
    assert found.warnings == {"empty-heading": 2}


def test_x09_only_a_link_at_the_beginning_of_a_line_is_an_item() -> None:
    text = "# T\n- A dev server over [x](u)\n\nSee [all](v) too.\n\n> [q](w)\n\n## A\n- [real](/r)\n"
    found = read(text)
    assert [link.name for link in found.links] == ["real"]
    assert found.warnings == {"inner-link": 2}
    assert found.summary == "[q](w)"


def test_x10_items_without_bullets() -> None:
    assert only("[x](http://a/): d") == Link("x", "http://a/", "d")
    assert read("# M\n\n[x](http://a/)\n").sections[0].name == ""


@pytest.mark.parametrize("line", ["- **[x](http://a/)**: d", "* _[x](http://a/)_ - d", "- AUR: [x](http://a/): d"])
def test_emphasis_and_short_labels_may_stand_before_a_link(line: str) -> None:
    assert only(line) == Link("x", "http://a/", "d")


def test_x11_bare_addresses_count_only_where_there_is_no_link() -> None:
    assert only("- Home: https://a/") == Link("Home", "https://a/", bare=True)
    assert only("- https://a/b, and more") == Link("https://a/b", "https://a/b", "and more", bare=True)
    assert [link.bare for link in read("- Home: https://a/\n- [x](http://b/)\n- Last: https://c/").links] == [False]
    assert read("# T\nSee [x](u) there\n- Home: https://a/").links == ()
    assert parse("Sitemap: https://a/sitemap.xml") == Miss("no-title-no-links")


@pytest.mark.parametrize("separator", [": ", " - ", " \u2013 ", " \u2014 ", " : ", " -- ", ":", " "])
def test_x12_separators(separator: str) -> None:
    assert only(f"- [x](http://a/){separator}d").notes == "d"


def test_x13_other_schemes_are_dropped_and_counted() -> None:
    text = "# T\n- [a](mailto:x@y)\n- [b](javascript:x)\n- [c](data:text,x)\n- [d](file:///x)\n- [e]()\n- [f](<>)\n"
    found = read(f"{text}- [g](http://[x)\n- [h](http://a:99999/)\n- [i](C:\\x)\n")
    assert found.links == ()
    assert found.warnings == {"bad-scheme": 5, "empty-target": 2, "bad-url": 2}


def test_x14_a_page_is_listed_once_whatever_the_fragment() -> None:
    found = read("# T\n- [a](/c.md#d1)\n- [b](/c.md)\n- [c](HTTPS://H.test/c.md#x)\n- [d](/c.md?x)\n")
    assert [link.url for link in found.links] == ["https://h.test/c.md#d1", "https://h.test/c.md?x"]
    assert found.warnings == {"duplicate": 2}


@pytest.mark.parametrize("fence", ["```", "~~~~", "- ```", "   ````md"])
def test_x15_fences_are_opaque(fence: str) -> None:
    closing = fence.strip(" -md")
    found = read(f"# T\n{fence}\n## no\n- [x](http://no/)\n{closing}\n## A\n- [y](http://a/)\n")
    assert [(section.name, section.links[0].name) for section in found.sections] == [("A", "y")]
    commented = read("# T\n<!-- old:\n- [x](http://no/)\n-->\n- [y](http://a/)\n")
    assert [link.name for link in commented.links] == ["y"]


def test_a_fence_without_an_end_is_told() -> None:
    assert read("# T\n```\n- [x](http://a/)").warnings == {"unclosed": 1}


def test_x16_optional_is_kept_and_marked() -> None:
    found = read("# T\n##  optional \n- [x](http://a/)\n## Other ##\n- [y](http://b/)")
    assert [(section.name, section.optional) for section in found.sections] == [("optional", True), ("Other", False)]


def test_x17_sections_of_one_name_are_both_kept() -> None:
    found = read("# T\n## A\n- [x](http://a/)\n## A\n- [y](http://b/)")
    assert [(section.name, section.links[0].name) for section in found.sections] == [("A", "x"), ("A", "y")]


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ("<!DOCTYPE html><p>", "html"),
        ("\ufeff <?xml version='1.0'?>\n<!-- c --><html>", "html"),
        ("<!-- c --><html>", "html"),
        ("<script>wall()</script>", "html"),
        ("\n" * 5000 + "<head >", "html"),
        ("not found", "no-title-no-links"),
        ("ok", "no-title-no-links"),
        ("User-agent: *\nDisallow: /\nSitemap: https://a/s.xml", "no-title-no-links"),
        ("#hashtag and ## two", "no-title-no-links"),
        ('{"a":1}', "json"),
        ('\ufeff["# T"]', "json"),
        ("404", "json"),
        ("", "empty"),
        (" \r\n\t", "empty"),
        (b"\xef\xbb\xbf", "empty"),
        ("# T\0", "binary"),
        (b"\x89PNG\r\n\x1a\n\0\0", "binary"),
        ("[" * 100_000, "no-title-no-links"),
    ],
)
def test_x18_what_is_no_index_is_refused_with_its_reason(content: str | bytes, reason: str) -> None:
    assert reason in MISS_REASONS
    assert parse(content, BASE) == Miss(reason)


def test_html_in_a_page_does_not_make_it_a_web_page() -> None:
    assert read('<div align="center">\n\n# T\n\n</div>\n').title == "T"
    assert read("<SYSTEM>Data.</SYSTEM>\n\n# T\n").title == "T"


def test_x19_quotes_of_several_lines() -> None:
    assert read("# T\n> a\n>\n> b").summary == "a b"
    assert read("# T\nProse first.\n\n> a\n\n## A\n\n> not this\n").summary == "a"
    assert read("Made by [a plug-in](https://p/).\n\n# T\n\n> a\n").summary == "a"


def test_x20_another_index_is_of_its_own_kind() -> None:
    text = "# T\n- [k](/docs/kit/llms.txt)\n- [f](/llms-full.txt#x)\n- [p](/p.md)"
    assert [link.kind for link in read(text).links] == ["index", "full", "page"]
    assert read("# T\n" + "word " * 5_000).kind == "content"


def test_several_h1_are_borders() -> None:
    found = read("# T\n- [x](http://a/)\n# Later\n- [y](http://b/)\n")
    assert found.title == "T"
    assert [section.name for section in found.sections] == ["", "Later"]


def test_bytes_that_are_no_utf8_are_replaced_and_told() -> None:
    found = read(b"# T\xff\n")
    assert (found.title, found.warnings) == ("T\ufffd", {"bad-utf8": 1})
    assert read("# T\ufffd\n".encode()).warnings == {}


def test_an_address_means_the_same_to_every_reader() -> None:
    # A backslash is a slash to browsers and a letter to others; blanks end an address for some.
    assert urls("# T\n- [x](https://good.test\\x@evil.test/)") == ["https://good.test%5Cx@evil.test/"]
    assert urls("# T\n- [x](my page.md)") == ["https://h.test/docs/my%20page.md"]
    assert only("- [![logo](l.png)](http://a/)").name == "logo"
    assert only("- [](http://a/)").name == "http://a/"


MARKS = "# |## |### |> |- |* |1. |[|]|](|(|)|<|>|\\|```|~~~|<!--|-->|http://a/|/b.md|x| |:|**|\"|한|![|{|'".split("|")  # noqa: SIM905
BASES = st.sampled_from([BASE, "", "x", "http://[", "file:///a"])


@given(st.lists(st.sampled_from([*MARKS, "\n", "\r\n", "\r", "\t", "\ufeff", "\0"]), max_size=40).map("".join), BASES)
@settings(max_examples=1_000, deadline=None)
def test_x21_every_made_up_file_is_read(text: str, base: str) -> None:
    found = parse(text, base)
    if isinstance(found, Miss):
        assert found.reason in MISS_REASONS
        return
    assert found.title or found.links
    assert set(found.warnings) <= set(WARNINGS)
    assert all(section.links for section in found.sections)
    assert all(link.name and link.url and "\n" not in link.name + link.url + link.notes for link in found.links)


@given(st.binary(max_size=400))
@settings(max_examples=500, deadline=None)
def test_x21_every_string_of_bytes_is_read(data: bytes) -> None:
    assert isinstance(parse(data, BASE), (Index, Miss))


HOSTILE = ["[", "]", "-", "- ", "![", "[a](", "- [x](", '- [x](a "', "(", "\\", "<!--", "#", "> ", "`", "*", "{", "[\n"]
HOSTILE += ["- [x](u)\n", "](\n", "```\n", "## a\n", "[]()\n", "- a: "]


@pytest.mark.parametrize("piece", HOSTILE)
def test_x21_time_grows_with_the_length_and_not_with_its_square(piece: str) -> None:
    def seconds(count: int) -> float:
        text = "# T\n- x " + piece * count
        started = time.perf_counter()
        parse(text, BASE)
        return time.perf_counter() - started

    short, long = min(seconds(3_000) for _ in range(3)), min(seconds(30_000) for _ in range(2))
    assert long < 10 * short * 5 + 0.1, (short, long)  # the square would be a hundred times


@pytest.mark.parametrize("piece", ["[", "-", "- ", "[[]", "](", "[("])
def test_x21_a_hundred_thousand_brackets_are_read_at_once(piece: str) -> None:
    started = time.perf_counter()
    for text in (piece * 100_000, "# T\n- " + piece * 100_000):
        parse(text, BASE)
    assert time.perf_counter() - started < 2.0
