"""Files and rights that change while they are read: at every step of one reading, and by a storm of other hands.

The steps are the system's own calls, with a real change made right before one of them. What is read is the text as it
was or as it became, or a skip; never what lies outside. When the storm is over, the folder is what the disk is.
"""

from __future__ import annotations

import os
import random
import shutil
import stat
import sys
import threading
import time
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from ddg_lsp.core import corpus
from ddg_lsp.core.folder import Folder
from ddg_lsp.core.model import Skip
from ddg_lsp.core.settings import Settings
from tests.attacks.documents_place import check_folder, limit, read_whole
from tests.attacks.run import Run

OLD, NEW, OUTSIDE = "# Old\n" + "old " * 200, "# New\n" + "new " * 300, "what lies outside"
CAP = 100_000
SETTINGS = Settings(max_file_bytes=CAP)
NOBODY = 65_534
STORM_SECONDS = 0.4
LONG_SECONDS = 2.0
"""A share of the time of at least this makes a run long."""
SHORT_SHARE = 0.2
"""Of the changes while a whole folder is read, chosen by the seed; a long run makes them all."""


def _replaced(path: Path, make: Callable[[Path], object]) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)
    make(path)


CHANGES: dict[str, Callable[[Path], object]] = {
    "removed": lambda path: path.unlink(missing_ok=True),
    "emptied": lambda path: path.write_text(""),
    "grown a little": lambda path: path.open("a").write("more"),
    "grown beyond the limit": lambda path: path.write_text("x" * (CAP + 1)),
    "written anew": lambda path: path.write_text(NEW),
    "replaced by another": lambda path: _replaced(path, lambda one: one.write_text(NEW)),
    "replaced by a folder": lambda path: _replaced(path, Path.mkdir),
    "replaced by a pipe": lambda path: _replaced(path, os.mkfifo),
    "replaced by a link out": lambda path: _replaced(path, lambda one: one.symlink_to("../../outside.md")),
    "replaced by a link to itself": lambda path: _replaced(path, lambda one: one.symlink_to(one.name)),
    "its folder is a link out": lambda path: _replaced(path.parent, lambda one: one.symlink_to("../outside")),
    "its folder is gone": lambda path: shutil.rmtree(path.parent),
    "the whole folder is gone": lambda path: shutil.rmtree(path.parent.parent),
    "no rights on it": lambda path: path.chmod(0),
}
CALLS = ((os.path, "realpath"), (os, "lstat"), (os, "open"), (os, "fstat"), (os, "read"), (os, "scandir"))


@contextmanager
def _before_call(number: int, change: Callable[[], object]) -> Iterator[list[int]]:
    """The change is made right before the system's call of this number; yields how many calls there were."""
    count = [0]
    originals = [(place, name, getattr(place, name)) for place, name in CALLS]

    def watched(real: Callable[..., Any]) -> Callable[..., Any]:
        def call(*given: Any, **named: Any) -> Any:
            count[0] += 1
            if count[0] == number:
                restore()  # the change makes calls of its own
                change()
            return real(*given, **named)

        return call

    def restore() -> None:
        for place, name, real in originals:
            setattr(place, name, real)

    for place, name, real in originals:
        setattr(place, name, watched(real))
    try:
        yield count
    finally:
        restore()


def _fresh(base: Path) -> Path:
    shutil.rmtree(base, ignore_errors=True)
    root = base / "root"
    (root / "docs").mkdir(parents=True)
    (base / "outside").mkdir()
    (root / "docs" / "page.md").write_text(OLD)
    (root / "other.md").write_text("# Other\n")
    for path in (base / "outside.md", base / "outside" / "page.md"):
        path.write_text(OUTSIDE)
    return root


def at_every_step(run: Run) -> None:
    """Each change before each call of one reading, and of one look at a whole folder (short, a part of those)."""
    base = run.folder / "steps"
    for what, look in (("one file", _one), ("a folder", _whole)):
        with _before_call(0, lambda: None) as count:
            look(_fresh(base))
        for number in range(1, count[0] + 1):
            for kind, change in CHANGES.items():
                if look is _whole and run.seconds < LONG_SECONDS and run.rng.random() > SHORT_SHARE:
                    continue
                root = _fresh(base)
                page = root / "docs" / "page.md"
                with limit(), run.attempt(f"{what}, {kind}", f"before call {number}"):
                    with _before_call(number, lambda page=page, change=change: _tried(change, page)):
                        found = look(root)
                    _check_seen(found)
                    if isinstance(found, Folder) and root.exists():
                        found.refresh()
                        check_folder(found)


def _tried(change: Callable[[Path], object], page: Path) -> None:
    with suppress(FileNotFoundError, NotADirectoryError):
        change(page)


def _one(root: Path) -> str | Skip:
    return corpus.read(root, "docs/page.md", SETTINGS)


def _whole(root: Path) -> Folder:
    return read_whole(root, SETTINGS)


def _check_seen(found: str | Skip | Folder) -> None:
    """What is read is what the file held at some moment; where it is written in place, the old and then the new."""
    texts = [one.text for one in found.snapshot.documents.values()] if isinstance(found, Folder) else [found]
    wholes = (OLD, NEW, OLD + "more", "# Other\n", "x" * (CAP + 1), OLD + NEW[len(OLD) :])
    assert all(isinstance(one, Skip) or any(whole.startswith(one) for whole in wholes) for one in texts), texts


def storms(run: Run) -> None:
    """Other hands write, remove, link and forbid while the folder is read over and over; in the end it is the disk."""
    root = run.folder / "storm" / "root"
    root.mkdir(parents=True)
    (run.folder / "storm" / "outside.md").write_text(OUTSIDE)
    for number, rng in enumerate(run.rounds(at_least=3)):
        with run.attempt("a storm", number):
            folder = read_whole(root)
            broken: list[str] = []
            end = time.monotonic() + STORM_SECONDS
            hands = [threading.Thread(target=_hand, args=(root, rng.random(), end, broken)) for _ in range(3)]
            for hand in hands:
                hand.start()
            with limit():
                while any(hand.is_alive() for hand in hands):
                    run.attempts["a folder read in a storm"] += 1
                    folder.refresh()
                    assert not any(OUTSIDE in one.text for one in folder.snapshot.documents.values())
                    assert OUTSIDE not in str(folder.snapshot.skipped)
            for hand in hands:
                hand.join()
            assert not broken, broken[0]
            folder.refresh()
            check_folder(folder)


def _hand(root: Path, seed: float, end: float, broken: list[str]) -> None:
    rng = random.Random(seed)
    while time.monotonic() < end:
        path = root / rng.choice(["a", "b", "c/d", "c"]) / rng.choice(["p.md", "q.md", ".gitignore"])
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            kind = rng.randrange(9)
            if kind < 3:
                path.write_text(rng.choice([OLD, NEW, "*.md\n", "p*\n"]))
            elif kind == 3:
                path.open("ab").write(b"\xff" * rng.randrange(9))
            elif kind == 4:
                path.unlink()
            elif kind == 5:
                path.rename(root / rng.choice(["a", "b"]) / rng.choice(["p.md", "r.md"]))
            elif kind == 6:
                path.unlink()
                path.symlink_to(rng.choice(["../../outside.md", "q.md", "../b", "p.md"]))
            elif kind == 7:
                shutil.rmtree(root / rng.choice(["a", "b", "c"]))
            else:
                path.chmod(rng.choice([0, 0o644]))
        except OSError:
            continue  # another hand was there first
        except Exception:
            broken.append(traceback.format_exc())


def growing(run: Run) -> None:
    """A file that grows without end while it is read: no more than the limit is taken, and there is an end."""
    path = run.folder / "endless.md"
    path.write_text("# A\n")
    with path.open("a") as file, limit():
        for _ in run.rounds(at_least=20):
            with run.attempt("a file that grows"), _before_each_read(lambda: (file.write("x" * 5_000), file.flush())):
                found = corpus.read(run.folder, "endless.md", Settings(max_file_bytes=CAP))
                assert found == Skip("endless.md", "too-large") or len(found) <= CAP  # type: ignore[arg-type]


@contextmanager
def _before_each_read(change: Callable[[], object]) -> Iterator[None]:
    real = os.read

    def reading(handle: int, wanted: int) -> bytes:
        change()
        return real(handle, min(wanted, 4_096))

    os.read = reading
    try:
        yield
    finally:
        os.read = real


def rights(run: Run) -> None:
    """Rights taken and given back, seen by somebody they bind: a process of its own where this one is the system's."""
    root = run.folder / "rights"
    for number, rng in enumerate(run.rounds(at_least=10)):
        with run.attempt("rights taken and given back", number):
            shutil.rmtree(root, ignore_errors=True)
            for name in ("a.md", "x/b.md", "x/y/c.md", "z/.gitignore", "z/d.md"):
                (root / name).parent.mkdir(parents=True, exist_ok=True)
                (root / name).write_text("*.txt\n" if name.endswith("e") else f"# {name}\n")
            _as_nobody(run, lambda rng=rng: _taken(root, rng), root)


def _taken(root: Path, rng: random.Random) -> None:
    folder = read_whole(root)
    assert len(folder.snapshot.documents) == 4
    every = [root, *(path for path in sorted(root.rglob("*")))]
    chosen = rng.sample(every, rng.randrange(1, 4))
    before = {path: stat.S_IMODE(path.stat().st_mode) for path in chosen}
    for path in reversed(chosen):
        with suppress(OSError):
            path.chmod(rng.choice([0, 0o100, 0o200, 0o400, 0o500] if path.is_dir() else [0, 0o200]))
    folder.refresh()
    if folder.report().state != "failed":
        check_folder(folder)
    else:
        assert root in chosen
        assert len(folder.snapshot.documents) == 4  # what was known of it is kept
    for path in sorted(chosen, key=lambda one: len(one.parts)):
        path.chmod(before[path])
    folder.refresh()
    assert len(folder.snapshot.documents) == 4
    check_folder(folder)


def _as_nobody(run: Run, act: Callable[[], object], root: Path) -> None:
    """Do it in a child that rights bind; its trouble is raised here."""
    if os.getuid() != 0:
        act()
        return
    run.folder.chmod(0o755)
    for path in (root, *root.rglob("*")):
        os.chown(path, NOBODY, NOBODY)
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        try:
            os.setgroups([])
            os.setgid(NOBODY)
            os.setuid(NOBODY)
            act()
        except BaseException:
            os.write(writing, traceback.format_exc()[-3000:].encode("utf-8", "replace"))
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading, "rb") as pipe:
        said = pipe.read().decode()
    os.waitpid(child, 0)
    assert not said, said


assert sys.platform != "win32", "rights and pipes are those of POSIX"
