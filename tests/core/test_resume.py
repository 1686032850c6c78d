"""A build that is killed loses little, and what comes out in the end is what an undisturbed build makes."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import numpy as np

from ddg_lsp.core.embedding.deterministic import DeterministicEmbedder
from ddg_lsp.core.folder import Folder
from tests.helpers.folders import build, write

_SLOW_BUILD = """
import sys, time
from pathlib import Path
from ddg_lsp.core import keeping
from ddg_lsp.core.embedding.deterministic import DeterministicEmbedder
from ddg_lsp.core.opening import open_folder
keeping.CHECKPOINT_SECONDS = keeping.CHECKPOINT_SHARE = 0.0
opened = open_folder(Path(sys.argv[1]), {}, DeterministicEmbedder())
opened.folder.refresh()
while opened.folder.pending():
    opened.embed_some()
    opened.folder.checkpoint_due() and opened.folder.save()
    print(opened.folder.pending(), flush=True)
    time.sleep(0.01)
"""


def documents() -> dict[str, str]:
    return {f"docs/{n}.md": f"# Page {n}\n\n" + f"## Part\n\nword{n} " * 30 for n in range(40)}


def vectors(folder: Folder) -> dict[str, bytes]:
    """Every embedding by what it is of, bit for bit."""
    snapshot = folder.snapshot
    names = [name for p in snapshot.passages for name in (p.fingerprint, p.opening)]
    found, matrix = snapshot.arena.ready_items(names)
    assert set(found) == set(names)
    return {name: row.tobytes() for name, row in zip(found, matrix, strict=True)}


def kill_after(root: Path, lines: int) -> None:
    """Start a build in another process and kill it, as the power going would, when it has made some batches."""
    command = [sys.executable, "-c", _SLOW_BUILD, str(root)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        for _ in range(lines):
            assert process.stdout.readline()
        process.send_signal(signal.SIGKILL)
    assert process.returncode != 0


def test_row_3_a_killed_build_resumes_and_ends_with_the_same_vectors(tmp_path: Path) -> None:
    disturbed, quiet = write(tmp_path / "a", documents()), write(tmp_path / "b", documents())
    undisturbed = DeterministicEmbedder()
    expected = vectors(build(quiet, undisturbed).folder)
    for lines in (6, 6):
        kill_after(disturbed, lines)
    embedder = DeterministicEmbedder()
    folder = build(disturbed, embedder).folder
    folder.close()
    assert 0 < len(embedder.seen) < len(undisturbed.seen) * 0.8
    assert vectors(folder) == expected
    run = folder.report().run
    assert run is not None
    assert run.reused > 0
    assert run.embedded + run.reused == len(folder.snapshot.passages)


def test_the_order_of_files_and_batches_does_not_change_a_vector(tmp_path: Path) -> None:
    first = build(write(tmp_path / "a", documents()), DeterministicEmbedder()).folder
    root = write(tmp_path / "b", dict(list(documents().items())[::7]))
    build(root, DeterministicEmbedder()).folder.close()
    write(root, dict(reversed(list(documents().items()))))
    second = build(root, DeterministicEmbedder()).folder
    assert vectors(first) == vectors(second)
    one, two = first.snapshot, second.snapshot
    assert [p.id for p in one.passages] == [p.id for p in two.passages]
    assert np.array_equal(one.arena.view().matrix[one.wholes], two.arena.view().matrix[two.wholes])
