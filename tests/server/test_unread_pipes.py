"""Pipes nobody reads: what waits for the client or for whoever reads the log never holds the server itself."""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import os
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import psutil
import pytest

from ddg_lsp.server import outbox as outboxes
from ddg_lsp.server import protocol
from ddg_lsp.server.outbox import Outbox
from ddg_lsp.server.stderr_log import LINES, PatientHandler
from tests.helpers.documents import write
from tests.helpers.raw_lsp import RawServer


def eventually(check: Callable[[], bool], seconds: float = 20.0) -> bool:
    end = time.monotonic() + seconds
    while not check():
        if time.monotonic() > end:
            return False
        time.sleep(0.01)
    return True


def record(number: int) -> logging.LogRecord:
    return logging.LogRecord("ddg_lsp", logging.WARNING, __file__, 1, "line %s of many", (number,), None)


def _drain(descriptor: int) -> None:
    while os.read(descriptor, 1 << 20):
        pass


def test_a_log_nobody_reads_holds_nobody_and_counts_what_it_leaves_out() -> None:
    reader, writer = os.pipe()
    handler = PatientHandler(writer)
    for number in range(20 * LINES):  # a pipe takes some thousand of them
        handler.emit(record(number))
    handler.flush()
    got = b""
    while b"were left out" not in got:
        got += os.read(reader, 1 << 20)
        handler.emit(record(-1))
    lines = got.split(b"\n")
    assert lines[0] == b"line 0 of many"
    drained = threading.Thread(target=_drain, args=(reader,), daemon=True)
    drained.start()
    assert eventually(lambda: not handler._lines.unfinished_tasks)  # its thread writes to this number no more
    os.close(writer)
    drained.join(20.0)
    os.close(reader)


def test_a_log_is_whole_and_in_order_where_it_is_read() -> None:
    reader, writer = os.pipe()
    handler = PatientHandler(writer)
    for number in range(300):
        handler.emit(record(number))
    handler.flush()
    os.close(writer)
    with os.fdopen(reader, "rb") as found:
        assert found.read().decode().splitlines() == [f"line {number} of many" for number in range(300)]


def test_a_log_that_was_closed_is_no_trouble() -> None:
    reader, writer = os.pipe()
    os.close(reader)
    handler = PatientHandler(writer)
    for number in range(10):
        handler.emit(record(number))
    handler.flush()
    os.close(writer)


def test_what_is_written_waits_for_the_client_alone_and_comes_in_order() -> None:
    taken: list[bytes] = []
    free = threading.Event()

    def send(data: bytes) -> None:
        free.wait()
        taken.append(data)

    box = Outbox(send)
    for number in range(100):
        box.write(b"%d;" % number)
    assert taken == []
    assert not box.finish(0.05)
    free.set()
    assert box.finish(20.0)
    assert b"".join(taken) == b"".join(b"%d;" % number for number in range(100))


@pytest.mark.parametrize("error", [BrokenPipeError(), ConnectionResetError(), ValueError("closed")])
def test_a_client_that_takes_nothing_any_more_is_noticed_once(error: Exception) -> None:
    gone: list[int] = []

    def send(_: bytes) -> None:
        raise error

    box = Outbox(send)
    box.gone = lambda: gone.append(1)
    box.write(b"x")
    assert eventually(lambda: bool(gone))
    box.write(b"y")
    assert box.finish(20.0)
    assert gone == [1]


def test_no_more_is_read_while_far_too_much_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(outboxes, "ROOM_BYTES", 10)
    free = threading.Event()
    box = Outbox(lambda _: free.wait())

    async def scene() -> None:
        box.write(b"x" * 11)
        room = asyncio.ensure_future(box.room())
        await asyncio.sleep(0.1)
        assert not room.done()
        free.set()
        await asyncio.wait_for(room, 20.0)

    asyncio.run(scene())


def test_a_slow_client_gets_everything_and_one_that_takes_nothing_is_not_waited_for() -> None:
    taken: list[bytes] = []
    free = threading.Event()

    def slowly(data: bytes | memoryview) -> None:
        time.sleep(0.02)
        taken.append(bytes(data))

    box = Outbox(slowly)
    whole = bytes(range(256)) * 64 * 40
    box.write(whole)
    assert box.finish(0.3)  # for each piece, not for all of it
    assert b"".join(taken) == whole
    deaf = Outbox(lambda _: free.wait())
    deaf.write(whole)
    assert not deaf.finish(0.05)
    free.set()
    assert deaf.finish(20.0)


REQUESTS, FILES = 1_500, 400
STATUS = {"command": protocol.SHOW_STATUS, "arguments": [{"silent": True, "files": True}]}


@pytest.mark.parametrize("asked", [("workspace/executeCommand", STATUS), (protocol.MAP, {})], ids=["status", "map"])
def test_large_answers_nobody_takes_are_not_computed_in_advance_and_none_is_missing(
    tmp_path: Path, asked: tuple[str, dict[str, Any]]
) -> None:
    write(tmp_path, {f"docs/{number}-{'long-name-' * 8}.md": f"# Page {number}\n" for number in range(FILES)})
    with RawServer("-m", "ddg_lsp", "serve") as server:
        server.begin(tmp_path, initializationOptions={"embedder": "none"})
        assert eventually(lambda: len(json.dumps(server.request(1, *asked))) > 40_000)
        before = psutil.Process(server.process.pid).memory_info().rss
        server.reading.clear()
        method, params = asked
        server.send_at_once(*({"id": 2 + n, "method": method, "params": params} for n in range(REQUESTS)))
        time.sleep(5.0)
        assert psutil.Process(server.process.pid).memory_info().rss - before < 60e6
        server.reading.set()
        missing = set(range(2, 2 + REQUESTS))
        while missing:
            message = server.messages.get(timeout=20.0)
            if message.get("id") in missing and "result" in message:
                missing.discard(message["id"])


def test_a_client_that_takes_nothing_while_far_too_much_waits_is_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(outboxes, "ROOM_BYTES", 10)
    monkeypatch.setattr(outboxes, "ROOM_SECONDS", 0.1)
    free, gone = threading.Event(), threading.Event()
    box = Outbox(lambda _: free.wait())
    box.gone = gone.set
    box.write(b"x" * 11)
    asyncio.run(asyncio.wait_for(box.room(), 20.0))
    assert gone.is_set()
    free.set()


def test_a_client_that_reads_is_not_lost_however_much_is_added_meanwhile(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(outboxes, "ROOM_BYTES", 10)
    monkeypatch.setattr(outboxes, "ROOM_SECONDS", 0.5)
    gone, stop = threading.Event(), threading.Event()
    box = Outbox(lambda _: time.sleep(0.05))
    box.gone = gone.set

    def answers() -> None:  # more than is taken: what waits never gets less
        while not stop.wait(0.01):
            box.write(b"x" * 3 * outboxes.PIECE_BYTES)

    box.write(b"x" * 11)
    adding = threading.Thread(target=answers)
    adding.start()

    async def scene() -> None:
        with contextlib.suppress(asyncio.TimeoutError):
            await asyncio.wait_for(box.room(), 2.0)

    asyncio.run(scene())
    stop.set()
    adding.join()
    assert not gone.is_set()
