"""multilingual-e5-small written out in numpy, float32: what the engine's vectors are compared with."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cache

import numpy as np
from numpy.typing import NDArray

from ddg_lsp.core.embedding.e5_weights import FEED_FORWARD, HEADS, HIDDEN, LAYERS, Weights, open_weights

Floats = NDArray[np.float32]


def embed_float32(tokens: Sequence[int]) -> Floats:
    """The vector of one text given as token ids, shape (384,), norm 1."""
    hidden = _weights().rows("emb.word", HIDDEN, tokens) + _floats("emb.pos").reshape(-1, HIDDEN)[: len(tokens)]
    hidden = _normalised(hidden + _floats("emb.type")[:HIDDEN], "emb.ln")
    for layer in range(LAYERS):
        name = f"l{layer}"
        hidden = _normalised(hidden + _linear(_attention(hidden, name), f"{name}.ao"), f"{name}.aln")
        wide = _linear(hidden, f"{name}.fi")
        active = wide * (1 + _erf(wide / math.sqrt(2))) / 2
        hidden = _normalised(hidden + _linear(active, f"{name}.fo"), f"{name}.oln")
    mean = hidden.mean(axis=0)
    return np.asarray(mean / np.linalg.norm(mean), np.float32)


def _erf(value: Floats) -> Floats:
    """Abramowitz and Stegun 7.1.26: within 1.5e-7."""
    size = np.abs(value)
    t = 1 / (1 + 0.3275911 * size)
    tail = t * (0.254829592 + t * (-0.284496736 + t * (1.421413741 + t * (-1.453152027 + t * 1.061405429))))
    return np.asarray(np.sign(value) * (1 - tail * np.exp(-size * size)), np.float32)


def _attention(hidden: Floats, name: str) -> Floats:
    query, key, value = (
        _linear(hidden, f"{name}.{part}").reshape(len(hidden), HEADS, -1).swapaxes(0, 1) for part in "qkv"
    )
    scores = query @ key.swapaxes(1, 2) / math.sqrt(HIDDEN // HEADS)
    shares = np.exp(scores - scores.max(axis=-1, keepdims=True))
    shares /= shares.sum(axis=-1, keepdims=True)
    return np.asarray((shares @ value).swapaxes(0, 1).reshape(hidden.shape))


def _linear(value: Floats, name: str) -> Floats:
    return np.asarray(value @ _matrix(name, value.shape[1]).T + _floats(f"{name}.b"))


def _normalised(value: Floats, name: str) -> Floats:
    centred = value - value.mean(axis=1, keepdims=True)
    spread = np.sqrt((centred**2).mean(axis=1, keepdims=True) + _weights().epsilon)
    return np.asarray(centred / spread * _floats(f"{name}.w") + _floats(f"{name}.b"))


@cache
def _weights() -> Weights:
    return open_weights()


@cache
def _matrix(name: str, columns: int) -> Floats:
    assert columns in (HIDDEN, FEED_FORWARD)
    return _weights().matrix(f"{name}.w", columns)


@cache
def _floats(name: str) -> Floats:
    return _weights().floats(name)
