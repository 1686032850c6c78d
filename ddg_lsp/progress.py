"""Progress bars, of a build and of a model being fetched: on a terminal's stderr only, gone when done."""

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


class FetchBar:
    """Bytes of a model on their way here; see `Progress` in `core/embedding/hub_fetch.py`."""

    def __init__(self) -> None:
        self._bar: tqdm[Any] | None = None

    def __call__(self, identifier: str, done: int, total: int) -> None:
        """So many bytes of the model are here; the last call has them all."""
        if self._bar is None and sys.stderr.isatty() and done < total:
            form = "{desc} {percentage:3.0f}% |{bar:20}| {n_fmt} of {total_fmt}, {remaining} left"
            self._bar = tqdm(
                total=total, desc=f"Fetching {identifier}", bar_format=form, unit="B", unit_scale=True, leave=False
            )
        if self._bar is not None:
            self._bar.n = done
            self._bar.refresh()
        if self._bar is not None and done >= total:
            self._bar.close()
            self._bar = None
