"""One workspace folder as the session sees it: when its index is opened, read and refreshed; `build` embeds it.

Owns the order of that work and its coalescing; attributes are the loop's, methods named `_job_*` run on the indexing
thread. Must not know the protocol, nor how documents are parsed or searched.
"""

from __future__ import annotations

import asyncio
import logging
import os
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from ddg_lsp.core import dotdotgod
from ddg_lsp.core import settings as settings_module
from ddg_lsp.core.belongs import belongs
from ddg_lsp.core.folder import Folder
from ddg_lsp.core.query import Query
from ddg_lsp.core.report import IndexReport
from ddg_lsp.core.settings import Problem, Settings
from ddg_lsp.server.buffers import Buffer
from ddg_lsp.server.build import Build
from ddg_lsp.server.coalesced import Coalesced
from ddg_lsp.server.pace import Pace
from ddg_lsp.server.worker import Token

if TYPE_CHECKING:
    from ddg_lsp.server.session import Session

log = logging.getLogger(__name__)

BURST_SECONDS = 0.1
"""Watch events and saves come in bursts (a checkout is thousands): quiet before the sweep they ask for."""
READ_SECONDS = 0.1
"""How long documents are read at a time: a question in the first seconds of a folder waits for one such step."""
_BUILDING = IndexReport("building", 0, 0, 0, 0, "")


class LiveFolder:
    """A workspace folder, or (`root` None) the place of open documents that lie in none."""

    def __init__(self, session: Session, uri: str, root: Path | None, spelled: Path | None = None) -> None:
        self.uri = uri
        self.root = root
        self.spelled = spelled or root
        """The folder as the client spells it: addresses are made from this, not from where links lead."""
        self.core: Folder | None = None
        self.screen: dict[str, Buffer] = {}
        """Open documents by their path in this folder."""
        self.closed = False
        self.build = Build(session, self)
        self._session = session
        self._dirty: set[str] = set()
        self.opened = asyncio.Event()
        """There is an index to ask, however little is in it."""
        self._loop: asyncio.AbstractEventLoop | None = None
        self._pace = Pace()
        self._changes = 0
        self._user: Mapping[str, object] = {}
        self._anew = False
        self._problems: tuple[Problem, ...] = ()
        self._rules: tuple[object, ...] = ()
        self._timer: asyncio.TimerHandle | None = None
        self._typing: dict[str, asyncio.TimerHandle] = {}
        self._loaded = Coalesced(session.worker, self._job_load, self._after, self._job_read)
        self.refreshed = Coalesced(session.worker, self._job_refresh, self._after, self._job_read)
        self._shown = Coalesced(session.worker, self._job_buffers, self._after)

    # -- the loop's side

    def load(self, user: Mapping[str, object] | None = None, *, anew: bool = False) -> asyncio.Task[None]:
        """Read the settings and open the index, or open it anew where they (or, `anew`, the embedder) changed.

        `user` are the user's settings; None for those of the last time.
        """
        self._loop = asyncio.get_running_loop()
        self._user, self._anew = self._user if user is None else user, self._anew or anew
        return self._loaded.run()

    def report(self, *, late: bool = False) -> IndexReport:
        """The condition of this folder's index; `late`: a change may have been missed for want of time."""
        if self.core is None:
            return _BUILDING
        report = self.core.report()
        if self.build.paused and report.state == "building":
            return replace(report, message="Indexing was cancelled; the command ddg.server.reindex resumes it.")
        if self.build.left_to_others and report.state == "building":
            return replace(report, message="Another process is indexing this folder; its work is taken over.")
        if late and report.state == "ready":
            return replace(report, state="stale", message="Changes on disk are still being looked for.")
        return report

    def show(self, path: str, buffer: Buffer, *, delay: float = 0.0) -> None:
        """A document is open and reads like this now; it is indexed after `delay` seconds of quiet, the newest wins."""
        self.screen[path] = buffer
        self._mark(path, delay)

    def hide(self, path: str) -> None:
        """A document was closed: the disk's version is true again."""
        self.screen.pop(path, None)
        self._mark(path, 0.0)

    def flush(self) -> asyncio.Task[None] | None:
        """Index what is on the screen now; None when that is done already."""
        for timer in self._typing.values():
            timer.cancel()
        self._typing.clear()
        return self._shown.run() if self._dirty else self._shown.going

    def sweep(self, *, idle_seconds: float = 0.0) -> asyncio.Task[None] | None:
        """Look for changes on disk, unless that was done a moment ago (then a little later)."""
        wait = self._pace.wait(idle_seconds)
        if wait <= 0.0:
            return self.refreshed.run()
        if not idle_seconds:
            self.sweep_soon(wait)
        return None

    def sweep_soon(self, delay: float = BURST_SECONDS) -> None:
        """Look for changes once, after a burst of hints."""
        if self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(delay, self._sweep_now)

    @property
    def unread(self) -> bool:
        """The folder is being opened, or read for the first time or after a change."""
        return self.core is None or self.core.unread

    @property
    def halfway(self) -> bool:
        """Not every passage has an embedding of some kind yet: there is something a question could have hastened."""
        snapshot = self.core.snapshot if self.core is not None else None
        return self.unread or (snapshot is not None and self.building and snapshot.opened < len(snapshot.passages))

    @property
    def building(self) -> bool:
        """Something is still to be embedded: an answer of this moment says that it is incomplete."""
        return self.core is not None and (self.core.unread or self.core.pending() > 0)

    @property
    def settled(self) -> bool:
        """Nothing is under way, nor about to be."""
        shown = not self._dirty and self._shown.going is None
        return shown and self.build.quiet and (self.build.paused or self.report().state != "building")

    def close(self) -> None:
        """No more work; the caller closes the core on the indexing thread."""
        self.closed = True
        for timer in (self._timer, *self._typing.values()):
            if timer is not None:
                timer.cancel()
        self.build.cancel()

    def _sweep_now(self) -> None:
        self._timer = None
        if not self.closed:
            self.refreshed.run()

    def _mark(self, path: str, delay: float) -> None:
        self._dirty.add(path)
        if (timer := self._typing.pop(path, None)) is not None:
            timer.cancel()
        if delay:
            self._typing[path] = asyncio.get_running_loop().call_later(delay, self._typed, path)
        else:
            self._shown.run()

    def _typed(self, path: str) -> None:
        self._typing.pop(path, None)
        self._shown.run()

    async def _after(self, trouble: Exception | None) -> None:
        if trouble is not None:
            await self._session.trouble(self, trouble)
        else:
            self.build.forgive()
        problems, self._problems = self._problems, ()
        for problem in problems:
            self._session.client.tell_once(f"{problem.where}: {problem.message}")
        for notice in self.core.notices() if self.core is not None else ():
            self._session.client.tell_once(notice.sentence)
        self._session.on_read(self)
        self._session.changed()
        self.build.kick()

    # -- the indexing thread's side

    def _job_load(self, token: Token) -> None:
        if self.closed:
            return
        anew, self._anew = self._anew, False
        self._read_settings(token, anew)
        self._job_refresh(token)

    def _job_read(self, token: Token) -> bool:
        """Read for a moment what is new; whether there is more."""
        if self.core is None or self.closed or not self.core.refreshing:
            return False
        self._changes += self.core.refresh_some(token.check, READ_SECONDS)
        if self.core.refreshing:
            return True
        self._pace.end(found=self._changes > 0)
        return False

    def job_hasten(self, token: Token, asked: Query) -> None:
        """A question is waiting: what it is likely to need is read and embedded before everything else."""
        if self.core is not None:
            by_meaning = asked.mode != "lexical" and not self.build.paused
            if by_meaning:
                self._session.engine.prepare()
            self.core.hasten(asked.text, token.check, embed=by_meaning)

    def _read_settings(self, token: Token, anew: bool) -> None:
        engine, old, settings = self._session.engine, self.core, Settings()
        if self.root is not None:
            self._rules = _rule_stamps(self.root)
            settings, self._problems = settings_module.load(self.root, self._user)
        if old is not None and not anew and _same_index(settings, old.settings):
            old.settings = settings
            return
        if old is not None:
            old.close()
        root = self.root or Path(self.uri)
        fresh = Folder(root, settings, engine.embedder, engine.choice.reason, disk=self.root is not None)
        fresh.open()
        if not fresh.keeping.layouts and self.root is not None:
            self._on_loop(self._session.warm)
        if old is not None:  # until the new one is complete, the old one answers
            fresh.refresh(token.check)
        self._dirty.update(self.screen)
        self._put_buffers(fresh, token)
        self.core = fresh
        self._on_loop(self.opened.set)

    def _on_loop(self, call: Callable[[], object]) -> None:
        if self._loop is not None:
            self._loop.call_soon_threadsafe(call)

    def _job_refresh(self, token: Token) -> None:
        if self.root is None or self.core is None:
            return
        if _rule_stamps(self.root) != self._rules:
            self._read_settings(token, anew=False)
        self._pace.begin()
        self._changes = self.core.begin_refresh(token.check)
        if not self.core.refreshing:
            self._pace.end(found=self._changes > 0)

    def _job_buffers(self, token: Token) -> None:
        if self.core is not None:
            self._put_buffers(self.core, token)

    def _put_buffers(self, core: Folder, token: Token) -> None:
        while self._dirty:
            token.check()
            path = self._dirty.pop()
            buffer = self.screen.get(path)
            text = buffer.text if buffer is not None else None
            if text is not None and self.root is not None and not belongs(core.root, path, core.settings, text):
                text = None
            core.set_buffer(path, text)


def _same_index(one: Settings, other: Settings) -> bool:
    return (one.policy, one.cache_dir) == (other.policy, other.cache_dir)


def _rule_stamps(root: Path) -> tuple[object, ...]:
    """What changes when the folder's own settings files do."""
    stamps: list[object] = []
    for name in (settings_module.FILE, dotdotgod.FILE):
        try:
            found = os.stat(root / name)  # noqa: PTH116
            stamps.append((found.st_size, found.st_mtime_ns, found.st_ino))
        except OSError:
            stamps.append(None)
    return tuple(stamps)
