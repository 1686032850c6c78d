"""The attacks on the cache in their short version: every enumeration whole, a little of what is random."""

from __future__ import annotations

import pytest

from tests.attacks.cache import ATTACKS
from tests.attacks.run import Attack, check


@pytest.mark.parametrize("attack", ATTACKS, ids=lambda attack: attack.__name__)
def test_no_attack_on_the_cache_succeeds(attack: Attack) -> None:
    check([attack])
