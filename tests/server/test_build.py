"""The loop that embeds a folder: whatever comes while it is ending, nothing is left undone."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from lsprotocol import types

from ddg_lsp.core.embedding.choose import Choice
from ddg_lsp.core.embedding.deterministic import DeterministicEmbedder
from ddg_lsp.core.folder import Folder
from ddg_lsp.core.settings import Settings
from ddg_lsp.server import app
from ddg_lsp.server.live_folder import LiveFolder
from ddg_lsp.server.session import Session
from tests.helpers.documents import many, write
from tests.helpers.editor import until

pytestmark = pytest.mark.asyncio


def choose(_: Settings, *, failed: Mapping[str, str] | None = None) -> Choice:
    return Choice(DeterministicEmbedder(), "The test's choice.", (), "deterministic")


@asynccontextmanager
async def opened(root: Path) -> AsyncIterator[tuple[Session, LiveFolder]]:
    """A session with this folder, as a client's that can do nothing; it must end in time."""
    door = app.Door(choose)
    door.server.protocol.client_capabilities = types.ClientCapabilities()  # as if `initialize` had been answered
    session = door.open().session
    folder = session.add(root.as_uri())
    assert folder is not None
    try:
        yield session, folder
    finally:
        session.close_folders()
        session.end()
        assert door.close(10.0)


def type_something(folder: LiveFolder) -> None:
    """What a job of the screen does when it comes before the write that ends a build."""
    assert folder.core is not None
    folder.core.set_buffer("docs/new.md", "# New\n\nJust typed.\n")


def cancel_and_resume(folder: LiveFolder) -> None:
    """The user cancels, and asks for it again before that has ended."""
    type_something(folder)
    folder.build.paused = True
    folder.build.resume()


@pytest.mark.parametrize("meanwhile", [type_something, cancel_and_resume])
async def test_what_comes_while_a_build_writes_its_last_is_embedded_without_anybody_asking(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, meanwhile: Callable[[LiveFolder], None]
) -> None:
    times: list[int] = []
    finish = Folder.finish

    def interrupted(core: Folder) -> None:
        if not times:
            meanwhile(folder)
        times.append(core.pending())
        finish(core)

    monkeypatch.setattr(Folder, "finish", interrupted)
    async with opened(many(tmp_path, 3)) as (session, folder):
        await session.configure()
        await until(lambda: len(times) == 2 and folder.report().state == "ready")
        assert folder.report().documents == 4
        assert times == [2, 0]  # it was missing when the first build ended, and is not any more


GOING: dict[str, Callable[[Path], object]] = {
    "deleted": lambda root: (root / "docs/quokka.md").unlink(),
    "renamed": lambda root: (root / "docs/quokka.md").rename(root / "docs/secrets.md"),
    "ignored": lambda root: write(root, {".gitignore": "quokka.md\n"}),
    "excluded": lambda root: write(root, {"ddg.toml": 'exclude = ["**/quokka.md"]\n'}),
    "a key": lambda root: write(root, {"docs/quokka.md": "# Quokka\n\n-----BEGIN PRIVATE KEY-----\nMIIEvQIBADAN\n"}),
}


@pytest.mark.parametrize("paused", [False, True], ids=["", "paused"])
@pytest.mark.parametrize("how", GOING)
async def test_a_document_that_only_goes_leaves_the_cache_while_the_server_runs(
    tmp_path: Path, how: str, paused: bool
) -> None:
    def cached() -> bytes:
        return b"".join(path.read_bytes() for path in (tmp_path / ".ddg").rglob("*") if path.is_file())

    root = write(many(tmp_path, 3), {"docs/quokka.md": "# Quokka\n\nAn animal.\n"})
    async with opened(root) as (session, folder):
        await session.configure()
        await until(lambda: folder.settled and folder.report().state == "ready" and b"uokka" in cached())
        folder.build.paused = paused
        GOING[how](root)
        folder.sweep_soon(0.0)
        await until(lambda: b"uokka" not in cached())
        assert b"Document 1" in cached()
