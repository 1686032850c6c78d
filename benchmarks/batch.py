"""A thousand questions in one `batch` beside as many `query` processes: `python -m benchmarks.batch [FOLDER]`.

Asked of the folder (default: this repository's `docs`), indexed beforehand, by the shipped command line. Three of a
hundred questions are impossible; they must come back as failures, everything in order. Of the separate processes a
sample is run, spread evenly over the questions, and its mean stands for all. Exits 1 if an answer is lost or moved.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from pathlib import Path

COUNT, FAILING, SAMPLE = 1_000, 3, 20
WORDS = ("cache", "model", "settings", "server", "folder", "heading", "language", "index", "query", "editor")
ASKING = ("How is the {} kept?", "What if the {} is damaged?", "{}는 어떻게 바꾸나요?", "Where are {} and {}?")


def question(number: int) -> str:
    """Question `number` of the thousand; three in a hundred are empty."""
    if number % 100 < FAILING:
        return ""
    one, other = WORDS[number % len(WORDS)], WORDS[number // len(WORDS) % len(WORDS)]
    return f"{ASKING[number % len(ASKING)].format(one, other)} ({number})"


def run(*arguments: str, given: str = "") -> tuple[float, str]:
    """Seconds and standard output of one process of the command line."""
    command = [sys.executable, "-m", "ddg_lsp", *arguments]
    started = time.perf_counter()
    done = subprocess.run(command, input=given, capture_output=True, text=True, encoding="utf-8", check=False)
    return time.perf_counter() - started, done.stdout


def kept(output: str) -> tuple[bool, dict[str, object]]:
    """Whether every answer is there, in order, failures where they belong; and the summary."""
    *entries, summary = map(json.loads, output.splitlines())
    wanted = [(number, question(number) != "") for number in range(COUNT)]
    return [(entry["id"], entry["ok"]) for entry in entries] == wanted, summary


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", nargs="?", default=str(Path(__file__).parents[1] / "docs"))
    folder = parser.parse_args().folder
    run("index", folder)
    lines = "".join(json.dumps({"id": n, "query": question(n)}) + "\n" for n in range(COUNT))
    seconds, output = run("batch", folder, "--queries", "-", "--limit", "5", "--summary", given=lines)
    whole, summary = kept(output)
    numbers = range(0, COUNT, COUNT // SAMPLE)
    each = [run("query", folder, question(n + FAILING), "--limit", "5", "--json")[0] for n in numbers]
    mean = sum(each) / len(each)
    print(f"batch of {COUNT}: {seconds:.1f} s, {1000 * seconds / COUNT:.1f} ms a question")
    print(f"{summary['failedCount']} failed; every answer in its place: {'yes' if whole else 'NO'}")
    print(f"query, {len(each)} processes: {mean:.2f} s each, so {mean * COUNT:.0f} s for {COUNT}")
    print(f"ratio: {mean * COUNT / seconds:.0f}")
    return 0 if whole and summary["failedCount"] == COUNT * FAILING // 100 else 1


if __name__ == "__main__":
    sys.exit(main())
