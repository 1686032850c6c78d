"""The counting of attacks: a failure is never lost, a run with its seed is the same run again."""

from __future__ import annotations

import sys

import pytest

from tests.attacks.run import Run, check, main, run


def breaks_every_third(one: Run) -> None:
    for number in range(9):
        with one.attempt("number", number):
            assert number % 3, "divisible"


def draws(one: Run) -> None:
    for rng in one.rounds(at_least=3):
        one.fact(str(rng.random()))
        one.attempts["draw"] += 1


def holds(one: Run) -> None:
    with one.attempt("fine"):
        pass


def tries_nothing(one: Run) -> None:
    """Says nothing of anything."""


def test_a_failed_attempt_is_kept_and_the_attack_goes_on() -> None:
    ((name, one),) = run([breaks_every_third], seed=3, seconds=0)
    assert (name, one.attempts["number"], len(one.failures)) == ("breaks_every_third", 9, 3)
    assert "number: 3" in one.failures[1]
    assert "divisible" in one.failures[1]
    assert "seed 3" in one.failures[1]


def test_an_attack_that_breaks_off_has_failed_and_the_next_one_runs() -> None:
    def breaks_off(one: Run) -> None:
        holds(one)
        raise OSError("no room")

    (_, broken), (_, fine) = run([breaks_off, holds], seed=3, seconds=0)
    assert (broken.attempts["fine"], len(broken.failures)) == (1, 1)
    assert "no room" in broken.failures[0]
    assert not fine.failures


def test_the_same_seed_is_the_same_run() -> None:
    ((_, first),), ((_, again),) = (run([draws], seed=5, seconds=0) for _ in range(2))
    ((_, other),) = run([draws], seed=6, seconds=0)
    assert first.facts == again.facts != other.facts
    assert len(first.facts) == 3


@pytest.mark.parametrize("attack", [breaks_every_third, tries_nothing])
def test_the_suite_fails_on_a_failure_and_on_an_attack_that_tried_nothing(attack: object) -> None:
    with pytest.raises(AssertionError):
        check([holds, attack])  # type: ignore[list-item]


@pytest.mark.parametrize(("attacks", "code"), [([holds], 0), ([holds, breaks_every_third], 1), ([], 1)])
def test_the_command_ends_with_1_after_any_failure_or_without_an_attempt(
    attacks: list[object], code: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["attack", "--seed", "1", "--seconds", "0"])
    with pytest.raises(SystemExit) as ended:
        main("x", attacks)  # type: ignore[arg-type]
    assert ended.value.code == code
    assert "failures, seed 1" in capsys.readouterr().out
