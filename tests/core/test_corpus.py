"""The corpus: what is listed, what is left out and why, and what a scan costs."""

from __future__ import annotations

import os
import random
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ddg_lsp.core import corpus_rules
from ddg_lsp.core.corpus import Listing, Scanner, scan
from ddg_lsp.core.model import Skip
from ddg_lsp.core.settings import Settings
from tests.helpers.trees import empty, write

DEFAULT = Settings()


def listed(root: Path, settings: Settings = DEFAULT) -> list[str]:
    return [entry.path for entry in scan(root, settings).files]


def reasons(root: Path, settings: Settings = DEFAULT) -> dict[str, str]:
    return {skip.path: skip.reason for skip in scan(root, settings).skipped}


def test_q06_plan_archive_hidden_module_and_secret_files_are_not_listed(tmp_path: Path) -> None:
    left_out = ["docs/plan/a.md", "docs/archive/b.md", "docs/.x/c.md", "docs/node_modules/d.md", "docs/.env.md"]
    empty(tmp_path, *left_out, "docs/guide.md")
    assert listed(tmp_path) == ["docs/guide.md"]
    assert reasons(tmp_path) == {
        "docs/plan/": "excluded",
        "docs/archive/": "excluded",
        "docs/.x/": "hidden",
        "docs/node_modules/": "skip-folder",
        "docs/.env.md": "secret-name",
    }


def test_d9_every_documented_folder_is_skipped_wherever_it_lies(tmp_path: Path) -> None:
    names = sorted(corpus_rules.SKIP_FOLDERS | corpus_rules.OUTPUT_FOLDERS)
    empty(tmp_path, "a.md", *(f"{name}/x.md" for name in names), *(f"docs/{name}/README.md" for name in names))
    assert listed(tmp_path) == ["a.md"]
    assert reasons(tmp_path) == {f"{place}{name}/": "skip-folder" for name in names for place in ("", "docs/")}


def test_folders_nobody_expects_documents_in_are_not_even_mentioned(tmp_path: Path) -> None:
    empty(tmp_path, "a.md", *(f"{name}/x.md" for name in corpus_rules.UNMENTIONED_FOLDERS))
    assert scan(tmp_path, DEFAULT).skipped == ()


def test_a_chapter_about_building_is_documentation_and_a_build_folder_is_not(tmp_path: Path) -> None:
    empty(tmp_path, "docs/build/index.md", "docs/build/cache.md", "build/README.md", "docs/vendor/_index.md")
    assert listed(tmp_path) == ["docs/build/cache.md", "docs/build/index.md", "docs/vendor/_index.md"]
    assert reasons(tmp_path) == {"build/": "skip-folder"}


def test_only_documents_are_listed_and_only_their_kind_is_mentioned(tmp_path: Path) -> None:
    empty(
        tmp_path,
        "a.md",
        "b.markdown",
        "c.mdx",
        "D.MD",
        "e.txt",
        "f.py",
        ".hidden.txt",
        "secrets.txt",
        "README",
        ".h.md",
    )
    assert listed(tmp_path) == ["D.MD", "a.md", "b.markdown", "c.mdx"]
    assert reasons(tmp_path) == {".h.md": "hidden"}


def test_an_empty_file_is_a_document(tmp_path: Path) -> None:
    write(tmp_path, {"empty.md": ""})
    assert listed(tmp_path) == ["empty.md"]


def test_include_and_exclude_are_patterns_and_a_workspace_include_narrows(tmp_path: Path) -> None:
    empty(tmp_path, "docs/a.md", "docs/b.txt", "docs/drafts/c.md", "src/d.md", "docs/x-old.md")
    settings = Settings(include=("**/*.md", "**/*.txt"), also_include=("docs/**",), exclude=("drafts", "*-old.md"))
    assert listed(tmp_path, settings) == ["docs/a.md", "docs/b.txt"]
    assert reasons(tmp_path, settings) == {
        "docs/drafts/": "excluded",
        "docs/x-old.md": "excluded",
        "src/d.md": "excluded",
    }


def test_the_root_is_a_subfolder_and_paths_stay_relative_to_the_folder(tmp_path: Path) -> None:
    empty(tmp_path, "a.md", "docs/b.md", "docs/plan/c.md")
    assert listed(tmp_path, Settings(root="docs")) == ["docs/b.md"]


def test_a_file_at_the_size_limit_belongs_and_one_byte_more_does_not(tmp_path: Path) -> None:
    write(tmp_path, {"fits.md": "x" * 100, "large.md": "x" * 101})
    assert listed(tmp_path, Settings(max_file_bytes=100)) == ["fits.md"]
    assert reasons(tmp_path, Settings(max_file_bytes=100)) == {"large.md": "too-large"}


def test_a_pipe_and_a_socket_are_not_files(tmp_path: Path) -> None:
    empty(tmp_path, "a.md")
    os.mkfifo(tmp_path / "pipe.md")
    (tmp_path / "folder.md").mkdir()
    empty(tmp_path, "folder.md/x.md")
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(os.path.relpath(tmp_path / "socket.md"))
        assert listed(tmp_path) == ["a.md", "folder.md/x.md"]
        assert reasons(tmp_path) == {"pipe.md": "not-a-file", "socket.md": "not-a-file"}


def test_row63_names_in_any_script_with_blanks_and_signs_are_listed_as_they_are(tmp_path: Path) -> None:
    names = [
        "🚀 launch.md",
        "a b.md",
        "a#b.md",
        "50%25.md",
        "café.md",
        "cafe\u0301.md",
        "설치.md",
        "a&b=c?.md",
        "'\".md",
        "\\.md",
    ]
    empty(tmp_path, *(f"docs dir/{name}" for name in names))
    assert listed(tmp_path) == sorted(f"docs dir/{name}" for name in names)
    assert scan(tmp_path, DEFAULT).skipped == ()


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        (b"a\nb.md", "a\\nb.md"),
        (b"\x1b[31m.md", "\\x1b[31m.md"),
        (b"caf\xe9.md", "caf\\udce9.md"),
        ("\u202egpj.md".encode(), "\\u202egpj.md"),
    ],
)
def test_an_unsafe_name_is_a_skip_that_can_be_shown(tmp_path: Path, name: bytes, shown: str) -> None:
    empty(tmp_path, "a.md")
    (tmp_path / os.fsdecode(name)).write_text("# x\n")
    (tmp_path / "d" / os.fsdecode(name)).mkdir(parents=True)
    assert listed(tmp_path) == ["a.md"]
    assert reasons(tmp_path) == {shown: "bad-name", f"d/{shown}/": "bad-name"}
    assert shown.encode()


def test_row24_a_folder_that_cannot_be_listed_is_one_skip_and_the_rest_is_listed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    empty(tmp_path, "docs/a.md", "docs/closed/b.md", "docs/z/c.md")
    refuse(monkeypatch, "scandir", "closed")
    assert listed(tmp_path) == ["docs/a.md", "docs/z/c.md"]
    assert reasons(tmp_path) == {"docs/closed/": "unreadable"}


def refuse(monkeypatch: pytest.MonkeyPatch, call: str, name: str) -> None:
    """The system refuses one path: permissions do not bind the user tests may run as."""
    real_call = getattr(os, call)

    def refusing(path: Any, *rest: Any) -> Any:
        if os.fsdecode(path).endswith(name):
            raise PermissionError(13, "Permission denied", path)
        return real_call(path, *rest)

    monkeypatch.setattr(os, call, refusing)


def test_a_file_that_goes_while_the_folder_is_looked_at_is_a_skip(tmp_path: Path) -> None:
    empty(tmp_path, "a/gone.md", "a/here.md", "b/x.md")

    class Vanishing:
        def __init__(self) -> None:
            self.calls = 0

        def __call__(self) -> None:
            self.calls += 1
            if self.calls == 3:  # the folder, a, and now b is to be listed
                (tmp_path / "b/x.md").unlink()
                (tmp_path / "b").rmdir()

    listing = scan(tmp_path, DEFAULT, Vanishing())
    assert [entry.path for entry in listing.files] == ["a/gone.md", "a/here.md"]
    assert listing.skipped == (Skip("b/", "vanished"),)


@pytest.mark.parametrize(
    ("name", "reason"), [("nowhere", "vanished"), ("file.md", "vanished"), ("nul\0", "unreadable")]
)
def test_a_folder_that_is_none_is_one_skip(tmp_path: Path, name: str, reason: str) -> None:
    empty(tmp_path, "file.md")
    assert scan(tmp_path / name, DEFAULT) == Listing((), (Skip("./", reason),))


def test_a_root_that_is_not_there_is_one_skip(tmp_path: Path) -> None:
    assert scan(tmp_path, Settings(root="docs")) == Listing((), (Skip("docs/", "vanished"),))


def test_a_scanner_sees_what_changed(tmp_path: Path) -> None:
    empty(tmp_path, "a.md", "b.md")
    scanner = Scanner()
    before = {entry.path: entry.stamp for entry in scanner.scan(tmp_path, DEFAULT).files}
    write(tmp_path, {"b.md": "longer than before\n", "c/d.md": ""})
    (tmp_path / "a.md").unlink()
    after = {entry.path: entry.stamp for entry in scanner.scan(tmp_path, DEFAULT).files}
    assert sorted(after) == ["b.md", "c/d.md"]
    assert after["b.md"] != before["b.md"]
    assert [entry.path for entry in scanner.scan(tmp_path, Settings(exclude=("c",))).files] == ["b.md"]
    other = empty(tmp_path / "c" / "other", "e.md")
    assert [entry.path for entry in scanner.scan(other, DEFAULT).files] == ["e.md"]


def test_q15_the_listing_does_not_depend_on_the_order_of_the_directory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    empty(tmp_path, "b.md", "a/x.md", "a-b.md", "a.md", "Z.md", "é.md", "a/y/z.md", "node_modules/x.md", ".h/x.md")
    (tmp_path / "l1.md").symlink_to("a/../.h/x.md")
    (tmp_path / "l2").symlink_to("a")
    expected = scan(tmp_path, DEFAULT)
    assert [entry.path for entry in expected.files] == ["Z.md", "a-b.md", "a.md", "a/x.md", "a/y/z.md", "b.md", "é.md"]
    real_scandir = os.scandir

    class Shuffled:
        def __init__(self, path: Any) -> None:
            self.entries = list(real_scandir(path))
            random.Random(len(self.entries)).shuffle(self.entries)

        def __enter__(self) -> Iterator[Any]:
            return iter(self.entries)

        def __exit__(self, *_: object) -> None:
            pass

    monkeypatch.setattr(os, "scandir", Shuffled)
    assert scan(tmp_path, DEFAULT) == expected


def test_row66_the_listing_and_the_text_are_the_same_under_a_locale_without_unicode(tmp_path: Path) -> None:
    empty(tmp_path, "설치/🚀 é.md", "a.md")
    write(
        tmp_path,
        {"설치/한글.md": "한글\n", "sjis.md": "設定".encode("shift-jis"), ".gitignore": "무시*.md\n", "무시됨.md": ""},
    )
    script = (
        "import sys; from pathlib import Path; from ddg_lsp.core.corpus import scan, read\n"
        "from ddg_lsp.core.settings import Settings\n"
        "s = Settings(); root = Path(sys.argv[1]); listing = scan(root, s)\n"
        "print(ascii([(e.path, read(root, e.path, s)) for e in listing.files]), ascii(listing.skipped))\n"
    )
    outputs = []
    for variables in ({"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}, {"PYTHONUTF8": "1"}):
        run = subprocess.run(
            [sys.executable, "-c", script, tmp_path],
            env={**os.environ, **variables},
            capture_output=True,
            check=True,
            text=True,
        )
        outputs.append(run.stdout)
    assert outputs[0] == outputs[1]
    assert ascii("설치/한글.md") in outputs[0]
    assert ascii("한글\n") in outputs[0]
    assert "Skip(path='sjis.md', reason='undecodable')" in outputs[0]
