"""Writes the built-in model as a sentence-transformers folder: the same weights in float32, nothing from a hub.

For comparing engines and for tests of the sentence-transformers embedder with a real multilingual model. Needs neither
torch nor transformers; the folder takes 490 MB and a few seconds.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ddg_lsp.core.embedding.e5_tokenizer import build_tokenizer
from ddg_lsp.core.embedding.e5_weights import (
    BOS,
    EOS,
    FEED_FORWARD,
    HEADS,
    HIDDEN,
    LAYERS,
    PAD,
    PIECES,
    POSITIONS,
    TYPES,
    UNK,
    VOCABULARY,
    Weights,
    open_weights,
)

Tensor = tuple[str, NDArray[np.float32]]

_TYPES = "sentence_transformers.models."
_MODULES = [("", "Transformer"), ("1_Pooling", "Pooling"), ("2_Normalize", "Normalize")]
_SPECIAL = {BOS: "<s>", PAD: "<pad>", EOS: "</s>", UNK: "<unk>", PIECES - 1: "<mask>"}


def write_e5_folder(folder: Path, weights: Weights | None = None) -> Path:
    """Fill `folder` and return it; a folder that was filled before is left as it is."""
    if (folder / "modules.json").is_file():
        return folder
    weights = weights or open_weights()
    folder.mkdir(parents=True, exist_ok=True)
    _write_safetensors(folder / "model.safetensors", list(_tensors(weights)))
    modules = [
        {"idx": index, "name": str(index), "path": path, "type": _TYPES + kind}
        for index, (path, kind) in enumerate(_MODULES)
    ]
    files: dict[str, object] = {
        "config.json": _config(weights),
        "sentence_bert_config.json": {"max_seq_length": POSITIONS, "do_lower_case": False},
        "config_sentence_transformers.json": {
            "prompts": {"query": "query: ", "document": "passage: "},
            "similarity_fn_name": "cosine",
        },
        "1_Pooling/config.json": {"word_embedding_dimension": HIDDEN, "pooling_mode_mean_tokens": True},
        "2_Normalize/config.json": {},
        "tokenizer.json": tokenizer_file(weights),
        "tokenizer_config.json": _tokenizer_config(),
        "modules.json": modules,  # last: it says that the folder is complete
    }
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(json.dumps(content, ensure_ascii=False), "utf-8")
    return folder


def _config(weights: Weights) -> dict[str, object]:
    return {
        "architectures": ["BertModel"],
        "model_type": "bert",
        "hidden_size": HIDDEN,
        "num_hidden_layers": LAYERS,
        "num_attention_heads": HEADS,
        "intermediate_size": FEED_FORWARD,
        "hidden_act": "gelu",
        "vocab_size": VOCABULARY,
        "max_position_embeddings": POSITIONS,
        "type_vocab_size": TYPES,
        "layer_norm_eps": weights.epsilon,
        "pad_token_id": PAD,
        "position_embedding_type": "absolute",
        "tokenizer_class": "PreTrainedTokenizerFast",
        "torch_dtype": "float32",
    }


def _tensors(weights: Weights) -> Iterator[Tensor]:
    yield "embeddings.word_embeddings.weight", weights.matrix("emb.word", HIDDEN)
    yield "embeddings.position_embeddings.weight", weights.floats("emb.pos").reshape(-1, HIDDEN)
    yield "embeddings.token_type_embeddings.weight", weights.floats("emb.type").reshape(-1, HIDDEN)
    yield from _vectors(weights, "emb.ln", "embeddings.LayerNorm")
    for layer in range(LAYERS):
        ours, theirs = f"l{layer}", f"encoder.layer.{layer}"
        for part, name, columns in (
            ("q", "attention.self.query", HIDDEN),
            ("k", "attention.self.key", HIDDEN),
            ("v", "attention.self.value", HIDDEN),
            ("ao", "attention.output.dense", HIDDEN),
            ("fi", "intermediate.dense", HIDDEN),
            ("fo", "output.dense", FEED_FORWARD),
        ):
            yield f"{theirs}.{name}.weight", weights.matrix(f"{ours}.{part}.w", columns)
            yield f"{theirs}.{name}.bias", weights.floats(f"{ours}.{part}.b")
        yield from _vectors(weights, f"{ours}.aln", f"{theirs}.attention.output.LayerNorm")
        yield from _vectors(weights, f"{ours}.oln", f"{theirs}.output.LayerNorm")
    # The pooler is not used and not in the file; without it a library warns of random weights.
    yield "pooler.dense.weight", np.zeros((HIDDEN, HIDDEN), np.float32)
    yield "pooler.dense.bias", np.zeros(HIDDEN, np.float32)


def _vectors(weights: Weights, ours: str, theirs: str) -> Iterator[Tensor]:
    yield f"{theirs}.weight", weights.floats(f"{ours}.w")
    yield f"{theirs}.bias", weights.floats(f"{ours}.b")


def _write_safetensors(path: Path, tensors: list[Tensor]) -> None:
    """The format is a length, a JSON table and the arrays one after the other."""
    table: dict[str, object] = {"__metadata__": {"format": "pt"}}
    at = 0
    for name, array in tensors:
        table[name] = {"dtype": "F32", "shape": list(array.shape), "data_offsets": [at, at + array.nbytes]}
        at += array.nbytes
    header = json.dumps(table).encode()
    header += b" " * (-len(header) % 8)
    with path.open("wb") as file:
        file.write(len(header).to_bytes(8, "little") + header)
        for _, array in tensors:
            file.write(array.astype("<f4").tobytes())


def tokenizer_file(weights: Weights) -> dict[str, object]:
    """The fast tokenizer's file, with the character rules of the SentencePiece model."""
    from sentencepiece import sentencepiece_model_pb2

    rules = sentencepiece_model_pb2.ModelProto.FromString(build_tokenizer(weights)).normalizer_spec
    pieces, scores = weights.vocabulary()
    flags = dict.fromkeys(("single_word", "lstrip", "rstrip", "normalized"), False)
    template = [{"SpecialToken": {"id": _SPECIAL[BOS], "type_id": 0}}, {"Sequence": {"id": "A", "type_id": 0}}]
    template.append({"SpecialToken": {"id": _SPECIAL[EOS], "type_id": 0}})
    special = {text: {"id": text, "ids": [token], "tokens": [text]} for token, text in _SPECIAL.items()}
    return {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": [{"id": token, "content": text, "special": True, **flags} for token, text in _SPECIAL.items()],
        "normalizer": {
            "type": "Precompiled",
            "precompiled_charsmap": base64.b64encode(rules.precompiled_charsmap).decode(),
        },
        "pre_tokenizer": {
            "type": "Sequence",
            "pretokenizers": [
                {"type": "WhitespaceSplit"},
                {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "always", "split": True},
            ],
        },
        "post_processor": {
            "type": "TemplateProcessing",
            "single": template,
            "pair": template,
            "special_tokens": special,
        },
        "decoder": {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "always", "split": True},
        "model": {
            "type": "Unigram",
            "unk_id": UNK,
            "vocab": [[piece.decode(), score] for piece, score in zip(pieces, scores.tolist(), strict=True)],
            "byte_fallback": False,
        },
    }


def _tokenizer_config() -> dict[str, object]:
    return {
        "tokenizer_class": "PreTrainedTokenizerFast",
        "model_max_length": POSITIONS,
        "bos_token": _SPECIAL[BOS],
        "cls_token": _SPECIAL[BOS],
        "eos_token": _SPECIAL[EOS],
        "sep_token": _SPECIAL[EOS],
        "pad_token": _SPECIAL[PAD],
        "unk_token": _SPECIAL[UNK],
        "mask_token": _SPECIAL[PIECES - 1],
    }
