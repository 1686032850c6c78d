"""What the vector cache promises its user: what was saved comes back, equal content is not written again."""

from __future__ import annotations

import datetime
import json
import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from ddg_lsp.core.model import Stamp
from ddg_lsp.core.vector_cache import CacheContent, VectorCache
from tests.helpers.cache_content import (
    KEY,
    assert_same,
    by_name,
    cache_files,
    content,
    document,
    vectors_of,
)

A = document("docs/a.md", "install the server first", "one")
B = document("문서/b.md", "one", "configure it", "install the server first")


def stamps(root: Path) -> dict[str, int]:
    folder = root / ".ddg"
    return {path.as_posix(): path.stat().st_mtime_ns for path in [folder, *sorted(folder.rglob("*"))]}


def rows(root: Path) -> list[dict[str, object]]:
    (name,) = (name for name in cache_files(root) if name.startswith("chunks-"))
    return [json.loads(line) for line in cache_files(root)[name].decode().split("\n")[:-1]]


def embeddings(root: Path) -> bytes:
    (name,) = (name for name in cache_files(root) if name.startswith("embeddings-"))
    return cache_files(root)[name]


def test_a_folder_without_a_cache_holds_nothing_and_stays_untouched(tmp_path: Path) -> None:
    cache = VectorCache(tmp_path, KEY)
    assert cache.load() is None
    assert cache.is_current()
    assert cache.location == "workspace"
    assert cache.notices == []
    assert list(tmp_path.iterdir()) == []


def test_what_was_saved_comes_back_bit_for_bit(tmp_path: Path) -> None:
    saved = content(A, B)
    first = VectorCache(tmp_path, KEY)
    assert first.save(saved)
    first.close()
    second = VectorCache(tmp_path, KEY)
    loaded = second.load()
    assert_same(loaded, saved)
    assert loaded is not None
    assert loaded.vectors.dtype == np.float32
    assert second.notices == []


def test_the_workspace_keeps_git_out(tmp_path: Path) -> None:
    assert VectorCache(tmp_path, KEY).save(content(A))
    assert (tmp_path / ".ddg" / ".gitignore").read_text() == "*\n"
    assert (tmp_path / ".ddg" / "vectors" / ".gitignore").read_text() == "*\n"


def test_a_gitignore_of_the_users_stays(tmp_path: Path) -> None:
    (tmp_path / ".ddg").mkdir()
    (tmp_path / ".ddg" / ".gitignore").write_text("vectors/\n")
    assert VectorCache(tmp_path, KEY).save(content(A))
    assert (tmp_path / ".ddg" / ".gitignore").read_text() == "vectors/\n"


def test_row_i_is_line_i_and_no_text_is_stored_twice(tmp_path: Path) -> None:
    saved = content(A, B)
    assert VectorCache(tmp_path, KEY).save(saved)
    lines = rows(tmp_path)
    names = [line["fingerprint"] for line in lines]
    # Six views of `A` and `B` are of distinct texts: "one" is a whole and an opening, in both.
    assert len(names) == len(set(names)) == len(saved.fingerprints) == 5
    stored = np.frombuffer(embeddings(tmp_path), "<f4").reshape(len(lines), KEY.dimensions)
    assert {str(n): row.tobytes() for n, row in zip(names, stored, strict=True)} == by_name(saved)
    assert [line["view"] for line in lines] == ["whole"] * 3 + ["opening"] * 2
    assert {*lines[0]} == {"view", "fingerprint", "id", "path", "headings", "level"}


def test_no_body_text_is_written(tmp_path: Path) -> None:
    assert VectorCache(tmp_path, KEY).save(content(A, B))
    for name, data in cache_files(tmp_path).items():
        assert b"install the server" not in data, name


def test_q11_reuse_equal_content_is_not_written_again(tmp_path: Path) -> None:
    first = VectorCache(tmp_path, KEY)
    assert first.save(content(A, B))
    before, files = stamps(tmp_path), cache_files(tmp_path)
    assert first.save(content(A, B, at="2027"))
    first.close()
    second = VectorCache(tmp_path, KEY)
    loaded = second.load()
    assert loaded is not None
    backwards = list(reversed(range(len(loaded.fingerprints))))
    shuffled = CacheContent(
        dict(reversed(loaded.documents.items())),
        tuple(loaded.fingerprints[i] for i in backwards),
        loaded.vectors[backwards],
        "later",
    )
    assert second.save(shuffled)
    assert cache_files(tmp_path) == files
    assert {path: at for path, at in stamps(tmp_path).items() if not path.endswith(".lock")} == {
        path: at for path, at in before.items() if not path.endswith(".lock")
    }


def test_q11_reuse_an_edit_keeps_the_vectors_of_what_is_unchanged(tmp_path: Path) -> None:
    cache = VectorCache(tmp_path, KEY)
    assert cache.save(content(A, B))
    old = cache.load()
    edited = document("docs/a.md", "install the server first", "two")
    assert cache.save(content(edited, B))
    new = cache.load()
    assert old is not None
    assert new is not None
    kept = by_name(old).keys() & by_name(new).keys()
    assert len(kept) == 5
    assert all(by_name(old)[name] == by_name(new)[name] for name in kept)
    assert new.documents["docs/a.md"] == edited


def test_q12_delete_drops_the_ids_and_the_bytes_of_a_removed_file(tmp_path: Path) -> None:
    cache = VectorCache(tmp_path, KEY)
    both = content(A, B)
    assert cache.save(both)
    assert cache.save(replace(both, documents={"docs/a.md": A}))
    lines = rows(tmp_path)
    assert {line["path"] for line in lines} == {"docs/a.md"}
    assert {line["id"] for line in lines} == {p.id for p in A.passages}
    assert len(embeddings(tmp_path)) == len(lines) * KEY.dimensions * 4
    assert_same(cache.load(), content(A))


def test_a_build_resumes_from_its_last_checkpoint(tmp_path: Path) -> None:
    names = [p.opening for p in A.passages]
    part = CacheContent({"docs/a.md": A, B.path: B}, tuple(names), vectors_of(names), "")
    first = VectorCache(tmp_path, KEY)
    assert first.save(part)
    first.close()
    assert_same(VectorCache(tmp_path, KEY).load(), part)


def test_an_empty_index_is_content_too(tmp_path: Path) -> None:
    cache = VectorCache(tmp_path, KEY)
    empty = CacheContent({}, (), np.empty((0, KEY.dimensions), np.float32), "2026")
    assert cache.save(empty)
    assert_same(cache.load(), empty)


def test_only_one_generation_stays(tmp_path: Path) -> None:
    cache = VectorCache(tmp_path, KEY)
    folder = tmp_path / ".ddg" / "vectors"
    assert cache.save(content(A))
    (folder / "embeddings-0123456789abcdef.f32").write_bytes(b"left by a killed build")
    (folder / "manifest-0123456789abcdef.tmp").write_bytes(b"left by a killed build")
    (folder / "notes.txt").write_text("not ours")
    for _ in range(2):
        assert cache.save(content(A, B))
        kinds = sorted(name.split("-")[0] for name in cache_files(tmp_path))
        assert kinds == [".gitignore", "chunks", "documents", "embeddings", "manifest.json", "notes.txt"]


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"embedder_key": "other"}, "other-model"),
        ({"model": "other"}, "other-model"),
        ({"dimensions": 15}, "other-model"),
    ],
)
def test_q13_another_model_is_rebuilt_without_setting_aside(tmp_path: Path, change: dict, code: str) -> None:
    first = VectorCache(tmp_path, KEY)
    assert first.save(content(A))
    first.close()
    other = replace(KEY, **change)
    cache = VectorCache(tmp_path, other)
    assert cache.load() is None
    assert cache.load() is None
    assert [notice.code for notice in cache.notices] == [code]
    assert not (tmp_path / ".ddg" / "vectors" / "aside").exists()
    assert cache.save(content(A, dimensions=other.dimensions))
    assert_same(cache.load(), content(A, dimensions=other.dimensions))


def test_another_policy_keeps_everything_and_is_recorded(tmp_path: Path) -> None:
    first = VectorCache(tmp_path, KEY)
    assert first.save(content(A))
    first.close()
    cache = VectorCache(tmp_path, replace(KEY, policy="only docs/"))
    loaded = cache.load()
    assert_same(loaded, content(A))
    assert cache.save(content(A))
    assert json.loads(cache_files(tmp_path)["manifest.json"])["policy"] == "only docs/"


def test_another_passage_format_keeps_the_vectors_only(tmp_path: Path) -> None:
    first = VectorCache(tmp_path, KEY)
    assert first.save(content(A))
    first.close()
    loaded = VectorCache(tmp_path, replace(KEY, passage_format=2)).load()
    assert loaded is not None
    assert loaded.documents == {}
    assert by_name(loaded) == by_name(content(A))


def test_readers_see_that_there_is_something_new(tmp_path: Path) -> None:
    writer, reader = VectorCache(tmp_path, KEY), VectorCache(tmp_path, KEY)
    assert writer.save(content(A))
    assert not reader.is_current()
    assert_same(reader.load(), content(A))
    assert reader.is_current()
    assert writer.save(content(A, B))
    assert writer.is_current()
    assert not reader.is_current()
    assert_same(reader.load(), content(A, B))


def test_one_writer_at_a_time(tmp_path: Path) -> None:
    one, two = VectorCache(tmp_path, KEY), VectorCache(tmp_path, KEY)
    assert one.acquire()
    assert one.acquire()
    assert not two.acquire()
    assert not two.save(content(A))
    one.close()
    assert two.save(content(A))
    assert not one.save(content(B))
    assert_same(one.load(), content(A))


def test_a_deleted_cache_folder_is_made_again_with_a_lock_of_its_own(tmp_path: Path) -> None:
    one, two = VectorCache(tmp_path, KEY), VectorCache(tmp_path, KEY)
    assert one.save(content(A))
    shutil.rmtree(tmp_path / ".ddg")
    assert one.save(content(A))
    assert_same(two.load(), content(A))
    assert not two.acquire()


def test_vectors_no_embedder_makes_are_not_kept(tmp_path: Path) -> None:
    cache = VectorCache(tmp_path, KEY)
    bad = content(A)
    bad.vectors[0] = np.nan
    bad.vectors[1] *= 1.5
    assert cache.save(bad)
    loaded = cache.load()
    assert loaded is not None
    assert len(loaded.fingerprints) == len(bad.fingerprints) - 2
    assert [notice.code for notice in cache.notices] == ["bad-vectors"]


def test_front_matter_and_paths_that_json_cannot_hold_do_no_harm(tmp_path: Path) -> None:
    loop: list[object] = []
    loop.append(loop)
    odd = replace(A, path="docs/a.md", meta={"date": datetime.date(2026, 1, 2), "n": 1.5})
    looped = replace(document("l.md", "loop"), meta={"loop": loop})
    surrogate = replace(document("bad\udcff.md", "three"), title="\ud800 lone", stamp=Stamp(0, -1, 0))
    escaped = document("../out.md", "out")
    cache = VectorCache(tmp_path, KEY)
    assert cache.save(content(odd, looped, surrogate, escaped))
    loaded = cache.load()
    assert loaded is not None
    assert loaded.documents["docs/a.md"].meta == {"date": "2026-01-02", "n": 1.5}
    assert loaded.documents["l.md"].meta == {}
    assert loaded.documents["bad\udcff.md"] == surrogate
    assert "../out.md" not in loaded.documents
    before = stamps(tmp_path)
    assert cache.save(content(odd, looped, surrogate, escaped))
    assert stamps(tmp_path) == before


def test_rows_and_fingerprints_must_fit(tmp_path: Path) -> None:
    held = content(A)
    with pytest.raises(ValueError, match="One row"):
        VectorCache(tmp_path, KEY).save(replace(held, fingerprints=held.fingerprints[1:]))
    with pytest.raises(ValueError, match="One row"):
        VectorCache(tmp_path, KEY).save(replace(held, vectors=held.vectors[:, 1:]))
