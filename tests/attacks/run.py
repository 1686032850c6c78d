"""How an attack is run and counted: seeds, shares of the time, attempts by kind, failures that can be repeated.

Owns the counting and the command line of attacks; it must not know what is attacked. An attack is a function of a
`Run`: it makes what it needs below `run.folder`, and puts every single try inside `with run.attempt(kind, what):`. What
a try raises is a failure; it is kept with its kind, what was tried and the seed, and the attack goes on.
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

Attack = Callable[["Run"], None]
SHOWN_FAILURES = 20


@dataclass
class Run:
    """One run of one attack: `seed` decides everything random in it, `seconds` is its share of the time."""

    seed: int
    seconds: float
    folder: Path
    attempts: Counter[str] = field(default_factory=Counter)
    failures: list[str] = field(default_factory=list)
    facts: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.rng = random.Random(self.seed)
        self._end = time.monotonic() + self.seconds

    @contextmanager
    def attempt(self, kind: str, what: object = "") -> Iterator[None]:
        """Count one try. What it raises is a failure of the product (or of the attack), and the attack goes on."""
        self.attempts[kind] += 1
        try:
            yield
        except Exception:
            where = traceback.format_exc(limit=-4)
            self.failures.append(f"{kind}: {what}\n(seed {self.seed})\n{where}")

    def rounds(self, at_least: int = 1) -> Iterator[random.Random]:
        """One random source after another until the time is up; the same ones for the same seed."""
        number = 0
        while number < at_least or time.monotonic() < self._end:
            yield random.Random(f"{self.seed}/{number}")
            number += 1

    def left(self) -> float:
        """Seconds of this run's share that are left, 0 at least."""
        return max(0.0, self._end - time.monotonic())

    def fact(self, text: str) -> None:
        """A figure worth printing beside the counts, such as a slope."""
        self.facts.append(text)


def run(attacks: Sequence[Attack], *, seed: int, seconds: float) -> list[tuple[str, Run]]:
    """Run each attack in a folder of its own; the time is shared out evenly."""
    done = []
    for attack in attacks:
        with tempfile.TemporaryDirectory(prefix="ddg-attack-", ignore_cleanup_errors=True) as folder:
            one = Run(seed=seed, seconds=seconds / len(attacks), folder=Path(folder).resolve())
            try:
                attack(one)
            except Exception:  # what it had tried until then still counts
                one.failures.append(f"{attack.__name__} broke off\n(seed {seed})\n{traceback.format_exc(limit=-4)}")
            done.append((attack.__name__, one))
    return done


def check(attacks: Sequence[Attack], *, seed: int = 1, seconds: float = 0) -> None:
    """For the test suite: the least of everything; the first failures are the message."""
    for name, one in run(attacks, seed=seed, seconds=seconds):
        assert one.attempts.total() > 0, f"{name} tried nothing"
        assert not one.failures, f"{name}: " + "\n".join(one.failures[:3])


def main(front: str, attacks: Sequence[Attack], *, seconds: float = 120) -> None:
    """The command line: `[--seconds N] [--seed N] [--only NAME,…]`; ends the process with 1 after any failure."""
    options = argparse.ArgumentParser(prog=f"python -m tests.attacks.{front}")
    options.add_argument("--seconds", type=float, default=seconds)
    options.add_argument("--seed", type=int, default=random.SystemRandom().randrange(10**6))
    options.add_argument("--only", default="", help="names of attacks, with commas")
    given = options.parse_args()
    only = [name for name in given.only.split(",") if name]
    chosen = [attack for attack in attacks if not only or attack.__name__ in only]
    started = time.monotonic()
    total = failed = 0
    for name, one in run(chosen, seed=given.seed, seconds=given.seconds) if chosen else []:
        print(f"{name}: {one.attempts.total():,} attempts, {len(one.failures)} failures")
        for kind, count in sorted(one.attempts.items()):
            print(f"    {count:>9,}  {kind}")
        for fact in one.facts:
            print(f"    {fact}")
        for failure in one.failures[:SHOWN_FAILURES]:
            print(f"  FAILURE {failure}")
        total += one.attempts.total()
        failed += len(one.failures)
    took = time.monotonic() - started
    print(f"attack-{front}: {total:,} attempts, {failed} failures, seed {given.seed}, {took:.0f} s")
    sys.exit(1 if failed or not total else 0)
