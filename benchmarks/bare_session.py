"""The built-in weights as others would run them: a fused float32 graph, quantised by onnxruntime's tool, in batches.

The ceiling that the built-in engine is measured against. A text's vector here depends on the texts of its batch.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ddg_lsp.core.embedding import Matrix
from ddg_lsp.core.embedding.e5_weights import FEED_FORWARD, HEADS, HIDDEN, LAYERS, PAD, Weights, open_weights

BATCH = 8
_MICROSOFT = "com.microsoft"


class BareSession:
    """One session; `run` takes token ids and sorts, pads and restores the order."""

    def __init__(self, path: Path, threads: int) -> None:
        import onnxruntime

        options = onnxruntime.SessionOptions()
        options.log_severity_level = 3
        options.intra_op_num_threads = threads
        self._session = onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])

    def run(self, tokens: Sequence[Sequence[int]]) -> Matrix:
        """Vectors of the texts, shape (len(tokens), 384)."""
        vectors = np.empty((len(tokens), HIDDEN), np.float32)
        order = sorted(range(len(tokens)), key=lambda row: len(tokens[row]))
        for start in range(0, len(order), BATCH):
            rows = order[start : start + BATCH]
            vectors[rows] = self._batch([tokens[row] for row in rows])
        return vectors

    def _batch(self, batch: Sequence[Sequence[int]]) -> Matrix:
        ids = np.full((len(batch), max(map(len, batch))), PAD, np.int32)
        mask = np.zeros_like(ids)
        for row, tokens in enumerate(batch):
            ids[row, : len(tokens)] = tokens
            mask[row, : len(tokens)] = 1
        found: Matrix = self._session.run(None, {"ids": ids, "mask": mask})[0]
        return found


def write_bare_model(path: Path) -> Path:
    """Write the quantised model (120 MB) to `path` unless it is there."""
    if path.exists():
        return path
    from onnx import TensorProto
    from onnxruntime.quantization import QuantType, quantize_dynamic

    plain, part = path.with_suffix(".float.onnx"), path.with_suffix(".part")
    plain.write_bytes(_Graph(open_weights()).serialised())
    quantize_dynamic(
        plain,
        part,
        op_types_to_quantize=["MatMul"],
        per_channel=True,
        weight_type=QuantType.QInt8,
        extra_options={"DefaultTensorType": TensorProto.FLOAT},  # it cannot see through the fused operators
    )
    part.replace(path)
    plain.unlink()
    return path


class _Graph:
    def __init__(self, weights: Weights) -> None:
        self._weights = weights
        self._nodes: list[Any] = []
        self._constants: dict[str, Any] = {}

    def serialised(self) -> bytes:
        from onnx import TensorProto, helper

        hidden = self._embedded()
        for layer in range(LAYERS):
            hidden = self._layer(f"l{layer}", hidden)
        floats = self._node("Cast", "mask", to=TensorProto.FLOAT)
        weighted = self._node("Mul", hidden, self._node("Unsqueeze", floats, self._constant("last", np.array([-1]))))
        self._node(
            "LpNormalization", self._node("ReduceSum", weighted, self._constant("one", np.array([1])), keepdims=0)
        )
        self._nodes[-1].output[0] = "embedding"
        inputs = [helper.make_tensor_value_info(name, TensorProto.INT32, ["n", "tokens"]) for name in ("ids", "mask")]
        output = helper.make_tensor_value_info("embedding", TensorProto.FLOAT, ["n", HIDDEN])
        graph = helper.make_graph(self._nodes, "e5", inputs, [output], list(self._constants.values()))
        opsets = [helper.make_opsetid("", 18), helper.make_opsetid(_MICROSOFT, 1)]
        content: bytes = helper.make_model(graph, opset_imports=opsets, ir_version=9).SerializeToString()
        return content

    def _embedded(self) -> str:
        from onnx import TensorProto

        words = self._weights.matrix("emb.word", HIDDEN)
        scales = np.maximum(np.abs(words).max(axis=1, keepdims=True) / 127, np.float32(1e-12))
        table = self._constant("words", np.rint(words / scales).astype(np.int8))
        steps = self._node("Cast", self._node("Gather", table, "ids"), to=TensorProto.FLOAT)
        word = self._node("Mul", steps, self._node("Gather", self._constant("word_scales", scales), "ids"))
        place = self._floats("emb.pos").reshape(-1, HIDDEN) + self._floats("emb.type")[:HIDDEN]
        zero = self._constant("zero", np.array([0]))
        used = self._node("Slice", self._constant("places", place), zero, self._node("Shape", "ids", start=1), zero)
        gain, bias = self._pair("emb.ln")
        return self._node("LayerNormalization", self._node("Add", word, used), gain, bias, epsilon=1e-12)

    def _layer(self, layer: str, hidden: str) -> str:
        parts = [self._product(f"{layer}.{part}", hidden, HIDDEN) for part in "qkv"]
        joined = np.concatenate([self._floats(f"{layer}.{part}.b") for part in "qkv"])
        inputs = (*parts, self._constant(f"{layer}.qkv.b", joined), "mask")
        mixed = self._node("MultiHeadAttention", *inputs, domain=_MICROSOFT, num_heads=HEADS)
        hidden = self._joined(layer, "ao", "aln", self._product(f"{layer}.ao", mixed, HIDDEN), hidden)
        wide = self._product(f"{layer}.fi", hidden, HIDDEN)
        bias = self._constant(f"{layer}.fi.b", self._floats(f"{layer}.fi.b"))
        active = self._node("BiasGelu", wide, bias, domain=_MICROSOFT)
        return self._joined(layer, "fo", "oln", self._product(f"{layer}.fo", active, FEED_FORWARD), hidden)

    def _joined(self, layer: str, linear: str, norm: str, value: str, residual: str) -> str:
        bias = self._constant(f"{layer}.{linear}.b", self._floats(f"{layer}.{linear}.b"))
        inputs = (value, residual, *self._pair(f"{layer}.{norm}"), bias)
        return self._node("SkipLayerNormalization", *inputs, domain=_MICROSOFT, epsilon=1e-12)

    def _product(self, name: str, value: str, columns: int) -> str:
        matrix = np.ascontiguousarray(self._weights.matrix(f"{name}.w", columns).T)
        return self._node("MatMul", value, self._constant(f"{name}.w", matrix))

    def _pair(self, name: str) -> tuple[str, str]:
        gain, bias = (self._constant(f"{name}.{part}", self._floats(f"{name}.{part}")) for part in "wb")
        return gain, bias

    def _floats(self, name: str) -> NDArray[np.float32]:
        return self._weights.floats(name)

    def _constant(self, name: str, value: NDArray[Any]) -> str:
        from onnx import numpy_helper

        self._constants.setdefault(name, numpy_helper.from_array(value, name))
        return name

    def _node(self, kind: str, *inputs: str, domain: str = "", **attributes: object) -> str:
        from onnx import helper

        name = f"{kind}_{len(self._nodes)}"
        self._nodes.append(helper.make_node(kind, list(inputs), [name], name=name, domain=domain, **attributes))
        return name
