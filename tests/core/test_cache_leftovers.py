"""What processes leave behind that were killed, or that met damage: it is bounded, and in nobody's way."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from ddg_lsp.core.vector_cache import VectorCache
from tests.helpers.cache_content import KEY, assert_same, cache_files, content, document
from tests.helpers.faulty_files import DiesBeforeCommit, HastyFiles, Killed, SmallDisk, size_below
from tests.helpers.forged_cache import SAVED, A, B, cache_at, forge_manifest, forge_part

MORE = content(A, B, document("docs/c.md", "more of it"))


def saved(root: Path) -> None:
    cache = cache_at(root)
    assert cache.save(SAVED)
    cache.close()


@pytest.mark.parametrize("before", ["nothing", "an older generation", "another version", "another model"])
def test_writers_killed_over_and_over_leave_one_generation_at_most(tmp_path: Path, before: str) -> None:
    if before != "nothing":
        saved(tmp_path)
    if before == "another version":
        forge_manifest(tmp_path, lambda fields: fields.update(schema=2))
    key = replace(KEY, model="other") if before == "another model" else KEY
    for _ in range(5):
        cache = VectorCache(tmp_path, key, files=DiesBeforeCommit())
        cache.load()
        with pytest.raises(Killed):
            cache.save(MORE)
        cache.close()
        names = [name for name in cache_files(tmp_path) if name != ".gitignore"]
        assert len(names) == 4 + (4 if before != "nothing" else 0), "the one of before, the one being written"
    cache = VectorCache(tmp_path, key, files=HastyFiles())
    found = cache.load()
    assert (found is not None) == (before == "an older generation"), "what was good before is good still"
    assert cache.save(MORE)
    assert_same(cache.load(), MORE)


@pytest.mark.parametrize("leftover", ["of a killed writer", "set aside"])
def test_leftovers_do_not_keep_a_full_disk_full(tmp_path: Path, leftover: str) -> None:
    saved(tmp_path)
    generation = size_below(tmp_path)
    cache = VectorCache(tmp_path, KEY, files=DiesBeforeCommit())
    if leftover == "set aside":
        forge_part(tmp_path, "embeddings", b"")
        assert cache.load() is None
        disk = SmallDisk(tmp_path, 2 * generation)
    else:
        with pytest.raises(Killed):
            cache.save(MORE)
        disk = SmallDisk(tmp_path, size_below(tmp_path) + 100)
    cache.close()
    again = VectorCache(tmp_path, KEY, files=disk)
    assert again.save(MORE) or again.save(MORE)
    assert_same(again.load(), MORE)
