"""The state of one editor session: folders, open documents, settings, the embedder; owned by the loop.

Owns who holds what, and which folder an address belongs to. Must not know how anything is computed, and never computes
for more than a few milliseconds.
"""

from __future__ import annotations

import asyncio
import logging
import os
import re
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
from ddg_lsp.server.live_folder import LiveFolder
from ddg_lsp.server.sites import LiveSites
from ddg_lsp.server.worker import Worker

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
        self.folders: dict[str, LiveFolder] = {}
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
        self._loose_names: dict[str, str] = {}
        self._ended: Callable[[float], bool] | None = None
        self._tasks: set[asyncio.Task[Any]] = set()

    # -- folders

    def add(self, uri: str) -> LiveFolder | None:
        """A workspace folder was opened; None for what is no folder on disk, or is open already."""
        path = buffers.path_of(uri)
        if path is None or buffers.key(uri) in self.folders:
            return None
        spelled = Path(os.path.abspath(path))  # noqa: PTH100 - `resolve` would follow links
        folder = LiveFolder(self, uri, Path(os.path.realpath(path)), spelled)
        self.folders[buffers.key(uri)] = folder
        return folder

    def remove(self, uri: str) -> None:
        """A workspace folder was closed."""
        folder = self.folders.pop(buffers.key(uri), None)
        if folder is not None:
            folder.close()
            self.spawn(self.worker.index(lambda _: folder.core.close() if folder.core else None))

    def all_folders(self) -> list[LiveFolder]:
        """Every place that can be searched."""
        loose = [self.loose] if self.loose.screen else []
        return [*self.folders.values(), *loose]

    def chosen(self, uris: Sequence[str] | None) -> list[LiveFolder]:
        """The folders a question asks for; all where it names none."""
        if uris is None:
            return self.all_folders()
        found = {buffers.key(uri): self.folders.get(buffers.key(uri)) for uri in uris}
        if None in found.values():
            sentence = "`folders` names a folder that is not open in this session."
            raise DdgError("INVALID_FOLDERS", sentence, usage=True, reason="unknown_folder")
        return [folder for folder in found.values() if folder is not None]

    def place_of(self, uri: str) -> tuple[LiveFolder, str] | None:
        """The folder an address lies in (the deepest), and its path there; None for what is searched nowhere."""
        path = buffers.path_of(uri)
        if path is None:
            return None if buffers.is_history(uri) else (self.loose, self._loose_name(uri))
        for spelling in dict.fromkeys((os.path.normpath(path), os.path.realpath(path))):
            for folder in sorted(self.folders.values(), key=lambda one: -len(str(one.spelled))):
                for root in (folder.spelled, folder.root):
                    relative = _below(spelling, str(root))
                    if relative is not None:
                        return folder, relative
        return self.loose, self._loose_name(uri)

    def _loose_name(self, uri: str) -> str:
        """A path for a document that lies in no folder: its name, made unique."""
        known = buffers.key(uri)
        if known not in self._loose_names:
            name = re.split(r"[/\\:]", known)[-1] or known
            taken = set(self._loose_names.values())
            tries = (name if number == 1 else f"{name} ({number})" for number in range(1, len(taken) + 2))
            self._loose_names[known] = next(one for one in tries if one not in taken)
        return self._loose_names[known]

    # -- open documents

    def show(self, buffer: Buffer, *, delay: float = 0.0) -> None:
        """An open document reads like this now."""
        place = self.place_of(buffer.uri) if buffer.is_document else None
        if place is not None:
            folder, path = place
            if folder is self.loose and folder.core is None:
                folder.load(self.settings)
            folder.show(path, buffer, delay=delay)

    def hide(self, buffer: Buffer) -> None:
        """An open document was closed."""
        place = self.place_of(buffer.uri) if buffer.is_document else None
        if place is not None:
            place[0].hide(place[1])

    def reroute(self) -> None:
        """The folders changed: every open document goes where it belongs now."""
        for folder in (*self.folders.values(), self.loose):
            for path, buffer in list(folder.screen.items()):
                if self.place_of(buffer.uri) != (folder, path):
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
        folders = list(self.folders.values())
        answers = await self.client.configuration([None, *(folder.uri for folder in folders)])
        given = iter(answers or ())
        values = [{**self.options, **_mapping(next(given, None))} for _ in range(len(folders) + 1)]
        self.settings = values[0]
        await self._choose(self.settings)
        for folder, user in zip(folders, values[1:], strict=True):
            folder.load(user)

    async def _choose(self, user: Mapping[str, object]) -> None:
        root = next((folder.root for folder in self.folders.values()), None) or Path(os.devnull)
        settings, _ = await self.worker.index(lambda _: settings_module.load(root, user))
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
        for folder in (*self.folders.values(), self.loose):
            folder.close()

    def end(self) -> Callable[[float], bool]:
        """Stop all work and write what is done; what comes back waits so many seconds and says whether it is done."""
        if self._ended is None:
            self._ended = self.worker.finish(self._write)
        return self._ended

    def _write(self) -> None:
        self.sites.close()
        folders = [*self.folders.values(), self.loose]
        for folder in folders:
            folder.closed = True
            if folder.core is not None:
                folder.core.close()


def _mapping(value: object) -> Mapping[str, object]:
    return value if isinstance(value, dict) else {}


def _below(path: str, root: str) -> str | None:
    """The `/`-path of what lies below a folder."""
    one, other = os.path.normcase(path), os.path.normcase(root).rstrip(os.sep) + os.sep
    return path[len(other) :].replace(os.sep, "/") if one.startswith(other) else None
