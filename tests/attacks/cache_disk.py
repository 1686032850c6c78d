"""A disk that fails under the cache: full, read-only, or gone with its process or its power at any step that writes."""

from __future__ import annotations

import errno
import gc
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from unittest import mock

from ddg_lsp.core import keeping
from ddg_lsp.core.cache_files import FileLayer
from tests.attacks.cache_scene import TEXTS, WHOLE, Scene, Started, some, start
from tests.attacks.run import Run
from tests.helpers import folders
from tests.helpers.faulty_files import (
    CountingFiles,
    DiesBeforeCommit,
    FullDisk,
    Killed,
    OneError,
    PowerCutFiles,
    ReadOnly,
    SmallDisk,
    size_below,
)
from tests.helpers.forged_cache import folder_of, forge_manifest, part_of

BEFORE = {"docs/b.md": "# Configure it\n\nAs it was before.\n\n## Twin\n\nTwo.\n"}
"""An earlier version of a document: with it, the good cache is an old one that the next start replaces."""


def _nothing(root: Path) -> None:
    """No cache, and nothing around it."""


def _older(root: Path) -> None:
    folders.write(root, BEFORE)
    start(root)
    folders.write(root, {"docs/b.md": TEXTS["docs/b.md"]})


def _damaged(root: Path) -> None:
    start(root)
    path = part_of(root, "embeddings")
    path.write_bytes(path.read_bytes()[:-1])


def _other_version(root: Path) -> None:
    start(root)
    forge_manifest(root, lambda fields: fields.update(schema=2))


STATES: dict[str, tuple[Callable[[Path], None], str]] = {
    "the first build": (_nothing, ""),
    "a small update": (_older, ""),
    "after damage": (_damaged, "set-aside"),
    "over another version": (_other_version, "other-version"),
}
"""What a start finds, and what it has to tell of it."""


@contextmanager
def checkpoints() -> Iterator[None]:
    """Builds write after every batch."""
    with mock.patch.multiple(keeping, CHECKPOINT_SECONDS=0.0, CHECKPOINT_SHARE=0.0):
        yield


def _killed(root: Path, files: FileLayer) -> bool:
    """Start on this disk; whether the process ended in the midst of it."""
    try:
        start(root, files)
    except Killed:
        gc.collect()  # a lock whose holder nobody has any more goes with it, as with a process
        return True
    return False


def _each_step(run: Run, scene: Scene, state: str, make: Callable[[int], CountingFiles]) -> Iterator[tuple[int, Path]]:
    """Copies in this state, one for each step that a start in it takes, the last one more than there are."""
    with scene.copy(cache=False) as prepared:
        STATES[state][0](prepared)
        with scene.copy(prepared) as root:
            counting = make(-1)
            start(root, counting)
        steps = range(counting.steps + 1)
        whole = make is CountingFiles and state in ("a small update", "after damage")
        for at in steps if whole else some(run, steps):
            with scene.copy(prepared) as root:
                yield at, root


def killed_at_each_step(run: Run) -> None:
    """The process ends at each step that writes, in each state of the cache."""
    scene = Scene(run.folder)
    for state, (_, code) in STATES.items():
        for at, root in _each_step(run, scene, state, CountingFiles):
            with run.attempt(f"killed in {state}", at):
                _killed(root, CountingFiles(at))
                # Whatever was to be told, the process that was killed may have told it or not.
                _right_and_whole(scene, root, "", code)


def killed_while_checkpointing(run: Run) -> None:
    """The process ends at steps of a build that writes after every batch; what it had is not embedded again."""
    scene = Scene(run.folder)
    with checkpoints():
        counting = CountingFiles()
        with scene.copy(cache=False) as root:
            everything = start(root, counting).embedded
        for rng in run.rounds(at_least=12):
            at = rng.randrange(counting.steps)
            with run.attempt("killed while it checkpoints", at), scene.copy(cache=False) as root:
                assert _killed(root, CountingFiles(at))
                found = _right_and_whole(scene, root, "")
                assert found.embedded < everything or at < counting.steps / 2, "nothing was kept"


def _right_and_whole(scene: Scene, root: Path, *allowed: str) -> Started:
    """The next start answers correctly and tells one of these things at most; the one after it has nothing to do."""
    first = start(root)
    assert first.answers == scene.answers, "other answers than those of a fresh build"
    assert first.codes in [(code,) if code else () for code in allowed], first.codes
    scene.is_whole(root)
    return first


def full_at_each_step(run: Run) -> None:
    """From each step on nothing can be written, or one step fails and the next ones do not."""
    scene = Scene(run.folder)
    for state in STATES:
        for at, root in _each_step(run, scene, state, FullDisk):
            number = (errno.ENOSPC, errno.EDQUOT, errno.EIO)[at % 3]
            with run.attempt(f"disk full in {state}", (at, os.strerror(number))):
                _overcome(scene, state, root, FullDisk(at, number))
        for at, root in _each_step(run, scene, state, OneError):
            with run.attempt(f"one failing step in {state}", at):
                _overcome(scene, state, root, OneError(at))


def _overcome(scene: Scene, state: str, root: Path, disk: FileLayer) -> None:
    """A start on this disk is not impaired; the next one, on a good disk, has nothing to tell that was dealt with."""
    _, code = STATES[state]
    found = start(root, disk)
    _answers_in_spite(scene, found, code, "not-written", *(("damaged",) if code == "set-aside" else ()))
    # What could not be replaced or set aside may still be there, and then is still to be told.
    still = "damaged" in found.codes or (code == "other-version" and "not-written" in found.codes)
    _right_and_whole(scene, root, "", *((code,) if still else ()))


def small_disks(run: Run) -> None:
    """A disk with room for so and so many generations: where one fits in, it is written in the end."""
    scene = Scene(run.folder)
    one = size_below(scene.good)
    with scene.copy(cache=False) as bare:
        documents = size_below(bare)
    generation = one - documents
    for state in STATES:
        for percent in some(run, range(10, 330, 10)):
            with run.attempt(f"room for some generations in {state}", percent), scene.copy(cache=False) as root:
                STATES[state][0](root)
                disk = SmallDisk(root, documents + generation * percent // 100)
                for _ in range(3):
                    assert start(root, disk).answers == scene.answers
                enough = 120 if state in ("the first build", "after damage") else 230
                if percent >= enough:
                    scene.is_whole(root)
                _right_and_whole(scene, root, "", STATES[state][1])


def _answers_in_spite(scene: Scene, found: Started, *allowed: str) -> None:
    assert found.answers == scene.answers, "a disk that fails changed the answers"
    assert set(found.codes) <= {*allowed}, found.codes
    assert len(set(found.codes)) == len(found.codes), "told twice"


def read_only(run: Run) -> None:
    """A folder in which nothing can be changed, known beforehand or only when it is tried; with and without a home."""
    scene = Scene(run.folder)
    for state, (prepare, code) in STATES.items():
        for number in some(run, (errno.EROFS, errno.EACCES, errno.EPERM)):
            for known in (True, False):
                what = (os.strerror(number), known)
                with run.attempt(f"read-only in {state}", what), scene.copy(cache=False) as root:
                    prepare(root)
                    before = _bytes_below(root)
                    disk = ReadOnly(root, number, known=known)
                    with users_folder_is(run.folder / f"home-{number}-{known}-{state}"):
                        _answers_in_spite(scene, start(root, disk), "elsewhere", *_told(code, known=known))
                        again = start(root, disk)
                        assert again.answers == scene.answers
                        # One that can be read, on a disk that does not say it is read-only, comes before the other.
                        if known or state == "the first build":
                            assert again.embedded == 0, "the cache elsewhere is not found again"
                        assert _bytes_below(root) == before, "something was written"
                        _right_and_whole(scene, root, "", code)
                with run.attempt(f"read-only and no home in {state}", what), scene.copy(cache=False) as root:
                    prepare(root)
                    disk = ReadOnly(root, number, known=known)
                    with users_folder_is(run.folder / "no" / "home", is_file=True):
                        _answers_in_spite(scene, start(root, disk), "memory-only", *_told(code, known=known))
                        _right_and_whole(scene, root, "", code)


def _told(code: str, *, known: bool) -> tuple[str, ...]:
    """What may be told of a cache that cannot be set aside; of one that is not looked at, nothing."""
    return () if known else (code, "damaged") if code == "set-aside" else (code,)


def _bytes_below(root: Path) -> dict[str, bytes]:
    return {p.relative_to(root).as_posix(): p.read_bytes() for p in sorted(root.rglob("*")) if p.is_file()}


@contextmanager
def users_folder_is(folder: Path, *, is_file: bool = False) -> Iterator[None]:
    """The user's own cache folder is here, or cannot be made."""
    if is_file:
        folder.parent.mkdir(parents=True, exist_ok=True)
        folder.write_text("a file")
    with mock.patch("platformdirs.user_cache_path", return_value=folder):
        yield


def power_cuts(run: Run) -> None:
    """The power goes at a random step, and takes some of what was never synced with it."""
    scene = Scene(run.folder)
    for rng in run.rounds(at_least=12):
        state = rng.choice(list(STATES))
        prepare, code = STATES[state]
        at = rng.randrange(36)
        with run.attempt(f"power cut in {state}", at), scene.copy(cache=False) as root:
            prepare(root)
            files = PowerCutFiles(at)
            if _killed(root, files):
                count = len(files.undo)
                files.cut_power(rng.sample(range(count), rng.randint(0, count)))
            # Where it was damaged or another's already, what the power took may be all there was to tell.
            _right_and_whole(scene, root, "", code)


def killed_over_and_over(run: Run) -> None:
    """Processes that never get as far as a commit leave nothing behind that grows."""
    scene = Scene(run.folder)
    for state in ("the first build", "a small update", "over another version"):
        with run.attempt(f"killed before the commit, over and over, in {state}"), scene.copy(cache=False) as root:
            STATES[state][0](root)
            for number in range(40 if run.seconds else 8):
                assert _killed(root, DiesBeforeCommit())
                files = [p for p in folder_of(root).iterdir() if p.is_file()]
                assert len(files) <= 2 * len(WHOLE) + 1, f"{len(files)} files after {number + 1}"
            _right_and_whole(scene, root, "", STATES[state][1])
