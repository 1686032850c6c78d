"""The state of one editor session: folders, open documents, settings, the embedder; owned by the loop.

Owns who holds what, and which folder an address belongs to. Must not know how anything is computed, and never computes
for more than a few milliseconds.
"""

from __future__ import annotations

import asyncio
import logging
import os
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from lsprotocol import types

from ddg_lsp.core import settings as settings_module
from ddg_lsp.core.embedding import Embedder
from ddg_lsp.core.embedding.errors import EmbedderUnavailable
from ddg_lsp.core.errors import Cancelled, DdgError
from ddg_lsp.core.report import IndexReport, merge
from ddg_lsp.core.settings import Settings
from ddg_lsp.server import buffers, protocol
from ddg_lsp.server.buffers import Buffer, Buffers
from ddg_lsp.server.engine import Engine
from ddg_lsp.server.feedback import Client
from ddg_lsp.server.folders import Folders, Place
from ddg_lsp.server.live_folder import LiveFolder
from ddg_lsp.server.sites import LiveSites
from ddg_lsp.server.worker import Token, Worker

log = logging.getLogger(__name__)

STATUS_SECONDS = 0.5
"""`ddg/status` is sent at most this often."""
LOOSE = "ddg:open-documents"
"""The name of the place of open documents that lie in no folder."""


class Session:
    """See the module."""

    def __init__(self, client: Client, worker: Worker, engine: Engine) -> None:
        self.client = client
        self.worker = worker
        self.engine = engine
        self.sites = LiveSites(engine)
        self.buffers = Buffers()
        self.folders = Folders()
        self.loose = LiveFolder(self, LOOSE, None)
        self.options: Mapping[str, object] = {}
        """`initializationOptions`: settings until the client has been asked for its own, and where it cannot be."""
        self.settings: Mapping[str, object] = {}
        self.symbols_offered = False
        """The client knows that `workspace/symbol` is answered."""
        self.on_read: Callable[[LiveFolder], None] = lambda _: None
        """Called when a folder has been read or read again."""
        self.active_at = time.monotonic()
        self._status: protocol.Wire = {}
        self._status_timer: asyncio.TimerHandle | None = None
        self._ended: Callable[[float], bool] | None = None
        self._tasks: set[asyncio.Task[Any]] = set()

    # -- folders

    def add(self, uri: str) -> LiveFolder | None:
        """A workspace folder was opened; None for what is no folder on disk, or is open already."""
        found = self.folders.real_root(uri)
        if found is None:
            return None
        folder = LiveFolder(self, uri, *found)
        self.folders.add(folder)
        return folder

    def remove(self, uri: str) -> None:
        """A workspace folder was closed."""
        folder = self.folders.remove(uri)
        if folder is not None:
            folder.close()
            self.spawn(self.worker.index(lambda _: folder.core.close() if folder.core else None))

    def all_folders(self) -> list[LiveFolder]:
        """Every place that can be searched."""
        loose = [self.loose] if self.loose.screen else []
        return [*self.folders, *loose]

    def chosen(self, uris: Sequence[str] | None) -> list[LiveFolder]:
        """The folders a question asks for; all where it names none."""
        return self.all_folders() if uris is None else self.folders.named(uris)

    def places_of(self, uri: str) -> list[Place]:
        """Every folder an address lies in, the innermost first, and its path there; none if it is searched nowhere."""
        path = buffers.path_of(uri)
        if path is None and buffers.is_history(uri):
            return []
        found = self.folders.places_of(path) if path is not None else []
        return found or [(self.loose, self.folders.loose_name(uri))]

    def place_of(self, uri: str) -> Place | None:
        """The innermost folder an address lies in, and its path there; None for what is searched nowhere."""
        return next(iter(self.places_of(uri)), None)

    # -- open documents

    def show(self, buffer: Buffer, *, delay: float = 0.0) -> None:
        """An open document reads like this now."""
        for folder, path in self.places_of(buffer.uri) if buffer.is_document else ():
            if folder is self.loose and folder.core is None:
                folder.load(self.settings)
            folder.show(path, buffer, delay=delay)

    def hide(self, buffer: Buffer) -> None:
        """An open document was closed."""
        for folder, path in self.places_of(buffer.uri) if buffer.is_document else ():
            folder.hide(path)

    def reroute(self) -> None:
        """The folders changed: every open document goes where it belongs now."""
        for folder in (*self.folders, self.loose):
            for path, buffer in list(folder.screen.items()):
                if (folder, path) not in self.places_of(buffer.uri):
                    folder.hide(path)
        for buffer in self.buffers:
            self.show(buffer)

    def settings_of(self, uri: str) -> Settings:
        """The settings in force where this address lies."""
        place = self.place_of(uri)
        core = place[0].core if place else None
        return core.settings if core is not None else self.common

    @property
    def common(self) -> Settings:
        """The settings of the first folder: for what concerns no single one."""
        return next((folder.core.settings for folder in self.all_folders() if folder.core is not None), Settings())

    # -- settings and the embedder

    async def configure(self) -> None:
        """Ask the client for its settings, choose the embedder and open what is not open yet, or anew what changed."""
        folders = list(self.folders)
        answers = await self.client.configuration([None, *(folder.uri for folder in folders)])
        given = iter(answers or ())
        values = [{**self.options, **_mapping(next(given, None))} for _ in range(len(folders) + 1)]
        self.settings = values[0]
        await self._choose(self.settings)
        for folder, user in zip(folders, values[1:], strict=True):
            folder.load(user)

    async def _choose(self, user: Mapping[str, object]) -> None:
        root = next((folder.root for folder in self.folders), None) or Path(os.devnull)
        settings = Settings()

        def read(_: Token) -> None:
            nonlocal settings
            settings, _ignored = settings_module.load(root, user)

        if (trouble := await self.worker.attempt(read)) is not None:  # the folder itself will say so, too
            log.error("Settings could not be read: %s", type(trouble).__name__)
        if await self.worker.index(lambda _: self.engine.configure(settings)):
            self._reopen()
        self._tell_what_is_lacking()

    def warm(self) -> None:
        """Load the model now, beside what else is done; if it cannot be, whoever needs it will say so."""

        async def load() -> None:
            with suppress(EmbedderUnavailable, Cancelled):
                await self.worker.ask(lambda _: self.engine.warm())

        self.spawn(load())

    async def trouble(self, folder: LiveFolder, error: Exception) -> None:
        """A folder's work ended like this."""
        if isinstance(error, Cancelled):
            return
        if isinstance(error, EmbedderUnavailable):
            await self.engine_failed(folder.core.embedder if folder.core else self.engine.embedder, error)
            return
        sentence = str(error) if isinstance(error, DdgError) else "Indexing failed; the server's log says why."
        if not isinstance(error, DdgError):
            log.error("Indexing failed", exc_info=error)
        if folder.core is not None:
            folder.core.failure = sentence
        self.client.tell_once(sentence, types.MessageType.Error)

    async def engine_failed(self, embedder: Embedder | None, error: EmbedderUnavailable) -> None:
        """An embedder turned out not to work: the next best takes over, or none."""
        if await self.worker.index(lambda _: self.engine.fail(embedder, error)):
            self._reopen()
            self._tell_what_is_lacking()
            wait = error.data.get("retryAfterSeconds")
            if isinstance(wait, (int, float)):
                asyncio.get_running_loop().call_later(wait, lambda: self.spawn(self.retry()))

    async def retry(self) -> None:
        """Try again what did not work before."""
        if await self.worker.index(lambda _: self.engine.retry()):
            self._reopen()

    def _reopen(self) -> None:
        for folder in self.all_folders():
            folder.load(anew=True)

    def _tell_what_is_lacking(self) -> None:
        if self.engine.lacking:
            self.client.tell_once(self.engine.choice.reason)

    # -- what is told

    def report(self, folders: Iterable[LiveFolder], *, late: bool = False) -> IndexReport:
        """The condition of these folders together."""
        return merge([folder.report(late=late) for folder in folders])

    def changed(self) -> None:
        """Something the client may want to show has changed."""
        if self.client.wants_status and self._status_timer is None:
            self._status_timer = asyncio.get_running_loop().call_later(STATUS_SECONDS, self._send_status)

    def status(self) -> protocol.Wire:
        """The params of `ddg/status`."""
        folders = self.all_folders()
        report = self.report(folders)
        settled = all(folder.settled for folder in folders)
        return protocol.to_status(report, self.engine.info, quiescent=settled, lacking=self.engine.lacking)

    def _send_status(self) -> None:
        self._status_timer = None
        status = self.status()
        if status != self._status:
            self._status = status
            self.client.notify(protocol.STATUS, status)

    # -- ends

    def spawn(self, work: Any) -> asyncio.Task[Any]:
        """Run a coroutine beside everything else; its trouble goes to the log."""
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._spawned)
        return task

    def _spawned(self, task: asyncio.Task[Any]) -> None:
        self._tasks.discard(task)
        error = None if task.cancelled() else task.exception()
        if error is not None and not isinstance(error, Cancelled):
            log.error("A task failed", exc_info=error)

    def close_folders(self) -> None:
        """No work is begun any more."""
        for folder in (*self.folders, self.loose):
            folder.close()

    def end(self) -> Callable[[float], bool]:
        """Stop all work and write what is done; what comes back waits so many seconds and says whether it is done."""
        if self._ended is None:
            self._ended = self.worker.finish(self._write)
        return self._ended

    def _write(self) -> None:
        self.sites.close()
        folders = [*self.folders, self.loose]
        for folder in folders:
            folder.closed = True
            if folder.core is not None:
                folder.core.close()


def _mapping(value: object) -> Mapping[str, object]:
    return value if isinstance(value, dict) else {}
