"""Attacks on the reading of documents: texts, encodings, names, links, special files, files that change meanwhile.

The list of the front's attacks; what each does is in its own module.
"""

from __future__ import annotations

from tests.attacks.documents_bytes import decoded, folders_of_bytes
from tests.attacks.documents_changes import at_every_step, growing, rights, storms
from tests.attacks.documents_fuzz import changed, guided, replayed
from tests.attacks.documents_many import many_documents, other_files
from tests.attacks.documents_shapes import extremes, growth
from tests.attacks.documents_spec import examples
from tests.attacks.documents_trees import chains, links, names, special
from tests.attacks.run import main

ATTACKS = [
    examples,
    replayed,
    changed,
    guided,
    growth,
    extremes,
    decoded,
    folders_of_bytes,
    names,
    links,
    chains,
    special,
    at_every_step,
    storms,
    growing,
    rights,
    other_files,
    many_documents,
]

if __name__ == "__main__":
    main("documents", ATTACKS, seconds=300)
