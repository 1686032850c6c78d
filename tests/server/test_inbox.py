"""The inbox hands over exactly what was sent, whatever its pieces, and knows whether there is more."""

from __future__ import annotations

import asyncio
import os
import threading
from functools import partial

import pytest

from ddg_lsp.server.inbox import Inbox

pytestmark = pytest.mark.asyncio


@pytest.fixture
def pipe():
    read, write = os.pipe()
    yield Inbox(read, partial(os.read, read)), write
    os.close(read)


async def test_lines_and_bytes_come_as_sent_and_the_end_is_empty(pipe):
    inbox, write = pipe
    body = "🎉" * 40_000
    sent = f"Content-Length: {len(body.encode())}\r\n\r\n{body}tail".encode()

    def send() -> None:
        for start in range(0, len(sent), 7_001):
            os.write(write, sent[start : start + 7_001])
        os.close(write)

    threading.Thread(target=send).start()
    assert (await inbox.readline()).startswith(b"Content-Length: 160000")
    assert await inbox.readline() == b"\r\n"
    assert (await inbox.readexactly(160_000)).decode() == body
    assert await inbox.readline() == b"tail"
    assert await inbox.readline() == b""
    assert await inbox.readexactly(5) == b""
    assert inbox.waiting() is False


async def test_half_a_message_is_none(pipe):
    inbox, write = pipe
    os.write(write, b"half")
    os.close(write)
    assert await inbox.readexactly(5) == b""


@pytest.mark.skipif(os.name == "nt", reason="the system cannot tell")
async def test_what_was_sent_and_not_read_is_waiting(pipe):
    inbox, write = pipe
    assert inbox.waiting() is False
    os.write(write, b"one\ntwo\n")
    assert inbox.waiting() is True
    assert await inbox.readline() == b"one\n"
    assert inbox.waiting() is True
    assert await inbox.readline() == b"two\n"
    assert inbox.waiting() is False
    os.close(write)
    await asyncio.sleep(0)
