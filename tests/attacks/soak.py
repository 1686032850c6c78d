"""A busy day without the waiting: a real server with its own model, used as an editor uses it, measured at quiet.

What a busy user does in an hour is `AN_HOUR`: an edit every two seconds, a cursor that rests on another line every
eight, a save every twenty, a question every thirty, and so on; about 3,000 actions. The long version does two such
hours in one life of the server, and two more with clean restarts and kills in between; the short version is a few
minutes of each. `--seconds` scales it: `HOUR_SECONDS` of an attack's share stand for one hour, however fast the
machine is, so that the same seed is the same actions.

Now and then the server is left alone until it says that nothing is under way, its documents are held against those
there should be, and it is measured: memory, handles, threads, the size of its cache. What is there at the end must be
what a fresh build of the same files gives.
"""

from __future__ import annotations

import shutil
import time
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import psutil

from tests.attacks.run import Run, main
from tests.attacks.soak_gauge import Sample, long_lives, sample, slope
from tests.attacks.soak_index import QUESTIONS, same_answers, same_caches
from tests.attacks.soak_tree import Tree
from tests.attacks.soak_user import MODES, User

HOUR_SECONDS = 150.0
AN_HOUR: dict[str, int] = {
    "type": 1800, "move": 450, "save": 180, "ask": 120, "act": 60, "look_at": 60, "close": 60, "ask_and_cancel": 60,
    "check": 60, "create": 20, "rewrite": 20, "rename": 20, "delete": 20, "switch": 12, "ask_much": 12, "configure": 6,
    "move_folder": 6,
}  # fmt: skip
ENDS = 3
"""Of an hour: the server is shut down, and as often killed."""
SHORT_HOURS = 0.03
EVERY, SHORT_EVERY = 200, 25
"""Actions between two readings; a long one's waits for the model to be dropped, a quarter of a minute."""
SPAN, SHORT_SPAN = 800, 50
"""Actions from the first reading to the last of a life that tells a slope: within less, a cache filled once looks like
growth without end."""
MAX_SLOPE = 1.5
"""Megabytes for every 1,000 actions, measured after `WARM` of each life: a leak of a kilobyte or two in each."""
WARM, SHORT_WARM = 600, 40
MAX_SPREAD, MAX_HANDLES, MAX_THREADS = 60.0, 2, 2
"""Between the readings of a life after its warm-up, megabytes, handles and threads; a short life has no slope."""
MAX_CACHE = 12_000
"""Bytes for a passage: its two vectors are 3,072, its place and headings a few hundred, and a save writes beside."""
PATIENCE = 120.0


class Soak:
    """One compressed stretch of time; see the module."""

    def __init__(self, run: Run, ends: int) -> None:
        self.run = run
        self.hours = max(SHORT_HOURS, run.seconds / HOUR_SECONDS)
        self.short = self.hours <= SHORT_HOURS
        self.ends = ends
        self.user = User(Tree(run.folder / "w", run.rng, 12 if self.short else 60), run.rng)
        self.samples: list[Sample] = []
        self.pids: list[int] = []
        self.cache_share = 0.0

    def go(self) -> None:
        """All of it."""
        plan, began = self._plan(), time.monotonic()
        how = self.user.tree.switches_with
        self.run.fact(f"{len(plan):,} actions, {self.hours:.2f} hours of a busy user; branches by {how}")
        while plan:
            with self.run.attempt("life", f"number {len(self.pids) + 1}"):
                self._life(plan)
        with self.run.attempt("no process is left"):
            assert not [pid for pid in self.pids if psutil.pid_exists(pid)]
        self.run.fact(f"{len(self.pids)} lives in {time.monotonic() - began:.0f} s")
        self._judge()

    def _plan(self) -> list[str]:
        rng, count = self.run.rng, round(self.hours * sum(AN_HOUR.values()))
        plan = rng.choices(list(AN_HOUR), list(AN_HOUR.values()), k=count)
        for name in ("shut_down", "kill"):
            times = round(self.ends * self.hours) if not self.short else int(self.ends > 0)
            for _ in range(times):
                plan.insert(rng.randrange(count // 4, count), name)
        return plan

    def _life(self, plan: list[str]) -> None:
        """One server, until the plan says that it ends; what was done is taken off the plan."""
        every, actions = (SHORT_EVERY if self.short else EVERY), 0
        with self.user.life() as server:
            self.pids.append(server.process.pid)
            self._quiet(0)
            while plan and (name := plan.pop(0)) not in ("kill", "shut_down"):
                self._act(name)
                actions += 1
                if actions % every == 0:
                    self._quiet(actions)
            if plan and name == "kill":
                with self.run.attempt(name):
                    server.process.kill()
                return
            if not plan:
                self._compare()
            with self.run.attempt("shut_down"):
                self.user.leave()
        if not plan:
            with self.run.attempt("the final cache is that of a fresh build"):
                count = same_caches(self.user.tree.root, self.run.folder / "fresh")
                self.run.fact(f"the final index: {count} passages, as in a fresh build")

    def _act(self, name: str) -> None:
        with self.run.attempt(name):
            action: Callable[[], None] = getattr(self.user, name)
            action()

    def _quiet(self, actions: int) -> None:
        """Wait until nothing is under way, see that every document is known, and measure."""
        with self.run.attempt("quiet", f"after {actions} actions of life {len(self.pids)}"):
            index = until(self.user.at_rest)["index"]
            if self.short:
                self.user.ask()  # so that the model is there at every reading
                self._measure(actions)
            else:
                self.user.idle(lambda: self._unloaded(actions))
            self.cache_share = max(self.cache_share, _size(self.user.tree.root / ".ddg") / max(1, index["passages"]))

    def _unloaded(self, actions: int) -> None:
        """The model keeps a plan for every length of text it has met, 10 MB in all: it is dropped for a reading."""
        process = psutil.Process(self.pids[-1])
        before = process.memory_info().rss
        until(lambda: process.memory_info().rss < before - 20e6, lambda: (before, process.memory_info().rss))
        time.sleep(1.0)  # until all of it is given back
        self._measure(actions)

    def _measure(self, actions: int) -> None:
        self.samples.append(sample(self.pids[-1], len(self.pids), actions))

    def _compare(self) -> None:
        """Everything is closed; the server is asked, and one that has just read the same files is asked the same."""
        self.user.calm()
        until(self.user.at_rest)
        fresh = self.run.folder / "fresh"
        shutil.copytree(self.user.tree.root, fresh, ignore=shutil.ignore_patterns(".ddg", ".git"))
        other = User(self.user.tree.at(fresh), self.run.rng)
        with other.life() as server:
            self.pids.append(server.process.pid)
            until(other.at_rest)
            for question in QUESTIONS:
                for mode in MODES:
                    with self.run.attempt("the final answer is that of a fresh build", (question, mode)):
                        same_answers(self.user.answer(question, mode), other.answer(question, mode))
            other.leave()

    def _judge(self) -> None:
        """The figures of all lives."""
        warm = [one for one in self.samples if one.actions >= (SHORT_WARM if self.short else WARM)]
        telling = long_lives(warm, SHORT_SPAN if self.short else SPAN)
        (growth, error), life = slope(telling), Counter(one.life for one in warm)
        how = f"{growth:+.2f} MB (standard error {error:.2f}) for every 1,000 actions"
        told = f"{how}, {len(telling)} readings after the warm-up" if telling else "no life was long enough for a slope"
        self.run.fact(f"own memory: {told}")
        for number in {one.life for one in telling}:
            course = " ".join(f"{one.own_mb:.1f}" for one in self.samples if one.life == number)
            self.run.fact(f"own memory of life {number}, every {EVERY} actions: {course}")
        for name, most in (("own_mb", MAX_SPREAD), ("handles", MAX_HANDLES), ("threads", MAX_THREADS)):
            lives = [[getattr(one, name) for one in warm if one.life == number] for number in life]
            self.run.fact(f"{name}: {min(map(min, lives), default=0):.0f} to {max(map(max, lives), default=0):.0f}")
            with self.run.attempt(f"{name} flat"):
                assert all(max(values) - min(values) <= most for values in lives), lives
        with self.run.attempt("memory flat"):
            assert self.short or growth <= MAX_SLOPE, (growth, error)
        self.run.fact(f"cache: at most {self.cache_share:,.0f} bytes for a passage")
        with self.run.attempt("cache bounded"):
            assert self.cache_share <= MAX_CACHE, self.cache_share


def _size(folder: Path) -> int:
    total = 0
    for path in folder.rglob("*"):
        with suppress(FileNotFoundError):  # replaced meanwhile
            total += path.stat().st_size if path.is_file() else 0
    return total


def until(found: Callable[[], Any], seen: Callable[[], Any] = lambda: "") -> Any:
    """Ask again until the answer is true; `seen` tells what there is instead, when it never is."""
    give_up = time.monotonic() + PATIENCE
    while not (value := found()):
        assert time.monotonic() < give_up, f"it never came to rest: {seen()}"
        time.sleep(0.02)
    return value


def two_hours_in_one_life(run: Run) -> None:
    """A server that is never restarted."""
    Soak(run, ends=0).go()


def two_hours_with_restarts(run: Run) -> None:
    """The same with clean ends and kills in between."""
    Soak(run, ends=ENDS).go()


ATTACKS = [two_hours_in_one_life, two_hours_with_restarts]

if __name__ == "__main__":
    main("soak", ATTACKS, seconds=4 * HOUR_SECONDS)
