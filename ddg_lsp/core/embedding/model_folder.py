"""A sentence-transformers model as it lies on disk: what it is, and whether all of it is there.

Owns reading a model folder's small configuration files, so that dimensions, token limit and prefixes are known
without a model library being imported. Loads no weights, uses no network; where a configuration leaves something
open it says None, and the loaded model tells.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import xxhash

from ddg_lsp.core.embedding.errors import EmbedderUnavailable
from ddg_lsp.core.embedding.prefixes import prefixes_for

MOST_TOKENS = 8192
"""Models without a limit of their own get this one; no passage comes near it."""

_WEIGHTS = {
    "torch": ("model.safetensors", "model.safetensors.index.json", "pytorch_model.bin", "pytorch_model.bin.index.json"),
    "onnx": ("onnx/model.onnx", "model.onnx"),
    "openvino": ("openvino/openvino_model.xml", "openvino_model.xml"),
}
_TOKENIZERS = (
    "tokenizer.json",
    "vocab.txt",
    "sentencepiece.bpe.model",
    "spiece.model",
    "vocab.json",
    "tokenizer.model",
)
_LIMITS = tuple(
    f"sentence_{kind}_config.json"
    for kind in ("bert", "roberta", "distilbert", "camembert", "albert", "xlm-roberta", "xlnet")
)
_KEEPS_DIMENSIONS = ("Normalize", "Dropout", "LayerNorm")
_COMMIT = re.compile(r"[0-9a-f]{40}\Z")


@dataclass(frozen=True, slots=True)
class ModelFolder:
    """What the configuration tells. `dimensions` and `max_tokens` are None where only the loaded model knows."""

    path: Path
    dimensions: int | None
    max_tokens: int | None
    query_prefix: str
    passage_prefix: str
    tokenizer: Path | None
    """`tokenizer.json`, where there is one."""
    lower_case: bool
    """The text is lower-cased before it is tokenised."""
    special_tokens: bool
    cuts: bool
    """The model itself cuts a text to a number of tokens."""


@dataclass(frozen=True, slots=True)
class _Module:
    kind: str
    folder: Path


def missing_part(folder: Path, backend: str = "torch") -> str:
    """The first file a model needs and `folder` has not, relative to it; empty when the model is whole."""
    try:
        modules = _modules(folder)
    except EmbedderUnavailable:
        return "modules.json"
    for module in modules:
        lacking = _lacking(module, backend)
        if lacking:
            return (module.folder / lacking).relative_to(folder).as_posix()
    return ""


def read_model_folder(folder: Path, name: str) -> ModelFolder:
    """What the folder tells of its model; `name` is what the user calls it. Raises `EmbedderUnavailable`."""
    modules = _modules(folder)
    first = modules[0]
    kinds = {module.kind for module in modules}
    if kinds & {"Router", "Asym"}:
        raise EmbedderUnavailable(f"The model {name} has separate networks for questions and passages: not supported.")
    if any(m.kind == "Pooling" and _json(m.folder / "config.json").get("include_prompt") is False for m in modules):
        raise EmbedderUnavailable(f"The model {name} leaves its prompt out of its vectors: not supported.")
    query, passage = _prefixes(folder, first, name)
    tokenizer = first.folder / "tokenizer.json"
    limits = _limits(first.folder)
    static = first.kind == "StaticEmbedding"
    return ModelFolder(
        path=folder,
        dimensions=_dimensions(folder, modules),
        max_tokens=MOST_TOKENS if static else _max_tokens(first.folder, limits),
        query_prefix=query,
        passage_prefix=passage,
        tokenizer=tokenizer if tokenizer.is_file() else None,
        lower_case=limits.get("do_lower_case") is True,
        special_tokens=not static,
        cuts=first.kind == "Transformer",
    )


def weights_hash(folder: Path, backend: str) -> str:
    """Names the weights: a hub snapshot's commit, else a hash of the files that make vectors what they are.

    Raises `EmbedderUnavailable` for files that cannot be read.
    """
    mark = "" if backend == "torch" else f"{backend}:"
    if _COMMIT.match(folder.name) and folder.parent.name == "snapshots":
        return mark + folder.name
    total = xxhash.xxh3_128()
    try:
        for path in _hashed_files(folder):
            total.update(path.relative_to(folder).as_posix().encode("utf-8", "surrogatepass"))
            with path.open("rb") as file:
                while block := file.read(1 << 20):
                    total.update(block)
    except OSError as error:
        raise EmbedderUnavailable(f"The model's files in {folder} cannot be read: {error.strerror}.") from error
    return mark + total.hexdigest()


def _hashed_files(folder: Path) -> Iterator[Path]:
    suffixes = {".safetensors", ".bin", ".onnx", ".onnx_data", ".xml", ".json", ".txt", ".model"}
    for path in sorted(folder.rglob("*")):
        if path.suffix in suffixes and path.is_file():
            yield path


def _modules(folder: Path) -> list[_Module]:
    """The model's parts in order; a folder without `modules.json` is a plain transformer, pooled by its mean."""
    listed = folder / "modules.json"
    if not listed.exists():
        return [_Module("Transformer", folder)]
    try:
        entries = json.loads(listed.read_text("utf-8"))
        modules = [_Module(entry["type"].rsplit(".", 1)[-1], folder / entry["path"]) for entry in entries]
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise EmbedderUnavailable(f"The model's file {listed} cannot be read.") from error
    if not modules or any(".." in module.folder.relative_to(folder).parts for module in modules):
        raise EmbedderUnavailable(f"The model's file {listed} names no module, or one outside its folder.")
    return modules


def _lacking(module: _Module, backend: str) -> str:
    folder = module.folder
    if module.kind in _KEEPS_DIMENSIONS:
        return ""
    if module.kind in ("Transformer", "StaticEmbedding"):
        names = _WEIGHTS["torch"] + (_WEIGHTS[backend] if module.kind == "Transformer" else ())
        weights = next((name for name in names if (folder / name).exists()), None)
        if weights is None:
            return names[0]
        if not any((folder / name).exists() for name in _TOKENIZERS):
            return _TOKENIZERS[0]
        shard = _missing_shard(folder, weights)
        if shard or module.kind == "StaticEmbedding":
            return shard
    return "" if (folder / "config.json").exists() else "config.json"


def _missing_shard(folder: Path, index: str) -> str:
    if not index.endswith(".index.json"):
        return ""
    shards = _json(folder / index).get("weight_map")
    if not isinstance(shards, Mapping):
        return index
    return next((str(name) for name in sorted(set(map(str, shards.values()))) if not (folder / name).exists()), "")


def _dimensions(folder: Path, modules: list[_Module]) -> int | None:
    found: int | None = None
    for module in modules:
        config = {} if module.kind in _KEEPS_DIMENSIONS else _json(module.folder / "config.json")
        if module.kind in _KEEPS_DIMENSIONS:
            continue
        if module.kind == "Transformer":
            found = _number(config, "hidden_size", "d_model", "dim", "n_embd")
        elif module.kind == "Pooling":
            width = _number(config, "embedding_dimension", "word_embedding_dimension")
            found = width * _pooling_modes(config) if width else None
        elif module.kind == "Dense":
            found = _number(config, "out_features")
        else:
            return None
    truncated = _number(_json(folder / "config_sentence_transformers.json"), "truncate_dim")
    return min(found, truncated) if found and truncated else found


def _pooling_modes(config: Mapping[str, object]) -> int:
    """Several ways of pooling stand side by side in the vector."""
    mode = config.get("pooling_mode")
    if isinstance(mode, list):
        return max(1, len(mode))
    if isinstance(mode, str):
        return 1
    return max(1, sum(key.startswith("pooling_mode_") and value is True for key, value in config.items()))


def _limits(folder: Path) -> Mapping[str, object]:
    return next((_json(folder / name) for name in _LIMITS if (folder / name).exists()), {})


def _max_tokens(folder: Path, limits: Mapping[str, object]) -> int | None:
    own = _number(limits, "max_seq_length")
    if own:
        return min(own, MOST_TOKENS)
    tokenizer = _number(_json(folder / "tokenizer_config.json"), "model_max_length")
    positions = _number(_json(folder / "config.json"), "max_position_embeddings")
    known = [number for number in (tokenizer, positions) if number]
    return min(*known, MOST_TOKENS) if known else None


def _prefixes(folder: Path, first: _Module, name: str) -> tuple[str, str]:
    """The model's own prompts; where it has none, its family's prefixes."""
    prompts = _json(folder / "config_sentence_transformers.json").get("prompts")
    own = {key: text for key, text in prompts.items() if isinstance(text, str)} if isinstance(prompts, Mapping) else {}
    query = own.get("query", "")
    passage = next((own[key] for key in ("document", "passage", "corpus") if key in own), "")
    if query or passage:
        return query, passage
    base = _json(first.folder / "config.json").get("_name_or_path")
    return prefixes_for([name, str(base or "")])


def _number(config: Mapping[str, object], *keys: str) -> int | None:
    for key in keys:
        value = config.get(key)
        if isinstance(value, (int, float)) and not isinstance(value, bool) and value >= 1:
            return int(min(value, 1e9))
    return None


def _json(path: Path) -> Mapping[str, object]:
    """A small JSON file's object; empty when it is missing or something else: the loaded model will tell."""
    try:
        value = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError, RecursionError):
        return {}
    return value if isinstance(value, Mapping) else {}
