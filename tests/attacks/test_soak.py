"""The short version of `make attack-soak`: a few busy minutes, with restarts and without."""

from __future__ import annotations

import pytest

from tests.attacks.run import Attack, check
from tests.attacks.soak import ATTACKS
from tests.attacks.soak_gauge import Sample, long_lives, slope


@pytest.mark.parametrize("attack", ATTACKS, ids=lambda attack: attack.__name__)
def test_a_server_used_without_pause_holds_no_more_and_knows_no_less_than_a_fresh_one(attack: Attack) -> None:
    check([attack])


def test_a_slope_is_that_within_lives_whatever_each_begins_with() -> None:
    lives = [Sample(life, at, 100.0 * life + 0.002 * at, 0.0, 1, 1) for life in (1, 2) for at in (500, 600, 900)]
    growth, error = slope(lives)
    assert growth == pytest.approx(2.0)
    assert error == pytest.approx(0.0, abs=1e-6)


def test_a_slope_says_how_sure_it_is() -> None:
    noise = [(-1) ** number for number in range(12)]
    near = [Sample(1, 600 + at, 100.0 + wave, 0.0, 1, 1) for at, wave in enumerate(noise)]
    far = [Sample(1, 600 + 500 * at, 100.0 + wave, 0.0, 1, 1) for at, wave in enumerate(noise)]
    assert slope(near)[1] > 50
    assert slope(far)[1] < 1
    assert slope(near[:1])[1] == float("inf")


def test_a_life_that_was_cut_short_tells_no_slope() -> None:
    samples = [Sample(life, at, 1.0, 0.0, 1, 1) for life, end in ((1, 300), (2, 900)) for at in range(0, end + 1, 100)]
    assert {one.life for one in long_lives(samples, 800)} == {2}
    assert long_lives(samples, 901) == []
