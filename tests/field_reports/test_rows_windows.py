"""Field reports on several processes with one folder: who embeds, who writes, and who is there when the other is gone."""

from __future__ import annotations

import asyncio
import json

import pytest

from tests.helpers.documents import many, write
from tests.helpers.editor import editing

pytestmark = pytest.mark.asyncio

LAUNCH = ("-m", "tests.server.launch")


@pytest.mark.xfail(strict=True, reason="a folder never looks whether another process has written what it still embeds")
async def test_row_6_row_84_a_second_window_takes_over_what_the_first_has_embedded(tmp_path):
    root, seen = many(tmp_path / "w", 30), [tmp_path / "one.txt", tmp_path / "two.txt"]
    one, two = ((*LAUNCH, "--slow", "0.05", "--seen", str(path)) for path in seen)
    async with editing(root, command=one) as first, editing(root, command=two) as second:
        statuses = await asyncio.gather(first.ready(), second.ready())
        passages = statuses[0]["index"]["passages"]
        hits = [(await it.query("thing 3", mode="semantic"))["hits"] for it in (first, second)]
        assert hits[0] == hits[1] != []
    embedded = [line for path in seen for line in path.read_text().splitlines() if line.startswith("passage: path")]
    assert passages <= len(embedded) < 1.25 * passages


async def test_row_84_the_second_window_writes_when_the_first_is_gone(tmp_path):
    root, seen = many(tmp_path / "w", 5), tmp_path / "seen.txt"
    async with editing(root) as second:
        async with editing(root) as first:
            await asyncio.gather(first.ready(), second.ready())
        write(root, {"docs/new.md": "# Walrus\n\nwalrus\n"})
        assert (await second.fresh("walrus", mode="lexical"))["hits"][0]["path"] == "docs/new.md"
        await second.ready()
    manifest = json.loads((root / ".ddg" / "vectors" / "manifest.json").read_text())
    assert manifest
    async with editing(root, command=(*LAUNCH, "--seen", str(seen))) as third:
        await third.ready()
        await third.query("walrus")
    assert [line for line in seen.read_text().splitlines() if line.startswith("passage: path")] == []
