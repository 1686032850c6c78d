"""Any other model, run by the sentence-transformers package: on a GPU, on the CPU, on Windows and Intel Macs.

Owns loading such a model and asking it for vectors. Offline first: a model that is on the machine is loaded without
a look at the network, one that is not is fetched only if the user named it. Must not know what is a question and
what a passage; texts come complete, prefix included.

`info` reads the model's small files; it loads the model only where those leave something open. Every method raises
`EmbedderUnavailable`; a failed load is remembered until `unload`.
"""

from __future__ import annotations

import gc
import importlib.util
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import numpy as np

from ddg_lsp.core.embedding import EmbedderInfo, Matrix
from ddg_lsp.core.embedding.errors import EmbedderUnavailable
from ddg_lsp.core.embedding.foreign import first_line, foreign_calls
from ddg_lsp.core.embedding.hub_fetch import Progress
from ddg_lsp.core.embedding.model_folder import MOST_TOKENS, ModelFolder, read_model_folder, weights_hash
from ddg_lsp.core.embedding.model_loading import open_model, open_tokenizer
from ddg_lsp.core.embedding.model_source import obtain

DEFAULT_MODEL = "intfloat/multilingual-e5-small"
"""The built-in model, under the name the hub knows it by."""

CPU_BATCH = 8
GPU_BATCH = 32
SAME = 1e-4
"""How far a number of a vector may be off when its text shares a batch; float32 stays below a hundredth of it."""

_NEEDS = {"torch": (), "onnx": ("optimum", "onnxruntime"), "openvino": ("optimum", "openvino")}
_PROBES = ("documentation", "where is the time limit of a request set, and what happens when it passes? " * 4)


class SentenceTransformersEmbedder:
    """See `Embedder`. Cheap to construct: nothing is imported, looked for or loaded before it is asked.

    `model` is a hub's id or an absolute folder; `device` `auto`, `cpu`, `cuda` or `mps`; `backend` `torch`, `onnx` or
    `openvino`; prefixes of None mean the model's own; `threads` bounds the processor cores; `allow_download` says
    that the user named this model; `cache_dir` remembers failed fetches; `on_progress` is told of a fetch.
    """

    def __init__(
        self,
        model: str = DEFAULT_MODEL,
        *,
        device: str = "auto",
        backend: str = "torch",
        query_prefix: str | None = None,
        passage_prefix: str | None = None,
        threads: int = 2,
        allow_download: bool = False,
        cache_dir: Path | None = None,
        on_progress: Progress | None = None,
    ) -> None:
        self._name = model
        self._device = device
        self._backend = backend
        self._prefixes = (query_prefix, passage_prefix)
        self._threads = threads
        self._allow_download = allow_download
        self._cache_dir = cache_dir
        self._on_progress = on_progress
        self._folder: ModelFolder | None = None
        self._info: EmbedderInfo | None = None
        self._model: Any = None
        self._tokenizer: Any = None
        self._batch = 1
        self._failure: EmbedderUnavailable | None = None

    @property
    def info(self) -> EmbedderInfo:
        """See `Embedder.info`. Raises `EmbedderUnavailable`."""
        if self._info is None:
            folder = self._found()
            if folder.dimensions is None or folder.max_tokens is None:
                self._loaded()
            else:
                self._info = self._describe(folder, folder.dimensions, folder.max_tokens)
        return cast(EmbedderInfo, self._info)

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        """See `Embedder.count_tokens`; by the model's own tokenizer."""
        folder = self._found()
        clean = [_clean(text.lower() if folder.lower_case else text) for text in texts]
        tokenizer = self._own_tokenizer()
        with foreign_calls(self._explain):
            if tokenizer is None:
                ids = self._loaded().tokenizer(clean, truncation=False, padding=False)["input_ids"] if clean else []
                return [len(row) for row in ids]
            encoded = tokenizer.encode_batch_fast(clean, add_special_tokens=folder.special_tokens)
            return [len(row.ids) for row in encoded]

    def embed(self, texts: Sequence[str], max_tokens: int | None = None) -> Matrix:
        """See `Embedder.embed`."""
        info = self.info
        if not texts:
            return np.empty((0, info.dimensions), np.float32)
        model = self._loaded()
        limit = min(max_tokens or info.max_tokens, info.max_tokens)
        return self._encode(model, [_clean(text) for text in texts], limit, self._batch)

    def unload(self) -> None:
        """Gives back the model's memory and forgets a failed load; torch itself stays in the process."""
        device = getattr(self._model, "device", None)
        self._model = self._tokenizer = self._failure = None
        gc.collect()
        if getattr(device, "type", "") == "cuda":
            import torch

            torch.cuda.empty_cache()

    def _found(self) -> ModelFolder:
        """The model's folder, fetched if it must and may be."""
        if self._failure is not None:
            raise EmbedderUnavailable(str(self._failure), **self._failure.data)
        if self._folder is None:
            try:
                path = obtain(
                    self._name,
                    self._backend,
                    may_fetch=self._allow_download,
                    cache_dir=self._cache_dir,
                    on_progress=self._on_progress,
                )
                self._folder = read_model_folder(path, self._name)
            except EmbedderUnavailable as error:
                self._failure = error
                raise
        return self._folder

    def _loaded(self) -> Any:
        folder = self._found()
        if self._model is None:
            try:
                self._model = self._load(folder)
            except EmbedderUnavailable as error:
                self._failure = error
                self._model = None
                raise
        return self._model

    def _load(self, folder: ModelFolder) -> Any:
        for package in ("sentence_transformers", *_NEEDS[self._backend]):
            if importlib.util.find_spec(package) is None:
                extra = "" if self._backend == "torch" else f"[{self._backend}]"
                raise EmbedderUnavailable(
                    f"The package {package} is not installed where ddg-lsp runs; "
                    f'install it with: pip install "sentence-transformers{extra}"'
                )
        with foreign_calls(self._explain):
            model = open_model(folder.path, self._device, self._backend, self._threads)
        on_gpu = model.device.type != "cpu"
        limit = folder.max_tokens or min(int(min(model.max_seq_length or MOST_TOKENS, MOST_TOKENS)), MOST_TOKENS)
        batch = GPU_BATCH if on_gpu else CPU_BATCH
        alone = self._encode(model, _PROBES[:1], limit, 1)
        dimensions = alone.shape[1]
        if folder.dimensions not in (None, dimensions):
            raise EmbedderUnavailable(
                f"The model {self._name} makes vectors of {dimensions} dimensions, its files say {folder.dimensions}."
            )
        # A model quantised while it runs scales by what the whole batch holds: then every text goes alone.
        together = self._encode(model, _PROBES, limit, batch)[:1]
        self._batch = batch if float(np.abs(alone - together).max()) <= SAME else 1
        if self._info is None:
            self._info = self._describe(folder, dimensions, limit)
        return model

    def _encode(self, model: Any, texts: Sequence[str], limit: int, batch: int) -> Matrix:
        with foreign_calls(self._explain):
            if self._folder is not None and self._folder.cuts:
                model.max_seq_length = limit
            else:
                texts = [self._cut(text, limit) for text in texts]
            rows = model.encode(list(texts), batch_size=batch, show_progress_bar=False, convert_to_numpy=True)
            matrix = np.asarray(rows, np.float32)
        if matrix.ndim != 2 or len(matrix) != len(texts) or not np.isfinite(matrix).all():
            raise EmbedderUnavailable(f"The model {self._name} made vectors that are not finite, or not one a text.")
        return _unit(matrix)

    def _cut(self, text: str, limit: int) -> str:
        """For models that do not cut by themselves."""
        tokenizer = self._own_tokenizer()
        if tokenizer is None:
            return text
        offsets = tokenizer.encode(text, add_special_tokens=False).offsets
        return text[: offsets[limit - 1][1]] if len(offsets) > limit else text

    def _own_tokenizer(self) -> Any:
        """The model's tokenizer without the model; None where only the model can count."""
        path = self._found().tokenizer
        if self._tokenizer is None and path is not None and importlib.util.find_spec("tokenizers") is not None:
            with foreign_calls(self._explain):
                self._tokenizer = open_tokenizer(path)
        return self._tokenizer

    def _describe(self, folder: ModelFolder, dimensions: int, max_tokens: int) -> EmbedderInfo:
        query, passage = self._prefixes
        info = EmbedderInfo(
            "sentence-transformers",
            Path(self._name).name if Path(self._name).is_absolute() else self._name,  # no path of the user's in answers
            dimensions,
            max_tokens,
            weights_hash(folder.path, self._backend),
        )
        return replace(
            info,
            query_prefix=folder.query_prefix if query is None else query,
            passage_prefix=folder.passage_prefix if passage is None else passage,
        )

    def _explain(self, error: Exception) -> str:
        if "out of memory" in str(error).lower():
            return (
                f"The device ran out of memory with the model {self._name}; set ddg.device to cpu, or a smaller model."
            )
        if "trust_remote_code" in str(error):
            return f"The model {self._name} brings program code of its own, which is never run; choose another model."
        return f"The model {self._name} cannot be used ({type(error).__name__}: {first_line(error)})."


def _unit(matrix: Matrix) -> Matrix:
    """Rows of norm 1; a row of zeros, which a text without a known word gets from some models, becomes an axis."""
    norms = np.linalg.norm(matrix.astype(np.float64), axis=1, keepdims=True)
    empty = norms[:, 0] == 0
    matrix[empty, 0] = norms[empty] = 1.0
    unit: Matrix = (matrix / norms).astype(np.float32)
    return unit


def _clean(text: str) -> str:
    """Lone surrogates, which no tokenizer takes, become question marks."""
    return text.encode("utf-8", "replace").decode("utf-8")
