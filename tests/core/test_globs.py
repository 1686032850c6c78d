"""Path patterns: the grammar, that time is bounded, and that pruning agrees with matching."""

from __future__ import annotations

import re
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ddg_lsp.core.errors import DdgError
from ddg_lsp.core.globs import MAX_ALTERNATIVES, Globs, match_globs


@pytest.mark.parametrize(
    ("pattern", "matching", "other"),
    [
        ("**/*.md", ["a.md", "x/a.md", "x/y/a.md", "A.MD"], ["a.mdx", "a.md/b", "amd"]),
        ("*.md", ["a.md", "x/a.md"], ["a.txt"]),
        ("README.md", ["README.md", "docs/readme.md"], ["README.md.bak", "xREADME.md"]),
        ("/README.md", ["README.md"], ["docs/README.md"]),
        ("./README.md", ["README.md"], ["docs/README.md"]),
        ("docs/*.md", ["docs/a.md"], ["docs/x/a.md", "a/docs/a.md"]),
        ("docs/*", ["docs/a.md"], ["docs/x/a.md"]),
        ("docs/**", ["docs/a.md", "docs/x/a.md"], ["docs", "docs2/a.md", "x/docs/a.md"]),
        ("docs/**/*.md", ["docs/a.md", "docs/x/y/a.md"], ["docs/a.txt", "a.md"]),
        ("docs/api", ["docs/api", "docs/api/a.md", "docs/api/x/a.md"], ["docs/api2/a.md", "x/docs/api/a.md"]),
        ("docs/api/", ["docs/api/a.md"], ["docs/api", "docs/apis/a.md"]),
        ("drafts/", ["drafts/a.md"], ["x/drafts/a.md", "drafts"]),
        ("drafts", ["drafts/a.md", "x/drafts/a.md"], ["draft/a.md"]),
        ("**/drafts/**", ["drafts/a.md", "x/drafts/y/a.md"], ["x/drafts"]),
        ("a/**/b/*.md", ["a/b/c.md", "a/x/b/c.md", "a/b/b/c.md"], ["a/b/x/c.md", "b/c.md"]),
        ("**/a/**/b/**", ["a/b/c", "x/a/y/b/z/c"], ["a/b", "b/a/c"]),
        ("{guide,api}/*.{md,mdx}", ["guide/a.md", "api/a.mdx"], ["guide/a.txt", "other/a.md"]),
        ("docs/{a,b{1,2}}/x.md", ["docs/a/x.md", "docs/b1/x.md", "docs/b2/x.md"], ["docs/b/x.md"]),
        ("{docs/x,y}.md", ["docs/x.md", "y.md", "z/y.md"], ["x.md"]),
        ("{a.md", ["{a.md"], ["a.md"]),
        ("v?.md", ["v1.md", "vé.md"], ["v.md", "v10.md"]),
        ("v[0-9].md", ["v1.md"], ["vx.md", "v[0-9].md"]),
        ("v[!0-9].md", ["vx.md"], ["v1.md"]),
        ("v[^0-9].md", ["vx.md"], ["v1.md"]),
        ("[]x].md", ["].md", "x.md"], ["[].md"]),
        ("[x.md", ["[x.md"], ["x.md"]),
        ("[z-a].md", [], ["z.md", "b.md", "-.md"]),
        ("docs\\api\\*.md", ["docs/api/a.md"], ["docs/a.md"]),
        ("docs//api/./x.md", ["docs/api/x.md"], []),
        ("../x.md", [], ["x.md"]),
        ("café/*.md", ["café/a.md", "cafe\u0301/a.md", "CAFÉ/a.md"], ["cafe/a.md"]),
        ("a+b(c).md", ["a+b(c).md"], ["aab(c).md"]),
        ("**", ["a.md", "x/a.md"], []),
        ("***", ["a.md", "x/a.md"], []),
        ("**/*", ["a.md", "x/a.md"], []),
        ("a*b*c.md", ["abc.md", "axbxc.md", "abbcbc.md"], ["ac.md", "abc/c.md"]),
        ("a\nb.md", ["a\nb.md"], ["ab.md"]),
        ("*\n*", ["x\ny"], ["xy"]),
    ],
)
def test_a_pattern_means_what_the_reference_page_says(pattern: str, matching: list[str], other: list[str]) -> None:
    matches = match_globs([pattern])
    assert [path for path in matching if not matches(path)] == []
    assert [path for path in other if matches(path)] == []


def test_any_pattern_of_a_list_is_enough_and_an_empty_list_matches_nothing() -> None:
    assert match_globs(["a.md", "b.md"])("b.md")
    assert not match_globs([])("a.md")


@pytest.mark.parametrize(
    "pattern",
    ["", " ", "/", "//", ".", "{a,b,}" * 4, "a" * 1_001, "{" + "a," * MAX_ALTERNATIVES + "a}", "**\0", "a\0/*"],
)
def test_a_pattern_that_cannot_be_used_is_a_usage_error(pattern: str) -> None:
    with pytest.raises(DdgError) as caught:
        match_globs([pattern])
    assert (caught.value.code, caught.value.usage) == ("INVALID_GLOB", True)


def test_a_list_of_patterns_is_bounded() -> None:
    with pytest.raises(DdgError):
        match_globs(f"x{number}/*.md" for number in range(2_001))


@pytest.mark.parametrize("pattern", ["*a" * 60 + "b", "**/a/" * 60 + "b", "?*" * 60 + "b", "*[ab]" * 60 + "c"])
def test_a_hostile_pattern_takes_no_longer_than_a_plain_one(pattern: str) -> None:
    matches = match_globs([pattern])
    start = time.process_time()
    assert not matches("a" * 250)
    assert not matches("a/" * 1_000 + "c")
    assert time.process_time() - start < 1.0


NAMES = st.text("ab.", min_size=1, max_size=3).filter(lambda name: set(name) != {"."})
PATHS = st.lists(NAMES, min_size=1, max_size=4).map("/".join)
PATTERNS = st.lists(st.one_of(st.just("**"), st.text("ab.*?", min_size=1, max_size=4)), min_size=2, max_size=4).filter(
    lambda parts: not {".", ".."} & set(parts) and all(part == "**" or "**" not in part for part in parts)
)


def by_the_book(pattern: list[str], path: list[str]) -> bool:
    """The grammar as a plain recursion."""
    if not pattern:
        return not path
    if pattern[0] == "**":
        if len(pattern) == 1:
            return bool(path)
        return any(by_the_book(pattern[1:], path[skip:]) for skip in range(len(path) + 1))
    name = re.escape(pattern[0]).replace(r"\*", ".*").replace(r"\?", ".")
    return bool(path) and re.fullmatch(name, path[0]) is not None and by_the_book(pattern[1:], path[1:])


@given(PATTERNS, PATHS)
@settings(max_examples=200, deadline=None)
def test_matching_agrees_with_the_grammar_read_literally(pattern: list[str], path: str) -> None:
    names = path.split("/")
    wanted = by_the_book(pattern, names)
    if not set("*?") & set(pattern[-1]):  # a plain name at the end also stands for the folder
        wanted = wanted or any(by_the_book(pattern, names[:depth]) for depth in range(1, len(names)))
    assert match_globs(["/".join(pattern)])(path) is wanted


@given(PATTERNS, PATHS, PATHS)
@settings(max_examples=200, deadline=None)
def test_a_folder_is_pruned_only_when_everything_below_it_matches(pattern: list[str], folder: str, rest: str) -> None:
    globs = Globs(["/".join(pattern)])
    if globs.covers(folder):
        assert globs.matches(f"{folder}/{rest}")


@pytest.mark.parametrize(
    ("pattern", "folder", "covered"),
    [
        ("docs/plan/**", "docs/plan", True),
        ("docs/plan/**", "docs/plan/x", True),
        ("docs/plan", "docs/plan", True),
        ("docs/plan/**", "docs", False),
        ("docs/plan/*", "docs/plan", False),
        ("docs/plan/**/*.md", "docs/plan", False),
        ("**/drafts/**", "x/drafts", True),
        ("**", "x", True),
        ("**", "", True),
        ("*.md", "x.md", False),
    ],
)
def test_which_folders_a_pattern_covers(pattern: str, folder: str, covered: bool) -> None:
    assert Globs([pattern]).covers(folder) is covered
