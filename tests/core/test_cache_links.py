"""A hostile workspace cannot lead the vector cache out of its folder, nor make it wait for ever."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from ddg_lsp.core.vector_cache import VectorCache
from tests.helpers.cache_content import KEY, assert_same
from tests.helpers.cache_places import SAVED, assert_works_elsewhere, everything, link


@pytest.fixture
def outside(tmp_path: Path) -> Path:
    folder = tmp_path / "outside"
    folder.mkdir()
    return folder


@pytest.mark.parametrize("name", [".ddg", ".ddg/vectors"])
def test_a_link_out_of_the_workspace_is_not_followed(root: Path, home: Path, outside: Path, name: str) -> None:
    (outside / "vectors").mkdir()
    (root / name).parent.mkdir(exist_ok=True)
    link(root / name, outside)
    assert_works_elsewhere(root, home)
    assert everything(outside) == ["vectors"]


def test_a_link_within_the_workspace_is_not_followed_either(root: Path, home: Path) -> None:
    (root / "docs").mkdir()
    link(root / ".ddg", root / "docs")
    assert_works_elsewhere(root, home)
    assert everything(root / "docs") == []


@pytest.mark.parametrize("part", ["manifest.json", "chunks", "documents", "embeddings"])
def test_a_link_in_place_of_a_file_is_not_read(root: Path, outside: Path, part: str) -> None:
    first = VectorCache(root, KEY)
    assert first.save(SAVED)
    first.close()
    (path,) = (path for path in (root / ".ddg" / "vectors").iterdir() if path.name.startswith(part))
    path.rename(outside / "secret")
    link(path, outside / "secret")
    before = (outside / "secret").read_bytes()
    cache = VectorCache(root, KEY)
    assert cache.load() is None
    assert [notice.code for notice in cache.notices] == ["set-aside"]
    assert cache.save(SAVED)
    assert_same(cache.load(), SAVED)
    assert (outside / "secret").read_bytes() == before


def test_a_link_in_place_of_the_lock_is_not_followed(root: Path, outside: Path) -> None:
    (root / ".ddg" / "vectors").mkdir(parents=True)
    (outside / "precious").write_text("precious")
    link(root / ".ddg" / "vectors" / "writer.lock", outside / "precious")
    assert VectorCache(root, KEY).save(SAVED)
    assert (outside / "precious").read_text() == "precious"


def test_a_link_in_place_of_aside_is_not_followed(root: Path, outside: Path) -> None:
    first = VectorCache(root, KEY)
    assert first.save(SAVED)
    first.close()
    (outside / "manifest.json").write_text("of another program")
    link(root / ".ddg" / "vectors" / "aside", outside)
    (root / ".ddg" / "vectors" / "manifest.json").write_text("damaged")
    cache = VectorCache(root, KEY)
    assert cache.load() is None
    assert cache.save(SAVED)
    assert everything(outside) == ["manifest.json"]
    assert (outside / "manifest.json").read_text() == "of another program"


def test_a_link_in_place_of_a_gitignore_is_not_followed(root: Path, outside: Path) -> None:
    (root / ".ddg").mkdir()
    link(root / ".ddg" / ".gitignore", outside / "new")
    assert VectorCache(root, KEY).save(SAVED)
    assert everything(outside) == []


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes here")
@pytest.mark.parametrize("part", ["manifest.json", "chunks", "writer.lock", "aside"])
def test_a_pipe_in_place_of_a_file_blocks_nothing(root: Path, part: str) -> None:
    first = VectorCache(root, KEY)
    assert first.save(SAVED)
    first.close()
    folder = root / ".ddg" / "vectors"
    path = next((path for path in folder.iterdir() if path.name.startswith(part)), folder / part)
    path.unlink(missing_ok=True)
    os.mkfifo(path)
    cache = VectorCache(root, KEY)
    loaded = cache.load()
    assert (loaded is None) == (part in ("manifest.json", "chunks"))
    assert cache.save(SAVED)
    assert_same(cache.load(), SAVED)


def test_a_folder_in_place_of_the_manifest(root: Path) -> None:
    (root / ".ddg" / "vectors" / "manifest.json" / "sub").mkdir(parents=True)
    cache = VectorCache(root, KEY)
    assert cache.load() is None
    assert cache.save(SAVED)
    assert_same(cache.load(), SAVED)


def test_a_folder_in_place_of_the_lock_moves_the_cache(root: Path, home: Path) -> None:
    (root / ".ddg" / "vectors" / "writer.lock").mkdir(parents=True)
    assert_works_elsewhere(root, home)
