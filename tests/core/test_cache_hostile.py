"""Caches that somebody else wrote, with every sum in order: nothing is believed, nothing leads out of the folder."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.helpers.forged_cache import (
    SAVED,
    assert_recovers,
    cache_at,
    forge_line,
    forge_manifest,
    forge_part,
    part_of,
)
from tests.helpers.forgeries import DOCUMENTS, LINES, MANIFESTS, ROWS, WHOLE_MANIFESTS


@pytest.fixture
def root(tmp_path: Path) -> Path:
    cache = cache_at(tmp_path)
    assert cache.save(SAVED)
    cache.close()
    return tmp_path


@pytest.mark.parametrize("name", MANIFESTS)
def test_a_hostile_manifest_with_a_good_sum(root: Path, name: str) -> None:
    outside = root.parent / "x"
    forge_manifest(root, MANIFESTS[name])
    assert_recovers(root, "set-aside")
    assert not outside.exists()


@pytest.mark.parametrize("data", WHOLE_MANIFESTS)
def test_a_manifest_of_anything(root: Path, data: bytes) -> None:
    part_of(root, "manifest").write_bytes(data)
    assert_recovers(root, "set-aside")


@pytest.mark.parametrize("name", DOCUMENTS)
def test_a_hostile_document_with_good_sums(root: Path, name: str) -> None:
    forge_line(root, "documents", DOCUMENTS[name])
    assert_recovers(root, "set-aside")


@pytest.mark.parametrize("name", ROWS)
def test_a_hostile_row_with_good_sums(root: Path, name: str) -> None:
    forge_line(root, "chunks", ROWS[name])
    assert_recovers(root, "set-aside")


def test_two_rows_of_one_fingerprint(root: Path) -> None:
    lines = part_of(root, "chunks").read_bytes().split(b"\n")
    lines[1] = lines[0]
    forge_part(root, "chunks", b"\n".join(lines))
    assert_recovers(root, "set-aside")


@pytest.mark.parametrize("part", ["chunks", "documents"])
@pytest.mark.parametrize("line", LINES)
def test_a_line_of_anything(root: Path, part: str, line: bytes) -> None:
    lines = part_of(root, part).read_bytes().split(b"\n")
    lines[0] = line
    forge_part(root, part, b"\n".join(lines))
    assert_recovers(root, "set-aside")


def test_the_last_line_must_end(root: Path) -> None:
    forge_part(root, "chunks", part_of(root, "chunks").read_bytes() + b"{}")
    assert_recovers(root, "set-aside")
