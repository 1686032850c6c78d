"""What is kept in the user's cache is checked, made again when it is wrong, and not needed."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from ddg_lsp.core.embedding.derived_files import kept
from ddg_lsp.core.embedding.e5 import E5Embedder

TEXT = ["query: how do I restore a backup?"]
CONTENT = b"derived content" * 10


class Maker:
    """Makes `content` and counts how often."""

    def __init__(self, content: bytes = CONTENT) -> None:
        self.content = content
        self.calls = 0

    def __call__(self) -> bytes:
        self.calls += 1
        return self.content


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("cache")
    E5Embedder(cache_dir=folder).embed(TEXT)
    return folder


def test_a_file_is_made_once(tmp_path: Path) -> None:
    make = Maker()
    assert kept(tmp_path, "a.bin", make) == kept(tmp_path, "a.bin", make) == CONTENT
    assert make.calls == 1
    assert [path.name for path in (tmp_path / "models").iterdir()] == ["a.bin"]


@pytest.mark.parametrize(
    "damage",
    [
        lambda stored: stored[:-1],
        lambda stored: stored[:10],
        lambda stored: b"",
        lambda stored: stored[:16],
        lambda stored: bytes([stored[0] ^ 1]) + stored[1:],
        lambda stored: stored[:-1] + bytes([stored[-1] ^ 1]),
        lambda stored: b"another program's file",
    ],
    ids=["cut", "cut in the sum", "empty", "sum only", "sum damaged", "content damaged", "foreign"],
)
def test_a_damaged_file_is_made_again(tmp_path: Path, damage: object) -> None:
    make = Maker()
    kept(tmp_path, "a.bin", make)
    path = tmp_path / "models" / "a.bin"
    good = path.read_bytes()
    path.write_bytes(damage(good))  # type: ignore[operator]
    assert kept(tmp_path, "a.bin", make) == CONTENT
    assert make.calls == 2
    assert path.read_bytes() == good


def test_a_folder_in_the_files_place_is_no_trouble(tmp_path: Path) -> None:
    (tmp_path / "models" / "a.bin" / "below").mkdir(parents=True)
    assert kept(tmp_path, "a.bin", Maker()) == CONTENT
    assert [path.name for path in (tmp_path / "models").iterdir()] == ["a.bin"]


def test_a_cache_that_cannot_be_written_is_done_without(tmp_path: Path) -> None:
    place = tmp_path / "file"
    place.write_text("not a folder")
    make = Maker()
    assert kept(place, "a.bin", make) == kept(place, "a.bin", make) == CONTENT
    assert make.calls == 2
    assert place.read_text() == "not a folder"


def test_the_embedder_works_without_a_cache(tmp_path: Path, filled: Path) -> None:
    place = tmp_path / "file"
    place.write_text("not a folder")
    assert np.array_equal(E5Embedder(cache_dir=place).embed(TEXT), E5Embedder(cache_dir=filled).embed(TEXT))


def test_the_embedder_makes_damaged_files_again(filled: Path) -> None:
    before = E5Embedder(cache_dir=filled).embed(TEXT)
    paths = sorted((filled / "models").iterdir())
    assert [path.suffix for path in paths] == [".model", ".onnx"]
    contents = [path.read_bytes() for path in paths]
    for path, content in zip(paths, contents, strict=True):
        path.write_bytes(content[: len(content) // 2] + b"\0" * (len(content) - len(content) // 2))
    assert np.array_equal(E5Embedder(cache_dir=filled).embed(TEXT), before)
    assert [path.read_bytes() for path in paths] == contents


def test_a_ready_cache_is_only_read(filled: Path) -> None:
    stamps = {path: path.stat().st_mtime_ns for path in (filled / "models").iterdir()}
    E5Embedder(cache_dir=filled).embed(TEXT)
    assert {path: path.stat().st_mtime_ns for path in (filled / "models").iterdir()} == stamps
