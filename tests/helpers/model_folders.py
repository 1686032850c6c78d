"""Model folders as sentence-transformers writes them, but for the weights: enough to be found and described."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

COMMIT = "0123456789abcdef0123456789abcdef01234567"

_TYPES = "sentence_transformers.models."
MEAN_POOLED = [
    {"idx": 0, "name": "0", "path": "", "type": _TYPES + "Transformer"},
    {"idx": 1, "name": "1", "path": "1_Pooling", "type": _TYPES + "Pooling"},
    {"idx": 2, "name": "2", "path": "2_Normalize", "type": _TYPES + "Normalize"},
]


def module(kind: str, path: str) -> dict[str, str]:
    return {"name": path or "0", "path": path, "type": _TYPES + kind}


def write_model_folder(folder: Path, files: Mapping[str, object] | None = None, *, without: str = "") -> Path:
    """An ordinary model of 32 dimensions; `files` are added or replaced, `without` is left out, None removes one."""
    known: dict[str, object] = {
        "modules.json": MEAN_POOLED,
        "config.json": {"hidden_size": 32, "max_position_embeddings": 514},
        "sentence_bert_config.json": {"max_seq_length": 256, "do_lower_case": False},
        "1_Pooling/config.json": {"word_embedding_dimension": 32, "pooling_mode_mean_tokens": True},
        "tokenizer.json": {"model": {}},
        "tokenizer_config.json": {"model_max_length": 512},
        "model.safetensors": "weights",
        **(files or {}),
    }
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in known.items():
        if name != without and content is not None:
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(content if isinstance(content, str) else json.dumps(content), "utf-8")
    return folder


def write_hub_cache(cache: Path, identifier: str, *, without: str = "", commit: str = COMMIT) -> Path:
    """The same model as the hub's library keeps it below `cache`; the snapshot's folder."""
    base = cache / ("models--" + identifier.replace("/", "--"))
    (base / "refs").mkdir(parents=True, exist_ok=True)
    (base / "refs" / "main").write_text(commit, "ascii")
    return write_model_folder(base / "snapshots" / commit, without=without)
