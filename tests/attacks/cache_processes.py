"""Two and five real processes on one folder, killed at random: no torn read, one writer, in the end the same index."""

from __future__ import annotations

import multiprocessing
import random
import time
from itertools import pairwise
from multiprocessing.process import BaseProcess
from pathlib import Path

from ddg_lsp.core.opening import open_folder
from tests.attacks import cache_child
from tests.attacks.cache_scene import TEXTS, Scene, embedder, start
from tests.attacks.run import Run
from tests.helpers import folders

MINUTE = 60.0
SHORT = 2.5
"""Seconds in the test suite."""
_SERVER = "forkserver" in multiprocessing.get_all_start_methods()
CONTEXT = multiprocessing.get_context("forkserver" if _SERVER else "spawn")
PATIENCE = 60.0


def two_processes(run: Run) -> None:
    """Two processes, a minute or longer."""
    _killed_at_random(run, 2)


def five_processes(run: Run) -> None:
    """Five processes, a minute or longer."""
    _killed_at_random(run, 5)


def _killed_at_random(run: Run, count: int) -> None:
    root, rng = folders.write(run.folder / "shared", TEXTS), random.Random(run.seed)
    if _SERVER:
        CONTEXT.set_forkserver_preload(["tests.attacks.cache_child"])
    crew = [_Worker(root, run.folder / f"diary-{number}", number) for number in range(count)]
    _wait_for_all(crew)
    end = time.monotonic() + (max(run.seconds, MINUTE) if run.seconds else SHORT)
    while time.monotonic() < end:
        time.sleep(rng.uniform(0, 0.4))
        worker = rng.choice(crew)
        with run.attempt(f"{count} processes, one killed", worker.number):
            worker.kill()
            _reads_whole(root)
        worker.begin()
    for worker in crew:
        worker.kill()
    _judge(run, crew, count)
    with run.attempt(f"{count} processes, the index in the end"):
        texts = {p.relative_to(root).as_posix(): p.read_bytes().decode() for p in root.rglob("*.md")}
        for draft in root.rglob("*.txt"):
            draft.unlink()
        fresh = Scene(run.folder / "fresh", texts)
        last = start(root)
        assert (last.answers, last.codes) == (fresh.answers, ())
        fresh.is_whole(root)


class _Worker:
    """One place in the crew: a process after another."""

    def __init__(self, root: Path, diary: Path, number: int) -> None:
        self.root, self.diary, self.number = root, diary, number
        self.lives = 0
        self.killed: list[float] = []
        self.process: BaseProcess | None = None
        self.begin()

    def begin(self) -> None:
        """Start the next process."""
        self.lives += 1
        where = (self.root, self.diary.with_suffix(f".{self.lives}"), self.number, self.lives)
        self.process = CONTEXT.Process(  # type: ignore[attr-defined] # typeshed's base class has none
            target=cache_child.work, args=where, daemon=True
        )
        self.process.start()

    def kill(self) -> None:
        """End the process as the system would: no code of it runs any more."""
        assert self.process is not None
        self.process.kill()
        self.process.join(PATIENCE)
        assert not self.process.is_alive()

    def diaries(self) -> list[list[tuple[float, str, str]]]:
        """What each life noted."""
        return [cache_child.entries(self.diary.with_suffix(f".{life + 1}")) for life in range(self.lives)]


def _wait_for_all(crew: list[_Worker]) -> None:
    patience = time.monotonic() + PATIENCE
    while not all(worker.diaries()[0] for worker in crew):
        assert time.monotonic() < patience, "the processes do not begin"
        time.sleep(0.05)


def _reads_whole(root: Path) -> None:
    """A reader that comes in at this moment finds a whole generation, or none yet, and nothing to tell."""
    folder = open_folder(root, {}, embedder()).folder
    assert folder.notices() == []
    folder.keeping.close()


def _judge(run: Run, crew: list[_Worker], count: int) -> None:
    tenures = []
    for worker in crew:
        for life, diary in enumerate(worker.diaries()):
            wrong = [what for _, kind, what in diary if kind == "wrong"]
            run.attempts[f"{count} processes, a build, every vector compared"] += sum(
                kind == "right" for _, kind, _ in diary
            )
            with run.attempt(f"{count} processes, a life", (worker.number, life)):
                assert not wrong, wrong[0]
            tenures += _tenures(diary, worker.number)
    tenures.sort()
    with run.attempt(f"{count} processes, one writer at a time", len(tenures)):
        assert len(tenures) > 1, "nobody wrote"
        for (_, until, one), (begin, _, other) in pairwise(tenures):
            assert until <= begin, f"{one} and {other} wrote at once"
    run.fact(f"{count} processes: {sum(worker.lives for worker in crew)} lives, {len(tenures):,} times the writer")


def _tenures(diary: list[tuple[float, str, str]], number: int) -> list[tuple[float, float, int]]:
    """From the first to the last step that writes, each time this process was the writer."""
    found: list[tuple[float, float, int]] = []
    moments: list[float] = []
    for at, kind, _ in [*diary, (0.0, "released", "")]:
        if kind == "step":
            moments.append(at)
        elif kind == "released" and moments:
            found.append((moments[0], moments[-1], number))
            moments = []
    return found
