"""Attacks on the cache of vectors: whatever happens to its files, the next start answers correctly."""

from __future__ import annotations

from tests.attacks.cache_damage import cut_off, forged, in_the_way, other_versions, random_bytes, swapped
from tests.attacks.run import main

ATTACKS = [cut_off, random_bytes, swapped, other_versions, forged, in_the_way]

if __name__ == "__main__":
    main("cache", ATTACKS)
