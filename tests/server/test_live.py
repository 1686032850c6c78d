"""What is on the screen is what is searched: open documents, saved or not, in folders or in none."""

from __future__ import annotations

import asyncio
import time

import pytest

from tests.helpers.documents import CRLF, EMOJI, workspace, write
from tests.helpers.editor import NEOVIM, VSCODE, editing, until

pytestmark = pytest.mark.asyncio

RETRY = "unicode retry policy failed requests retried"


@pytest.mark.parametrize("editor", [NEOVIM, VSCODE])
async def test_row25_lines_inserted_above_a_heading_without_saving_move_its_range(tmp_path, editor):
    root = workspace(tmp_path)
    async with editing(root, editor=editor) as it:
        await it.ready()
        uri = it.uri("docs/guide 🚀.md")
        it.open(uri, EMOJI)
        it.insert(uri, 3, "A line more.\n" * 40)
        hit = (await it.query(RETRY, mode="semantic"))["hits"][0]
        assert hit["uri"] == uri
        assert hit["selectionRange"]["start"] == {"line": 44, "character": 0}
        heading = EMOJI.split("\n")[4]
        width = len(heading.encode()) if editor == NEOVIM else len(heading.encode("utf-16-le")) // 2
        assert hit["selectionRange"]["end"] == {"line": 44, "character": width}
        assert hit["range"]["start"]["line"] == 44
        it.close(uri)
        hit = (await it.query(RETRY, mode="semantic"))["hits"][0]
        assert hit["selectionRange"]["start"] == {"line": 4, "character": 0}
    assert (root / "docs/guide 🚀.md").read_text() == EMOJI


async def test_edits_in_a_crlf_document_keep_its_ranges(tmp_path):
    async with editing(workspace(tmp_path)) as it:
        await it.ready()
        uri = it.uri("docs/ops.md")
        it.open(uri, CRLF)
        it.insert(uri, 2, "More words.\r\nAnd more. ")
        hit = (await it.query("nightly backup snapshots database", mode="semantic"))["hits"][0]
        assert hit["selectionRange"] == {"start": {"line": 5, "character": 0}, "end": {"line": 5, "character": 17}}


async def test_a_section_just_typed_is_found_within_a_second_and_never_written(tmp_path):
    root = workspace(tmp_path)
    async with editing(root) as it:
        await it.ready()
        uri = it.uri("docs/ops.md")
        it.open(uri, CRLF)
        it.insert(uri, 7, "\r\n## Zeppelin")
        it.insert(uri, 8, " mooring\r\n\r\nThe zeppelin", 11)
        it.insert(uri, 10, " is moored to the mast.\r\n", 12)
        typed = time.monotonic()

        async def found() -> bool:
            hits = (await it.query("zeppelin mooring mast", mode="semantic"))["hits"]
            return bool(hits) and hits[0]["headings"][-1] == "Zeppelin mooring"

        await until(found)
        assert time.monotonic() - typed < 1.0
        await it.ready()
    assert (root / "docs/ops.md").read_bytes() == CRLF.encode()
    for file in (root / ".ddg").rglob("*"):
        assert not file.is_file() or b"eppelin" not in file.read_bytes()


async def test_row10_fifty_keystrokes_in_a_second_are_embedded_once_at_the_end(tmp_path):
    seen = tmp_path / "seen.txt"
    root = workspace(tmp_path / "w")
    async with editing(root, command=("-m", "tests.server.launch", "--seen", str(seen))) as it:
        await it.ready()
        uri = it.uri("docs/ops.md")
        it.open(uri, CRLF)
        before = len(seen.read_text().splitlines())
        for _ in range(50):
            it.insert(uri, 6, "x", 0)
            await asyncio.sleep(0.005)
        await asyncio.sleep(0.6)
        await it.ready()
        assert len(seen.read_text().splitlines()) - before <= 2  # the section's whole, and its opening


async def _first(it, question, uri):
    """The first hit, once it is in this document."""
    hits = (await it.query(question, mode="semantic"))["hits"]
    return hits[0] if hits and hits[0]["uri"] == uri else None


async def test_documents_that_are_in_no_file_are_searched_while_they_are_open(tmp_path):
    root = workspace(tmp_path / "w")
    elsewhere = write(tmp_path / "elsewhere", {"note.md": "# Elsewhere\n\nxylophone maintenance\n"})
    async with editing(root) as it:
        await it.ready()
        it.open("untitled:Untitled-1", "# Draft\n\n## Walrus feeding\n\nThe walrus is fed with clams.\n")
        outside = (elsewhere / "note.md").as_uri()
        it.open(outside, "# Elsewhere\n\nxylophone maintenance\n")
        it.open("git:/w/docs/ops.md?ref=HEAD", CRLF)
        await it.ready()
        # A document that was just opened is indexed at the next question or a little later: the answer is awaited.
        hit = await until(lambda: _first(it, "walrus feeding clams", "untitled:Untitled-1"))
        assert hit["path"] == "Untitled-1"
        assert hit["selectionRange"]["start"]["line"] == 2
        assert await until(lambda: _first(it, "xylophone maintenance", outside))
        uris = [hit["uri"] for hit in (await it.query("backup"))["hits"]]
        assert not any(uri.startswith("git:") for uri in uris)
        it.close("untitled:Untitled-1")
        it.close(outside)
        uris = [hit["uri"] for hit in (await it.query("walrus xylophone", mode="semantic"))["hits"]]
        assert uris
        assert all(uri.startswith(root.as_uri()) for uri in uris)
    assert not (elsewhere / ".ddg").exists()


async def test_open_documents_that_are_no_part_of_the_corpus_are_not_searched(tmp_path):
    root = write(tmp_path, {"docs/a.md": "# A\n\ntext\n", "docs/plan/secret.md": "# Plan\n", ".gitignore": "build/\n"})
    async with editing(root) as it:
        await it.ready()
        for path in ("docs/plan/secret.md", "build/out.md", ".hidden.md", "docs/a.py"):
            it.open(it.uri(path), "# Walrus\n\nwalrus\n", "markdown" if path.endswith("md") else "python")
        it.open(
            it.uri("docs/key.md"),
            f"# Walrus\n\n-----BEGIN PRIVATE KEY-----\n{'MIIEvQIBADANBg' * 8}\n-----END PRIVATE KEY-----\n",
        )
        it.open(it.uri("docs/new.md"), "# Walrus\n\nwalrus\n")
        await it.ready()
        assert sorted(await it.paths("walrus")) == ["docs/a.md", "docs/new.md"]


async def test_single_file_mode_searches_what_is_open_and_writes_nothing(tmp_path):
    root = workspace(tmp_path)
    async with editing(workspace_folders=None, root_uri=None) as it:
        assert (await it.query("anything"))["hits"] == []
        uri = (root / "docs/ops.md").as_uri()
        it.open(uri, CRLF)
        await it.ready()
        answer = await it.query("nightly backup", mode="semantic")
        assert [hit["uri"] for hit in answer["hits"]] == [uri]
        assert answer["index"]["documents"] == 1
    assert not (root / ".ddg").exists()
    assert not (root / "docs" / ".ddg").exists()


@pytest.mark.parametrize("params", [{"root_uri": "uri"}, {"root_path": "path"}])
async def test_a_root_given_in_the_old_way_is_the_folder(tmp_path, params):
    root = workspace(tmp_path)
    given = {name: root.as_uri() if kind == "uri" else str(root) for name, kind in params.items()}
    async with editing(workspace_folders=None, **given) as it:
        await it.ready()
        assert (await it.query("backup"))["index"]["documents"] == 3
