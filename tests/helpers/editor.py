"""A client for tests: a real server process over stdio, under an editor's capabilities."""

from __future__ import annotations

import asyncio
import sys
import time
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from lsprotocol import types
from pygls.protocol import default_converter
from pytest_lsp import LanguageClient, client_capabilities
from pytest_lsp.client import register_lsp_features

from ddg_lsp.server import protocol

REPOSITORY = Path(__file__).parents[2]
PATIENCE = 60.0
"""Seconds after which an answer is not late but missing."""
NEOVIM, VSCODE = "neovim", "visual_studio_code"
SHIPPED = ("-m", "ddg_lsp", "serve", "--stdio")
LAUNCH = ("-m", "tests.server.launch")


class Editor:
    """One editor with one server. Answers come back as plain JSON."""

    def __init__(self, client: LanguageClient, roots: Sequence[Path]) -> None:
        self.client = client
        self.roots = roots
        self.registered: list[types.Registration] = []
        self.statuses: list[dict[str, Any]] = []
        self.versions: dict[str, int] = {}
        self.initialized: types.InitializeResult

    async def request(self, method: str, params: object, msg_id: str | None = None) -> Any:
        asked = self.client.protocol.send_request_async(method, params, msg_id=msg_id)
        return protocol.plain(await asyncio.wait_for(asked, PATIENCE))

    async def query(self, text: str, **fields: object) -> dict[str, Any]:
        return await self.request(protocol.QUERY, {"query": text, **fields})

    async def fresh(self, text: str, **fields: object) -> dict[str, Any]:
        """The first answer that does not say of itself that it may be out of date (a busy machine's may)."""

        async def asked() -> dict[str, Any] | None:
            answer = await self.query(text, **fields)
            return None if answer["index"]["state"] in ("stale", "building") else answer

        return await until(asked)

    async def paths(self, text: str, **fields: object) -> list[str]:
        return [hit["path"] for hit in (await self.fresh(text, **fields))["hits"]]

    async def command(self, name: str, *arguments: object) -> Any:
        params = types.ExecuteCommandParams(name, list(arguments))
        asked = self.client.workspace_execute_command_async(params)
        return protocol.plain(await asyncio.wait_for(asked, PATIENCE))

    async def ready(self, seconds: float = 60.0) -> dict[str, Any]:
        """Wait until everything is embedded and written."""
        return await self.state("ready", seconds)

    async def state(self, state: str, seconds: float = 60.0) -> dict[str, Any]:
        async def reached() -> dict[str, Any] | None:
            status = await self.command(protocol.SHOW_STATUS, {"silent": True})
            return status if status["index"]["state"] == state and status["quiescent"] else None

        return await until(reached, seconds)

    def open(self, uri: str, text: str, language: str = "markdown") -> None:
        self.versions[uri] = 1
        self.client.text_document_did_open(
            types.DidOpenTextDocumentParams(types.TextDocumentItem(uri, language, 1, text))
        )

    def insert(self, uri: str, line: int, text: str, character: int = 0) -> None:
        """Type `text` at a position."""
        place = types.Position(line, character)
        change = types.TextDocumentContentChangePartial(range=types.Range(place, place), text=text)
        self.change(uri, change)

    def change(self, uri: str, *changes: types.TextDocumentContentChangeEvent) -> None:
        self.versions[uri] += 1
        known = types.VersionedTextDocumentIdentifier(uri=uri, version=self.versions[uri])
        self.client.text_document_did_change(types.DidChangeTextDocumentParams(known, list(changes)))

    def close(self, uri: str) -> None:
        self.client.text_document_did_close(types.DidCloseTextDocumentParams(types.TextDocumentIdentifier(uri)))

    def save(self, uri: str) -> None:
        self.client.text_document_did_save(types.DidSaveTextDocumentParams(types.TextDocumentIdentifier(uri)))

    def uri(self, path: str) -> str:
        return (self.roots[0] / path).as_uri()

    async def actions(self, uri: str, start: tuple[int, int], end: tuple[int, int] | None = None, **context: Any):
        where = types.Range(types.Position(*start), types.Position(*(end or start)))
        params = types.CodeActionParams(
            types.TextDocumentIdentifier(uri), where, types.CodeActionContext([], **context)
        )
        return await self.client.text_document_code_action_async(params)

    @property
    def process(self) -> asyncio.subprocess.Process:
        assert self.client._server is not None
        return self.client._server


@asynccontextmanager
async def editing(
    *roots: Path,
    editor: str = NEOVIM,
    command: Sequence[str] = LAUNCH,
    options: object = None,
    settings: dict[str, Any] | None = None,
    adjust: Callable[[types.ClientCapabilities], None] = lambda _: None,
    before: Callable[[Editor], None] = lambda _: None,
    **params: Any,
) -> AsyncIterator[Editor]:
    """An editor with these folders open; afterwards the server is shut down and must exit with 0."""
    client = _client()
    session = Editor(client, roots)
    _listen(client, session)
    if settings is not None:
        client.set_configuration(settings, section="ddg")
    before(session)
    capabilities = client_capabilities(editor)
    adjust(capabilities)
    await client.start_io(sys.executable, *command, cwd=REPOSITORY)
    folders = [types.WorkspaceFolder(uri=root.as_uri(), name=root.name) for root in roots]
    params = {"workspace_folders": folders, **params}
    begin = types.InitializeParams(capabilities=capabilities, initialization_options=options, **params)
    try:
        session.initialized = await asyncio.wait_for(client.initialize_session(begin), 2 * PATIENCE)
        yield session
        await asyncio.wait_for(client.shutdown_session(), 15.0)
        assert session.process.returncode == 0
    finally:
        if session.process.returncode is None:
            session.process.kill()
        await asyncio.wait_for(client.stop(), PATIENCE)


async def until(found: Callable[[], Any], seconds: float = 20.0) -> Any:
    """Ask again and again until the answer is true."""
    give_up = time.monotonic() + seconds
    while time.monotonic() < give_up:
        value = found()
        value = await value if asyncio.iscoroutine(value) else value
        if value:
            return value
        await asyncio.sleep(0.02)
    raise AssertionError(f"Not within {seconds} seconds.")


def _client() -> LanguageClient:
    def factory():
        converter = default_converter()

        def hook(value: dict[str, Any], _: object) -> object:
            # lsprotocol takes every action that has a command for a Command: it only asks whether the key is there.
            return converter.structure(
                value, types.Command if isinstance(value.get("command"), str) else types.CodeAction
            )

        converter.register_structure_hook(types.Command | types.CodeAction, hook)
        return converter

    client = LanguageClient(converter_factory=factory)
    register_lsp_features(client)
    return client


def _listen(client: LanguageClient, session: Editor) -> None:
    @client.feature(types.CLIENT_REGISTER_CAPABILITY)
    def register(params: types.RegistrationParams) -> None:
        session.registered += params.registrations

    @client.feature(protocol.STATUS)
    def status(params) -> None:  # `object` would be taken for the client itself
        session.statuses.append(protocol.plain(params))
