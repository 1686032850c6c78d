"""What the user is told of the cache: the right sentence, its place and its reason in it, and each of them once."""

from __future__ import annotations

import errno
import json
import os
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from ddg_lsp.core import vector_cache
from ddg_lsp.core.cache_files import FileLayer
from ddg_lsp.core.vector_cache import Notice, VectorCache
from tests.helpers.cache_content import KEY, assert_same, cache_files, content, document
from tests.helpers.faulty_files import FullDisk, ReadOnly

SAVED = content(document("docs/a.md", "install the server first", "one"))


def saved(root: Path) -> Path:
    """A folder with a good cache that nobody holds."""
    cache = VectorCache(root, KEY)
    assert cache.save(SAVED)
    cache.close()
    return root / ".ddg" / "vectors"


def test_kept_elsewhere_with_the_place_and_the_reason(root: Path, home: Path) -> None:
    (root / ".ddg").write_text("a file")
    cache = VectorCache(root, KEY)
    sentence = f"The search cache is kept in {cache.folder}, as {root / '.ddg'} is not a folder."
    assert cache.notices == [Notice("elsewhere", sentence)]
    assert cache.save(SAVED)
    assert len(cache.notices) == 1


def test_kept_in_memory_with_the_reason_of_the_first_place(root: Path, home: Path) -> None:
    (root / ".ddg").write_text("a file")
    home.parent.mkdir()
    home.write_text("a file")
    cache = VectorCache(root, KEY)
    sentence = f"The search cache is kept in memory only, as {root / '.ddg'} is not a folder."
    assert cache.notices == [Notice("memory-only", sentence)]
    assert (cache.location, cache.folder, cache.is_current()) == ("memory", None, True)


def test_both_places_lost_while_in_use_in_one_step(root: Path, home: Path) -> None:
    """The second place is looked at before it is named: nobody is told of a place that is no use either."""
    files = ReadOnly(root / "nothing", errno.EROFS, known=False)
    cache = VectorCache(root, KEY, files=files)
    assert cache.save(content())
    files.below = root
    home.parent.mkdir()
    home.write_text("a file")
    assert not cache.save(SAVED)
    reason = os.strerror(errno.EROFS)
    assert cache.notices == [Notice("memory-only", f"The search cache is kept in memory only, as {reason}.")]
    assert not cache.acquire()


def test_chosen_memory_that_is_left_has_nowhere_to_go_and_says_nothing(root: Path) -> None:
    cache = VectorCache(root, KEY, "memory")
    assert not cache.save(SAVED)
    assert cache.notices == []


def test_the_users_folder_alone_lost_while_in_use_is_memory(root: Path, home: Path) -> None:
    files = ReadOnly(root / "nothing", errno.EROFS, known=False)
    cache = VectorCache(root, KEY, "user", files=files)
    assert cache.save(content())
    folder = cache.folder
    files.below = home
    assert folder is not None
    assert not cache.save(SAVED)
    assert [notice.code for notice in cache.notices] == ["memory-only"]


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EDQUOT, errno.EIO])
def test_not_written_with_the_place_and_the_systems_own_words(root: Path, home: Path, number: int) -> None:
    cache = VectorCache(root, KEY, files=FullDisk(0, number))
    for _ in range(2):
        assert not cache.save(SAVED)
    sentence = f"The search cache in {root / '.ddg' / 'vectors'} could not be written: {os.strerror(number)}."
    assert cache.notices == [Notice("not-written", sentence)]
    assert cache.location == "workspace"


def test_no_locks_at_all_is_said_in_the_words_of_who_found_out(
    root: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise NotImplementedError("there are no locks here")

    monkeypatch.setattr(vector_cache.FileLock, "acquire", refuse)
    cache = VectorCache(root, KEY)
    assert not cache.acquire()
    # Nowhere are there locks: the user's folder is told of, tried and left as well.
    assert [notice.code for notice in cache.notices] == ["elsewhere", "memory-only"]
    assert all(notice.sentence.endswith("as there are no locks here.") for notice in cache.notices)


def test_a_mistyped_place(root: Path, home: Path) -> None:
    cache = VectorCache(root, KEY, "cache/here")
    sentence = "The cache folder must be an absolute path, not 'cache/here'. The search cache stays in the workspace."
    assert cache.notices == [Notice("bad-place", sentence)]
    assert cache.location == "workspace"


def test_damage_is_set_aside_with_its_reason_and_the_writer_is_told_from_the_reader(root: Path, home: Path) -> None:
    folder = saved(root)
    (name,) = (name for name in cache_files(root) if name.startswith("embeddings-"))
    (folder / name).write_bytes(b"x")
    writer = VectorCache(root, KEY)
    assert writer.acquire()
    reader = VectorCache(root, KEY)
    assert reader.load() is None
    damage = "embeddings has a wrong size or sum"
    assert reader.notices == [Notice("damaged", f"The search cache is damaged ({damage}); the index is built anew.")]
    assert writer.load() is None
    aside = f"The search cache was damaged ({damage}) and set aside; the index is built anew."
    assert writer.notices == [Notice("set-aside", aside)]


def test_a_missing_file_and_one_that_cannot_be_read(root: Path, home: Path) -> None:
    folder = saved(root)
    (name,) = (name for name in cache_files(root) if name.startswith("chunks-"))
    (folder / name).unlink()
    cache = VectorCache(root, KEY)
    assert cache.load() is None
    cache.close()
    assert "(a data file is missing)" in cache.notices[0].sentence
    folder = saved(root)
    (name,) = (name for name in cache_files(root) if name.startswith("chunks-"))
    (folder / name).unlink()
    (folder / name).mkdir()
    cache = VectorCache(root, KEY)
    assert cache.load() is None
    assert [notice.code for notice in cache.notices] == ["set-aside"]


def test_a_cache_that_cannot_be_read_now_stays_where_it_is(
    root: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Busy(FileLayer):
        def open(self, path: Path, limit: int) -> object:  # type: ignore[override]
            raise OSError(errno.EMFILE, os.strerror(errno.EMFILE), str(path))

    waits: list[float] = []
    monkeypatch.setattr(vector_cache.time, "sleep", waits.append)
    folder = saved(root)
    before = cache_files(root)
    cache = VectorCache(root, KEY, files=Busy())
    assert cache.load() is None
    sentence = f"The search cache in {folder} cannot be read now; the index is built anew."
    assert cache.notices == [Notice("unreadable", sentence)]
    assert cache_files(root) == before
    assert len(waits) == 20
    assert 0 < max(waits) <= 0.1


def test_of_another_version_and_by_another_model(root: Path, home: Path) -> None:
    saved(root)
    cache = VectorCache(root, replace(KEY, model="another"))
    assert cache.load() is None
    sentence = "The search cache was made by another model; the index is built anew."
    assert cache.notices == [Notice("other-model", sentence)]
    path = root / ".ddg" / "vectors" / "manifest.json"
    path.write_text(json.dumps(json.loads(path.read_text("utf-8")) | {"schema": 999}), "utf-8")
    cache = VectorCache(root, KEY)
    assert cache.load() is None
    sentence = "The search cache is of another version of ddg-lsp; the index is built anew."
    assert cache.notices == [Notice("other-version", sentence)]


def test_vectors_that_are_none_are_counted(root: Path, home: Path) -> None:
    vectors = SAVED.vectors.copy()
    vectors[0] = np.nan
    cache = VectorCache(root, KEY)
    assert cache.save(replace(SAVED, vectors=vectors))
    assert cache.notices == [Notice("bad-vectors", "1 embeddings are no unit vectors and were not kept.")]


def test_a_cache_let_go_and_taken_again_by_another_and_back(root: Path, home: Path) -> None:
    first, second = VectorCache(root, KEY), VectorCache(root, KEY)
    assert first.acquire()
    assert first.acquire()
    assert not second.save(SAVED)
    first.close()
    first.close()
    assert second.save(SAVED)
    assert not first.acquire()
    second.close()
    assert_same(first.load(), SAVED)
    assert first.save(SAVED)
