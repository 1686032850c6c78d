"""The embedding of one folder, step by step until nothing is missing: when it begins, pauses, fails and is written.

Owns that loop and its progress; methods named `_job_*` run on the indexing thread. Must not know how a folder is read
or what a step computes.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from ddg_lsp.server.worker import Token

if TYPE_CHECKING:
    from ddg_lsp.server.feedback import Progress
    from ddg_lsp.server.live_folder import LiveFolder
    from ddg_lsp.server.session import Session

PROGRESS_VIEWS = 64
"""Views to embed from which the work is shown as progress; an edited section is not worth a progress bar."""
FOLLOW_SECONDS = 1.0
"""How often it is looked whether another process has embedded more."""


class Build:
    """What embeds a folder. Used on the loop."""

    def __init__(self, session: Session, folder: LiveFolder) -> None:
        self._session = session
        self._folder = folder
        self._stuck = -1
        """The revision at which embedding failed for no foreseen reason: the same again would fail again."""
        self._drive: asyncio.Task[None] | None = None
        self.paused = False
        """The user cancelled: nothing is embedded until they ask for it."""
        self.left_to_others = False
        """Another process embeds this folder; its work is taken over as it goes."""

    @property
    def quiet(self) -> bool:
        """Nothing is being embedded."""
        return self._drive is None or self._drive.done()

    def kick(self) -> None:
        """Embed what is missing, and write what is not written yet, unless that is under way.

        Where a document only went, a rule perhaps said that it is nobody's any more: the cache forgets it now.
        """
        core = self._folder.core
        if core is None or self._folder.closed or self._stuck >= 0 or not self.quiet:
            return
        outdated = core.keeping.unwritten and not core.unread
        if outdated or (core.pending() and not self.paused):
            self._drive = asyncio.get_running_loop().create_task(self._embed())

    def resume(self) -> None:
        """Embed what is missing, also after the user had cancelled that."""
        self.paused, self._stuck = False, -1
        self.kick()

    def forgive(self) -> None:
        """The folder was read without trouble: what failed at an older revision may be tried again."""
        core = self._folder.core
        if core is not None and core.snapshot.revision != self._stuck:
            core.failure, self._stuck = "", -1

    def cancel(self) -> None:
        """No more work."""
        if self._drive is not None:
            self._drive.cancel()

    async def _embed(self) -> None:
        """Embed until nothing is missing, then write; a question waits for one step at most."""
        session = self._session
        progress = session.client.progress("Indexing documents") if self._left() > PROGRESS_VIEWS else None
        try:
            trouble = await self._embed_and_write(progress)
            while trouble is None and self._left() and not self.paused:
                # Something was typed while this wrote: `kick` found it at work then.
                trouble = await self._embed_and_write(progress)
            if trouble is not None:
                await session.trouble(self._folder, trouble)
                core = self._folder.core
                self._stuck = core.snapshot.revision if core is not None and core.failure else -1
        finally:
            if progress is not None:
                progress.end("Cancelled" if self.paused else "Done")
            session.changed()

    async def _embed_and_write(self, progress: Progress | None) -> Exception | None:
        session, total = self._session, 0
        while (left := self._left()) and not self.paused:
            total = max(total, left)
            trouble = await session.worker.attempt(self._job_step, gentle=True)
            if self.left_to_others:
                await asyncio.sleep(FOLLOW_SECONDS)
            if progress is not None:
                self._show(progress, total)
            session.changed()
            if trouble is not None:
                return trouble
        return await session.worker.attempt(self._job_write)

    def _left(self) -> int:
        """Views still to be embedded."""
        core = self._folder.core
        return core.pending() if core is not None else 0

    def _show(self, progress: Progress, total: int) -> None:
        self.paused = self.paused or progress.cancelled
        report = self._folder.report()
        progress.report(f"{report.embedded}/{report.passages} passages", 1.0 - self._left() / max(total, 1))

    def _job_step(self, token: Token) -> None:
        core = self._folder.core
        if core is None:
            return
        self.left_to_others = core.leaves()
        if self.left_to_others:
            core.follow()
            return
        self._session.engine.prepare()
        core.embed_some(token.check)
        if core.checkpoint_due():
            core.save()

    def _job_write(self, _: Token) -> None:
        core = self._folder.core
        if core is not None and core.pending():
            core.save()
        elif core is not None:
            core.finish()
