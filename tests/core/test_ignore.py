"""Ignore files: the outcomes below were read off git 2.39 (`git ls-files --others --exclude-standard`)."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from ddg_lsp.core.corpus import Scanner, scan
from ddg_lsp.core.ignore import IgnoreRules
from ddg_lsp.core.settings import Settings
from tests.helpers.trees import empty, write


def listed(root: Path, settings: Settings | None = None) -> list[str]:
    return [entry.path for entry in scan(root, settings or Settings()).files]


@pytest.mark.parametrize(
    ("rules", "kept"),
    [
        ("", ["a.md", "b/a.md", "b/c/d.md", "keep.md"]),
        ("# a.md\n\n", ["a.md", "b/a.md", "b/c/d.md", "keep.md"]),
        ("a.md", ["b/c/d.md", "keep.md"]),
        ("/a.md", ["b/a.md", "b/c/d.md", "keep.md"]),
        ("a.md  \r\n", ["b/c/d.md", "keep.md"]),
        ("*.md\n!keep.md", ["keep.md"]),
        ("!keep.md\n*.md", []),
        ("b/", ["a.md", "keep.md"]),
        ("b/\n!b/a.md", ["a.md", "keep.md"]),
        ("b/*\n!b/a.md", ["a.md", "b/a.md", "keep.md"]),
        ("a.md/", ["a.md", "b/a.md", "b/c/d.md", "keep.md"]),
        ("b/c", ["a.md", "b/a.md", "keep.md"]),
        ("c/d.md", ["a.md", "b/a.md", "b/c/d.md", "keep.md"]),
        ("**/c/d.md", ["a.md", "b/a.md", "keep.md"]),
        ("b/**/d.md", ["a.md", "b/a.md", "keep.md"]),
        ("b/**", ["a.md", "keep.md"]),
        ("***/c", ["a.md", "b/a.md", "keep.md"]),
        ("?.md", ["keep.md"]),
        ("[!a-c]*.md", ["a.md", "b/a.md"]),
        ("[[:alpha:]].md", ["keep.md"]),
        ("b[/]c", ["a.md", "b/a.md", "b/c/d.md", "keep.md"]),
        ("[b\n/keep.md", ["a.md", "b/a.md", "b/c/d.md"]),
        ("k**p.md", ["a.md", "b/a.md", "b/c/d.md"]),
        ("\\a.md", ["b/c/d.md", "keep.md"]),
        ("a.md\\", ["a.md", "b/a.md", "b/c/d.md", "keep.md"]),
        ("/", ["a.md", "b/a.md", "b/c/d.md", "keep.md"]),
        ("!", ["a.md", "b/a.md", "b/c/d.md", "keep.md"]),
        ("\ufeffa.md", ["b/c/d.md", "keep.md"]),
        ("*", []),
    ],
)
def test_a_rule_means_what_git_makes_of_it(tmp_path: Path, rules: str, kept: list[str]) -> None:
    empty(tmp_path, "a.md", "b/a.md", "b/c/d.md", "keep.md")
    write(tmp_path, {".gitignore": rules})
    assert listed(tmp_path) == kept


@pytest.mark.parametrize(
    ("rules", "kept"),
    [
        ("\\#a.md", ["!b.md", "c .md", "d*.md", "é.md"]),
        ("\\!b.md", ["#a.md", "c .md", "d*.md", "é.md"]),
        ("c\\ .md", ["!b.md", "#a.md", "d*.md", "é.md"]),
        ("d\\*.md", ["!b.md", "#a.md", "c .md", "é.md"]),
        ("?.md", ["!b.md", "#a.md", "c .md", "d*.md", "é.md"]),  # git counts bytes
        ("é.md", ["!b.md", "#a.md", "c .md", "d*.md"]),
    ],
)
def test_escapes_and_other_scripts(tmp_path: Path, rules: str, kept: list[str]) -> None:
    empty(tmp_path, "#a.md", "!b.md", "c .md", "d*.md", "é.md")
    write(tmp_path, {".gitignore": rules + "\n"})
    assert listed(tmp_path) == kept


def test_row75_nested_ignore_files_negation_and_the_setting_that_turns_them_off(tmp_path: Path) -> None:
    empty(
        tmp_path,
        "a.md",
        "docs/keep.md",
        "docs/b.md",
        "docs/x/c.md",
        "node_modules/p/README.md",
        "docs/node_modules/q.md",
    )
    write(tmp_path, {".gitignore": "*.md\n", "docs/.gitignore": "!keep.md\n", "docs/x/.gitignore": "!*.md\n"})
    assert listed(tmp_path) == ["docs/keep.md", "docs/x/c.md"]
    everything = ["a.md", "docs/b.md", "docs/keep.md", "docs/x/c.md"]
    assert listed(tmp_path, Settings(gitignore=False)) == everything


def test_the_repository_s_own_exclude_file_comes_before_nothing_else(tmp_path: Path) -> None:
    empty(tmp_path, "a.md", "b.md")
    write(tmp_path, {".git/info/exclude": "*.md\n", ".gitignore": "!b.md\n"})
    assert listed(tmp_path) == ["b.md"]


def test_ignore_files_above_the_root_that_is_searched_count(tmp_path: Path) -> None:
    empty(tmp_path, "docs/a.md", "docs/b.md", "private/c.md")
    write(tmp_path, {".gitignore": "b.md\n/private/\n"})
    assert listed(tmp_path, Settings(root="docs")) == ["docs/a.md"]
    listing = scan(tmp_path, Settings(root="private"))
    assert [(skip.path, skip.reason) for skip in listing.skipped] == [("private/", "ignored")]
    assert listing.files == ()


def test_a_changed_ignore_file_counts_at_the_next_scan(tmp_path: Path) -> None:
    empty(tmp_path, "a.md", "x/b.md")
    scanner = Scanner()
    for rules, kept in (
        ("", ["a.md", "x/b.md"]),
        ("b.md\n", ["a.md"]),
        ("/a.md\n", ["x/b.md"]),
        (None, ["a.md", "x/b.md"]),
    ):
        (tmp_path / ".gitignore").unlink(missing_ok=True)
        if rules is not None:
            write(tmp_path, {".gitignore": rules})
        assert [entry.path for entry in scanner.scan(tmp_path, Settings()).files] == kept


def test_a_linked_or_oversized_ignore_file_is_not_honoured(tmp_path: Path) -> None:
    empty(tmp_path, "a.md", "x/b.md")
    write(tmp_path, {"rules": "*.md\n", "x/.gitignore": "*.md\n" + "#" * 300_000})
    (tmp_path / ".gitignore").symlink_to("rules")
    listing = scan(tmp_path, Settings())
    assert [entry.path for entry in listing.files] == ["a.md", "x/b.md"]
    assert [(skip.path, skip.reason) for skip in listing.skipped] == [("x/.gitignore", "too-large")]


def test_a_hostile_ignore_file_does_not_hold_the_scan() -> None:
    rules = IgnoreRules(b"\n".join([b"*a" * 12 + b"*b", b"**/a/" * 12 + b"*b"] * 50))
    start = time.process_time()
    for number in range(20):
        name = "a" * 200 + str(number)
        assert rules.verdict("a/" * 50 + name, name, False) is None
    assert time.process_time() - start < 2.0


@pytest.mark.parametrize(
    "unit", [b"*a", b"?", b"[a]", b"Why? ", b"*[!a]", b"a/*", b"**/", b"[a-", b"\\a", b"[[:alpha:]]"]
)
def test_no_file_of_rules_takes_long_to_understand(unit: bytes) -> None:
    start = time.process_time()
    for length in (250_000, 4_000):
        IgnoreRules((unit * (length // len(unit)) + b"\n") * (250_000 // length))
    assert time.process_time() - start < 4.0


def test_a_rule_is_at_most_as_long_as_a_path() -> None:
    longest = b"a" * 4_092 + b"*.md"
    assert len(IgnoreRules(longest + b"\n*" + longest + b"\n# " + longest)) == 1


def test_the_number_of_rules_is_bounded() -> None:
    assert len(IgnoreRules(b"x\n" * 100_000)) == 5_000
    assert len(IgnoreRules(b"x\n" * 100, budget=7)) == 7
