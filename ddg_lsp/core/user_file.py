"""The user's own settings file, which every front end reads: `config.toml` in the user's configuration folder.

It is the user's, not a repository's, so every setting may stand in it; an editor's settings come over it.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

import platformdirs

from ddg_lsp.core.disk import read_inside, real, why
from ddg_lsp.core.errors import DdgError
from ddg_lsp.core.toml import loads

MAX_BYTES = 64 * 1024


def user_file() -> Path:
    """Where the file is looked for; it need not exist."""
    return platformdirs.user_config_path("ddg-lsp") / "config.toml"


def user_settings() -> Mapping[str, object]:
    """The file's content, empty when there is none. Raises `DdgError` when it is there and cannot be used."""
    path = user_file()
    try:
        target = Path(os.fsdecode(real(path)))  # which may be anywhere: it is the user's own
    except OSError as error:
        found: object = why(error)
    else:
        found = read_inside(target.parent, target.name, MAX_BYTES)
    if found == "vanished":
        return {}
    if not isinstance(found, tuple):
        raise DdgError("BAD_SETTINGS", f"The settings file {path} cannot be read: {found}.")
    try:
        return loads(found[0].decode("utf-8-sig"))
    except ValueError as error:
        raise DdgError("BAD_SETTINGS", f"The settings file {path} is not valid TOML: {error}.") from error
