"""multilingual-e5-small as an ONNX graph: one text's word vectors in, its normalised sentence vector out.

Owns the model's structure (BERT, post layer norm) and how its linear layers are quantised. Must not know where weights
come from or what runs the graph. Why it looks as it does is measured in docs/decisions/0004-built-in-engine.md:

- Activations are quantised with a scale for each token: a few tokens carry values ten times as large as all others,
  and one scale for all leaves those a handful of steps. This takes away two thirds of the error.
- One text a run, without padding: batches gain nothing on a processor, and no text's vector depends on another's.
- Weights have 7 bits: on processors with AVX2 and without VNNI, products of 8 bits by 8 overflow the 16-bit sums.
- Word vectors come from outside: the table is four fifths of the model, and a text needs a few hundred rows of it.
- No SkipLayerNormalization: onnxruntime's runs at an eighth of the speed of Add and LayerNormalization.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ddg_lsp.core.embedding.e5_weights import FEED_FORWARD, HEADS, HIDDEN, LAYERS, Floats, Weights
from ddg_lsp.core.embedding.foreign import first_line, foreign_calls

SCHEME = "w7a8t-1"
"""How vectors come about, for caches: bits of weights and of activations by token, and a version of the rest."""

INPUT, OUTPUT = "words", "embedding"

_MICROSOFT = "com.microsoft"
_LAST = np.array([-1], np.int64)
_MIDDLE = 128
"""The zero point of symmetric activations in unsigned 8 bits: the runtime has fast kernels for unsigned by signed."""
_MIDDLE_POINT = np.array(_MIDDLE, np.uint8)
_STEPS = 64
"""Largest weight after quantisation: 2 * 255 * 64 still fits 16 bits."""


def quantise(matrix: Floats) -> tuple[NDArray[np.int8], Floats]:
    """Signed 7-bit weights [in, out] and one float32 scale for each output, from float32 [out, in]."""
    scales = np.abs(matrix).max(axis=1) / np.float32(_STEPS)
    scales[scales == 0] = 1.0
    steps = np.rint(matrix / scales[:, None]).astype(np.int8)
    return np.ascontiguousarray(steps.T), scales.astype(np.float32)


def build_graph(weights: Weights) -> bytes:
    """The serialised model (22 MB, about a second): `words` float32 [1, tokens, 384] -> `embedding` [1, 384]."""
    with foreign_calls(lambda error: f"The built-in model's graph cannot be built: {first_line(error)}"):
        graph = _Graph(weights)
        _sentence(graph, _encoder(graph))
        return graph.serialised()


def _encoder(graph: _Graph) -> str:
    hidden = _with_positions(graph)
    for layer in range(LAYERS):
        hidden = _attention(graph, f"l{layer}", hidden)
        hidden = _feed_forward(graph, f"l{layer}", hidden)
    return hidden


def _with_positions(graph: _Graph) -> str:
    positions = graph.weights.floats("emb.pos").reshape(-1, HIDDEN) + graph.weights.floats("emb.type")[:HIDDEN]
    zero = graph.constant("zero", np.zeros(1, np.int64))
    tokens = graph.node("Shape", INPUT, start=1, end=2)
    used = graph.node("Slice", graph.constant("positions", positions), zero, tokens, zero)
    return graph.added_and_normalised(INPUT, used, "emb.ln")


def _attention(graph: _Graph, layer: str, hidden: str) -> str:
    projected = graph.linear(graph.quantised(hidden), [f"{layer}.{part}" for part in "qkv"], HIDDEN)
    query, key, value = graph.nodes("Split", [projected], 3, axis=-1, num_outputs=3)
    mixed = graph.node("MultiHeadAttention", query, key, value, domain=_MICROSOFT, num_heads=HEADS)
    output = graph.linear(graph.quantised(mixed), [f"{layer}.ao"], HIDDEN)
    return graph.added_and_normalised(output, hidden, f"{layer}.aln")


def _feed_forward(graph: _Graph, layer: str, hidden: str) -> str:
    wide = graph.linear(graph.quantised(hidden), [f"{layer}.fi"], HIDDEN)
    active = graph.node("Gelu", wide, domain=_MICROSOFT)
    output = graph.linear(graph.quantised(active), [f"{layer}.fo"], FEED_FORWARD)
    return graph.added_and_normalised(output, hidden, f"{layer}.oln")


def _sentence(graph: _Graph, hidden: str) -> None:
    mean = graph.node("ReduceMean", hidden, graph.constant("token_axis", np.ones(1, np.int64)), keepdims=0)
    graph.node("LpNormalization", mean, axis=-1, p=2)


class _Graph:
    """Collects nodes and constants; the methods return the names of what they add."""

    def __init__(self, weights: Weights) -> None:
        self.weights = weights
        self._nodes: list[Any] = []
        self._constants: dict[str, Any] = {}

    def constant(self, name: str, value: NDArray[Any]) -> str:
        from onnx import numpy_helper

        if name not in self._constants:
            self._constants[name] = numpy_helper.from_array(value, name)
        return name

    def node(self, kind: str, *inputs: str, domain: str = "", **attributes: object) -> str:
        return self.nodes(kind, inputs, 1, domain=domain, **attributes)[0]

    def nodes(
        self, kind: str, inputs: tuple[str, ...] | list[str], outputs: int, *, domain: str = "", **attributes: object
    ) -> list[str]:
        from onnx import helper

        name = f"{kind}_{len(self._nodes)}"
        names = [f"{name}:{index}" for index in range(outputs)]
        self._nodes.append(helper.make_node(kind, list(inputs), names, name=name, domain=domain, **attributes))
        return names

    def quantised(self, value: str) -> tuple[str, str]:
        """The activations in 8 bits around `_MIDDLE`, and the scale of each token."""
        size = self.node("ReduceMax", self.node("Abs", value), self.constant("last_axis", _LAST), keepdims=1)
        # Never zero: a token of nothing but zeros would be divided by it.
        size = self.node("Max", size, self.constant("tiny", np.array(1e-12, np.float32)))
        scale = self.node("Mul", size, self.constant("step", np.array(1 / 127, np.float32)))
        flat = self.node("Reshape", scale, self.constant("flat", _LAST))
        middle = self.node("Expand", self.constant("middle", np.full(1, _MIDDLE, np.uint8)), self.node("Shape", flat))
        return self.node("QuantizeLinear", value, flat, middle, axis=1), scale

    def linear(self, activations: tuple[str, str], names: list[str], columns: int) -> str:
        """The linear layers `names`, side by side, of the same quantised activations."""
        key = "+".join(names)
        steps, scales = quantise(np.concatenate([self.weights.matrix(f"{name}.w", columns) for name in names]))
        bias = np.concatenate([self.weights.floats(f"{name}.b") for name in names])
        value, scale = activations
        weight, by_column = self.constant(f"{key}.w", steps), self.constant(f"{key}.s", scales)
        one, zero = self.constant("one", np.array(1, np.float32)), self.constant("zero_point", _MIDDLE_POINT)
        product = self.node("MatMulIntegerToFloat", value, weight, one, by_column, zero, domain=_MICROSOFT)
        return self.node("Add", self.node("Mul", product, scale), self.constant(f"{key}.b", bias))

    def added_and_normalised(self, value: str, residual: str, name: str) -> str:
        gain, bias = (self.constant(f"{name}.{part}", self.weights.floats(f"{name}.{part}")) for part in "wb")
        total = self.node("Add", value, residual)
        return self.node("LayerNormalization", total, gain, bias, axis=-1, epsilon=self.weights.epsilon)

    def serialised(self) -> bytes:
        from onnx import TensorProto, helper

        self._nodes[-1].output[0] = OUTPUT
        words = helper.make_tensor_value_info(INPUT, TensorProto.FLOAT, [1, "tokens", HIDDEN])
        vector = helper.make_tensor_value_info(OUTPUT, TensorProto.FLOAT, [1, HIDDEN])
        graph = helper.make_graph(self._nodes, "e5", [words], [vector], list(self._constants.values()))
        opsets = [helper.make_opsetid("", 18), helper.make_opsetid(_MICROSOFT, 1)]
        model: bytes = helper.make_model(graph, opset_imports=opsets, ir_version=9).SerializeToString()
        return model
