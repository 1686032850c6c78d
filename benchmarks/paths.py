"""What each path costs: `python -m benchmarks.paths FOLDER [--copies N]`, over the real server and the real model.

Start, first answer, building, questions idle and during a build, an edit, memory. FOLDER is copied; with `--copies`
it is indexed that many times over, each copy under a path of its own. Prints; asserts nothing.
"""

from __future__ import annotations

import argparse
import shutil
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from benchmarks.lsp_client import Client, Json
from ddg_lsp.core import probes
from ddg_lsp.server.protocol import SHOW_STATUS
from ddg_lsp.server.sync import HOUSEKEEPING_SECONDS

IDLE_MINUTES = 0.05
"""How soon the model is dropped, so that memory after that can be read without a long wait."""


def main(argv: Sequence[str]) -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.paths", description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--copies", type=int, default=1)
    arguments = parser.parse_args(argv)
    with tempfile.TemporaryDirectory(prefix="ddg-paths-") as scratch:
        root = Path(scratch) / "workspace"
        for number in range(arguments.copies):
            shutil.copytree(arguments.folder, root / f"part{number}")
        _first_time(root)
        _second_time(root)
    return 0


def _questions() -> Callable[[], str]:
    # Each question is new: a repeated one would be answered from the kept vector.
    questions = iter(f"{question} {number}" for number in range(50) for question in probes.load()["en"])
    return lambda: next(questions)


def _first_time(root: Path) -> None:
    client, question = Client(root), _questions()
    print(f"start to initialize answered: {client.initialized - client.started:.2f} s")
    first = client.ask(question())
    print(f"initialized to first answer: {time.perf_counter() - client.initialized:.2f} s, {first['index']['state']}")
    peak, during, echoes = 0.0, [], []
    while True:
        echoes += [_echo(client) for _ in range(4)]
        took, answer = _timed(client, question())
        peak = max(peak, client.memory_mb())
        if answer["index"]["state"] != "building":
            break
        during.append(took)
        time.sleep(0.2)
    index = answer["index"]
    seconds = time.perf_counter() - client.initialized
    print(f"built: {index['documents']:,} documents, {index['passages']:,} passages in {seconds:.1f} s", end="")
    print(f" ({1000 * seconds / max(1, index['passages']):.1f} s a thousand); memory at most {peak:.0f} MB")
    idle = [_timed(client, question())[0] for _ in range(40)]
    print(f"question idle: {_spread(idle)}")
    print(f"question during the build: {_spread(during)}; p95 {_p95(during) / _p95(idle):.1f} times the idle one")
    print(f"a request that needs nothing, during the build: {_spread(echoes)}")
    print(f"memory at rest, model loaded: {client.memory_mb():.0f} MB")
    _edit(client, root)
    client.close()


def _edit(client: Client, root: Path) -> None:
    path = next(iter(sorted(root.rglob("*.md"))))
    text = path.read_text("utf-8") + "\n\n## The amber lighthouse\n\nIts keeper counts the ships at dusk.\n"
    document = {"uri": path.as_uri(), "languageId": "markdown", "version": 1, "text": text}
    started = time.perf_counter()
    client.notify("textDocument/didOpen", {"textDocument": document})
    while client.ask("who counts ships at the amber lighthouse?")["hits"][0]["headings"][-1] != "The amber lighthouse":
        time.sleep(0.02)
    print(f"a new section on the screen to found: {time.perf_counter() - started:.2f} s")


def _second_time(root: Path) -> None:
    client = Client(root, {"ddg": {"idleUnloadMinutes": IDLE_MINUTES}})
    answer = client.ask("what is kept?")
    print(f"second start to first answer: {time.perf_counter() - client.started:.2f} s, {answer['index']['state']}")
    while client.ask("what is kept?")["index"]["state"] == "building":
        time.sleep(0.2)
    time.sleep(60 * IDLE_MINUTES + HOUSEKEEPING_SECONDS + 5)
    print(f"memory after the model was dropped: {client.memory_mb():.0f} MB")
    client.close()


def _echo(client: Client) -> float:
    """Milliseconds until the server answers what costs it nothing."""
    started = time.perf_counter()
    client.call("workspace/executeCommand", {"command": SHOW_STATUS, "arguments": [{"silent": True}]})
    return (time.perf_counter() - started) * 1000


def _timed(client: Client, question: str) -> tuple[float, Json]:
    started = time.perf_counter()
    answer = client.ask(question)
    return (time.perf_counter() - started) * 1000, answer


def _p95(times: Sequence[float]) -> float:
    return sorted(times)[int(0.95 * (len(times) - 1))] if times else float("nan")


def _spread(times: Sequence[float]) -> str:
    return f"median {statistics.median(times):.0f} ms, p95 {_p95(times):.0f} ms" if times else "none"


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
