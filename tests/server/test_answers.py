"""The main job over LSP with the shipped server and the built-in model, as Neovim and as VS Code ask for it."""

from __future__ import annotations

import pytest
from lsprotocol import types

from ddg_lsp.server import protocol
from tests.helpers.documents import workspace
from tests.helpers.editor import NEOVIM, SHIPPED, VSCODE, editing

pytestmark = pytest.mark.asyncio

EDITORS = pytest.mark.parametrize("editor", [NEOVIM, VSCODE])
PROGRAM = "def copy():\n    # nightly backup of the database\n    return 3\n"
WIDTH = {NEOVIM: len("## 𝔘nicode 🎉 retry policy".encode()), VSCODE: len("## 𝔘nicode 🎉 retry policy") + 2}


@EDITORS
async def test_ask_while_building_then_when_ready_and_open_the_heading(tmp_path, editor):
    root = workspace(tmp_path)
    async with editing(root, editor=editor, command=SHIPPED) as it:
        early = await it.query("How are failed requests retried?")
        assert early["index"]["state"] in {"building", "ready"}
        assert early["index"]["embedded"] <= early["index"]["passages"]
        await it.ready()

        answer = await it.query("How are failed requests retried?", mode="semantic")
        hit = answer["hits"][0]
        assert hit["headings"] == ["Guide 🎉", "𝔘nicode 🎉 retry policy"]
        assert hit["uri"] == it.uri("docs/guide 🚀.md")
        assert hit["path"] == "docs/guide 🚀.md"
        assert hit["selectionRange"] == {
            "start": {"line": 4, "character": 0},
            "end": {"line": 4, "character": WIDTH[editor]},
        }
        assert hit["range"]["start"] == {"line": 4, "character": 0}
        assert hit["score"] >= hit["semanticScore"] > 0.0
        assert answer["model"] == {"embedder": "e5", "id": "intfloat/multilingual-e5-small", "dimensions": 384}
        assert answer["index"]["state"] == "ready"
        assert answer["index"]["documents"] == 3
        assert answer["index"]["embedded"] == answer["index"]["passages"] == answer["index"]["openings"]
        assert answer["index"]["indexedAt"]
        assert answer["elapsedMs"] > 0.0

        assert (await it.paths("데이터베이스 백업은 언제 하나요?", mode="semantic"))[0] == "docs/ops.md"
        assert (await it.paths("Wie backt man einen Apfelkuchen?"))[0] == "docs/küche #1.md"

        program = it.uri("app.py")
        it.open(program, PROGRAM, "python")
        actions = await it.actions(program, (1, 4), (1, 36))
        assert [action.title for action in actions] == ["Open docs: Operations > Nightly backup — docs/ops.md"]
        assert actions[0].kind == protocol.OPEN_DOCS_KIND
        opened = await it.command(actions[0].command.command, *actions[0].command.arguments)
        assert opened["opened"] is True
        shown = it.client.shown_documents[-1]
        assert shown.uri == it.uri("docs/ops.md")
        assert shown.selection == types.Range(types.Position(4, 0), types.Position(4, len("## Nightly backup")))
