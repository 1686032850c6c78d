"""A folder of documents as the attacks look at it: read without a model, held against the disk, asked on the terminal.

Owns what must hold of any folder, and the limit of time that ends whatever waits for a pipe. Knows no attack.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from ddg_lsp.core import corpus, markdown
from ddg_lsp.core.corpus_rules import REASONS
from ddg_lsp.core.folder import Folder
from ddg_lsp.core.listing import safe_name
from ddg_lsp.core.model import Skip
from ddg_lsp.core.settings import Settings, load
from tests.helpers.document_properties import check_tiling

TERMINAL_SECONDS = 120.0
HOLDS_SECONDS = 60.0
"""Nothing tried here takes more than a moment; what takes this long waits for something that never comes."""


class Held(Exception):
    """The product waited for what never comes."""


@contextmanager
def limit(seconds: float = HOLDS_SECONDS) -> Iterator[None]:
    """Raise `Held` within what takes longer; where the system has no alarm, or this is no main thread, no limit."""

    def ring(*_: object) -> None:
        raise Held(f"still waiting after {seconds:.0f} s")

    before = signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def read_whole(root: Path, settings: Settings | None = None) -> Folder:
    """The folder with every document read, by words alone, with its own settings; nothing is written."""
    folder = Folder(root, settings or load(root, {})[0], None, "by words alone")
    folder.refresh()
    return folder


def check_folder(folder: Folder) -> None:
    """Of a folder at rest: each file that is listed is a document with its own text, or a skip with its reason."""
    listing = corpus.scan(folder.root, folder.settings)
    snapshot = folder.snapshot
    read = {entry.path: corpus.read(folder.root, entry.path, folder.settings) for entry in listing.files}
    texts = {path: text for path, text in read.items() if isinstance(text, str)}
    assert {path: document.text for path, document in snapshot.documents.items()} == texts
    expected = {*listing.skipped, *(found for found in read.values() if isinstance(found, Skip))}
    assert set(snapshot.skipped) == expected
    assert all(skip.reason in REASONS and safe_name(skip.path) for skip in snapshot.skipped)
    for document in snapshot.documents.values():
        check_tiling(markdown.parse(document.text), document.passages)


def ask_terminal(run_folder: Path, root: Path, *arguments: str) -> tuple[int, Any, str]:
    """`ddg-lsp` in a process of its own, by words alone: exit code, the JSON it printed, what it said besides."""
    config = run_folder / "config" / "ddg-lsp"
    config.mkdir(parents=True, exist_ok=True)
    (config / "config.toml").write_text('embedder = "none"\n')
    command, *rest = arguments
    done = subprocess.run(
        [sys.executable, "-m", "ddg_lsp", command, str(root), *rest, "--json"],
        capture_output=True,
        timeout=TERMINAL_SECONDS,
        cwd=Path(__file__).parents[2],
        env={**os.environ, "XDG_CONFIG_HOME": str(run_folder / "config"), "XDG_CACHE_HOME": str(run_folder / "cache")},
        check=False,
    )
    said = done.stderr.decode("utf-8")
    assert "Traceback" not in said, said[-2000:]
    return done.returncode, json.loads(done.stdout), said
