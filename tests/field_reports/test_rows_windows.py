"""Field reports on several processes: who embeds and who writes a folder, and what becomes of a server left alone."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from pathlib import Path

import psutil
import pytest

from tests.helpers.documents import many, write
from tests.helpers.editor import REPOSITORY, editing, until

pytestmark = pytest.mark.asyncio

LAUNCH = ("-m", "tests.server.launch")


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


CLIENT = """
import subprocess, sys, time
command = [sys.executable, "-m", "tests.server.launch"]
server = subprocess.Popen(command, stdin=int(sys.argv[1]), stdout=subprocess.DEVNULL)
print(server.pid, flush=True)
time.sleep(600)
"""


@pytest.mark.skipif(os.name == "nt", reason="pipes are not inherited there")
async def test_row_95_a_client_that_is_killed_takes_the_server_along_even_if_the_pipe_stays_open(tmp_path):
    root = many(tmp_path, 3)
    theirs, ours = os.pipe()
    command = [sys.executable, "-c", CLIENT, str(theirs)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, pass_fds=(theirs,), cwd=REPOSITORY) as client:
        os.close(theirs)
        assert client.stdout is not None
        server = psutil.Process(int(client.stdout.readline()))
        try:
            _begin(ours, root, client.pid)
            await until((root / ".ddg" / "vectors" / "manifest.json").exists, 60.0)
            client.kill()
            await until(lambda: not alive(server), 60.0)
        finally:
            client.kill()
            if alive(server):
                server.kill()
            os.close(ours)


def _begin(pipe: int, root: Path, client: int) -> None:
    """`initialize` and `initialized` of a client that is this process."""
    folder = {"uri": root.as_uri(), "name": "w"}
    params = {"processId": client, "rootUri": None, "capabilities": {}, "workspaceFolders": [folder]}
    for message in ({"id": 1, "method": "initialize", "params": params}, {"method": "initialized", "params": {}}):
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        os.write(pipe, b"Content-Length: %d\r\n\r\n%s" % (len(body), body))


def alive(process: psutil.Process) -> bool:
    try:
        return process.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False
