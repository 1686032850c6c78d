"""The synonyms of one folder, brought together: the settings' table, the synonym file, the documents' own aliases.

Owns which sources count and where the file is; must not know its grammar, nor what the synonyms are used for.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from ddg_lsp.core import synonym_file, synonyms
from ddg_lsp.core.disk import read_inside
from ddg_lsp.core.model import Document
from ddg_lsp.core.secrets import holds_private_key, secret_path
from ddg_lsp.core.settings import Settings
from ddg_lsp.core.synonym_file import Diagnostic
from ddg_lsp.core.synonyms import Dictionary


@dataclass(frozen=True)
class Reading:
    """A folder's dictionary as it was read, and what a person should look at in its synonym file."""

    dictionary: Dictionary = field(default_factory=Dictionary)
    diagnostics: tuple[Diagnostic, ...] = ()


def read(root: Path, settings: Settings, documents: Iterable[Document]) -> Reading:
    """The dictionary of a folder. A file that cannot be used makes `failure`, and then nothing is expanded.

    `documents`: of them the front matter is used, where the settings have aliases count.
    """
    table = synonyms.read_table(settings.synonym_table)
    aliases = synonyms.read_aliases(documents if settings.aliases else ())
    if not settings.synonyms:
        return Reading(Dictionary(table, aliases=aliases))
    file = synonym_file.read_file(_bytes(root, settings))
    return Reading(Dictionary(table, file.rules, aliases, file.failure), file.diagnostics)


def _bytes(root: Path, settings: Settings) -> bytes | str:
    """What the synonym file holds, or the word that says why it is not read.

    A repository may name the file, and a dictionary's words come up in answers: it is none of what a search leaves out
    as somebody's own, `.env` for one, by its name or by where a link of that name leads.
    """
    found = read_inside(root, settings.synonyms, synonym_file.MAX_BYTES + 1)
    if isinstance(found, str):
        return found
    data, where = found
    for path in (settings.synonyms.replace("\\", "/"), where):
        if settings.secret_names and secret_path(path):
            return "secret-name"
        if any(part.startswith(".") and part not in (".", "..") for part in path.split("/")):
            return "hidden"
    return "secret-content" if holds_private_key(data.decode("utf-8", "replace")) else data
