"""Everything behind the front door: the session and the handlers that belong to it.

Owns nothing but putting them together. `app.py` imports it when `initialize` has been answered: what it pulls in
(numpy, the parser, the index) takes as long to import as the protocol itself.
"""

from __future__ import annotations

from functools import partial

from lsprotocol import types

from ddg_lsp.core.embedding.choose import choose
from ddg_lsp.server import features, sync
from ddg_lsp.server.actions import Actions
from ddg_lsp.server.engine import Choose, Engine
from ddg_lsp.server.feedback import Client
from ddg_lsp.server.rpc import DdgServer
from ddg_lsp.server.session import Session
from ddg_lsp.server.worker import Worker


class Service:
    """The handlers of one session, each taking what the client sent."""

    def __init__(self, server: DdgServer, params: types.InitializeParams | None, chooser: Choose | None) -> None:
        self.session = session = Session(Client(server), Worker(), Engine(chooser or choose))
        if params is not None:
            sync.initialize(session, params)
        self.initialized = partial(sync.initialized, session)
        self.shutdown = partial(sync.shutdown, session)
        self.did_open = partial(sync.did_open, session)
        self.did_change = partial(sync.did_change, session)
        self.did_close = partial(sync.did_close, session)
        self.did_save = partial(sync.did_save, session)
        self.did_change_watched_files = partial(sync.did_change_watched_files, session)
        self.did_change_folders = partial(sync.did_change_folders, session)
        self.did_change_configuration = partial(sync.did_change_configuration, session)
        self.query = partial(features.query, session)
        self.query_command = partial(features.query_command, session)
        self.batch = partial(features.batch, session)
        self.batch_command = partial(features.batch_command, session)
        self.open_heading = partial(features.open_heading, session)
        self.reindex = partial(features.reindex, session)
        self.show_status = partial(features.show_status, session)
        self.code_actions = Actions(session).answer
