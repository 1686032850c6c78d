"""Opening a folder: its settings, the embedder they call for, its cache; and what to do when the embedder fails."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from ddg_lsp.core import settings as settings_module
from ddg_lsp.core.embedding import Embedder
from ddg_lsp.core.embedding.choose import Choice, choose
from ddg_lsp.core.embedding.errors import EmbedderUnavailable
from ddg_lsp.core.errors import DdgError
from ddg_lsp.core.folder import Folder, no_check
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
    _failed: dict[str, str] = field(default_factory=dict)

    def embed_some(self, check: Callable[[], None] = no_check) -> int:
        """`Folder.embed_some`; an embedder that cannot work is replaced by the next best, or by none."""
        try:
            return self.folder.embed_some(check)
        except EmbedderUnavailable as error:
            self._replace(str(error))
            return 0

    def _replace(self, why: str) -> None:
        embedder = self.folder.embedder
        self._failed[embedder.info.embedder if embedder else "none"] = why
        choice = choose(self.settings, failed=self._failed)
        self.reason, self.tried = choice.reason, choice.tried
        self.folder.close()
        self.folder = _folder(self.folder.root, self.settings, choice.embedder, choice.reason)
        self.folder.refresh()


def open_folder(root: Path, user: Mapping[str, object] | None = None, embedder: Embedder | None = None) -> Opened:
    """Open a folder; `user` are the user's settings (default: the user's own file), `embedder` overrides the choice.

    Raises `DdgError` NO_FOLDER when there is no such folder. Loads no model and reads no document.
    """
    try:
        real = root.resolve(strict=True)
    except (OSError, RuntimeError, ValueError) as error:
        raise DdgError("NO_FOLDER", f"There is no folder {root}.") from error
    if not real.is_dir():
        raise DdgError("NO_FOLDER", f"{root} is not a folder.")
    settings, problems = settings_module.load(real, user_settings() if user is None else user)
    choice = Choice(embedder, "chosen by the caller", ()) if embedder else choose(settings)
    folder = _folder(real, settings, choice.embedder, choice.reason)
    return Opened(folder, settings, problems, choice.reason, choice.tried)


def _folder(root: Path, settings: Settings, embedder: Embedder | None, why: str) -> Folder:
    folder = Folder(root, settings, embedder, why)
    folder.open()
    return folder
