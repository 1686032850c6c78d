"""Which rule leaves a file or a folder out, judged by names and patterns alone.

Owns the order of the rules. Must not read the disk: kind, size and links are the walk's business.
"""

from __future__ import annotations

from ddg_lsp.core import corpus_rules as rules
from ddg_lsp.core.globs import Globs
from ddg_lsp.core.ignore import Chain
from ddg_lsp.core.listing import safe_name
from ddg_lsp.core.options import Settings
from ddg_lsp.core.secrets import secret_name

UNMENTIONED = "unmentioned"
"""Left out without a word."""
MAYBE_OUTPUT = "maybe-output"
"""To be left out unless the folder has an index page."""


class Judge:
    """The settings' patterns, compiled, and the fixed rules.

    `path` is as listed, `where` as it really lies: they differ below links, and a link brings in nothing that is left
    out under its real name.
    """

    def __init__(self, settings: Settings) -> None:
        self._secrets = settings.secret_names
        self._include = Globs(settings.include)
        self._also = Globs(settings.also_include) if settings.also_include else None
        self._exclude = Globs(settings.exclude)
        self.endings = self._include.endings()
        """A file whose name ends in none of these, lower case, is no document."""

    def document(self, path: str) -> bool:
        """Whether the file looks like a document at all; nothing is said about those that do not."""
        return self._include.matches(path)

    def folder(self, path: str, where: str, name: str, chain: Chain | None) -> str:
        """Empty where the folder is walked, else the reason or one of the two words above."""
        if name in rules.UNMENTIONED_FOLDERS:
            return UNMENTIONED
        if not safe_name(name):
            return "bad-name"
        if name.startswith("."):
            return "hidden"
        if name in rules.SKIP_FOLDERS:
            return "skip-folder"
        if self._secrets and secret_name(name, folder=True):
            return "secret-name"
        if self._exclude.covers(path) or (where != path and self._exclude.covers(where)):
            return "excluded"
        if chain is not None and chain.ignores(path, name, True):
            return "ignored"
        return MAYBE_OUTPUT if name in rules.OUTPUT_FOLDERS else ""

    def file(self, path: str, where: str, name: str, chain: Chain | None) -> str:
        """Empty where the file belongs, else the reason; it is known to look like a document."""
        if not safe_name(name):
            return "bad-name"
        if self._secrets and secret_name(name):
            return "secret-name"
        if name.startswith("."):
            return "hidden"
        if name.lower() in rules.PUBLISHED:
            return "published"
        if self._exclude.matches(path) or (where != path and self._exclude.matches(where)):
            return "excluded"
        if self._also is not None and not self._also.matches(path):
            return "excluded"
        return "ignored" if chain is not None and chain.ignores(path, name, False) else ""
