"""Saying where a cache came to live, and making links where the system lets us."""

from __future__ import annotations

from pathlib import Path

import pytest

from ddg_lsp.core.cache_files import FileLayer
from ddg_lsp.core.vector_cache import VectorCache
from tests.helpers.cache_content import KEY, assert_same, content, document

SAVED = content(document("docs/a.md", "install the server first", "one"))


def link(path: Path, target: Path) -> None:
    """Make a link; skips the test where links cannot be made."""
    try:
        path.symlink_to(target, target_is_directory=target.is_dir())
    except OSError:
        pytest.skip("links cannot be made here")


def everything(folder: Path) -> list[str]:
    """Every name below a folder."""
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*"))


def assert_works_elsewhere(root: Path, home: Path, *, files: FileLayer | None = None) -> None:
    """The cache works from the user's folder, says so once, and a second process finds it there."""
    cache = VectorCache(root, KEY, files=files)
    assert cache.load() is None
    assert cache.save(SAVED)
    assert cache.location == "user"
    assert [notice.code for notice in cache.notices] == ["elsewhere"]
    assert str(cache.folder) in cache.notices[0].sentence
    assert_same(cache.load(), SAVED)
    cache.close()
    assert home in (cache.folder or root).parents
    after = VectorCache(root, KEY, files=files)
    assert_same(after.load(), SAVED)
