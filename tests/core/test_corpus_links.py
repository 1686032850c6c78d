"""Links: followed inside the folder, each file listed once, nothing brought in that is left out elsewhere."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from ddg_lsp.core.corpus import read, scan
from ddg_lsp.core.model import Skip
from ddg_lsp.core.settings import Settings
from tests.helpers.trees import empty, write

DEFAULT = Settings()


def outcome(root: Path, settings: Settings = DEFAULT) -> tuple[list[str], dict[str, str]]:
    listing = scan(root, settings)
    return [entry.path for entry in listing.files], {skip.path: skip.reason for skip in listing.skipped}


def test_row71_a_loop_of_links_ends_and_each_file_is_listed_once(tmp_path: Path) -> None:
    empty(tmp_path, "docs/a.md", "docs/x/b.md")
    (tmp_path / "docs/loop").symlink_to(".")
    (tmp_path / "docs/x/up").symlink_to("../..")
    (tmp_path / "docs/x/sideways").symlink_to("../../docs")
    (tmp_path / "self.md").symlink_to("self.md")
    assert outcome(tmp_path) == (
        ["docs/a.md", "docs/x/b.md"],
        {"docs/loop/": "link-loop", "docs/x/up/": "link-loop", "docs/x/sideways/": "link-loop", "self.md": "link-loop"},
    )


def test_two_folders_that_link_to_each_other_end(tmp_path: Path) -> None:
    empty(tmp_path, "a/1.md", "b/2.md")
    (tmp_path / "a/to-b").symlink_to("../b")
    (tmp_path / "b/to-a").symlink_to("../a")
    assert outcome(tmp_path) == (["a/1.md", "b/2.md"], {"a/to-b/": "same-file", "b/to-a/": "same-file"})


def test_a_file_is_listed_under_its_own_name_even_if_the_link_sorts_first(tmp_path: Path) -> None:
    empty(tmp_path, "AGENTS.md", "z/page.md")
    (tmp_path / "A.md").symlink_to("AGENTS.md")
    (tmp_path / "a").symlink_to("z")
    assert outcome(tmp_path) == (["AGENTS.md", "z/page.md"], {"A.md": "same-file", "a/": "same-file"})


def test_a_link_to_what_is_not_listed_under_its_own_name_is_followed(tmp_path: Path) -> None:
    write(tmp_path, {"LICENSE": "Terms\n"})
    empty(tmp_path, "packages/one/docs/a.md", "packages/one/docs/x/b.md", "docs/index.md")
    (tmp_path / "docs/license.md").symlink_to("../LICENSE")
    (tmp_path / "docs/one").symlink_to("../packages/one/docs")
    (tmp_path / "docs/two").symlink_to("../packages/one/docs")
    assert outcome(tmp_path, Settings(root="docs")) == (
        ["docs/index.md", "docs/license.md", "docs/one/a.md", "docs/one/x/b.md"],
        {"docs/two/": "same-file"},
    )
    assert read(tmp_path, "docs/license.md", DEFAULT) == "Terms\n"
    assert read(tmp_path, "docs/one/x/b.md", DEFAULT) == "# Heading\n"


def test_row73_a_link_that_leaves_the_folder_is_not_followed_and_its_text_not_read(tmp_path: Path) -> None:
    outside = empty(tmp_path / "outside", "a.md", "more/b.md")
    root = empty(tmp_path / "root", "docs/c.md")
    (root / "docs/leak.md").symlink_to("/etc/hosts")
    (root / "docs/near.md").symlink_to(outside / "a.md")
    (root / "docs/folder").symlink_to(outside)
    (root / "docs/twice.md").symlink_to("near.md")
    assert outcome(root) == (
        ["docs/c.md"],
        {
            "docs/leak.md": "link-outside",
            "docs/near.md": "link-outside",
            "docs/folder/": "link-outside",
            "docs/twice.md": "link-outside",
        },
    )
    for path in ("docs/leak.md", "docs/near.md", "docs/folder/more/b.md", "../outside/a.md", "docs/../../outside/a.md"):
        assert read(root, path, DEFAULT) == Skip(path, "link-outside")
    assert outcome(root, Settings(include=("../**", "**/../**", "/etc/*"))) == ([], {"docs/folder/": "link-outside"})


def test_row73_a_sibling_whose_name_begins_like_the_folder_s_is_outside(tmp_path: Path) -> None:
    empty(tmp_path / "root-more", "a.md")
    root = empty(tmp_path / "root", "b.md")
    (root / "l.md").symlink_to("../root-more/a.md")
    assert outcome(root) == (["b.md"], {"l.md": "link-outside"})


def test_row72_a_dangling_link_is_a_skip(tmp_path: Path) -> None:
    empty(tmp_path, "a.md")
    (tmp_path / "x.md").symlink_to("nowhere.md")
    (tmp_path / "y.txt").symlink_to("nowhere.md")
    (tmp_path / "below.md").symlink_to("a.md/b.md")
    assert outcome(tmp_path) == (["a.md"], {"x.md": "broken-link", "below.md": "broken-link"})
    assert read(tmp_path, "x.md", DEFAULT) == Skip("x.md", "vanished")


@pytest.mark.parametrize(
    ("target", "reason"),
    [
        (".hidden/a.md", "hidden"),
        (".hidden/deep/a.md", "hidden"),
        (".git/a.md", None),
        ("node_modules/p/a.md", "skip-folder"),
        ("build/a.md", "skip-folder"),
        ("secrets/a.md", "secret-name"),
        ("docs/plan/a.md", "excluded"),
        ("ignored/a.md", "ignored"),
        ("large.md", "too-large"),
        (".env.md", "secret-name"),
    ],
)
def test_a_link_brings_in_nothing_that_is_left_out_under_its_own_name(
    tmp_path: Path, target: str, reason: str | None
) -> None:
    write(tmp_path, {".gitignore": "/ignored/\n", target: "x" * (2_000 if target == "large.md" else 10)})
    (tmp_path / "docs").mkdir(exist_ok=True)
    (tmp_path / "docs/innocent.md").symlink_to(f"../{target}")
    (tmp_path / "docs/folder").symlink_to(f"../{target.rpartition('/')[0]}")
    for settings in (Settings(max_file_bytes=1_000), Settings(max_file_bytes=1_000, root="docs")):
        files, skipped = outcome(tmp_path, settings)
        assert files == []
        assert skipped.get("docs/innocent.md") == reason
        assert skipped.get("docs/folder/") == ("link-loop" if "/" not in target else reason)


def test_a_hard_link_is_a_file_like_any_other(tmp_path: Path) -> None:
    empty(tmp_path, "a.md")
    os.link(tmp_path / "a.md", tmp_path / "b.md")
    assert outcome(tmp_path) == (["a.md", "b.md"], {})


def test_the_folder_itself_may_be_reached_through_a_link(tmp_path: Path) -> None:
    empty(tmp_path / "real", "docs/a.md")
    (tmp_path / "link").symlink_to("real")
    (tmp_path / "real/d").symlink_to("docs")
    assert outcome(tmp_path / "link") == (["docs/a.md"], {"d/": "same-file"})
    assert read(tmp_path / "link", "docs/a.md", DEFAULT) == "# Heading\n"
    assert outcome(tmp_path / "link", Settings(root="d")) == (["d/a.md"], {})


def test_a_root_that_is_a_link_out_of_the_folder_is_not_searched(tmp_path: Path) -> None:
    outside = empty(tmp_path / "outside", "a.md")
    (tmp_path / "root").mkdir()
    (tmp_path / "root/docs").symlink_to(outside)
    assert outcome(tmp_path / "root", Settings(root="docs")) == ([], {"docs/": "link-outside"})
