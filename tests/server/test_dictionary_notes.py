"""What is wrong in a synonym file is shown in it, at its place in the client's encoding, and goes when it is mended."""

from __future__ import annotations

import pytest
from lsprotocol import types

from tests.helpers.documents import write
from tests.helpers.editor import NEOVIM, VSCODE, editing, until

pytestmark = pytest.mark.asyncio

PAGES = {"docs/a.md": "# Login\n\nHow to sign in.\n"}
BAD = "login, sign in\n🎉 a => b => c\n"
GOOD = "login, sign in\n"


@pytest.mark.parametrize(("editor", "end"), [(VSCODE, 14), (NEOVIM, 16)])
async def test_notes_on_the_synonym_file_are_shown_and_taken_back(tmp_path, editor, end):
    root = write(tmp_path, {**PAGES, "synonyms.txt": BAD})
    async with editing(root, editor=editor) as it:
        await it.ready()
        uri = it.uri("synonyms.txt")
        (note,) = await until(lambda: it.client.diagnostics.get(uri))
        assert note.code == "bad-rule"
        assert note.source == "ddg-lsp"
        assert note.severity == types.DiagnosticSeverity.Warning
        assert (note.range.start, note.range.end) == (types.Position(1, 0), types.Position(1, end))
        write(root, {"synonyms.txt": GOOD})
        await it.fresh("login", mode="lexical")
        await until(lambda: not it.client.diagnostics.get(uri))


async def test_a_synonym_file_that_cannot_be_used_says_so_in_its_first_line(tmp_path):
    root = write(tmp_path, PAGES)
    (root / "synonyms.txt").write_bytes(b"login, \xff\n")
    async with editing(root) as it:
        await it.ready()
        (note,) = await until(lambda: it.client.diagnostics.get(it.uri("synonyms.txt")))
        assert note.code == "unusable"
        assert "No word is expanded" in note.message
        assert note.range.start == types.Position(0, 0)


async def test_a_good_synonym_file_or_none_is_not_spoken_of(tmp_path):
    root = write(tmp_path, {**PAGES, "synonyms.txt": GOOD})
    async with editing(root) as it:
        await it.ready()
        await it.fresh("login", mode="lexical")
        assert not it.client.diagnostics.get(it.uri("synonyms.txt"))


@pytest.mark.parametrize("language", ["plaintext", "markdown"])
async def test_notes_stay_while_the_file_is_opened_and_closed(tmp_path, language):
    root = write(tmp_path, {**PAGES, "synonyms.txt": BAD})
    async with editing(root, editor=VSCODE) as it:
        await it.ready()
        uri = it.uri("synonyms.txt")
        await until(lambda: it.client.diagnostics.get(uri))
        item = types.TextDocumentItem(uri, language, 1, BAD)
        it.client.text_document_did_open(types.DidOpenTextDocumentParams(item))
        await it.fresh("login", mode="lexical")
        it.client.text_document_did_close(types.DidCloseTextDocumentParams(types.TextDocumentIdentifier(uri)))
        await it.fresh("login", mode="lexical")
        assert [one.code for one in it.client.diagnostics[uri]] == ["bad-rule"]
