"""What a scan costs: it is bounded, can be cancelled, descends into nothing it leaves out, and opens nothing twice."""

from __future__ import annotations

import builtins
import os
import time
from pathlib import Path

import pytest

from ddg_lsp.core import corpus_rules, walk
from ddg_lsp.core.corpus import Scanner, scan
from ddg_lsp.core.errors import Cancelled
from ddg_lsp.core.model import Skip
from ddg_lsp.core.settings import Settings
from tests.helpers.trees import empty, write

DEFAULT = Settings()


def test_too_many_documents_stop_the_scan_where_it_says_and_the_top_comes_first(tmp_path: Path) -> None:
    empty(tmp_path, "a/1.md", "a/2.md", "a/3.md", "b/1.md", "z.md")
    listing = scan(tmp_path, Settings(max_documents=3))
    assert [entry.path for entry in listing.files] == ["a/1.md", "a/2.md", "z.md"]
    assert listing.skipped == (Skip("a/3.md", "too-many"),)
    assert scan(tmp_path, Settings(max_documents=5)).skipped == ()


def test_the_number_of_entries_is_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    empty(tmp_path, "1.md", *(f"x/{number}.txt" for number in range(20)), "y/2.md")
    monkeypatch.setattr(walk.rules, "MAX_ENTRIES", 10)
    listing = scan(tmp_path, DEFAULT)
    assert [entry.path for entry in listing.files] == ["1.md"]
    assert listing.skipped == (Skip("x/", "too-many"),)


def test_no_more_entries_of_one_folder_are_looked_at_than_the_bound(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    empty(tmp_path, *(f"x/{number}.txt" for number in range(500)))
    monkeypatch.setattr(walk.rules, "MAX_ENTRIES", 10)
    looked: list[object] = []
    real_counts = walk.Walk._counts
    monkeypatch.setattr(walk.Walk, "_counts", lambda self, entry: looked.append(entry) or real_counts(self, entry))
    assert scan(tmp_path, DEFAULT).skipped == (Skip("x/", "too-many"),)
    assert len(looked) == 11


def test_the_list_of_skips_is_bounded_and_telling_ones_stay(tmp_path: Path) -> None:
    write(tmp_path, {".gitignore": "i*.md\n", "large.md": "x" * 200})
    empty(tmp_path, *(f"i{number}.md" for number in range(1_200)))
    skipped = scan(tmp_path, Settings(max_file_bytes=100)).skipped
    assert len(skipped) == corpus_rules.MAX_SKIPS + 1
    assert Skip("large.md", "too-large") in skipped
    assert skipped[-1] == Skip("... and 201 more", "more")


def test_the_scan_can_be_cancelled_between_folders_and_used_again(tmp_path: Path) -> None:
    empty(tmp_path, *(f"d{number}/a.md" for number in range(20)))
    scanner = Scanner()
    calls: list[int] = []

    def check() -> None:
        calls.append(1)
        if len(calls) == 5:
            raise Cancelled

    with pytest.raises(Cancelled):
        scanner.scan(tmp_path, DEFAULT, check)
    assert len(calls) == 5
    assert len(scanner.scan(tmp_path, DEFAULT).files) == 20


def test_names_that_were_there_once_are_not_remembered_for_ever(tmp_path: Path) -> None:
    """A server walks a folder for weeks, and editors write files whose names nothing else ever has."""
    scanner = Scanner()
    empty(tmp_path, "stays.md", "docs/stays.md")
    for number in range(200):
        (tmp_path / f"n{number - 1}.md").unlink(missing_ok=True)
        empty(tmp_path, f"n{number}.md")
        found = [entry.path for entry in scanner.scan(tmp_path, DEFAULT).files]
        assert found == ["docs/stays.md", f"n{number}.md", "stays.md"]
    assert all(len(verdicts) < 30 for _, verdicts in scanner._kept.verdicts.values())


def test_row11_nothing_is_spent_on_what_is_pruned(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    empty(tmp_path, "a.md", *(f"node_modules/p{number}/deep/README.md" for number in range(50)), ".cache/x/b.md")
    write(tmp_path, {".gitignore": "/out-of-sight/\n"})
    empty(tmp_path, *(f"out-of-sight/{number}/a.md" for number in range(50)))
    entered: list[str] = []
    real_scandir = os.scandir
    monkeypatch.setattr(os, "scandir", lambda path: entered.append(os.fsdecode(path)) or real_scandir(path))
    assert [entry.path for entry in scan(tmp_path, DEFAULT).files] == ["a.md"]
    assert entered == [str(tmp_path.resolve())]


@pytest.fixture(scope="module")
def four_thousand(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("many")
    empty(root, *(f"docs/s{number % 40}/t{number % 7}/page-{number}.md" for number in range(4_000)))
    return write(root, {".gitignore": "\n".join(f"*.x{number}\n/d{number}/\n**/e{number}/*.y" for number in range(40))})


def test_row15_four_thousand_unchanged_files_cost_little_and_nothing_is_opened(
    four_thousand: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    scanner = Scanner()
    first = scanner.scan(four_thousand, DEFAULT)
    opened: list[object] = []
    for place in (os, builtins):
        monkeypatch.setattr(place, "open", lambda *given, **_: opened.append(given))
    start = time.process_time()
    again = scanner.scan(four_thousand, DEFAULT)
    spent = time.process_time() - start
    assert again == first
    assert len(again.files) == 4_000
    assert opened == []
    assert spent < 0.5
