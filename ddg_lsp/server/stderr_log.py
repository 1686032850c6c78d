"""The log on stderr, which nobody may be reading.

An editor that does not read the server's stderr fills that pipe within some hundred lines; whoever writes the next line
waits for ever, and with it the whole server. So lines are handed to a thread, and those there is no room for are
counted instead of kept. Must not know what is logged.
"""

from __future__ import annotations

import logging
import queue
import threading
from contextlib import nullcontext, suppress

from ddg_lsp.server.channel import write_all

LINES = 1_000
"""So many wait at most."""
LAST_SECONDS = 0.5
"""At the end of the process; who reads is done with them sooner."""


class PatientHandler(logging.Handler):
    """Writes to a descriptor from a thread of its own. Used from any thread; `emit` never waits."""

    def __init__(self, descriptor: int = 2) -> None:
        super().__init__()
        self._descriptor = descriptor
        self._lines: queue.Queue[str] = queue.Queue(LINES)
        self._left_out = 0
        self._thread: threading.Thread | None = None

    def emit(self, record: logging.LogRecord) -> None:
        """See `logging.Handler`; called with the handler's own lock held."""
        try:
            line = self.format(record)
        except Exception:
            self.handleError(record)
            return
        try:
            self._lines.put_nowait(line)
        except queue.Full:
            self._left_out += 1
        if self._thread is None:
            thread = threading.Thread(target=self._serve, name="ddg-log", daemon=True)
            with suppress(RuntimeError):  # Python is ending
                thread.start()
                self._thread = thread

    def flush(self) -> None:
        """Wait until all lines are written, but not for long. `logging` calls it at the end of the process."""
        with self._lines.all_tasks_done:  # no thread may be started while Python ends
            self._lines.all_tasks_done.wait_for(lambda: not self._lines.unfinished_tasks, LAST_SECONDS)

    def _serve(self) -> None:
        while True:
            line = self._lines.get()
            with self.lock or nullcontext():
                left_out, self._left_out = self._left_out, 0
            if left_out:
                line = f"{line}\n{left_out} lines were left out: nobody was reading."
            with suppress(OSError):  # closed: lines are taken and forgotten, and nobody waits for them at the end
                write_all(self._descriptor, f"{line}\n".encode("utf-8", "backslashreplace"))
            self._lines.task_done()
