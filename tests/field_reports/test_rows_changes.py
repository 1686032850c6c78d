"""Field reports on changes that are overlooked: what the system tells of a file is a hint, and its content decides."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from ddg_lsp.core.embedding.deterministic import DeterministicEmbedder
from tests.helpers.folders import ask, build, paths, write


def test_row_22_a_file_of_another_branch_with_an_older_time_is_a_change(tmp_path: Path) -> None:
    folder = build(write(tmp_path, {"a.md": "# A\n\nwalrus\n"}), DeterministicEmbedder()).folder
    write(tmp_path, {"a.md": "# A\n\nlemur!\n"})
    os.utime(tmp_path / "a.md", (1_000_000_000, 1_000_000_000))
    assert folder.refresh() == 1
    assert paths(ask(folder, "lemur!", mode="lexical")) == ["a.md"]


@pytest.mark.skipif(os.name == "nt", reason="the time of the last change to a file's entry is not told there")
def test_row_22_a_file_changed_in_place_with_the_size_and_time_it_had_is_a_change(tmp_path: Path) -> None:
    """`rsync --inplace --times`, `cp --preserve`, unpacking, or two writes within one tick of the file system."""
    folder = build(write(tmp_path, {"a.md": "# A\n\nwalrus\n"}), DeterministicEmbedder()).folder
    before = os.stat(tmp_path / "a.md")  # noqa: PTH116
    write(tmp_path, {"a.md": "# A\n\nlemurs\n"})
    os.utime(tmp_path / "a.md", ns=(before.st_atime_ns, before.st_mtime_ns))
    folder.refresh()
    assert paths(ask(folder, "lemurs", mode="lexical")) == ["a.md"]


def test_row_24_a_file_that_could_not_be_opened_is_tried_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another program had locked it, or `chmod` gave it back: neither its size nor its time says so."""
    write(tmp_path, {"a.md": "# A\n\nwalrus\n", "b.md": "# B\n\nlemur\n"})
    real = os.open

    def refusing(path, *rest, **more):
        if os.fsdecode(path).endswith("b.md"):
            raise PermissionError(13, "Permission denied")
        return real(path, *rest, **more)

    with monkeypatch.context() as closed:
        closed.setattr(os, "open", refusing)
        folder = build(tmp_path, DeterministicEmbedder()).folder
        assert [(skip.path, skip.reason) for skip in folder.snapshot.skipped] == [("b.md", "unreadable")]
    folder.refresh()
    assert folder.snapshot.skipped == ()
    assert paths(ask(folder, "lemur", mode="lexical")) == ["b.md"]
