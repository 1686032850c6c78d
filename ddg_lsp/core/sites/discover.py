"""Finding a site's llms.txt: the nearest first, at most five addresses, every miss kept.

Owns which addresses are looked at, and what makes one an index. Must not know how they are fetched.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from urllib.parse import urlsplit, urlunsplit

from ddg_lsp.core.llms_txt import model as llms
from ddg_lsp.core.llms_txt import parse
from ddg_lsp.core.sites.fetch import Fetched
from ddg_lsp.core.sites.model import Miss

PROBES = 5
NAME = "llms.txt"

Get = Callable[[str], "Fetched | Miss"]


@dataclass(frozen=True, slots=True)
class Found:
    """What looking for an index gave: the answer and what it says, or neither; and the addresses that gave nothing."""

    answer: Fetched | None
    index: llms.Index | None
    misses: tuple[Miss, ...]


def probes(url: str) -> list[str]:
    """Where the index of a page or folder may be: the deepest first. Of a text file: that alone."""
    parts = urlsplit(url)
    if parts.path.lower().endswith(".txt"):
        return [urlunsplit((parts.scheme, parts.netloc, parts.path, parts.query, ""))]
    folders, _, last = parts.path.rpartition("/")
    segments = [one for one in folders.split("/") if one]
    if last and "." not in last:  # as likely a folder as a page
        segments.append(last)
    paths = ["/" + "".join(f"{one}/" for one in segments[:count]) for count in range(len(segments), -1, -1)]
    nearest = paths if len(paths) <= PROBES else [*paths[: PROBES - 1], paths[-1]]
    return [urlunsplit((parts.scheme, parts.netloc, path + NAME, "", "")) for path in nearest]


def find(url: str, get: Get) -> Found:
    """Ask for one after the other until one is an index."""
    misses: list[Miss] = []
    for probe in probes(url):
        found = read(get(probe), probe)
        misses += found.misses
        if found.index is not None:
            return Found(found.answer, found.index, tuple(misses))
    return Found(None, None, tuple(misses))


def read(answer: Fetched | Miss, url: str) -> Found:
    """What one answer is."""
    if isinstance(answer, Miss):
        return Found(None, None, (answer,))
    index = parse.parse(answer.data, answer.url)
    if isinstance(index, llms.Miss):
        return Found(None, None, (Miss(url, index.reason),))
    return Found(answer, index, ())
