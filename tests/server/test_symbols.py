"""`workspace/symbol`: nothing of it where it was not switched on, and headings by meaning where it was."""

from __future__ import annotations

import pytest
from lsprotocol import types

from tests.helpers.documents import workspace
from tests.helpers.editor import NEOVIM, VSCODE, editing, until


async def symbols(it, text: str):
    return await it.client.workspace_symbol_async(types.WorkspaceSymbolParams(query=text))


@pytest.mark.asyncio
@pytest.mark.parametrize("editor", [NEOVIM, VSCODE])
async def test_a_client_that_did_not_switch_it_on_gets_nothing(tmp_path, editor):
    async with editing(workspace(tmp_path), editor=editor, settings={}) as it:
        assert it.initialized.capabilities.workspace_symbol_provider is None
        await it.ready()
        assert types.WORKSPACE_SYMBOL not in [one.method for one in it.registered]
        assert await symbols(it, "nightly backup") is None


@pytest.mark.asyncio
@pytest.mark.parametrize("options", [{"workspaceSymbols": True}, {"ddg": {"workspaceSymbols": True}}])
async def test_switched_on_by_the_options_of_initialize(tmp_path, options):
    async with editing(workspace(tmp_path), options=options) as it:
        assert it.initialized.capabilities.workspace_symbol_provider is not None
        await it.ready()
        assert types.WORKSPACE_SYMBOL not in [one.method for one in it.registered]
        first, *_ = await symbols(it, "nightly backup")
        assert (first.name, first.container_name) == ("Nightly backup", "docs/ops.md > Operations")
        assert first.location.uri == it.uri("docs/ops.md")
        assert first.location.range.start.line == 4
        for odd in ("", "   ", "x" * 2001):
            assert await symbols(it, odd) == []


@pytest.mark.asyncio
async def test_switched_on_by_the_settings_where_the_client_can_be_told_later(tmp_path):
    def dynamic(capabilities: types.ClientCapabilities) -> None:
        assert capabilities.workspace is not None
        capabilities.workspace.symbol = types.WorkspaceSymbolClientCapabilities(dynamic_registration=True)

    settings = {"workspaceSymbols": True}
    async with editing(workspace(tmp_path), editor=VSCODE, settings=settings, adjust=dynamic) as it:
        assert it.initialized.capabilities.workspace_symbol_provider is None
        await it.ready()
        await until(lambda: types.WORKSPACE_SYMBOL in [one.method for one in it.registered])
        assert (await symbols(it, "apple pie"))[0].name == "Apple pie"
        it.client.set_configuration({"workspaceSymbols": False}, section="ddg")
        it.client.workspace_did_change_configuration(types.DidChangeConfigurationParams({}))

        async def off() -> bool:
            return await symbols(it, "apple pie") is None

        await until(off)


@pytest.mark.asyncio
async def test_a_repository_cannot_switch_it_on(tmp_path):
    root = workspace(tmp_path)
    (root / "ddg.toml").write_text("workspaceSymbols = true\n")
    async with editing(root) as it:
        await it.ready()
        assert await symbols(it, "nightly backup") is None


@pytest.mark.asyncio
async def test_weak_hits_are_left_out(tmp_path):
    async with editing(workspace(tmp_path), options={"workspaceSymbols": True}) as it:
        await it.ready()
        hits = (await it.query("nightly backup"))["hits"]
        assert {hit["match"] for hit in hits} == {"strong", "weak"}
        assert len(await symbols(it, "nightly backup")) == sum(hit["match"] != "weak" for hit in hits)
