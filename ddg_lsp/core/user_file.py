"""The user's own settings file, which every front end reads: `config.toml` in the user's configuration folder.

It is the user's, not a repository's, so every setting may stand in it; an editor's settings come over it.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import platformdirs

from ddg_lsp.core.errors import DdgError
from ddg_lsp.core.toml import TOMLDecodeError, loads

MAX_BYTES = 64 * 1024


def user_file() -> Path:
    """Where the file is looked for; it need not exist."""
    return platformdirs.user_config_path("ddg-lsp") / "config.toml"


def user_settings() -> Mapping[str, object]:
    """The file's content, empty when there is none. Raises `DdgError` when it is there and cannot be used."""
    path = user_file()
    try:
        data = path.read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        return {}
    except OSError as error:
        raise DdgError("BAD_SETTINGS", f"The settings file {path} cannot be read: {error.strerror}.") from error
    if len(data) > MAX_BYTES:
        raise DdgError("BAD_SETTINGS", f"The settings file {path} is larger than {MAX_BYTES} bytes.")
    try:
        return loads(data.decode("utf-8"))
    except (UnicodeDecodeError, TOMLDecodeError) as error:
        raise DdgError("BAD_SETTINGS", f"The settings file {path} is not valid TOML: {error}.") from error
