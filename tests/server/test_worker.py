"""The worker: what is cancelled is not computed, questions go first, and the end comes in time."""

from __future__ import annotations

import asyncio
import threading
import time

import pytest

from ddg_lsp.core.embedding.deterministic import DeterministicEmbedder
from ddg_lsp.core.errors import Cancelled
from ddg_lsp.server.coalesced import Coalesced
from ddg_lsp.server.worker import LockedEmbedder, Token, Worker

pytestmark = pytest.mark.asyncio


@pytest.fixture
def worker():
    made = Worker()
    yield made
    assert made.finish(lambda: None)(5.0)


async def test_a_result_and_an_error_come_back(worker):
    assert await worker.ask(lambda _: 7) == 7
    assert await worker.index(lambda _: threading.current_thread().name) == "ddg-indexing"
    with pytest.raises(ZeroDivisionError):
        await worker.ask(lambda _: 1 // 0)
    assert isinstance(await worker.attempt(lambda _: 1 // 0), ZeroDivisionError)
    assert await worker.attempt(lambda _: 1) is None


async def test_a_question_cancelled_before_it_begins_is_not_computed(worker):
    gate, ran = threading.Event(), []
    first = asyncio.ensure_future(worker.ask(lambda _: gate.wait(5.0)))
    await asyncio.sleep(0.02)
    others = [asyncio.ensure_future(worker.ask(lambda _, n=n: ran.append(n))) for n in range(49)]
    await asyncio.sleep(0)
    for other in others[:-1]:
        other.cancel()
    await asyncio.sleep(0)
    gate.set()
    await asyncio.wait([first, *others])
    assert ran == [48]


async def test_a_question_cancelled_while_it_runs_stops_at_its_next_check(worker):
    begun, ended = threading.Event(), []

    def job(token: Token) -> None:
        begun.set()
        try:
            while True:
                token.check()
                time.sleep(0.001)
        except Cancelled:
            ended.append(True)
            raise

    asked = asyncio.ensure_future(worker.ask(job))
    await asyncio.to_thread(begun.wait)
    asked.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asked
    await worker.ask(lambda _: None)
    assert ended == [True]


async def test_the_newest_question_is_answered_first(worker):
    gate, order = threading.Event(), []
    first = asyncio.ensure_future(worker.ask(lambda _: gate.wait(5.0)))
    await asyncio.sleep(0.02)
    others = [asyncio.ensure_future(worker.ask(lambda _, n=n: order.append(n))) for n in range(5)]
    await asyncio.sleep(0)
    gate.set()
    await asyncio.gather(first, *others)
    assert order == [4, 3, 2, 1, 0]


async def test_a_question_waits_for_no_more_than_the_step_in_flight(worker):
    steps: list[float] = []

    def step(_: Token) -> None:
        time.sleep(0.05)
        steps.append(time.monotonic())

    building = [asyncio.ensure_future(worker.index(step, gentle=True)) for _ in range(10)]
    await asyncio.sleep(0.02)
    with worker.question():
        asked = time.monotonic()
        await worker.ask(lambda _: time.sleep(0.2))
        answered = time.monotonic()
    assert answered - asked < 0.24
    assert sum(asked < step < answered for step in steps) <= 1  # the one that was in flight
    await asyncio.gather(*building)
    assert len(steps) == 10


async def test_looking_for_changes_goes_before_embedding_and_does_not_wait_for_questions(worker):
    order: list[str] = []
    gate = threading.Event()
    held = asyncio.ensure_future(worker.index(lambda _: gate.wait(5.0)))
    await asyncio.sleep(0.02)
    with worker.question():
        later = asyncio.ensure_future(worker.index(lambda _: order.append("embed"), gentle=True))
        await asyncio.sleep(0)
        sweep = asyncio.ensure_future(worker.index(lambda _: order.append("sweep")))
        await asyncio.sleep(0)
        gate.set()
        await sweep
        await asyncio.sleep(0.05)
        assert order == ["sweep"]
    await asyncio.gather(held, later)
    assert order == ["sweep", "embed"]


async def test_a_check_between_steps_lets_a_question_go_first(worker):
    answered: list[float] = []

    def reading(token: Token) -> list[float]:
        passed = []
        for _ in range(20):
            token.check()
            passed.append(time.monotonic())
            time.sleep(0.01)
        return passed

    read = asyncio.ensure_future(worker.index(reading))
    await asyncio.sleep(0.05)
    begun = time.monotonic()
    await worker.ask(lambda _: time.sleep(0.15))
    answered.append(time.monotonic())
    passed = await read
    assert sum(begun + 0.02 < at < answered[0] for at in passed) <= 1


async def test_someone_who_never_stops_asking_does_not_stop_a_build(worker):
    with worker.question():
        started = time.monotonic()
        await worker.index(lambda _: None, gentle=True)
        assert 0.5 < time.monotonic() - started < 3.0


async def test_finish_cancels_what_waits_and_runs_the_last_job(worker):
    begun, ran = threading.Event(), []

    def long(token: Token) -> None:
        begun.set()
        while True:
            token.check()
            time.sleep(0.001)

    running = asyncio.ensure_future(worker.index(long))
    waiting = asyncio.ensure_future(worker.index(lambda _: ran.append("never")))
    await asyncio.to_thread(begun.wait)
    started = time.monotonic()
    assert await asyncio.to_thread(worker.finish(lambda: ran.append("last")), 2.0)
    assert time.monotonic() - started < 1.0
    assert ran == ["last"]
    for job in (running, waiting):
        with pytest.raises(Cancelled):
            await job
    with pytest.raises(Cancelled):
        await worker.ask(lambda _: None)


async def test_a_burst_of_hints_is_one_pass_and_one_behind_it(worker):
    passes: list[int] = []
    gate = threading.Event()

    def job(_: Token) -> None:
        passes.append(len(passes))
        gate.wait(5.0)

    async def after(_: Exception | None) -> None:
        return

    sweep = Coalesced(worker, job, after)
    first = sweep.run()
    await asyncio.sleep(0.05)
    rest = {sweep.run() for _ in range(2000)}
    assert len(rest) == 1
    assert first not in rest
    gate.set()
    await asyncio.wait([first, *rest])
    assert passes == [0, 1]
    assert sweep.going is None


async def test_how_a_pass_failed_is_told_and_the_next_one_runs(worker):
    told: list[Exception | None] = []

    async def after(trouble: Exception | None) -> None:
        told.append(trouble)

    answers = iter([OSError("gone")])

    def job(_: Token) -> None:
        for error in answers:
            raise error

    sweep = Coalesced(worker, job, after)
    await sweep.run()
    await sweep.run()
    assert [type(error) for error in told] == [OSError, type(None)]


async def test_a_locked_embedder_serves_one_thread_at_a_time(worker):
    inside, most = 0, 0

    class Jealous(DeterministicEmbedder):
        def embed(self, texts, max_tokens=None):
            nonlocal inside, most
            inside += 1
            most = max(most, inside)
            time.sleep(0.01)
            inside -= 1
            return super().embed(texts, max_tokens)

    shared = LockedEmbedder(Jealous())
    asked = [worker.ask(lambda _: shared.embed(["a"])) for _ in range(5)]
    indexed = [worker.index(lambda _: shared.embed(["b"])) for _ in range(5)]
    await asyncio.gather(*asked, *indexed)
    assert most == 1
    assert shared.info.embedder == "deterministic"
    assert shared.count_tokens(["one two"]) == DeterministicEmbedder().count_tokens(["one two"])
