"""A thousand small updates: what the cache takes of the disk, and the index of memory, is bounded by the documents."""

from __future__ import annotations

import random
from pathlib import Path

from ddg_lsp.core.folder import SPARE, WASTE
from ddg_lsp.core.opening import Opened, open_folder
from tests.attacks.cache_scene import TEXTS, WHOLE, Scene, embedder, names_in, start
from tests.attacks.run import Run
from tests.helpers import folders
from tests.helpers.faulty_files import HastyFiles, size_below, the_disk_is
from tests.helpers.forged_cache import folder_of

UPDATES = 1_000
RESTARTS = 97
"""Updates until the next process takes over."""
SHORT = 200
"""Updates in the test suite: each is a save of its own."""


def small_updates(run: Run) -> None:
    """One document is edited, added or removed, the index follows and is written; now and then by a new process."""
    root, rng = folders.write(run.folder / "updated", TEXTS), random.Random(run.seed)
    texts, sizes = dict(TEXTS), []
    with the_disk_is(HastyFiles()):
        opened = open_folder(root, {}, embedder())
        for number in range(UPDATES if run.seconds else SHORT):
            with run.attempt("a small update", number):
                _update(root, texts, rng, number)
                if number % RESTARTS == 0:
                    opened.folder.close()
                    opened = open_folder(root, {}, embedder())
                _follow(opened)
                folder = opened.folder
                assert folder.notices() == []
                assert names_in(root) == WHOLE
                assert len(folder.snapshot.arena) <= WASTE * len(folder.snapshot.passages) + SPARE
                sizes.append(size_below(folder_of(root)))
        opened.folder.close()
    with run.attempt("after all updates, as a fresh build"):
        fresh = Scene(run.folder / "fresh", texts)
        fresh.is_whole(root)
        assert sizes[-1] <= size_below(folder_of(fresh.good)) + 64, "more than a fresh build takes"
    run.fact(f"the cache held {min(sizes):,} to {max(sizes):,} bytes over {len(sizes):,} updates")


def _update(root: Path, texts: dict[str, str], rng: random.Random, number: int) -> None:
    added = [path for path in texts if path not in TEXTS]
    if len(added) > 3 and rng.random() < 0.5:
        path = rng.choice(added)
        (root / path).unlink()
        del texts[path]
        return
    path = rng.choice([*texts, f"docs/added-{number}.md"])
    old = TEXTS.get(path, "# Added\n\nA page.\n")
    texts[path] = f"{old}\n## Note {number}\n\nWhat was noted, the {number}th time.\n"
    folders.write(root, {path: texts[path]})


def _follow(opened: Opened) -> None:
    opened.folder.refresh()
    while opened.folder.pending():
        opened.embed_some()
    opened.folder.finish()


def many_starts(run: Run) -> None:
    """Starts that have nothing to do write nothing, however many there are."""
    scene = Scene(run.folder)
    with scene.copy() as root:
        start(root)
        before = {p: p.stat().st_mtime_ns for p in folder_of(root).iterdir()}
        for number in range(10):
            with run.attempt("a start with nothing to do", number):
                start(root)
                assert {p: p.stat().st_mtime_ns for p in folder_of(root).iterdir()} == before
