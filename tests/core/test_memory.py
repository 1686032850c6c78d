"""What is given back to the system is there again when it is needed."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

from ddg_lsp.core import memory


@pytest.mark.skipif(sys.platform != "linux", reason="pages are let go on Linux only")
def test_a_library_whose_pages_were_let_go_computes_as_before() -> None:
    def resident() -> int:
        found, here = 0, False
        for line in Path("/proc/self/smaps").read_text().splitlines():
            if "-" in line.split()[0]:
                here = "_multiarray_umath" in line and " rw" not in line
            elif here and line.startswith("Rss:"):
                found += int(line.split()[1])
        return found

    numbers = np.arange(100_000, dtype=np.float64)
    expected = (np.sqrt(numbers).sum(), np.sort(-numbers)[0])
    before = resident()
    assert before > 0
    memory.let_pages_go("_multiarray_umath")
    assert resident() < before / 2
    assert (np.sqrt(numbers).sum(), np.sort(-numbers)[0]) == expected


def test_a_library_that_is_not_loaded_is_no_trouble() -> None:
    memory.let_pages_go("no such library")
