"""Folders that lie in one another, or are reached by two names: a file is found once, and as it is on the screen."""

from __future__ import annotations

from pathlib import Path

import pytest
from lsprotocol import types

from tests.helpers.documents import write
from tests.helpers.editor import Editor, editing, until

pytestmark = pytest.mark.asyncio

BEFORE, AFTER = "# Old\n\nwalrus\n", "# New\n\nquokka\n"


def tree(root: Path) -> Path:
    others = {f"docs/other{number}.md": f"# Other {number}\n\nwalrus herd {number}\n" for number in range(6)}
    return write(root, {"README.md": "# Read me\n\nwalrus\n", "docs/x.md": BEFORE, **others})


async def found(it: Editor, word: str, **fields: object) -> list[Path]:
    answer = await it.fresh(word, **{"mode": "lexical", **fields})
    return [Path(hit["uri"].removeprefix("file://")).resolve() for hit in answer["hits"]]


async def edited(it: Editor, root: Path, name: str, **fields: object) -> None:
    """Open a document and change it; from then on it is found once, and by its new words only."""
    uri = (root / name).as_uri()
    it.open(uri, BEFORE)
    it.change(uri, types.TextDocumentContentChangeWholeDocument(text=AFTER))
    await until(lambda: _is(it, "quokka", [(root / name).resolve()], **fields), seconds=6.0)
    assert (root / name).resolve() not in await found(it, "walrus", **fields)


async def _is(it: Editor, word: str, wanted: list[Path], **fields: object) -> bool:
    return await found(it, word, **fields) == wanted


async def test_files_of_a_folder_in_a_folder_are_found_once_and_fill_the_limit(tmp_path):
    root = tree(tmp_path)
    async with editing(root, root / "docs") as it:
        await it.ready()
        for mode in ("lexical", "semantic", "hybrid"):
            everything = await found(it, "walrus", mode=mode)
            assert len(everything) == len(set(everything)) == 8
            assert len(set(await found(it, "walrus", mode=mode, limit=5))) == 5
            assert len(await found(it, "walrus", mode=mode, limit=5)) == 5
        assert len(await found(it, "walrus", folders=[root.as_uri()])) == 8
        assert len(await found(it, "walrus", folders=[(root / "docs").as_uri()])) == 7


async def test_an_edit_in_a_folder_in_a_folder_is_what_is_found(tmp_path):
    root = tree(tmp_path)
    async with editing(root, root / "docs") as it:
        await it.ready()
        await edited(it, root, "docs/x.md")


async def test_an_edit_in_a_folder_in_a_folder_is_what_the_outer_finds_alone(tmp_path):
    root = tree(tmp_path)
    async with editing(root, root / "docs") as it:
        await it.ready()
        await edited(it, root, "docs/x.md", folders=[root.as_uri()])


@pytest.mark.parametrize(
    "through",
    [0, 1],
)
async def test_one_folder_under_two_names_is_found_once(tmp_path, through):
    root = tree(tmp_path / "real")
    (tmp_path / "link").symlink_to(root)
    roots = (root, tmp_path / "link")
    async with editing(*roots) as it:
        await it.ready()
        assert len(await found(it, "walrus")) == 8
        await edited(it, roots[through], "docs/x.md")


async def test_a_document_opened_through_a_link_in_the_folder_is_found_once(tmp_path):
    root = tree(tmp_path)
    (root / "linked").symlink_to("docs")
    async with editing(root) as it:
        await it.ready()
        await edited(it, root, "linked/x.md")
