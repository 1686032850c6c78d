"""A tree with hundreds of thousands of other files: what the walk costs for each, in time and memory, and its bound.

Long, half a million; short, five thousand. Knows nothing of what documents hold.
"""

from __future__ import annotations

import os
import time
import tracemalloc
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ddg_lsp.core import corpus_rules
from ddg_lsp.core.corpus import Scanner
from ddg_lsp.core.model import Skip
from ddg_lsp.core.settings import Settings
from tests.attacks.documents_place import read_whole
from tests.attacks.run import Run

LONG, SHORT = 500_000, 5_000
LONG_SECONDS = 2.0
"""A share of the time of at least this makes a run long."""
DOCUMENTS = 100
FOLDERS = 50
BYTES_EACH = 60.0
"""Of memory at the peak, for each other file; a name kept alone is more."""
SECONDS_EACH = 200e-6
"""Of the processor: twenty times what it takes."""
ENDINGS = (".py", ".txt", ".o", ".html", ".json", ".md.bak", "", ".MDX~", ".png", ".lock")


def other_files(run: Run) -> None:
    """Many of them in many folders, all in one folder, and documents among them; then fewer entries than there are."""
    count = LONG if run.seconds >= LONG_SECONDS else SHORT
    root = run.folder / "many"
    started = time.monotonic()
    _make(root, count)
    run.fact(f"{count:,} other files made in {time.monotonic() - started:.0f} s")
    scanner = Scanner()
    for kind in ("the first walk", "a walk again"):
        with run.attempt(f"{count:,} other files, {kind}"):
            spent = time.process_time()
            listing = scanner.scan(root, Settings())
            spent = time.process_time() - spent
            assert (len(listing.files), listing.skipped) == (DOCUMENTS, ())
            assert spent < 0.5 + count * SECONDS_EACH, f"{spent:.1f} s"
            run.fact(f"{kind}: {spent:.2f} s of the processor, {spent / count * 1e6:.1f} µs for each")
    with run.attempt(f"{count:,} other files, memory"):
        tracemalloc.start()
        Scanner().scan(root, Settings())
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        run.fact(f"memory: {peak / 1e6:.2f} MB at the peak, {peak / count:.1f} bytes for each")
        assert peak < 2e6 + count * BYTES_EACH
    with run.attempt(f"{count:,} other files, every document read"):
        assert len(read_whole(root).snapshot.documents) == DOCUMENTS
    for bound in (1, 10, count // 10, count // 2, count + DOCUMENTS - 1):
        with run.attempt("the bound of the walk", bound), _bound(bound):
            listing = Scanner().scan(root, Settings())
            assert [skip.reason for skip in listing.skipped] == ["too-many"], listing.skipped
            assert len(listing.files) <= bound
    with run.attempt("the bound of the walk", "as many as there are"), _bound(count + DOCUMENTS + FOLDERS + 2):
        assert Scanner().scan(root, Settings()).skipped == ()


def many_documents(run: Run) -> None:
    """More documents than may be read, all in one folder, and more files that are left out than are named."""
    count = 20_000 if run.seconds >= LONG_SECONDS else 2_000
    root = run.folder / "documents"
    root.mkdir()
    for number in range(count):
        (root / f"{number}.md").write_bytes(b"# A\n")
        (root / f".{number}.md").touch()
    with run.attempt("more documents than the setting allows"):
        listing = Scanner().scan(root, Settings(max_documents=count // 2))
        assert len(listing.files) == count // 2
        assert any(skip.reason == "too-many" for skip in listing.skipped)
    with run.attempt("more skips than are named"):
        listing = Scanner().scan(root, Settings())
        assert len(listing.files) == count
        assert len(listing.skipped) == corpus_rules.MAX_SKIPS + 1
        assert listing.skipped[-1] == Skip(f"... and {count - corpus_rules.MAX_SKIPS} more", "more")


@contextmanager
def _bound(entries: int) -> Iterator[None]:
    """The walk's bound at another number: the real one is two million entries."""
    before, corpus_rules.MAX_ENTRIES = corpus_rules.MAX_ENTRIES, entries
    try:
        yield
    finally:
        corpus_rules.MAX_ENTRIES = before


def _make(root: Path, count: int) -> None:
    """Half of them in one folder, the others spread; the documents among them."""
    for folder in range(FOLDERS):
        (root / f"f{folder}").mkdir(parents=True)
    for number in range(count):
        folder = 0 if number % 2 else number // 2 % FOLDERS
        name = f"{root}/f{folder}/file-{number}{ENDINGS[number % len(ENDINGS)]}"
        os.close(os.open(name, os.O_CREAT | os.O_WRONLY))
    for number in range(DOCUMENTS):
        (root / f"f{number % FOLDERS}" / f"page-{number}.md").write_text(f"# Page {number}\n")
