"""The short version of `make attack-protocol`."""

from __future__ import annotations

import pytest

from tests.attacks.protocol import ATTACKS
from tests.attacks.run import Attack, check


@pytest.mark.parametrize("attack", ATTACKS, ids=lambda attack: attack.__name__)
def test_no_attack_on_the_protocol_succeeds(attack: Attack) -> None:
    check([attack])
