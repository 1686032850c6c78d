"""The vector cache under failing disks, killed processes, power cuts: the old content or the new, never a mixture."""

from __future__ import annotations

import errno
import os
from io import FileIO
from pathlib import Path

import pytest

from ddg_lsp.core.vector_cache import CacheContent, VectorCache
from tests.helpers.cache_content import KEY, assert_same, by_name, cache_files, content, document
from tests.helpers.faulty_files import CountingFiles, FullDisk, HastyFiles, Killed, PowerCutFiles

A = document("docs/a.md", "install the server first", "one")
B = document("docs/b.md", "one", "configure it")
OLD = content(A, at="1")
NEW = content(A, B, at="2")


def saved_old(root: Path) -> None:
    cache = VectorCache(root, KEY, files=HastyFiles())
    assert cache.save(OLD)
    cache.close()


def is_old_or_new(root: Path) -> CacheContent:
    """What a new process finds, which must be one of the two, whole, without any trouble."""
    cache = VectorCache(root, KEY, files=HastyFiles())
    found = cache.load()
    assert found is not None
    assert cache.notices == []
    assert_same(found, OLD if found.indexed_at == "1" else NEW)
    assert cache.save(NEW)
    assert_same(cache.load(), NEW)
    assert len([name for name in cache_files(root) if name != ".gitignore"]) == 4, "nothing is left behind"
    cache.close()
    return found


def steps(tmp_path_factory: pytest.TempPathFactory) -> range:
    """Every step that changes the disk when a new process replaces `OLD` by `NEW`."""
    root = tmp_path_factory.mktemp("count")
    saved_old(root)
    files = CountingFiles()
    cache = VectorCache(root, KEY, files=files)
    assert cache.save(NEW)
    cache.close()
    assert files.log[-1].startswith("remove")
    return range(files.steps)


def test_q14_atomic_killed_at_any_step(tmp_path_factory: pytest.TempPathFactory) -> None:
    seen = []
    for at in steps(tmp_path_factory):
        root = tmp_path_factory.mktemp("killed")
        saved_old(root)
        cache = VectorCache(root, KEY, files=CountingFiles(at))
        with pytest.raises(Killed):
            cache.save(NEW)
        cache.close()
        seen.append(is_old_or_new(root).indexed_at)
    assert seen == sorted(seen), "old up to the commit, new from there on"
    assert {*seen} == {"1", "2"}


def test_q14_atomic_first_save_killed_at_any_step(tmp_path_factory: pytest.TempPathFactory) -> None:
    files = CountingFiles()
    assert VectorCache(tmp_path_factory.mktemp("count"), KEY, files=files).save(NEW)
    for at in range(files.steps):
        root = tmp_path_factory.mktemp("killed")
        cache = VectorCache(root, KEY, files=CountingFiles(at))
        with pytest.raises(Killed):
            cache.save(NEW)
        cache.close()
        again = VectorCache(root, KEY, files=HastyFiles())
        found = again.load()
        assert again.notices == []
        if found is not None:
            assert_same(found, NEW)
        assert again.save(NEW)
        assert_same(again.load(), NEW)
        again.close()
        for folder in (root / ".ddg", root / ".ddg" / "vectors"):
            assert (folder / ".gitignore").read_bytes().startswith(b"*"), "git never sees the cache"


def test_q14_atomic_power_cut_at_any_step(tmp_path_factory: pytest.TempPathFactory) -> None:
    seen = set()
    for at in steps(tmp_path_factory):
        count = cut(tmp_path_factory.mktemp("cut"), at, set())
        for lost in losses(count):
            root = tmp_path_factory.mktemp("cut")
            cut(root, at, lost)
            seen.add(is_old_or_new(root).indexed_at)
    assert seen == {"1", "2"}


def cut(root: Path, at: int, lost: set[int]) -> int:
    """Cut the power at a step, and lose these of the changes of names not yet synced; how many there were."""
    saved_old(root)
    files = PowerCutFiles(at)
    cache = VectorCache(root, KEY, files=files)
    with pytest.raises(Killed):
        cache.save(NEW)
    cache.close()
    files.cut_power(lost)
    return len(files.undo)


def losses(count: int) -> list[set[int]]:
    """What a file system in disorder may lose: nothing, everything, one change, all but one."""
    everything = set(range(count))
    choices = [set(), everything, *({n} for n in everything), *(everything - {n} for n in everything)]
    return [choice for n, choice in enumerate(choices) if choice not in choices[:n]]


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EDQUOT, errno.EIO])
def test_a_full_disk_keeps_the_old_generation(tmp_path_factory: pytest.TempPathFactory, number: int) -> None:
    for at in steps(tmp_path_factory):
        root = tmp_path_factory.mktemp("full")
        saved_old(root)
        cache = VectorCache(root, KEY, files=FullDisk(at, number))
        written = cache.save(NEW)
        assert [notice.code for notice in cache.notices] == ([] if written else ["not-written"])
        assert not cache.save(NEW) or written
        assert len([name for name in cache_files(root) if name != ".gitignore"]) == 4, "nothing is left behind"
        assert len(cache.notices) <= 1, "told once"
        cache.close()
        assert is_old_or_new(root).indexed_at == ("2" if written else "1")


def test_one_failing_step_is_overcome_by_the_next_save(tmp_path_factory: pytest.TempPathFactory) -> None:
    for at in steps(tmp_path_factory):
        root = tmp_path_factory.mktemp("once")
        saved_old(root)
        cache = VectorCache(root, KEY, files=CountingFiles(at, lambda: OSError(errno.EIO, "input/output error")))
        cache.save(NEW)
        assert cache.save(NEW)
        cache.close()
        assert is_old_or_new(root).indexed_at == "2"


def test_q14_atomic_setting_aside_killed_at_any_step(tmp_path_factory: pytest.TempPathFactory) -> None:
    for at in range(40):
        root = tmp_path_factory.mktemp("aside")
        saved_old(root)
        damage(root, "embeddings")
        cache = VectorCache(root, KEY, files=CountingFiles(at))
        try:
            assert cache.load() is None
        except Killed:
            cache.close()
        else:
            break
        again = VectorCache(root, KEY, files=HastyFiles())
        assert again.load() is None
        assert again.save(NEW)
        assert_same(again.load(), NEW)
        again.close()
    assert 3 < at < 39


def damage(root: Path, part: str) -> None:
    (path,) = (root / ".ddg" / "vectors").glob(f"{part}*")
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(data)


def test_what_is_set_aside_is_bounded(tmp_path: Path) -> None:
    for part in ("chunks", "documents", "embeddings", "manifest"):
        saved_old(tmp_path)
        damage(tmp_path, part)
        cache = VectorCache(tmp_path, KEY)
        assert cache.load() is None
        assert [notice.code for notice in cache.notices] == ["set-aside"]
        assert cache.load() is None
        assert len(cache.notices) == 1, "told once"
        assert len([name for name in cache_files(tmp_path) if name.startswith("aside/")]) == 4
        assert "manifest.json" not in cache_files(tmp_path)
        cache.close()
        after = VectorCache(tmp_path, KEY)
        assert after.load() is None
        assert after.notices == [], "told once, in all"


def test_what_cannot_be_set_aside_is_removed(tmp_path: Path) -> None:
    saved_old(tmp_path)
    damage(tmp_path, "chunks")
    (tmp_path / ".ddg" / "vectors" / "aside").write_text("a file where the folder should be")
    cache = VectorCache(tmp_path, KEY)
    assert cache.load() is None
    assert sorted(cache_files(tmp_path)) == [".gitignore", "aside"]
    assert cache.save(NEW)
    assert_same(cache.load(), NEW)


def test_damage_is_left_to_the_writer_that_is_there(tmp_path: Path) -> None:
    writer, reader = VectorCache(tmp_path, KEY), VectorCache(tmp_path, KEY)
    assert writer.save(OLD)
    damage(tmp_path, "chunks")
    before = cache_files(tmp_path)
    assert reader.load() is None
    assert [notice.code for notice in reader.notices] == ["damaged"]
    assert cache_files(tmp_path) == before
    assert writer.save(NEW)
    assert_same(reader.load(), NEW)


def test_a_reader_overtaken_by_the_writer_starts_again(tmp_path: Path) -> None:
    writer = VectorCache(tmp_path, KEY)
    assert writer.save(OLD)

    class Overtaken(CountingFiles):
        def open(self, path: Path, limit: int) -> FileIO:
            if path.name.startswith("documents") and writer.is_current() and not cache_is_new():
                assert writer.save(NEW)
            return super().open(path, limit)

    def cache_is_new() -> bool:
        return b'"2"' in cache_files(tmp_path)["manifest.json"]

    reader = VectorCache(tmp_path, KEY, files=Overtaken())
    assert_same(reader.load(), NEW)
    assert reader.notices == []


def test_too_many_open_files_do_not_cost_the_cache(tmp_path: Path) -> None:
    saved_old(tmp_path)

    class NoHandles(CountingFiles):
        def open(self, path: Path, limit: int) -> FileIO:
            raise OSError(errno.EMFILE, os.strerror(errno.EMFILE))

    cache = VectorCache(tmp_path, KEY, files=NoHandles())
    assert cache.load() is None
    assert [notice.code for notice in cache.notices] == ["unreadable"]
    assert_same(VectorCache(tmp_path, KEY).load(), OLD)


def test_a_data_file_that_vanished_is_written_again(tmp_path: Path) -> None:
    cache = VectorCache(tmp_path, KEY)
    assert cache.save(OLD)
    (path,) = (tmp_path / ".ddg" / "vectors").glob("embeddings-*")
    path.unlink()
    assert cache.save(OLD)
    assert_same(cache.load(), OLD)
    (path,) = (tmp_path / ".ddg" / "vectors").glob("embeddings-*")
    path.unlink()
    assert cache.load() is None
    assert [notice.code for notice in cache.notices] == ["set-aside"]


def test_saving_fifty_times_while_building(tmp_path: Path) -> None:
    cache, names = VectorCache(tmp_path, KEY), list(NEW.fingerprints)
    for count in range(50):
        part = names[: 1 + count % len(names)]
        held = CacheContent(NEW.documents, tuple(part), NEW.vectors[: len(part)], "")
        assert cache.save(held)
        found = cache.load()
        assert found is not None
        assert by_name(found) == by_name(held)
    assert cache.save(NEW)
    assert_same(cache.load(), NEW)
