"""The first answer of a folder never seen: `python -m benchmarks.first_answer SET_FOLDER [--others FOLDER --copies N]`.

The set's corpus is enlarged by copies of another folder's documents, each copy under a path of its own. For each of the
questions (English and identifiers, spread over the set) a new server starts without any cache, is asked once right
after `initialized`, and ends. Printed: how long that took, whether a right file is among the first three, and what the
answer said of its own condition. The built-in model's graph is built before. Nothing is asserted.
"""

from __future__ import annotations

import argparse
import shutil
import statistics
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from benchmarks import metrics
from benchmarks.lsp_client import Client
from ddg_lsp.core.embedding.e5 import E5Embedder

QUESTIONS = 20
FIRST = 3


def main(argv: Sequence[str]) -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.first_answer", description=__doc__)
    parser.add_argument("set", type=Path, metavar="SET_FOLDER")
    parser.add_argument("--others", type=Path, help="documents to enlarge the corpus by")
    parser.add_argument("--copies", type=int, default=8)
    arguments = parser.parse_args(argv)
    judged = [q for q in metrics.load(arguments.set) if q.language in ("en", "code") or q.kind == "identifier"]
    asked = judged[:: max(1, len(judged) // QUESTIONS)][:QUESTIONS]
    E5Embedder().embed(["query: the graph is built now"])
    with tempfile.TemporaryDirectory(prefix="ddg-first-") as scratch:
        root = Path(scratch) / "workspace"
        shutil.copytree(arguments.set / "corpus", root)
        for number in range(arguments.copies if arguments.others else 0):
            shutil.copytree(arguments.others, root / f"other{number}")
        _measure(root, asked)
    return 0


def _measure(root: Path, asked: Sequence[metrics.Judged]) -> None:
    took, right = [], 0
    for question in asked:
        with tempfile.TemporaryDirectory(prefix="ddg-first-cache-") as cache:
            client = Client(root, {"ddg": {"cacheDir": cache}})
            answer = client.ask(question.question, limit=FIRST)
            took.append(time.perf_counter() - client.initialized)
            client.close()
        found = any(hit["path"] in question.files for hit in answer["hits"])
        right += found
        index = answer["index"]
        counts = f"{index['documents']} documents, {index['passages']} passages, {index['openings']} openings"
        print(
            f"{took[-1]:.2f} s  {'right' if found else 'wrong'}  {index['state']}, {counts}  {question.question[:60]}"
        )
    print(f"right file in the first {FIRST}: {right} of {len(asked)}", end="; ")
    print(f"median {statistics.median(took):.2f} s, longest {max(took):.2f} s after `initialized`")


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
