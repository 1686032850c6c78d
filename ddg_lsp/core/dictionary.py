"""The synonyms of one folder, brought together: the settings' table, the synonym file, the documents' own aliases.

Owns which sources count and where the file is; must not know its grammar, nor what the synonyms are used for.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from ddg_lsp.core import synonym_file, synonyms
from ddg_lsp.core.disk import read_inside
from ddg_lsp.core.model import Document
from ddg_lsp.core.settings import Settings
from ddg_lsp.core.synonyms import Dictionary


def read(root: Path, settings: Settings, documents: Iterable[Document]) -> Dictionary:
    """The dictionary of a folder. A file that cannot be used makes `failure`, and then nothing is expanded.

    `documents`: of them the front matter is used, where the settings have aliases count.
    """
    table = synonyms.read_table(settings.synonym_table)
    aliases = synonyms.read_aliases(documents if settings.aliases else ())
    if not settings.synonyms:
        return Dictionary(table, aliases=aliases)
    found = read_inside(root, settings.synonyms, synonym_file.MAX_BYTES + 1)
    file = synonym_file.read_file(found if isinstance(found, str) else found[0])
    return Dictionary(table, file.rules, aliases, file.failure)
