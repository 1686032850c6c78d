"""Everything behind the front door: the session and the handlers that belong to it.

Owns nothing but putting them together. `app.py` imports it when `initialize` has been answered: what it pulls in
(numpy, the parser, the index) takes as long to import as the protocol itself.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TypeVar

from lsprotocol import types

from ddg_lsp.core.embedding.choose import choose
from ddg_lsp.server import batch, features, publishing, symbols, sync
from ddg_lsp.server.actions import Actions
from ddg_lsp.server.diagnostics import Diagnostics
from ddg_lsp.server.dictionary_notes import DictionaryNotes
from ddg_lsp.server.engine import Choose, Engine
from ddg_lsp.server.feedback import Client
from ddg_lsp.server.fetch_progress import FetchProgress
from ddg_lsp.server.findings import Findings
from ddg_lsp.server.rpc import DdgServer
from ddg_lsp.server.session import Session
from ddg_lsp.server.worker import Worker

P = TypeVar("P")


def _both(first: Callable[[P], None], then: Callable[[P], None]) -> Callable[[P], None]:
    """One notification for two who want to know, in this order."""

    def take(params: P) -> None:
        first(params)
        then(params)

    return take


class Service:
    """The handlers of one session, each taking what the client sent."""

    def __init__(self, server: DdgServer, params: types.InitializeParams | None, chooser: Choose | None) -> None:
        client = Client(server)
        self._fetching = FetchProgress(client)
        chooser = chooser or partial(choose, on_progress=self._fetching.told)
        self.session = session = Session(client, Worker(), Engine(chooser))
        if params is not None:
            sync.initialize(session, params)
        self.shutdown = partial(sync.shutdown, session)
        self.diagnostics = Diagnostics(session.client)
        session.on_read = DictionaryNotes(session, self.diagnostics).read
        findings = Findings(session, self.diagnostics)
        self.did_open = _both(partial(sync.did_open, session), findings.did_open)
        self.did_change = _both(partial(sync.did_change, session), findings.did_change)
        self.did_close = _both(partial(sync.did_close, session), findings.did_close)
        self.did_save = _both(partial(sync.did_save, session), findings.did_save)
        self.did_change_watched_files = partial(sync.did_change_watched_files, session)
        self.did_change_folders = partial(sync.did_change_folders, session)
        self.did_change_configuration = partial(sync.did_change_configuration, session)
        self.query = partial(features.query, session)
        self.query_command = partial(features.query_command, session)
        self.batch = partial(batch.batch, session)
        self.batch_command = partial(batch.batch_command, session)
        self.documentation_map = partial(publishing.documentation_map, session)
        self.map_command = partial(publishing.map_command, session)
        self.generate_llms = partial(publishing.generate, session)
        self.open_heading = partial(features.open_heading, session)
        self.reindex = partial(features.reindex, session)
        self.show_status = partial(features.show_status, session)
        self.symbols = partial(symbols.answer, session)
        self.code_actions = Actions(session).answer

    def initialized(self) -> None:
        """`initialized`: see `sync.initialized`."""
        self._fetching.begin()
        sync.initialized(self.session)
