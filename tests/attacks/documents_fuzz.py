"""Inputs for the targets of `documents_targets`: the kept corpus, random changes of it, and a fuzzer led by coverage.

Owns where inputs come from. The fuzzer is `atheris`, where it is installed: `make attack-documents` sees to that on the
machines it has a wheel for; elsewhere its place is taken by more random changes, and a fact says so.
"""

from __future__ import annotations

import base64
import os
import random
import re
import subprocess
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

from tests.attacks.documents_targets import TARGETS, feed
from tests.attacks.run import Run
from tests.helpers.markdown_samples import FRAGMENTS

CORPUS = Path(__file__).parents[1] / "data" / "fuzz"
"""A folder for each target; inputs as small as they can be and still reach what no other does."""
GUIDED_RUNS = 1_000
"""Executions of the short version, which tries every target in one process."""
MAX_BYTES = 4_000
FIGURE = re.compile(r"stat::number_of_executed_units:\s*(\d+)")
COVERED = re.compile(r"\bcov: (\d+)")
_FRAGMENTS = [one.encode("utf-8", "surrogatepass") for one in FRAGMENTS]
_WORD = 40


def corpus(target: str) -> list[Path]:
    """The kept inputs of one target, in order of their names."""
    return sorted((CORPUS / target).iterdir())


def replayed(run: Run) -> None:
    """Every input that is kept, to its own target and to all the others."""
    for owner in TARGETS:
        for path in corpus(owner):
            data = path.read_bytes()
            for target in TARGETS:
                with run.attempt(f"kept input, {target}", f"{owner}/{path.name}"):
                    feed(target, data)


def changed(run: Run) -> None:
    """Kept inputs, changed at random: bytes, pieces of others, fragments that confuse parsers."""
    kept = {target: [path.read_bytes() for path in corpus(target)] for target in TARGETS}
    for rng in run.rounds(at_least=40):
        for target in TARGETS:
            data = _changed(rng, rng.choice(kept[target]), rng.choice(kept[rng.choice(list(kept))]))
            with run.attempt(f"changed input, {target}", _shown(data)):
                feed(target, data)


def _changed(rng: random.Random, data: bytes, other: bytes) -> bytes:
    for _ in range(rng.randrange(1, 6)):
        at = rng.randrange(len(data) + 1)
        kind = rng.randrange(6)
        if kind == 0:
            data = data[:at] + rng.choice(_FRAGMENTS) + data[at:]
        elif kind == 1:
            start = rng.randrange(len(other) + 1)
            data = data[:at] + other[start : start + rng.randrange(200)] + data[at:]
        elif kind == 2:
            data = data[:at] + data[at + rng.randrange(20) :]
        elif kind == 3:
            data = data[:at] + bytes([rng.randrange(256)]) + data[at + 1 :]
        elif kind == 4:
            data = data[:at] + data[at : at + rng.randrange(30)] * rng.randrange(2, 9) + data[at:]
        else:
            data = data.replace(
                rng.choice([b"\n", b" ", b"a"]), rng.choice([b"\r\n", b"\r", b"", b"\0", b"\xe2\x80\xa8"])
            )
    return data[:MAX_BYTES]


def guided(run: Run) -> None:
    """The fuzzer: short, so many executions over all targets together; long, each target in a process of its own."""
    if find_spec("atheris") is None:
        run.fact("atheris is not installed here, so nothing was led by coverage")
        for rng in run.rounds(at_least=10):
            for target in TARGETS:
                data = b"".join(rng.choices(_FRAGMENTS, k=rng.randrange(30)))
                with run.attempt(f"blind input, {target}", _shown(data)):
                    feed(target, data)
        return
    words = run.folder / "words"
    short = [one for one in _FRAGMENTS if len(one) < _WORD]
    words.write_text("".join('"' + "".join(f"\\x{byte:02x}" for byte in one) + '"\n' for one in short))
    groups = [[target] for target in TARGETS] if run.left() > len(TARGETS) else [list(TARGETS)]
    for number, names in enumerate(groups):
        share = run.left() / (len(groups) - number)
        bound = f"-max_total_time={int(share)}" if share >= 1 else f"-runs={GUIDED_RUNS}"
        _guided(run, names, words, [bound, f"-seed={run.seed + 1}"])


def _guided(run: Run, names: list[str], words: Path, options: list[str]) -> None:
    title = names[0] if len(names) == 1 else "all targets"
    own, start = run.folder / f"found-{title}", run.folder / f"start-{title}"
    own.mkdir()
    start.mkdir()
    for number, data in enumerate(_starting(names)):
        (start / str(number)).write_bytes(data)
    artifact = f"-artifact_prefix={run.folder}/broken-{title}-"
    fixed = [f"-max_len={MAX_BYTES}", "-timeout=60", "-print_final_stats=1", f"-dict={words}", artifact]
    done = subprocess.run(
        [sys.executable, "-m", "tests.attacks.documents_guided", ",".join(names), *options, *fixed, own, start],
        capture_output=True,
        cwd=Path(__file__).parents[2],
        env={
            **os.environ,
            "PYTHONPATH": os.pathsep.join(path for path in sys.path if path),
            "TMPDIR": str(run.folder),  # the fuzzer ends its process without clearing up
        },
        check=False,
    )
    said = done.stderr.decode("utf-8", "replace")
    ran, covered = FIGURE.search(said), COVERED.findall(said)
    run.attempts[f"led by coverage, {title}"] += int(ran[1]) if ran else 1
    run.fact(f"{title}: {covered[-1] if covered else '?'} places reached, {len(list(own.iterdir()))} new inputs")
    if done.returncode:
        broken = sorted(run.folder.glob(f"broken-{title}-*"))
        inputs = "".join(f"\n  {base64.b64encode(path.read_bytes()).decode()}" for path in broken)
        run.failures.append(f"guided: {title} ended with {done.returncode}; base64:{inputs}\n{said[-3000:]}")


def _starting(names: list[str]) -> Iterator[bytes]:
    """The kept inputs as a process for these targets reads them."""
    for place, name in enumerate(names):
        for path in corpus(name):
            yield path.read_bytes() if len(names) == 1 else bytes([place]) + path.read_bytes()


def _shown(data: bytes) -> str:
    return repr(data) if len(data) < 600 else f"base64 {base64.b64encode(data).decode()}"
