"""The progress bar of a build: on a terminal's stderr only, gone when done."""

from __future__ import annotations

import sys
from types import TracebackType
from typing import Any

from tqdm import tqdm

from ddg_lsp.core.folder import Folder


class Bar:
    """Files, passages, rate and time left, for as long as a folder has something to embed."""

    def __init__(self, folder: Folder) -> None:
        self._folder = folder
        self._total = folder.pending()
        self._bar: tqdm[Any] | None = None

    def __enter__(self) -> Bar:
        if self._total and sys.stderr.isatty():
            snapshot = self._folder.snapshot
            self._bar = tqdm(
                total=self._total,
                desc=f"Indexing {len(snapshot.documents):,} files, {len(snapshot.passages):,} passages",
                bar_format="{desc} {percentage:3.0f}% |{bar:20}| {rate_fmt}, {remaining} left",
                unit="view",
                leave=False,
                file=sys.stderr,
            )
        return self

    def update(self) -> None:
        """Show how far the folder has come."""
        if self._bar is not None:
            self._bar.n = self._total - self._folder.pending()
            self._bar.refresh()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._bar is not None:
            self._bar.close()
