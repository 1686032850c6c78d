"""Turns: what is taken back is not computed, however the burst arrives; the newest first; nobody is left waiting."""

from __future__ import annotations

import asyncio
import random
import time

import pytest

from ddg_lsp.server import protocol
from ddg_lsp.server.turns import QUIET_AT_MOST, Turns
from tests.helpers.documents import workspace
from tests.helpers.raw_lsp import RawServer

COUNT = 200


async def at_once() -> None:
    """There is room for answers."""


def silent() -> Turns:
    return Turns(lambda: 0.0, lambda: False, at_once)


@pytest.mark.asyncio
async def test_the_newest_goes_first_and_one_at_a_time():
    turns, order, inside = silent(), [], 0

    async def ask(number: int) -> None:
        nonlocal inside
        async with turns.turn():
            inside += 1
            assert inside == 1
            await asyncio.sleep(0.001)
            order.append(number)
            inside -= 1

    await asyncio.gather(*(ask(number) for number in range(20)))
    assert order == list(range(19, -1, -1))


@pytest.mark.asyncio
@pytest.mark.parametrize("seed", range(8))
async def test_whatever_is_cancelled_whenever_the_others_have_their_turn(seed):
    chance, turns, computed = random.Random(seed), silent(), []

    async def ask(number: int) -> None:
        await turns.quiet()
        async with turns.turn():
            computed.append(number)
            for _ in range(chance.randrange(3)):
                await asyncio.sleep(0)
            if chance.random() < 0.2:
                raise ZeroDivisionError

    tasks = [asyncio.ensure_future(ask(number)) for number in range(40)]
    wanted = set(range(40))
    while not all(task.done() for task in tasks):
        await asyncio.sleep(0)
        number = chance.randrange(40)
        if chance.random() < 0.3 and tasks[number].cancel():
            wanted.discard(number)
    assert wanted <= set(computed)
    async with turns.turn():  # which is free
        computed.append(-1)


@pytest.mark.asyncio
async def test_a_client_that_never_stops_talking_is_answered_all_the_same():
    turns = Turns(time.monotonic, lambda: True, at_once)
    begun = time.monotonic()
    async with turns.turn():
        assert QUIET_AT_MOST * 0.9 < time.monotonic() - begun < QUIET_AT_MOST * 10


@pytest.mark.asyncio
async def test_a_single_question_waits_a_few_milliseconds():
    begun = time.monotonic()
    now = Turns(lambda: begun, lambda: False, at_once)
    async with now.turn():
        assert time.monotonic() - begun < 0.1


@pytest.mark.parametrize("how", ["in one write", "one by one", "each after the next", "the cancellations later"])
def test_row93_of_two_hundred_questions_of_which_all_but_one_are_cancelled_one_or_two_are_computed(tmp_path, how):
    seen = tmp_path / "seen.txt"
    with RawServer("-m", "tests.server.launch", "--seen", str(seen), "--slow", "0.01") as server:
        server.begin(workspace(tmp_path / "w"))
        while server.request("warm", protocol.QUERY, {"query": "warm up"})["result"]["index"]["state"] != "ready":
            time.sleep(0.05)
        asked = [{"id": n, "method": protocol.QUERY, "params": {"query": f"burst {n}"}} for n in range(COUNT)]
        taken_back = [{"method": "$/cancelRequest", "params": {"id": n}} for n in range(COUNT - 1)]
        if how == "each after the next":
            asked = [message for pair in zip(asked[1:], taken_back, strict=True) for message in (pair[0], pair[1])]
            server.send(id=0, method=protocol.QUERY, params={"query": "burst 0"})
            taken_back = []
        if how == "in one write":
            server.send_at_once(*asked, *taken_back)
        elif how == "the cancellations later":
            server.send_at_once(*asked)
            time.sleep(0.01)
            server.send_at_once(*taken_back)
        else:
            for message in (*asked, *taken_back):
                server.send(**message)
        assert server.reply(COUNT - 1)["result"]["query"] == f"burst {COUNT - 1}"
        embedded = [line for line in seen.read_text().splitlines() if "burst" in line]
        assert f"query: burst {COUNT - 1}" in embedded
        assert len(embedded) <= (1 if how == "in one write" else 2)
