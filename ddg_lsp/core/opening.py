"""Opening a folder: its settings, the embedder they call for, its cache; and what to do when the embedder fails."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from ddg_lsp.core import settings as settings_module
from ddg_lsp.core.embedding import Embedder
from ddg_lsp.core.embedding.choose import Choice, choose
from ddg_lsp.core.embedding.errors import EmbedderUnavailable
from ddg_lsp.core.embedding.hub_fetch import Progress
from ddg_lsp.core.errors import DdgError
from ddg_lsp.core.folder import Folder, no_check
from ddg_lsp.core.query import Query
from ddg_lsp.core.search import Answer, Searcher
from ddg_lsp.core.settings import Problem, Settings
from ddg_lsp.core.user_file import user_settings


@dataclass
class Opened:
    """A folder ready for use. When its embedder turns out not to work, the next one is tried (`embed_some`)."""

    folder: Folder
    settings: Settings
    problems: tuple[Problem, ...]
    reason: str
    tried: tuple[tuple[str, str], ...]
    embedder_name: str = "none"
    _failed: dict[str, str] = field(default_factory=dict)
    _searcher: Searcher | None = None
    _on_fetch: Progress | None = None

    def embed_some(self, check: Callable[[], None] = no_check) -> int:
        """`Folder.embed_some`; an embedder that cannot work is replaced by the next best, or by none."""
        try:
            return self.folder.embed_some(check)
        except EmbedderUnavailable as error:
            self._replace(str(error))
            return 0

    def hasten(self, question: str, check: Callable[[], None] = no_check) -> None:
        """`Folder.hasten`, with the same care for the embedder."""
        try:
            self.folder.hasten(question, check)
        except EmbedderUnavailable as error:
            self._replace(str(error))

    def ask(self, query: Query) -> Answer:
        """Answer one question of this folder; without a working embedder, by words alone."""
        try:
            return self._searched(query)
        except EmbedderUnavailable as error:
            self._replace(str(error))
            return self._searched(query)

    def _searched(self, query: Query) -> Answer:
        if self._searcher is None or self._searcher.embedder is not self.folder.embedder:
            self._searcher = Searcher(self.folder.embedder)
        return self._searcher.search([self.folder.target()], query, no_check)

    def _replace(self, why: str) -> None:
        self._failed[self.embedder_name] = why
        root = self.folder.root
        self.folder.close()
        self.folder, choice = _working_folder(root, self.settings, self._failed, self._on_fetch)
        self.reason, self.tried, self.embedder_name = choice.reason, choice.tried, choice.name
        self.folder.refresh()


def open_folder(
    root: Path,
    user: Mapping[str, object] | None = None,
    embedder: Embedder | None = None,
    on_fetch: Progress | None = None,
) -> Opened:
    """Open a folder; `user` are the user's settings (default: the user's own file), `embedder` overrides the choice.

    `on_fetch` is told how far a model is that has to be fetched first.

    Raises `DdgError` NO_FOLDER when there is no such folder. Loads no model and reads no document.
    """
    try:
        real = root.resolve(strict=True)
    except (OSError, RuntimeError, ValueError) as error:
        sentence = f"There is no folder {root}."
        if isinstance(error, PermissionError):
            sentence = f"The folder {root} cannot be reached: {error.strerror}."
        raise DdgError("NO_FOLDER", sentence) from error
    if not real.is_dir():
        raise DdgError("NO_FOLDER", f"{root} is not a folder.")
    settings, problems = settings_module.load(real, user_settings() if user is None else user)
    failed: dict[str, str] = {}
    if embedder is not None:
        choice = Choice(embedder, "chosen by the caller", (), "given")
        folder = _folder(real, settings, embedder, choice.reason)
    else:
        folder, choice = _working_folder(real, settings, failed, on_fetch)
    return Opened(folder, settings, problems, choice.reason, choice.tried, choice.name, failed, None, on_fetch)


def _working_folder(
    root: Path, settings: Settings, failed: dict[str, str], on_fetch: Progress | None
) -> tuple[Folder, Choice]:
    """The folder with the best embedder that can say what it is; `failed` gains those that cannot."""
    while True:
        choice = choose(settings, failed=failed, on_progress=on_fetch)
        try:
            return _folder(root, settings, choice.embedder, choice.reason), choice
        except EmbedderUnavailable as error:
            failed[choice.name] = str(error)


def _folder(root: Path, settings: Settings, embedder: Embedder | None, why: str) -> Folder:
    folder = Folder(root, settings, embedder, why)
    folder.open()
    return folder
