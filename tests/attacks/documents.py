"""Attacks on the reading of documents: texts, encodings, names, links, special files, files that change meanwhile.

The list of the front's attacks; what each does is in its own module.
"""

from __future__ import annotations

from tests.attacks.documents_fuzz import changed, guided, replayed
from tests.attacks.documents_shapes import extremes, growth
from tests.attacks.documents_spec import examples
from tests.attacks.run import main

ATTACKS = [examples, replayed, changed, guided, growth, extremes]

if __name__ == "__main__":
    main("documents", ATTACKS, seconds=300)
