"""Publishing, the map and findings over the wire: L04 as a diagnostic, L13, B03, and who is told what."""

from __future__ import annotations

import asyncio
import time
from typing import Any

import pytest
from lsprotocol import types

from ddg_lsp.server import protocol
from tests.helpers.acme import ACME, LLMS
from tests.helpers.documents import write
from tests.helpers.editor import NEOVIM, VSCODE, editing, until

pytestmark = pytest.mark.asyncio

QUOTED = "# 🎉 Notes\n\n> 🎉 Searches *docs*.\n>\n> — [Query](spec/QUERY%20(v2).md#query-v2)\n"
ABSENT = "> Never said.\n\n— [🎉 Specs](spec/README.md#specs)\n"


def shown(it: Any, path: str) -> list[types.Diagnostic]:
    return list(it.client.diagnostics.get(it.uri(path), ()))


async def codes(it: Any, path: str, *wanted: str) -> list[types.Diagnostic]:
    """The diagnostics of a file, once they are these."""
    await until(lambda: sorted(str(one.code) for one in shown(it, path)) == sorted(wanted))
    return shown(it, path)


async def test_the_command_writes_once_and_a_save_never_does(tmp_path):
    root = write(tmp_path, ACME)
    async with editing(root, editor=VSCODE) as it:
        await it.ready()
        for number in range(10):
            path = f"docs/page{number}.md"
            write(root, {path: f"# Page {number}\n"})
            it.open(it.uri(path), f"# Page {number}\n")
            it.save(it.uri(path))
        await it.fresh("page")
        assert not list(root.rglob("llms*"))  # L13
        [file] = (await it.command(protocol.GENERATE_LLMS))["files"]
        assert file == {"path": "docs/llms.txt", "uri": it.uri("docs/llms.txt"), "written": True, "pages": 14}
        before = (root / "docs/llms.txt").stat()
        [file] = (await it.command(protocol.GENERATE_LLMS, {"folders": [root.as_uri()]}))["files"]
        assert file["written"] is False
        assert (root / "docs/llms.txt").stat() == before
        assert len((await it.command(protocol.GENERATE_LLMS, {"full": True}))["files"]) == 2
        assert (root / "docs/llms-full.txt").exists()


async def test_l04_a_published_file_that_is_out_of_date_is_marked_where_it_differs(tmp_path):
    root = write(tmp_path, {**ACME, "docs/llms.txt": LLMS})
    uri = (root / "docs/llms.txt").as_uri()
    async with editing(root) as it:
        await it.ready()
        it.open(uri, LLMS, "plaintext")
        it.insert(uri, 12, "x")
        [found] = await codes(it, "docs/llms.txt", "llms-out-of-date")
        assert found.range.start == types.Position(12, 0)
        assert found.severity == types.DiagnosticSeverity.Information
        assert protocol.GENERATE_LLMS in found.message
        it.change(uri, types.TextDocumentContentChangeWholeDocument(text=LLMS))
        await codes(it, "docs/llms.txt")
        write(root, {"docs/spec/README.md": "# Specifications\n\nWhat we promise.\n"})
        it.save(it.uri("docs/spec/README.md"))
        [found] = await codes(it, "docs/llms.txt", "llms-out-of-date")
        assert found.range.start == types.Position(12, 0)
        it.close(uri)
        await codes(it, "docs/llms.txt")


async def test_a_file_somebody_wrote_by_hand_is_left_alone_until_the_settings_publish(tmp_path):
    root = write(tmp_path, ACME)
    by_hand = "# Acme\n\n## Read\n\n- [Mine](https://x.test/a.md): by hand\n- [Specs](spec/README.md)\n"
    uri = (root / "docs/llms.txt").as_uri()
    async with editing(root) as it:
        await it.ready()
        it.open(uri, by_hand, "plaintext")
        it.open(it.uri("docs/cites.md"), ABSENT)
        await codes(it, "docs/cites.md", "citation-not-found")  # which was looked at after it
        assert shown(it, "docs/llms.txt") == []
        write(root, {"ddg.toml": '[llms]\ntitle = "Acme"\n'})
        await it.command(protocol.REINDEX)
        it.save(it.uri("ddg.toml"))
        it.change(uri, types.TextDocumentContentChangeWholeDocument(text=by_hand + "\n"))
        await codes(it, "docs/llms.txt", "llms-out-of-date")


LINK = "[🎉 Specs](spec/README.md#specs)"


@pytest.mark.parametrize(("editor", "width"), [(NEOVIM, len(LINK.encode())), (VSCODE, len(LINK) + 1)])
async def test_b03_citations_are_marked_as_they_are_typed(tmp_path, editor, width):
    root = write(tmp_path, {**ACME, "docs/notes.md": QUOTED})
    write(root, {"docs/spec/QUERY (v2).md": "# Query [v2]\n\n🎉 Searches docs. More.\n"})
    uri = (root / "docs/notes.md").as_uri()
    async with editing(root, editor=editor) as it:
        await it.ready()
        it.open(uri, QUOTED + "\n" + ABSENT)
        [found] = await codes(it, "docs/notes.md", "citation-not-found")
        start = len("— ".encode()) if editor == NEOVIM else 2
        assert (found.range.start, found.range.end) == (types.Position(8, start), types.Position(8, start + width))
        it.change(uri, types.TextDocumentContentChangeWholeDocument(text=QUOTED.replace("#query-v2", "#gone")))
        await codes(it, "docs/notes.md", "citation-missing")
        it.change(uri, types.TextDocumentContentChangeWholeDocument(text=QUOTED))
        await codes(it, "docs/notes.md")
        # The cited document as it is on the screen, unsaved.
        cited = it.uri("docs/spec/QUERY (v2).md")
        it.open(cited, "# Query [v2]\n\nNothing of it.\n")
        it.save(cited)
        await codes(it, "docs/notes.md", "citation-not-found")
        it.close(uri)
        await codes(it, "docs/notes.md")


async def test_a_client_without_diagnostics_is_sent_none(tmp_path):
    def adjust(capabilities: types.ClientCapabilities) -> None:
        capabilities.text_document.publish_diagnostics = None

    async with editing(write(tmp_path, ACME), adjust=adjust) as it:
        await it.ready()
        it.open(it.uri("docs/cites.md"), ABSENT)
        await it.fresh("specs")
        await asyncio.sleep(0.3)
        assert not it.client.diagnostics


async def test_a_map_asked_for_at_once_waits_for_the_folder_to_be_read_and_not_for_one_that_cannot_be(tmp_path):
    root = write(tmp_path / "w", {f"docs/{number}.md": f"# Page {number}\n" for number in range(300)})
    async with editing(root) as it:
        answer = await it.request(protocol.MAP, {})
        assert (answer["read"], answer["total"]) == (True, 300)
    async with editing(tmp_path / "not there") as it:
        began = time.monotonic()
        answer = await it.request(protocol.MAP, {})
        assert (answer["read"], answer["total"]) == (False, 0)
        assert time.monotonic() - began < 15.0


async def test_the_map_is_of_what_is_on_the_screen(tmp_path):
    root = write(tmp_path, {**ACME, "README.md": "# Project\n\nThe whole.\n"})
    async with editing(root) as it:
        await it.ready()
        it.open(it.uri("docs/new.md"), "# New page\n\nUnsaved. Really.\n")
        await it.fresh("new page")
        answer = await it.request(protocol.MAP, {})
        assert answer["folders"] == [{"title": "Acme", "summary": "Acme is a tiny build tool."}]
        assert [(e["area"], e["title"], e["path"]) for e in answer["entries"]] == [
            ("Docs", "Acme", "docs/README.md"),
            ("Docs", "New page", "docs/new.md"),
            ("guide", "설치 안내", "docs/guide/설치 안내.md"),
            ("Specs", "Specs", "docs/spec/README.md"),
            ("Specs", "Query [v2]", "docs/spec/QUERY (v2).md"),
            ("Project", "Project", "README.md"),
        ]
        assert answer["entries"][1]["summary"] == "Unsaved."
        assert answer["entries"][1]["uri"] == it.uri("docs/new.md")
        assert (answer["total"], answer["truncated"]) == (6, False)
        cut = await it.command(protocol.MAP, {"limit": 2, "folders": [root.as_uri()]})
        assert (len(cut["entries"]), cut["total"], cut["truncated"]) == (2, 6, True)
