"""Looking for changes: every question looks for itself while that is cheap, and none overlooks them for long."""

from __future__ import annotations

import time

from ddg_lsp.server.pace import Pace


def test_the_first_look_is_due_at_once_and_cheap_ones_always_are():
    pace = Pace()
    assert pace.wait() <= 0.0
    pace.begin()
    pace.end(found=False)
    assert pace.wait() <= 0.0
    assert 59.0 < pace.wait(60.0) <= 60.0


def test_dear_ones_are_apart_by_what_they_cost_and_parsing_does_not_count():
    pace = Pace()
    pace.begin()
    _work(0.1)
    pace.end(found=True)
    assert pace.wait() <= 0.0
    pace.begin()
    _work(0.1)
    pace.end(found=False)
    assert pace.wait() <= 0.2
    pace.begin()
    assert 0.15 < pace.wait() < 0.5


def test_sleeping_is_not_cost_and_no_cost_is_more_than_a_second():
    pace = Pace()
    pace.begin()
    time.sleep(0.1)
    pace.end(found=False)
    pace.begin()
    assert pace.wait() <= 0.0
    _work(0.7)
    pace.end(found=False)
    pace.begin()
    assert 0.9 < pace.wait() <= 1.0


def _work(seconds: float) -> None:
    end = time.thread_time() + seconds
    while time.thread_time() < end:
        pass
