"""A workspace folder from a dict of texts, indexed with a given embedder, and a question asked of it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from ddg_lsp.core.embedding import Embedder
from ddg_lsp.core.folder import Folder, no_check
from ddg_lsp.core.opening import Opened, open_folder
from ddg_lsp.core.query import make_query
from ddg_lsp.core.search import Answer, Searcher


def write(root: Path, files: Mapping[str, str | bytes]) -> Path:
    """Write the files below `root`, folders included; texts as UTF-8 with the line endings they have."""
    for name, content in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode("utf-8"))
    return root


def build(root: Path, embedder: Embedder, user: Mapping[str, object] | None = None) -> Opened:
    """Open the folder and index it to the end; the caller closes `opened.folder`."""
    opened = open_folder(root, user if user is not None else {}, embedder)
    opened.folder.refresh()
    while opened.folder.pending():
        opened.embed_some()
    opened.folder.finish()
    return opened


def ask(folder: Folder, question: str, **fields: object) -> Answer:
    """Ask one question; the mode is `semantic` unless the caller says otherwise."""
    query = make_query({"query": question, "mode": "semantic", **fields})
    return Searcher(folder.embedder).search([folder.target()], query, no_check)


def paths(answer: Answer) -> list[str]:
    """The files of an answer, in order."""
    return [hit.passage.path for hit in answer.hits]
