"""The short version of `make attack-secrets`."""

from __future__ import annotations

import pytest

from tests.attacks.run import Attack, check
from tests.attacks.secrets import ATTACKS
from tests.attacks.secrets_watch import finds


@pytest.mark.parametrize("attack", ATTACKS, ids=lambda attack: attack.__name__)
def test_nobody_finds_a_canary_and_no_file_of_a_repository_widens_what_is_read(attack: Attack) -> None:
    check([attack])


def test_a_word_is_found_however_it_is_written() -> None:
    texts = [("a", b"x ZqWord y"), ("b", "zqword".encode("utf-16")), ("c", b"zqwor")]
    assert finds(["zqword"], texts) == [("zqword", "a"), ("zqword", "b")]
