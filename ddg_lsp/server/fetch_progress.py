"""A model that is being fetched, shown to the client as work in progress.

Owns one bar at a time. Must not know what is fetched or from where.
"""

from __future__ import annotations

import asyncio
from contextlib import suppress

from ddg_lsp.server.feedback import Client, Progress

MEGABYTE = 1_000_000


class FetchProgress:
    """`told` may be called from any thread, once `begin` was called on the loop."""

    def __init__(self, client: Client) -> None:
        self._client = client
        self._loop: asyncio.AbstractEventLoop | None = None
        self._shown: Progress | None = None

    def begin(self) -> None:
        """This is the loop."""
        self._loop = asyncio.get_running_loop()

    def told(self, identifier: str, done: int, total: int) -> None:
        """So many bytes of a model are here; the last call has them all."""
        if self._loop is None:
            return
        with suppress(RuntimeError):  # the loop is closed: nobody is left to be told
            self._loop.call_soon_threadsafe(self._show, identifier, done, total)

    def _show(self, identifier: str, done: int, total: int) -> None:
        if self._shown is None and done < total:
            self._shown = self._client.progress(f"Fetching {identifier}")
        if self._shown is None:
            return
        self._shown.report(f"{done // MEGABYTE} of {max(1, total // MEGABYTE)} MB", done / max(1, total))
        if done >= total:
            self._shown.end("Done")
            self._shown = None
