"""An open document is searched exactly where a walk would list its file, once it is saved: over generated folders."""

from __future__ import annotations

import os
import shutil
import tempfile
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ddg_lsp.core import corpus
from ddg_lsp.core.belongs import belongs
from ddg_lsp.core.settings import Settings
from tests.helpers.trees import empty, write

TEXT = "# Heading\n"
FOLDERS = ("docs", "build", "vendor", "node_modules", ".hidden", "credentials", "übung", "a", ".git", "_site")
NAMES = ("a.md", "index.md", "b.mdx", "secrets.md", ".x.md", "C.MD", "llms.txt", "d.txt", "ü.markdown", "_index.md")
RULES = (
    "a/",
    "*.md",
    "!a.md",
    "/docs/*",
    "build",
    "!build/",
    "**/b.mdx",
    "docs/a",
    "a.*",
    "!*",
    "ü*",
    "\\!x",
    "docs/**/a",
)
PATHS = st.builds(
    lambda folders, name: "/".join((*folders, name)),
    st.lists(st.sampled_from(FOLDERS), max_size=3),
    st.sampled_from(NAMES),
)
IGNORES = st.lists(st.sampled_from(RULES), min_size=1, max_size=4).map(lambda lines: "\n".join(lines) + "\n")
PLACES = st.lists(st.sampled_from(FOLDERS), max_size=2).map(lambda parts: "/".join((*parts, ".gitignore")))
SETTINGS = st.builds(
    Settings,
    root=st.sampled_from(("", "", "docs", "docs/a", "a/build")),
    gitignore=st.booleans(),
    secret_names=st.booleans(),
    exclude=st.sampled_from(((), ("docs/a/**",), ("**/b.mdx",), ("build/**", "a/*.md"))),
    also_include=st.sampled_from(((), ("docs/**",))),
)
LINKS = st.sampled_from(("docs/link", "link", "docs/a/z.md", "docs/build", "a/vendor"))
TARGETS = st.sampled_from(
    ("docs", "docs/a", "a", "build", "a/a.md", "docs/index.md", "nowhere", ".", "..", "vendor/a", ".hidden")
)


def listed(root: Path, choice: Settings) -> set[str]:
    return {entry.path for entry in corpus.scan(root, choice).files}


def make(root: Path, files: list[str], ignores: dict[str, str], links: list[tuple[str, str]]) -> None:
    write(root, {**dict.fromkeys(files, TEXT), **ignores})
    for place, target in links:
        with suppress(OSError):  # something else stands there
            (root / place).parent.mkdir(parents=True, exist_ok=True)
            (root / place).symlink_to(root / target)


def candidates(root: Path) -> set[str]:
    """Every name under which a file can be reached, links followed."""
    found = set()
    for folder, below, files in os.walk(root, followlinks=True):
        if os.path.relpath(folder, root).count("/") > 4:
            below.clear()
        found |= {os.path.relpath(Path(folder, name), root) for name in files}
    return found


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    st.lists(PATHS, max_size=8),
    st.dictionaries(PLACES, IGNORES, max_size=3),
    st.lists(
        st.tuples(st.sampled_from(("docs/link", "link", "docs/a/z.md", "docs/build", "a/vendor")), TARGETS), max_size=1
    ),
    SETTINGS,
    st.lists(PATHS, max_size=3),
)
def test_a_buffer_belongs_exactly_where_a_walk_lists_its_file(files, ignores, links, choice, new):
    base = Path(os.path.realpath(tempfile.mkdtemp()))
    root = write(base / "w", {".keep": ""})
    try:
        make(root, files, ignores, links)
        found = listed(root, choice)
        for path in candidates(root):
            assert belongs(root, path, choice, TEXT) == (path in found), path
        for path in new:
            expected = belongs(root, path, choice, TEXT)
            if not (root / path).exists():
                with suppress(OSError):  # a file stands where a folder would have to be
                    write(root, {path: TEXT})
            if (root / path).is_file():
                assert expected == (path in listed(root, choice)), path
    finally:
        shutil.rmtree(base)


@pytest.mark.parametrize("folder", ["vendor", "build", "node_modules", "docs/dist", "_build", ".venv", "a/target"])
def test_a_buffer_in_other_people_s_or_tools_folders_is_not_searched(tmp_path, folder):
    empty(tmp_path, f"{folder}/a.md")
    assert not belongs(tmp_path, f"{folder}/a.md", Settings(), TEXT)
    assert not belongs(tmp_path, f"{folder}/new.md", Settings(), TEXT)
    assert not belongs(tmp_path, f"new/{folder}/new.md", Settings(), TEXT)


def test_a_chapter_about_building_is_searched_with_its_first_page(tmp_path):
    assert belongs(tmp_path, "docs/build/index.md", Settings(), TEXT)
    assert not belongs(tmp_path, "docs/build/a.md", Settings(), TEXT)
    empty(tmp_path, "docs/build/index.md")
    assert belongs(tmp_path, "docs/build/a.md", Settings(), TEXT)


def test_ignore_files_above_a_nested_root_count(tmp_path):
    write(tmp_path, {"a/.gitignore": "docs/private.md\n", "a/docs/x.md": TEXT})
    choice = replace(Settings(), root="a/docs")
    assert belongs(tmp_path, "a/docs/public.md", choice, TEXT)
    assert not belongs(tmp_path, "a/docs/private.md", choice, TEXT)
    write(tmp_path, {"a/.gitignore": "docs/\n"})
    assert not belongs(tmp_path, "a/docs/public.md", choice, TEXT)


@pytest.mark.parametrize(
    "path", ["", "/", "a//b.md", "../a.md", "a/../b.md", "a\0.md", "x" * 5_000 + ".md", "a.md/b.md", "a/"]
)
def test_a_path_no_file_can_have_belongs_nowhere(tmp_path, path):
    empty(tmp_path, "a.md")
    assert not belongs(tmp_path, path, Settings(), TEXT)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes here")
def test_what_is_no_file_belongs_nowhere(tmp_path):
    os.mkfifo(tmp_path / "pipe.md")
    (tmp_path / "folder.md").mkdir()
    for name in ("pipe.md", "folder.md"):
        assert not belongs(tmp_path, name, Settings(), TEXT)
