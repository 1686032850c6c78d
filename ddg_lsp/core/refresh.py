"""From files to documents: what a sweep of the disk changes. Reads files; writes nothing, embeds nothing.

The stamp only decides whether a file is opened; the digest of its text decides whether it changed.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import xxhash

from ddg_lsp.core import corpus, likely, markdown, passages
from ddg_lsp.core.embedding import Embedder, TokenCounter, passage_token_counter
from ddg_lsp.core.embedding.token_estimate import estimate_tokens
from ddg_lsp.core.importance import importance
from ddg_lsp.core.layout import holds
from ddg_lsp.core.model import Document, Skip, Stamp
from ddg_lsp.core.outline import outlined
from ddg_lsp.core.secrets import holds_private_key
from ddg_lsp.core.settings import Settings
from ddg_lsp.core.vector_cache import CachedDocument

LEXICAL_TOKENS = 512
"""Token bound of passages cut without a model: that of the built-in one, so that they are the same size."""
LASTING = frozenset({"undecodable", "secret-content", "secret-name", "too-large"})
"""Reasons that lie in what a file holds; any other (no permission, a lock) may be gone the next time."""


@dataclass(frozen=True)
class Reader:
    """Everything needed to turn a file or a buffer into a document."""

    root: Path
    settings: Settings
    count_tokens: TokenCounter
    max_tokens: int
    layouts: Mapping[str, CachedDocument] = field(default_factory=dict)
    """Documents as the cache knows them: one whose digest still holds is not parsed again."""

    def document(self, path: str, text: str, stamp: Stamp | None) -> Document:
        """The document of this text, from the cached layout where that still holds, else parsed and cut.

        Of a text with a private key it holds nothing.
        """
        digest = digest_of(text)
        if holds_private_key(text):  # files with one are not read; this is a buffer, perhaps of no file at all
            return Document(path, "", digest, "", (), stamp)
        layout = self.layouts.get(path)
        if layout is not None and layout.digest == digest:
            outline = outlined(text)
            # The cache may have come with a stranger's repository: what it says of a text is held against the text.
            if holds(path, layout.passages, outline, text):
                return Document(path, text, digest, outline.title, layout.passages, stamp, outline.meta)
        parsed = markdown.parse(text)
        cut = passages.cut(path, parsed, text, self.count_tokens, max_tokens=self.max_tokens)
        return Document(path, text, digest, parsed.title, cut, stamp, parsed.meta)


def digest_of(text: str) -> str:
    """xxh3-128, 32 hex, of a text in UTF-8 (lone surrogates included, so that no text raises)."""
    return xxhash.xxh3_128_hexdigest(text.encode("utf-8", "surrogatepass"))


def reader(root: Path, settings: Settings, embedder: Embedder | None, layouts: Mapping[str, CachedDocument]) -> Reader:
    """A reader that cuts for this embedder; without one, as for the built-in model, by estimate."""
    if embedder is None:
        return Reader(root, settings, _estimate, LEXICAL_TOKENS, layouts)
    return Reader(root, settings, passage_token_counter(embedder), embedder.info.max_tokens, layouts)


def _estimate(texts: Sequence[str]) -> list[int]:
    return [estimate_tokens(text) for text in texts]


class Sweep:
    """One look through the folder: what is to be read is known at once, and read step by step.

    `known` are the documents read from disk so far, by path. `refused` remembers files that could not be used, so that
    they are not opened again until they change; it is brought up to date. `check` is called between folders and files
    and may raise to cancel; what was read until then is handed over by the next call.
    """

    def __init__(
        self,
        reader: Reader,
        scanner: corpus.Scanner,
        known: Mapping[str, Document],
        refused: dict[str, tuple[Stamp, Skip]],
        check: Callable[[], None],
    ) -> None:
        listing = scanner.scan(reader.root, reader.settings, check)
        self.unreachable = next((skip.reason for skip in listing.skipped if skip.path == "./"), "")
        """Why the folder itself could not be read; then nothing is known to have gone."""
        self._reader = reader
        self._refused = refused
        self._skipped = listing.skipped
        self._texts: dict[str, str | Skip] = {}
        stamps = {entry.path: entry.stamp for entry in listing.files}
        kept = {p: bad for p, bad in refused.items() if bad[0] == stamps.get(p) and bad[1].reason in LASTING}
        for path in refused.keys() - kept.keys():
            del refused[path]
        changed = {p: s for p, s in stamps.items() if p not in refused and _stamp(known.get(p)) != s}
        self._todo = {path: changed[path] for path in sorted(changed, key=importance(changed))}
        gone = known.keys() - (stamps.keys() - refused.keys())
        self.removed: tuple[str, ...] = () if self.unreachable else tuple(sorted(gone))
        """Paths that are documents no more; more of them may turn up in `lost`."""
        self._lost: set[str] = set()
        self._found: list[Document] = []
        """Read and not handed over yet: a call that `check` ended loses nothing."""

    @property
    def done(self) -> bool:
        """Everything is read and handed over."""
        return not self._todo and not self._found

    @property
    def lost(self) -> frozenset[str]:
        """Paths whose file was to be read, and cannot be used."""
        return frozenset(self._lost)

    @property
    def skipped(self) -> tuple[Skip, ...]:
        """What is left out and why, sorted; of files still to be read it says nothing yet."""
        skips = {*self._skipped, *(skip for _, skip in self._refused.values())}
        return tuple(sorted(skips, key=lambda skip: (skip.path, skip.reason)))

    def step(self, check: Callable[[], None], seconds: float = float("inf")) -> list[Document]:
        """Read the next files, for about so many seconds and at least one; what a cancelled call had read comes too."""
        deadline = time.monotonic() + seconds
        while self._todo:
            check()
            self._read(next(iter(self._todo)))
            if time.monotonic() >= deadline:
                break
        return self._taken()

    def read_likely(self, question: str, check: Callable[[], None], most: int) -> list[Document]:
        """Read the files this question is likely to need, before their turn; at most `most`. Else as `step`."""
        for path in list(self._todo)[: likely.MAX_FILES]:
            if path not in self._texts:
                check()
                self._texts[path] = corpus.read(self._reader.root, path, self._reader.settings)
        texts = {path: text for path, text in self._texts.items() if isinstance(text, str)}
        for path in likely.files(question, texts)[:most]:
            check()
            self._read(path)
        return self._taken()

    def _taken(self) -> list[Document]:
        found, self._found = self._found, []
        return found

    def _read(self, path: str) -> None:
        stamp = self._todo[path]
        text = self._texts.pop(path, None)
        if text is None:
            text = corpus.read(self._reader.root, path, self._reader.settings)
        if isinstance(text, Skip):
            self._refused[path] = (stamp, text)
            self._lost.add(path)
        else:
            self._found.append(self._reader.document(path, text, stamp))
        del self._todo[path]


def _stamp(document: Document | None) -> Stamp | None:
    return document.stamp if document is not None else None
