"""One of several processes on one folder: builds, writes, follows, edits a document of its own, until it is killed.

Run as a function of `multiprocessing`. What it sees it appends to a diary of its own, a line in one write, which a kill
does not take back: each step that writes, each build that came out right, what went wrong.
"""

from __future__ import annotations

import json
import os
import random
import time
import traceback
from collections.abc import Callable
from io import FileIO
from pathlib import Path
from typing import TypeVar

import numpy as np

from ddg_lsp.core import keeping
from ddg_lsp.core.cache_files import FileLayer
from ddg_lsp.core.embedding import OPENING_TOKENS, embed_passages
from ddg_lsp.core.folder import Folder
from ddg_lsp.core.opening import Opened, open_folder
from ddg_lsp.core.passages import opening_text, whole_text
from tests.attacks.cache_scene import embedder
from tests.helpers.faulty_files import the_disk_is

T = TypeVar("T")


class Diary:
    """Lines of JSON, each with the moment it was written: a clock that all processes of the machine share."""

    def __init__(self, path: Path) -> None:
        self._handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND)

    def note(self, kind: str, what: str = "") -> None:
        """Append a line."""
        os.write(self._handle, json.dumps([time.monotonic(), kind, what]).encode() + b"\n")


def entries(path: Path) -> list[tuple[float, str, str]]:
    """The lines of a diary: moment, kind, what. One that a kill cut off is left out."""
    lines = path.read_bytes().split(b"\n")[:-1] if path.exists() else []
    return [(at, kind, what) for at, kind, what in map(json.loads, lines)]


class NotedFiles(FileLayer):
    """The real disk; each step that only the one writer may take is noted before and after it."""

    def __init__(self, diary: Diary) -> None:
        self._diary = diary

    def create(self, path: Path) -> FileIO:
        return self._noted(path, lambda: super(NotedFiles, self).create(path))

    def replace(self, source: Path, target: Path) -> None:
        self._noted(target, lambda: super(NotedFiles, self).replace(source, target))

    def remove(self, path: Path) -> None:
        self._noted(path, lambda: super(NotedFiles, self).remove(path))

    def sync(self, handle: FileIO) -> None:
        """Nobody cuts the power here."""

    def sync_folder(self, path: Path) -> None:
        """Nor here."""

    def _noted(self, path: Path, step: Callable[[], T]) -> T:
        if path.name == ".gitignore":  # which anybody may write
            return step()
        self._diary.note("step", path.name)
        done = step()
        self._diary.note("step", path.name)
        return done


def work(root: Path, diary_path: Path, number: int, life: int) -> None:
    """Work on the folder as process `number`, in its `life`th life, for ever."""
    keeping.CHECKPOINT_SECONDS = keeping.CHECKPOINT_SHARE = 0.0
    diary = Diary(diary_path)
    rng = random.Random(f"{number}/{life}")
    try:
        with the_disk_is(NotedFiles(diary)):
            while True:
                _edit(root, number, rng)
                _build(root, rng)
                diary.note("right")
                diary.note("released")
    except Exception:
        diary.note("wrong", traceback.format_exc(limit=-5))


def _edit(root: Path, number: int, rng: random.Random) -> None:
    path = root / "docs" / f"own-{number}.md"
    if rng.random() < 0.2:
        path.unlink(missing_ok=True)
        return
    words = " ".join(f"word{rng.randrange(40)}" for _ in range(60))
    draft = path.with_suffix(".txt")
    draft.write_text(f"# Own page of {number}\n\n{words}\n\n## Part {rng.randrange(9)}\n\n{words[::-1]}\n")
    draft.replace(path)


def _build(root: Path, rng: random.Random) -> None:
    """One process's work from opening to closing."""
    opened = open_folder(root, {}, embedder())
    folder = opened.folder
    for _ in range(rng.choice((1, 1, 3))):
        folder.refresh()
        _embed(opened, rng)
        folder.finish()
        _check(folder)
    folder.close()
    assert folder.notices() == []


def _embed(opened: Opened, rng: random.Random) -> None:
    while opened.folder.pending():
        if rng.random() < 0.3 and opened.folder.leaves():
            opened.folder.follow()
        opened.embed_some()
        if opened.folder.checkpoint_due():
            opened.folder.save()


def _check(folder: Folder) -> None:
    """Every vector, whoever made it, is bit for bit that of the text it stands for; nothing was to be told."""
    notices = folder.notices()
    assert notices == [], notices
    snapshot, using = folder.snapshot, embedder()
    matrix = snapshot.arena.view().matrix
    for document in snapshot.documents.values():
        wholes = embed_passages(using, [whole_text(document.text, p) for p in document.passages], None)
        openings = embed_passages(using, [opening_text(document.text, p) for p in document.passages], OPENING_TOKENS)
        for passage, whole, opening in zip(document.passages, wholes, openings, strict=True):
            row, other = snapshot.arena.intern([passage.fingerprint, passage.opening])
            assert np.array_equal(matrix[row], whole), "a whole's vector is another's"
            assert row == other or np.array_equal(matrix[other], opening), "an opening's vector is another's"
