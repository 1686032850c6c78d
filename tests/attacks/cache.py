"""Attacks on the cache of vectors: whatever happens to its files, the next start answers correctly."""

from __future__ import annotations

import tempfile
from pathlib import Path

from tests.attacks.cache_damage import cut_off, forged, in_the_way, other_versions, random_bytes, swapped
from tests.attacks.cache_disk import (
    full_at_each_step,
    killed_at_each_step,
    killed_over_and_over,
    killed_while_checkpointing,
    power_cuts,
    read_only,
    small_disks,
    users_folder_is,
)
from tests.attacks.cache_processes import five_processes, two_processes
from tests.attacks.cache_updates import many_starts, small_updates
from tests.attacks.run import main

ATTACKS = [
    cut_off,
    random_bytes,
    swapped,
    other_versions,
    forged,
    in_the_way,
    killed_at_each_step,
    killed_while_checkpointing,
    killed_over_and_over,
    power_cuts,
    full_at_each_step,
    small_disks,
    read_only,
    small_updates,
    many_starts,
    two_processes,
    five_processes,
]

if __name__ == "__main__":
    with tempfile.TemporaryDirectory(prefix="ddg-home-") as home, users_folder_is(Path(home)):
        main("cache", ATTACKS)
