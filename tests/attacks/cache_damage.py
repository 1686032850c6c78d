"""Damage to the files of a cache: cut off, flipped, swapped, of another version or model, forged with sums in order.

Each attempt damages a copy of a good cache and starts the product on it. What a forged cache could still change is the
numbers of vectors that are unit vectors: nothing in the documents tells them from the right ones.
"""

from __future__ import annotations

import json
import random
import shutil
from collections.abc import Callable
from itertools import combinations
from pathlib import Path

import numpy as np

from tests.attacks.cache_scene import DIMENSIONS, EDITED, TEXTS, Scene, embedder, parts_of, some, start
from tests.attacks.run import Run
from tests.helpers import folders
from tests.helpers.forged_cache import Fields, folder_of, forge_line, forge_manifest, forge_part, part_of
from tests.helpers.forgeries import DOCUMENTS, LINES, MANIFESTS, ROWS, WHOLE_MANIFESTS

PARTS = ("manifest", "chunks", "documents", "embeddings")
DATA = PARTS[1:]


def cut_off(run: Run) -> None:
    """Each file at each tenth of it, and gone, and longer than it was."""
    scene = Scene(run.folder)
    for part in PARTS:
        for tenth in range(10):
            with run.attempt(f"{part} cut off at a tenth", tenth), scene.copy() as root:
                path = part_of(root, part)
                data = path.read_bytes()
                path.write_bytes(data[: len(data) * tenth // 10])
                scene.recovers(root, "set-aside")
        with run.attempt("a file gone", part), scene.copy() as root:
            part_of(root, part).unlink()
            # Without a manifest there is no cache, and nothing that was damaged.
            scene.recovers(root, "" if part == "manifest" else "set-aside", lost=True)
        with run.attempt("a file longer", part), scene.copy() as root:
            part_of(root, part).write_bytes(part_of(root, part).read_bytes() + b"{}\n")
            scene.recovers(root, "set-aside")
    for name in ("", "vectors/"):
        with run.attempt("a .gitignore without its line, no manifest yet", name), scene.copy() as root:
            (root / ".ddg" / name / ".gitignore").write_bytes(b"")
            part_of(root, "manifest").unlink()
            scene.recovers(root, "", lost=True)


def _flip(data: bytearray, rng: random.Random) -> None:
    for _ in range(rng.choice((1, 1, 1, 2, 8, 64))):
        data[rng.randrange(len(data))] ^= rng.randrange(1, 256)


def _zero(data: bytearray, rng: random.Random) -> None:
    at = rng.randrange(len(data))
    size = rng.choice((1, 64, 512, 4096))
    data[at : at + size] = bytes(len(data[at : at + size]))


def _drop(data: bytearray, rng: random.Random) -> None:
    at = rng.randrange(len(data))
    del data[at : at + rng.choice((1, 7, 512))]


def _insert(data: bytearray, rng: random.Random) -> None:
    at = rng.randrange(len(data) + 1)
    data[at:at] = rng.choice((b"\n", b"{}\n", rng.randbytes(9), bytes(data[:200])))


def _exchange(data: bytearray, rng: random.Random) -> None:
    at = rng.randrange(len(data))
    data[:] = data[at:] + data[:at]


CHANGES: dict[str, Callable[[bytearray, random.Random], None]] = {
    "bytes flipped": _flip,
    "a run of zeros": _zero,
    "bytes dropped": _drop,
    "bytes inserted": _insert,
    "halves exchanged": _exchange,
}


def random_bytes(run: Run) -> None:
    """Changes at random places of one file, or of several."""
    scene = Scene(run.folder)
    for rng in run.rounds(at_least=20):
        kind = rng.choice((*CHANGES, "bytes flipped"))
        parts = rng.sample(PARTS, rng.choice((1, 1, 1, 2, 4)))
        with run.attempt(kind, parts), scene.copy() as root:
            for part in parts:
                path = part_of(root, part)
                data = bytearray(path.read_bytes())
                CHANGES[kind](data, rng)
                path.write_bytes(data)
            if any(part_of(root, part).read_bytes() != part_of(scene.good, part).read_bytes() for part in parts):
                # White space of the manifest says nothing; of its schema, a flipped byte makes another version.
                spared = ("", "other-version") if "manifest" in parts else ()
                scene.recovers(root, "set-aside", *spared)
            else:
                scene.recovers(root, "")


def swapped(run: Run) -> None:
    """Files that took each other's place, or come from another generation or another workspace."""
    scene = Scene(run.folder)
    for one, other in combinations(PARTS, 2):
        with run.attempt("two files swapped", (one, other)), scene.copy() as root:
            first, second = part_of(root, one), part_of(root, other)
            a, b = first.read_bytes(), second.read_bytes()
            first.write_bytes(b)
            second.write_bytes(a)
            scene.recovers(root, "set-aside")
    with scene.copy() as stranger:
        folders.write(stranger, EDITED)
        start(stranger)
        for part in PARTS:
            with run.attempt("a file of another workspace", part), scene.copy() as root:
                part_of(root, part).write_bytes(part_of(stranger, part).read_bytes())
                scene.recovers(root, "set-aside")
        for part in ("chunks", "documents"):
            with run.attempt("a file of another workspace, sums in order", part), scene.copy() as root:
                forge_part(root, part, part_of(stranger, part).read_bytes())
                scene.recovers(root, "set-aside")
        with run.attempt("the whole cache of another workspace"), scene.copy(cache=False) as root:
            shutil.copytree(stranger / ".ddg", root / ".ddg")
            scene.recovers(root, "", lost=True)  # it is in order: what fits the documents is used
        for names in (["manifest"], ["chunks", "embeddings"], ["documents"]):
            with run.attempt("left by a killed writer", names), scene.copy() as root:
                for part in (part for part in names if part != "manifest"):
                    shutil.copy(part_of(stranger, part), folder_of(root))
                (folder_of(root) / "manifest-0123456789abcdef.tmp").write_bytes(b"{")
                folders.write(root, EDITED)
                start(root)
                folders.write(root, TEXTS)
                scene.recovers(root, "", lost=True)


def other_versions(run: Run) -> None:
    """Older and newer schemas, other models and dimensions, another passage format, manifests of something else."""
    scene = Scene(run.folder)
    for schema in (0, 2, 3, 2**31 - 1):
        for fitting in (True, False):
            with run.attempt("another schema", (schema, fitting)), scene.copy() as root:
                forge_manifest(root, lambda fields, to=schema: fields.update(schema=to))  # type: ignore[misc]
                if not fitting:  # another version's manifest need not have any field that this one knows
                    part_of(root, "manifest").write_text(json.dumps({"schema": schema, "shards": ["x"]}))
                scene.recovers(root, "other-version")
    for name, changed in MODELS.items():
        with run.attempt("another model", name), scene.copy() as root:
            forge_manifest(root, changed)
            scene.recovers(root, "other-model")
    for dimensions in (DIMENSIONS - 1, DIMENSIONS + 1, 2 * DIMENSIONS):
        with run.attempt("a start with other dimensions and back", dimensions), scene.copy() as root:
            there = start(root, using=embedder(dimensions))
            assert there.codes == ("other-model",), there.codes
            assert start(root, using=embedder(dimensions)) == type(there)(there.answers, (), 0)
            scene.recovers(root, "other-model")
    for step in (-1, 1):
        with run.attempt("another passage format", step), scene.copy() as root:
            forge_manifest(root, lambda f, by=step: f.update(passageFormat=f["passageFormat"] + by))  # type: ignore[misc]
            scene.recovers(root, "")
    foreign = (b'{"name": "app", "short_name": "a", "icons": []}', b'{"manifest_version": 3, "version": "1"}')
    for data in (*foreign, *WHOLE_MANIFESTS, b"", b"\0" * 4096):
        with run.attempt("a foreign manifest", data[:20]), scene.copy() as root:
            part_of(root, "manifest").write_bytes(data)
            scene.recovers(root, "set-aside")


def _dimensions(by: int) -> Callable[[Fields], None]:
    def change(fields: Fields) -> None:
        fields["dimensions"] += by
        fields["files"]["embeddings"]["bytes"] = fields["rows"] * fields["dimensions"] * 4

    return change


MODELS: dict[str, Callable[[Fields], object]] = {
    "embedder": lambda f: f.update(embedder="another|one"),
    "model": lambda f: f.update(model="another"),
    "no name": lambda f: f.update(embedder="", model=""),
    "dimensions less": _dimensions(-1),
    "dimensions more": _dimensions(1),
    "no dimensions": _dimensions(-DIMENSIONS),
}


def forged(run: Run) -> None:
    """Content no version of ours writes, with every sum in order."""
    scene = Scene(run.folder)
    for value in (np.nan, np.inf, -np.inf, 3e38, 0.0, 1.0):
        for row in some(run, (0, 1, -1)):
            with run.attempt("not a number, or a wrong norm", (value, row)), scene.copy() as root:
                vectors = _vectors(root)
                vectors[row, :] = 0
                vectors[row, 3:5] = value
                forge_part(root, "embeddings", vectors.tobytes())
                scene.recovers(root, "set-aside")
    for scale in (0.5, 0.98, 1.02, 2.0, -1.5):
        with run.attempt("all norms wrong", scale), scene.copy() as root:
            forge_part(root, "embeddings", (_vectors(root) * np.float32(scale)).tobytes())
            scene.recovers(root, "set-aside")
    for name, change in some(run, MANIFESTS.items()):
        with run.attempt("a forged manifest", name), scene.copy() as root:
            forge_manifest(root, change)
            scene.recovers(root, "set-aside")
    for part, changes in (("documents", DOCUMENTS), ("chunks", ROWS)):
        for name, change in some(run, changes.items()):
            with run.attempt(f"a forged line of {part}", name), scene.copy() as root:
                forge_line(root, part, change, 0 if part == "documents" else _row_of_two_views(root))
                scene.recovers(root, "set-aside")
        for line in some(run, LINES):
            with run.attempt(f"a line of anything in {part}", line[:20]), scene.copy() as root:
                lines = part_of(root, part).read_bytes().split(b"\n")
                forge_part(root, part, b"\n".join([line, *lines[1:]]))
                scene.recovers(root, "set-aside")


def _row_of_two_views(root: Path) -> int:
    """A row of a whole whose opening is another text."""
    lines = part_of(root, "chunks").read_bytes().split(b"\n")
    return next(number for number, line in enumerate(lines) if json.loads(line)["path"] == "docs/long.md")


def _vectors(root: Path) -> np.ndarray:
    return np.frombuffer(part_of(root, "embeddings").read_bytes(), "<f4").reshape(-1, DIMENSIONS).copy()


def in_the_way(run: Run) -> None:
    """Folders, links and rubbish where the cache's files should be."""
    scene = Scene(run.folder)
    for path in sorted(p.name for p in parts_of(scene.good)):
        with run.attempt("a folder in place of a file", path), scene.copy() as root:
            (folder_of(root) / path).unlink()
            (folder_of(root) / path / "deep").mkdir(parents=True)
            first = start(root)
            assert first.answers == scene.answers
            assert first.codes, "nothing told"
            scene.documents_stand(root)
        with run.attempt("a link in place of a file", path), scene.copy() as root:
            (folder_of(root) / path).unlink()
            (folder_of(root) / path).symlink_to(folder_of(scene.good) / path)
            scene.recovers(root, "set-aside")
    for data in (b"x", b"\0" * 5000):
        with run.attempt("rubbish in the lock", len(data)), scene.copy() as root:
            (folder_of(root) / "writer.lock").write_bytes(data)
            scene.recovers(root, "")
