"""Whatever the files of the vector cache hold, a start ends with a cache that works, and its user is told once."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.helpers.cache_content import KEY, assert_same, cache_files, content, document
from tests.helpers.forged_cache import (
    SAVED,
    B,
    Fields,
    assert_recovers,
    cache_at,
    folder_of,
    forge_manifest,
    forge_part,
    part_of,
)

PARTS = ("manifest", "chunks", "documents", "embeddings")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    cache = cache_at(tmp_path)
    assert cache.save(SAVED)
    cache.close()
    return tmp_path


@pytest.mark.parametrize("part", PARTS)
@pytest.mark.parametrize("tenths", range(10))
def test_q13_corrupt_every_truncation(root: Path, part: str, tenths: int) -> None:
    path = part_of(root, part)
    data = path.read_bytes()
    path.write_bytes(data[: len(data) * tenths // 10])
    assert_recovers(root, "set-aside")


@pytest.mark.parametrize("part", PARTS)
@pytest.mark.parametrize("more", [b"\n", b"\0" * 64])
def test_q13_corrupt_bytes_appended(root: Path, part: str, more: bytes) -> None:
    path = part_of(root, part)
    path.write_bytes(path.read_bytes() + more)
    if part == "manifest" and more == b"\n":
        assert_same(cache_at(root).load(), SAVED)
    else:
        assert_recovers(root, "set-aside")


@pytest.mark.parametrize("part", PARTS)
def test_q13_corrupt_a_zeroed_file(root: Path, part: str) -> None:
    path = part_of(root, part)
    path.write_bytes(bytes(path.stat().st_size))
    assert_recovers(root, "set-aside")


@pytest.mark.parametrize("part", PARTS[1:])
def test_q13_corrupt_a_missing_file(root: Path, part: str) -> None:
    part_of(root, part).unlink()
    assert_recovers(root, "set-aside")


def test_q13_a_missing_manifest_is_no_cache(root: Path) -> None:
    part_of(root, "manifest").unlink()
    assert_recovers(root)


@pytest.fixture(scope="module")
def shelf(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, bytes]]:
    """One folder for all examples of a property, and what a good cache in it holds."""
    root = tmp_path_factory.mktemp("shelf")
    cache = cache_at(root)
    assert cache.save(SAVED)
    cache.close()
    return root, cache_files(root)


def put(root: Path, files: dict[str, bytes]) -> None:
    for name in cache_files(root).keys() - files.keys():
        (folder_of(root) / name).unlink()
    for name, data in files.items():
        (folder_of(root) / name).write_bytes(data)


@given(part=st.sampled_from(PARTS), where=st.floats(0, 1, exclude_max=True), flip=st.integers(1, 255))
@settings(max_examples=150, deadline=None)
def test_q13_corrupt_any_flipped_byte(shelf: tuple[Path, dict[str, bytes]], part: str, where: float, flip: int) -> None:
    root, files = shelf
    put(root, files)
    path = part_of(root, part)
    data = bytearray(path.read_bytes())
    data[int(where * len(data))] ^= flip
    path.write_bytes(data)
    cache = cache_at(root)
    found = cache.load()
    if found is not None:
        assert part == "manifest", "a sum covers every byte of a data file"
        assert_same(found, SAVED)  # one kind of white space became another
    assert len(cache.notices) == (found is None)
    cache.close()


@given(st.dictionaries(st.sampled_from(PARTS), st.binary(max_size=400), min_size=1))
@settings(max_examples=60, deadline=None)
def test_q13_corrupt_any_bytes_at_all(shelf: tuple[Path, dict[str, bytes]], parts: dict[str, bytes]) -> None:
    root, files = shelf
    put(root, files)
    manifest = parts.pop("manifest", None)
    for part, data in parts.items():
        forge_part(root, part, data)
    if manifest is not None:
        part_of(root, "manifest").write_bytes(manifest)
    cache = cache_at(root)
    assert cache.load() is None
    assert cache.save(SAVED)
    assert_same(cache.load(), SAVED)
    cache.close()


@pytest.mark.parametrize("part", PARTS[1:])
def test_q13_files_of_two_generations_never_mix(
    root: Path, tmp_path_factory: pytest.TempPathFactory, part: str
) -> None:
    other = tmp_path_factory.mktemp("other")
    cache = cache_at(other)
    assert cache.save(content(document("docs/a.md", "quite another text", "two"), B))
    cache.close()
    part_of(root, part).write_bytes(part_of(other, part).read_bytes())
    assert_recovers(root, "set-aside")
    forge_part(root, part, part_of(other, part).read_bytes())
    if part != "embeddings":  # which names nothing that could tell
        assert_recovers(root, "set-aside")


def test_q13_swapped_files(root: Path) -> None:
    chunks, documents = part_of(root, "chunks"), part_of(root, "documents")
    one, two = chunks.read_bytes(), documents.read_bytes()
    chunks.write_bytes(two)
    documents.write_bytes(one)
    assert_recovers(root, "set-aside")


@pytest.mark.parametrize("step", [-1, 1])
def test_q13_another_schema_is_no_damage(root: Path, step: int) -> None:
    forge_manifest(root, lambda fields: fields.update(schema=fields["schema"] + step))
    assert_recovers(root, "other-version")
    assert not any(name.startswith("aside") for name in cache_files(root))


def test_q13_other_dimensions_are_another_model(root: Path) -> None:
    def change(fields: Fields) -> None:
        fields["dimensions"] -= 1
        fields["files"]["embeddings"]["bytes"] = fields["rows"] * fields["dimensions"] * 4

    forge_manifest(root, change)
    assert_recovers(root, "other-model")


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf, 3e38, 0.0, 1.0])
def test_q13_nan_and_wrong_norms_with_good_sums(root: Path, value: float) -> None:
    vectors = np.frombuffer(part_of(root, "embeddings").read_bytes(), "<f4").reshape(-1, KEY.dimensions).copy()
    vectors[2, :] = 0
    vectors[2, 5:7] = value
    forge_part(root, "embeddings", vectors.tobytes())
    assert_recovers(root, "set-aside")


@pytest.mark.parametrize(("scale", "fine"), [(1.009, True), (0.991, True), (1.011, False), (0.989, False)])
def test_q13_norms_may_be_off_by_a_hundredth(root: Path, scale: float, fine: bool) -> None:
    vectors = np.frombuffer(part_of(root, "embeddings").read_bytes(), "<f4") * np.float32(scale)
    forge_part(root, "embeddings", vectors.tobytes())
    assert (cache_at(root).load() is not None) == fine


def test_the_manifest_says_what_it_is_about(root: Path) -> None:
    fields = json.loads(part_of(root, "manifest").read_bytes())
    assert fields["embedder"] == KEY.embedder_key
    assert (fields["model"], fields["dimensions"], fields["policy"]) == (KEY.model, KEY.dimensions, KEY.policy)
    assert (fields["rows"], fields["documents"], fields["indexedAt"]) == (5, 2, SAVED.indexed_at)
    for promised in fields["files"].values():
        assert (folder_of(root) / promised["name"]).stat().st_size == promised["bytes"]
