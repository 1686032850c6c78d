"""Field reports on what an index costs: memory, bytes on disk, files opened, texts embedded. Everything is counted."""

from __future__ import annotations

import builtins
import gc
import json
import os
import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path
from types import FunctionType, ModuleType

import numpy as np
import pytest

from ddg_lsp.core import dense
from ddg_lsp.core.embedding.deterministic import DeterministicEmbedder
from ddg_lsp.core.folder import no_check
from ddg_lsp.core.opening import open_folder
from ddg_lsp.core.query import make_query
from ddg_lsp.core.search import Searcher
from tests.helpers.folders import ask, build, paths, write

LARGE = """
import json, sys
from pathlib import Path
import psutil
from ddg_lsp.core import memory
from ddg_lsp.core.embedding.deterministic import DeterministicEmbedder
from tests.helpers.folders import ask, build

memory.settle()
megabytes = lambda: psutil.Process().memory_info().rss / 1e6
before = megabytes()
embedder = DeterministicEmbedder()
folder = build(Path(sys.argv[1]), embedder).folder
modes = ("hybrid", "semantic", "lexical")
hits = [len(ask(folder, "property of thing 7", mode=mode).hits) for mode in modes]
passages = len(folder.snapshot.passages)
folder.close()
print(json.dumps({"passages": passages, "embedded": len(embedder.seen), "hits": hits, "used": megabytes() - before}))
"""


def pages(count: int, sections: int) -> dict[str, str]:
    """Documents about numbered things; every section's text is its own."""
    part = "\n## Section {s} of {n}\n\nThing {n} has the property {p} in place {s}.\n"
    return {
        f"docs/p{n}.md": f"# Page {n}\n\nAbout thing {n}.\n"
        + "".join(part.format(n=n, s=s, p=31 * s + n) for s in range(sections))
        for n in range(count)
    }


def in_a_process(root: Path) -> dict:
    done = subprocess.run([sys.executable, "-c", LARGE, str(root)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_row_5_a_large_index_is_loaded_and_asked_within_memory_stated_by_the_passage(tmp_path: Path) -> None:
    root = write(tmp_path, pages(160, 49))
    in_a_process(root)
    said = in_a_process(root)
    assert (said["passages"], said["embedded"]) == (8_000, 2)  # nothing but the questions; words need no model
    assert all(said["hits"])
    assert said["used"] * 1e6 / said["passages"] < 10_000  # bytes; 1,536 of them are the vector


def test_row_9_a_cache_of_tiny_files_is_little_more_than_its_vectors(tmp_path: Path) -> None:
    root = write(tmp_path, {f"notes/{n % 40}/{n}.md": f"note number {n}\n" for n in range(2_000)})
    folder = build(root, DeterministicEmbedder()).folder
    vectors = len(folder.snapshot.arena) * 4 * folder.snapshot.arena.dimensions
    folder.close()
    stored = {path.name: path.stat().st_size for path in (root / ".ddg").rglob("*") if path.is_file()}
    assert len(folder.snapshot.documents) == 2_000
    assert sum(stored.values()) <= vectors + 1_200 * len(folder.snapshot.passages)
    assert stored["manifest.json"] < 10_000  # no single text grows with the folder; the rest is one line by the piece


def test_row_10_memory_does_not_grow_with_keystrokes(tmp_path: Path) -> None:
    folder = build(write(tmp_path, pages(3, 3)), DeterministicEmbedder()).folder
    sizes = []
    for number in range(1_500):
        folder.set_buffer("docs/p0.md", f"# Page 0\n\n## Typed\n\nwords and {number}\n")
        while folder.pending():
            folder.embed_some()
        sizes.append((len(folder.snapshot.arena), len(folder.snapshot.passages)))
    passages = sizes[-1][1]
    assert max(rows for rows, _ in sizes) <= 4 * passages + 1024 + 4
    assert sizes[-1][0] < max(rows for rows, _ in sizes)  # given back on the way


def entries(thing: object) -> int:
    """Everything in the containers that can be reached from here, counted."""
    seen, todo, count = {id(thing)}, [thing], 0
    while todo:
        one = todo.pop()
        count += len(one) if isinstance(one, (dict, list, set, tuple)) else 0
        for other in gc.get_referents(one):
            if id(other) not in seen and not isinstance(other, (type, ModuleType, FunctionType)):
                seen.add(id(other))
                todo.append(other)
    return count


def test_row_10_what_questions_leave_behind_does_not_grow_with_edits(tmp_path: Path) -> None:
    embedder = DeterministicEmbedder()
    folder = build(write(tmp_path, pages(3, 2)), embedder).folder
    searcher = Searcher(embedder)
    counts = {}
    for number in range(1, 81):
        folder.set_buffer("docs/p0.md", f"# Page 0\n\nversion {number}\n")
        while folder.pending():
            folder.embed_some()
        for mode in ("hybrid", "semantic", "lexical"):
            searcher.search([folder.target()], make_query({"query": "which version", "mode": mode}), no_check)
        if number % 40 == 0:
            embedder.seen.clear()
            counts[number] = entries(searcher)
    assert counts[80] <= counts[40]


@pytest.fixture
def opens(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """How often each file was opened."""
    counted: Counter[str] = Counter()
    for place in (os, builtins):
        real = place.open

        def counting(path, *rest, real=real, **more):
            counted[Path(os.fsdecode(path)).name if isinstance(path, (str, bytes, os.PathLike)) else "?"] += 1
            return real(path, *rest, **more)

        monkeypatch.setattr(place, "open", counting)
    return counted


def test_row_15_a_file_is_opened_once_however_many_sections_it_has_and_never_when_nothing_changed(
    tmp_path: Path, opens: Counter[str]
) -> None:
    root = write(tmp_path, pages(40, 20))
    opens.clear()
    folder = build(root, DeterministicEmbedder()).folder
    assert {opens[f"p{n}.md"] for n in range(40)} == {1}
    opens.clear()
    folder.refresh()
    folder.refresh()
    assert opens == {}
    folder.close()
    opens.clear()
    again = build(root, DeterministicEmbedder()).folder
    assert {opens[f"p{n}.md"] for n in range(40)} == {1}
    stored = {
        name: count for name, count in opens.items() if name.split("-")[0] in ("chunks", "documents", "embeddings")
    }
    assert len(stored) == 3
    assert set(stored.values()) == {1}
    again.close()


def test_row_16_a_question_is_one_product_with_one_matrix_that_lies_in_one_piece(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = build(write(tmp_path, pages(60, 10)), DeterministicEmbedder()).folder
    real, scanned = dense.scan, []
    monkeypatch.setattr(dense, "scan", lambda view, query: scanned.append(view.matrix) or real(view, query))
    for mode, products in (("hybrid", 1), ("semantic", 1), ("lexical", 0)):
        scanned.clear()
        ask(folder, "property of thing 7", mode=mode)
        assert len(scanned) == products
        for matrix in scanned:
            assert (matrix.dtype, matrix.flags.c_contiguous) == (np.float32, True)
            assert np.shares_memory(matrix, folder.snapshot.arena.view().matrix)  # and is no copy


def test_row_26_another_machine_another_clock_another_place_embed_nothing(tmp_path: Path) -> None:
    root = write(tmp_path / "here", pages(12, 4))
    build(root, DeterministicEmbedder()).folder.close()
    moved = tmp_path / "there" / "by another name"
    shutil.copytree(root, moved, copy_function=shutil.copyfile)  # times are those of the copy
    for number, path in enumerate(sorted((moved / "docs").iterdir())):
        os.utime(path, (1_000_000_000 + number, 1_000_000_000 + number))
    embedder = DeterministicEmbedder()
    folder = build(moved, embedder).folder
    assert embedder.seen == []
    for path in (moved / "docs").iterdir():
        path.touch()
    revision = folder.snapshot.revision
    folder.refresh()
    assert (folder.pending(), folder.snapshot.revision) == (0, revision)
    folder.close()


def test_row_27_git_sees_nothing_of_the_cache_even_when_everything_is_added(tmp_path: Path) -> None:
    root = write(tmp_path, pages(3, 2))

    def git(*words: str) -> str:
        who = ("-c", "user.name=t", "-c", "user.email=t@example.com")
        return subprocess.run(["git", "-C", str(root), *who, *words], check=True, capture_output=True, text=True).stdout

    git("init")
    git("add", "-A")
    git("commit", "-m", "documents")
    build(root, DeterministicEmbedder()).folder.close()
    assert (root / ".ddg" / "vectors" / "manifest.json").exists()
    assert git("status", "--porcelain", "--untracked-files=all") == ""
    git("add", "-A", "--force", "docs")
    git("add", "-A")
    assert git("status", "--porcelain") == ""


def test_row_27_conflict_copies_of_a_synchronised_folder_are_neither_read_nor_removed(tmp_path: Path) -> None:
    root = write(tmp_path, pages(3, 2))
    build(root, DeterministicEmbedder()).folder.close()
    cache = root / ".ddg" / "vectors"
    copies = {}
    for path in [path for path in cache.iterdir() if path.suffix in (".json", ".jsonl", ".f32")]:
        copy = path.with_name(f"{path.stem} (conflicted copy 2026-01-01){path.suffix}")
        copies[copy] = b"of another machine " + path.read_bytes()[:50]
        copy.write_bytes(copies[copy])
    assert len(copies) >= 4
    embedder = DeterministicEmbedder()
    folder = build(root, embedder).folder
    write(root, {"docs/new.md": "# New\n\nwalrus\n"})
    folder.refresh()
    while folder.pending():
        folder.embed_some()
    folder.close()
    assert folder.notices() == []
    assert {text.split("\n")[0] for text in embedder.seen} == {"passage: path: docs/new.md"}
    assert {path: path.read_bytes() for path in copies} == copies


def test_row_38_front_matter_is_no_result_whatever_is_asked(tmp_path: Path) -> None:
    matter = "---\ntitle: Deployment\n" + "".join(f"quixotic{n}: zanzibar {n}\n" for n in range(40)) + "---\n"
    files = {
        "a.md": matter + "\n# Deployment\n\nHow a release reaches the servers.\n",
        "b.md": matter + "text at once, without a heading\n",
        "only.md": matter,
        "c.md": "# Kitchen\n\nApple pie.\n",
    }
    folder = build(write(tmp_path, files), DeterministicEmbedder()).folder
    end = matter.count("\n")
    for mode in ("hybrid", "semantic", "lexical"):
        for question in ("zanzibar quixotic7", "xqzt blorp", "title"):
            for hit in ask(folder, question, mode=mode, perFile=10).hits:
                assert "zanzibar" not in hit.excerpt
                if hit.passage.path != "c.md":
                    assert hit.passage.path != "only.md"
                    assert hit.passage.body_start >= len(matter)
                    assert hit.passage.line >= end
    assert ask(folder, "zanzibar", mode="lexical").hits == ()


def test_row_38_a_folder_may_be_lexical_only_and_front_matter_is_no_result_either(tmp_path: Path) -> None:
    write(tmp_path, {"a.md": "---\nkeeper: zanzibar\n---\n\n# A\n\nwords\n", "b.md": "# B\n\nmore words\n"})
    folder = open_folder(tmp_path, {"embedder": "none"}).folder
    folder.refresh()
    assert paths(ask(folder, "zanzibar", mode="hybrid")) == []
