"""A workspace with a good cache, copies of it to damage, and what a start from a damaged one owes its user.

Owns the documents and questions of the attacks on the cache, what a fresh build answers to them, and the comparison.
Must not know how a cache was damaged.
"""

from __future__ import annotations

import shutil
from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeVar

from ddg_lsp.core.cache_files import FileLayer
from ddg_lsp.core.cache_manifest import LOCK
from ddg_lsp.core.embedding import Embedder
from ddg_lsp.core.embedding.deterministic import DeterministicEmbedder
from ddg_lsp.core.folder import Folder, no_check
from ddg_lsp.core.opening import open_folder
from ddg_lsp.core.query import make_query
from ddg_lsp.core.search import Searcher
from ddg_lsp.core.settings import Settings
from ddg_lsp.core.vector_cache import CacheContent
from tests.attacks.run import Run
from tests.helpers import documents, folders
from tests.helpers.cache_content import by_name
from tests.helpers.faulty_files import HastyFiles, Killed, the_disk_is
from tests.helpers.forged_cache import folder_of

DIMENSIONS = 48
TABLE = "| name | what it does |\n|---|---|\n" + "".join(
    f"| option {n} | number {n} of the table, in some words |\n" for n in range(45)
)
TEXTS = {
    "docs/a.md": "# Install\n\nFirst of all.\n\n## The server\n\nInstall the server first.\n\n## Twin\n\nOne.\n",
    "docs/b.md": "---\ntitle: Configuring\n---\n\n# Configure it\n\nOne file.\n\n## Twin\n\nOne.\n",
    "docs/options.md": f"# Options\n\n{TABLE}\n## 설치하기\n\n서버를 먼저 설치합니다. 🎉\n\n## Empty\n",
    "docs/long.md": "# Long\n\n" + "A sentence of a long section about retries. " * 40,
    "docs/ops.md": documents.CRLF,
    "docs/guide 🚀.md": documents.EMOJI,
}
EDITED = {"docs/b.md": "# Configure it\n\nTwo files now.\n\n## Backup of settings\n\nEvery night.\n"}
QUESTIONS = ("install the server, option 17", "서버 설치 🎉 retry policy")
MODES = ("semantic", "hybrid", "lexical")

T = TypeVar("T")
Answers = tuple[tuple[object, ...], ...]


@dataclass(frozen=True)
class Started:
    """What a start of the product came to: answers, what it told, how many passages it had to embed."""

    answers: Answers
    codes: tuple[str, ...]
    embedded: int


def embedder(dimensions: int = DIMENSIONS) -> DeterministicEmbedder:
    """The embedder of these attacks."""
    return DeterministicEmbedder(dimensions)


def answers_of(folder: Folder) -> Answers:
    """Paths, lines, headings, scores and excerpts of every hit of every question in every mode."""
    searcher, found = Searcher(folder.embedder), []
    for question in QUESTIONS:
        for mode in MODES:
            query = make_query({"query": question, "mode": mode, "perFile": 2, "limit": 3})
            for hit in searcher.search([folder.target()], query, no_check).hits:
                p = hit.passage
                where = (p.id, p.path, p.line, p.end_line, p.heading_start, p.body_end, p.headings)
                also = tuple((h.passage.id, round(h.score, 4)) for h in hit.also_in)
                found.append((question, mode, *where, round(hit.score, 4), hit.match, hit.excerpt, also))
    return tuple(found)


def start(root: Path, files: FileLayer | None = None, using: Embedder | None = None) -> Started:
    """Open a folder as the product does, build what is missing, ask everything, close. `files` is the disk.

    What ends the process (`Killed`) comes out of here with the lock released, as a dead process leaves it.
    """
    folder: Folder | None = None
    with the_disk_is(files or HastyFiles()):
        try:
            opened = open_folder(root, {}, using or embedder())
            folder = opened.folder
            folder.refresh()
            while folder.pending():
                opened.embed_some()
                if folder.checkpoint_due():
                    folder.save()
            folder.finish()
            found = answers_of(folder)
            run = folder.report().run
            folder.close()
        except Killed:
            if folder is not None:
                folder.keeping.close()
            raise
    codes = tuple(notice.code for notice in folder.notices())
    assert folder.notices() == [], "told twice"
    assert folder.report().state == "ready"
    return Started(found, codes, run.embedded if run else 0)


def content_of(root: Path, using: Embedder | None = None) -> CacheContent:
    """What a new process finds in the cache; there must be something, and nothing to tell."""
    folder = Folder(root, Settings(), using or embedder())
    cache = folder.keeping._cache
    assert cache is not None
    content = cache.load()
    assert content is not None, "there is no cache"
    assert cache.notices == [], cache.notices
    cache.close()
    return content


def comparable(content: CacheContent) -> tuple[object, ...]:
    """Everything in a cache that does not depend on when and where it was made."""
    layouts = {path: replace(layout, stamp=None) for path, layout in content.documents.items()}
    return (layouts, by_name(content), bool(content.indexed_at))


COMPARED = ("layouts", "vectors", "indexedAt")


def names_in(root: Path) -> list[str]:
    """What kinds of files stand in a cache folder, the lock and what was set aside left out."""
    names = (path.name for path in folder_of(root).iterdir() if path.name not in (LOCK, "aside"))
    return sorted(name.split("-")[0] for name in names)


WHOLE = [".gitignore", "chunks", "documents", "embeddings", "manifest.json"]


class Scene:
    """A workspace with a good cache, and what a fresh build of its documents makes of them."""

    def __init__(self, folder: Path, texts: dict[str, str] | None = None) -> None:
        self.texts = texts or TEXTS
        self.folder = folder
        self.good = folders.write(folder / "good", self.texts)
        self.answers = start(self.good).answers
        self.content = comparable(content_of(self.good))
        self._number = 0

    @contextmanager
    def copy(self, of: Path | None = None, *, cache: bool = True) -> Iterator[Path]:
        """A copy of the workspace, or of another, with or without its cache; gone afterwards."""
        self._number += 1
        root = self.folder / f"copy-{self._number}"
        shutil.copytree(of or self.good, root, ignore=None if cache else shutil.ignore_patterns(".ddg"))
        try:
            yield root
        finally:
            shutil.rmtree(root, ignore_errors=True)

    def recovers(self, root: Path, *allowed: str, lost: bool | None = None) -> Started:
        """The next start answers as a fresh build, tells one of `allowed`, and leaves a cache that is whole.

        `lost`: whether something is to be embedded anew; None means: exactly when something is told.
        """
        first = start(root)
        assert first.answers == self.answers, "other answers than those of a fresh build"
        assert len(first.codes) <= 1, first.codes
        told = first.codes[0] if first.codes else ""
        assert told in allowed, f"told {first.codes}, not {allowed}"
        assert bool(first.embedded) == (bool(told) if lost is None else lost), f"{first.embedded} embedded, told {told}"
        self.is_whole(root)
        return first

    def is_whole(self, root: Path, *codes: str) -> None:
        """A start that has nothing to do and tells nothing, from a cache that is that of a fresh build."""
        quiet = start(root)
        assert quiet.answers == self.answers, "other answers than those of a fresh build"
        assert (quiet.codes, quiet.embedded) == (codes, 0), "the start after the next is not quiet"
        if not codes:
            for name, one, other in zip(COMPARED, comparable(content_of(root)), self.content, strict=True):
                assert one == other, f"{name} of the cache are not those of a fresh build"
            assert names_in(root) == WHOLE, names_in(root)
            assert b"*" in (root / ".ddg" / ".gitignore").read_bytes(), "git sees the cache"
            assert b"*" in (folder_of(root) / ".gitignore").read_bytes(), "git sees the cache"
        self.documents_stand(root)

    def documents_stand(self, root: Path) -> None:
        """Every document is there, byte for byte, and nothing else is outside `.ddg`."""
        found = {p.relative_to(root).as_posix(): p for p in root.rglob("*") if p.is_file()}
        outside = {path: file.read_bytes() for path, file in found.items() if not path.startswith(".ddg/")}
        assert outside == {path: text.encode() for path, text in self.texts.items()}, "documents were touched"


def some(run: Run, items: Iterable[T]) -> list[T]:
    """All of them where the run has time, every fifth in the test suite, which tries all in other tests."""
    return list(items)[:: 1 if run.seconds else 5]


def parts_of(root: Path) -> Collection[Path]:
    """Manifest and data files of a cache."""
    return sorted(p for p in folder_of(root).iterdir() if p.is_file() and p.name not in (LOCK, ".gitignore"))
