"""Workspace folders that lie in one another: a file is the innermost folder's, and is found there alone.

Owns that rule for one answer. Must not know scores, nor the session.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from ddg_lsp.core.query import Query
from ddg_lsp.core.search import Answer, Hit, Searcher, Target


def search(searcher: Searcher, targets: Sequence[Target], asked: Query, check: Callable[[], None]) -> Answer:
    """As `Searcher.search`, but a file that several of the folders list is in the answer, and in its limit, once."""
    inner = {one.root: [other for other in targets if one.root in other.root.parents] for one in targets}
    if not any(inner.values()):
        return searcher.search(targets, asked, check)
    limit = asked.limit
    while True:
        limit *= 2
        found = searcher.search(targets, replace(asked, limit=limit), check)
        files = _files(found.hits)
        hits = [hit for hit in found.hits if not any(_lists(target, hit) for target in inner[hit.root])]
        kept = _files(hits)[: asked.limit]
        if len(kept) == asked.limit or len(files) < limit:  # enough, or there are no more
            wanted = set(kept)
            return replace(found, query=asked, hits=tuple(hit for hit in hits if _file(hit) in wanted))


def _file(hit: Hit) -> tuple[Path, str]:
    return hit.root, hit.passage.path


def _files(hits: Sequence[Hit]) -> list[tuple[Path, str]]:
    """The files of the hits, in their order."""
    return list(dict.fromkeys(map(_file, hits)))


def _lists(target: Target, hit: Hit) -> bool:
    """Whether this folder, which lies in the hit's, has the file."""
    prefix = target.root.relative_to(hit.root).as_posix() + "/"
    path = hit.passage.path
    return path.startswith(prefix) and path[len(prefix) :] in target.snapshot.documents
