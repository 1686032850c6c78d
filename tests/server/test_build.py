"""The loop that embeds a folder: whatever comes while it is ending, nothing is left undone."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from lsprotocol import types

from ddg_lsp.core.embedding.choose import Choice
from ddg_lsp.core.embedding.deterministic import DeterministicEmbedder
from ddg_lsp.core.folder import Folder
from ddg_lsp.core.settings import Settings
from ddg_lsp.server import app
from ddg_lsp.server.live_folder import LiveFolder
from tests.helpers.documents import many
from tests.helpers.editor import until

pytestmark = pytest.mark.asyncio


def choose(_: Settings, *, failed: Mapping[str, str] | None = None) -> Choice:
    return Choice(DeterministicEmbedder(), "The test's choice.", (), "deterministic")


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
    door = app.Door(choose)
    door.server.protocol.client_capabilities = types.ClientCapabilities()  # as if `initialize` had been answered
    session = door.open().session
    folder = session.add(many(tmp_path, 3).as_uri())
    assert folder is not None
    times: list[int] = []
    finish = Folder.finish

    def interrupted(core: Folder) -> None:
        if not times:
            meanwhile(folder)
        times.append(core.pending())
        finish(core)

    monkeypatch.setattr(Folder, "finish", interrupted)
    await session.configure()
    try:
        await until(lambda: folder.report().documents == 4 and folder.report().state == "ready")
        assert times == [2, 0]  # it was missing when the first build ended, and is not any more
    finally:
        session.close_folders()
        session.end()
        assert door.close(10.0)
