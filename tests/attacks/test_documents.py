"""Documents, under attack: the short version of each attempt (`make attack-documents` runs long)."""

from __future__ import annotations

import pytest

from tests.attacks.documents import ATTACKS
from tests.attacks.run import Attack, check


@pytest.mark.parametrize("attack", ATTACKS, ids=lambda attack: attack.__name__)
def test_no_document_breaks_or_holds_us(attack: Attack) -> None:
    check([attack])
