"""Code actions: what is asked, which heading is offered, and when nothing is."""

from __future__ import annotations

import pytest
from lsprotocol import types

from ddg_lsp.server import protocol
from ddg_lsp.server.actions import words_at
from ddg_lsp.server.buffers import Buffer
from tests.helpers.documents import CRLF, workspace, write
from tests.helpers.editor import VSCODE, editing

PROGRAM = 'def nightly_backup():\n    """nightly copy of the database"""\n'
INVOKED, AUTOMATIC = types.CodeActionTriggerKind.Invoked, types.CodeActionTriggerKind.Automatic


@pytest.mark.parametrize(
    ("text", "start", "end", "words"),
    [
        (PROGRAM, (1, 7), (1, 14), "nightly"),
        (PROGRAM, (0, 9), (0, 9), "nightly_backup"),
        (PROGRAM, (0, 18), (0, 18), "nightly_backup"),
        (PROGRAM, (0, 19), (0, 19), ""),
        (PROGRAM, (0, 0), (1, 4), "def nightly_backup():"),
        (PROGRAM, (9, 9), (9, 9), ""),
        ("don't re-use", (0, 9), (0, 9), "re-use"),
        ("의존성 주입", (0, 4), (0, 4), "주입"),
        ("a " * 500, (0, 0), (0, 1000), ("a " * 250)[:500]),
        ("   \n", (0, 0), (0, 3), ""),
        ("", (0, 0), (0, 0), ""),
    ],
)
def test_what_is_asked_in_a_program(text, start, end, words):
    buffer = Buffer("file:///a.py", "python", text)
    assert words_at(buffer, types.Range(types.Position(*start), types.Position(*end)), "utf-16") == words


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("## Retry policy 🎉", "Retry policy 🎉"),
        ("# Closed ##", "Closed"),
        ("   ### Indented", "Indented"),
        ("#no heading", "no"),
        ("text", "text"),
    ],
)
def test_on_a_heading_the_whole_heading_is_asked(line, words):
    buffer = Buffer("file:///a.md", "markdown", f"first\n{line}\n")
    place = types.Position(1, 2)
    assert words_at(buffer, types.Range(place, place), "utf-8") == words
    python = Buffer("file:///a.py", "python", f"first\n{line}\n")
    assert words_at(python, types.Range(place, place), "utf-8") != "Retry policy 🎉"


@pytest.mark.asyncio
async def test_the_action_opens_the_best_heading_where_the_client_can(tmp_path):
    root = workspace(tmp_path)
    async with editing(root, editor=VSCODE) as it:
        await it.ready()
        uri = it.uri("app.py")
        it.open(uri, PROGRAM, "python")
        assert not await it.actions(uri, (1, 7), (1, 16), trigger_kind=AUTOMATIC)
        [action] = await it.actions(uri, (1, 7), (1, 35), trigger_kind=INVOKED)
        assert action.title == "Open docs: Operations > Nightly backup — docs/ops.md"
        assert action.kind == protocol.OPEN_DOCS_KIND
        assert action.command.command == protocol.OPEN_HEADING
        # What was asked once may be offered when the cursor merely passes.
        [again] = await it.actions(uri, (1, 7), (1, 35), trigger_kind=AUTOMATIC)
        assert again.title == action.title

        for only, count in ((["quickfix"], 0), (["source"], 0), ([""], 1), (["ddg"], 1), (["ddg.openDocs"], 1)):
            assert len(await it.actions(uri, (1, 7), (1, 35), only=only)) == count, only

        opened = await it.command(action.command.command, *action.command.arguments)
        assert opened["opened"] is True
        [shown] = it.client.shown_documents
        assert shown.uri == it.uri("docs/ops.md")
        assert shown.take_focus is True
        assert shown.selection == types.Range(types.Position(4, 0), types.Position(4, 17))

        # An answer that may have changed is not offered from memory.
        (root / "docs/more.md").write_text("# More\n\nwalrus\n")
        await it.query("walrus")
        assert not await it.actions(uri, (1, 7), (1, 35), trigger_kind=AUTOMATIC)


@pytest.mark.asyncio
async def test_the_section_one_is_in_is_not_offered(tmp_path):
    text = "# Guide\n\n## Nightly backup\n\nThe database is copied every night.\n\n## Other\n\nx\n"
    async with editing(write(workspace(tmp_path), {"docs/guide.md": text})) as it:
        await it.ready()
        uri = it.uri("docs/guide.md")
        it.open(uri, text)
        [action] = await it.actions(uri, (2, 5))
        assert action.title == "Open docs: Operations > Nightly backup — docs/ops.md"


@pytest.mark.asyncio
async def test_a_client_without_show_document_gets_the_place_and_one_without_literals_a_command(tmp_path):
    def adjust(capabilities: types.ClientCapabilities) -> None:
        capabilities.window.show_document = None
        capabilities.text_document.code_action.code_action_literal_support = None

    async with editing(workspace(tmp_path), adjust=adjust) as it:
        await it.ready()
        uri = it.uri("app.py")
        it.open(uri, PROGRAM, "python")
        [command] = await it.actions(uri, (1, 7), (1, 35))
        assert isinstance(command, types.Command)
        opened = await it.command(command.command, *command.arguments)
        assert opened["opened"] is False
        assert opened["uri"] == it.uri("docs/ops.md")
        assert opened["range"]["start"] == {"line": 4, "character": 0}
        assert it.client.shown_documents == []


@pytest.mark.asyncio
async def test_languages_are_the_user_s_choice_and_unopened_documents_have_no_actions(tmp_path):
    async with editing(workspace(tmp_path), settings={"codeActionLanguages": ["python"]}) as it:
        await it.ready()
        assert not await it.actions(it.uri("app.py"), (0, 9))
        it.open(it.uri("app.py"), PROGRAM, "python")
        it.open(it.uri("docs/ops.md"), CRLF, "markdown")
        assert len(await it.actions(it.uri("app.py"), (1, 9))) == 1
        assert not await it.actions(it.uri("docs/ops.md"), (0, 3))
