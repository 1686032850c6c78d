"""Where a model is: in a folder the user named, in the hub's cache on this machine, or still on the hub.

Owns finding, and the rule when a model may be fetched: the user named it, it is not on the machine, and nothing says
"offline". Opens no connection itself (`hub_fetch` does) and loads no model.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path

from ddg_lsp.core.embedding.errors import EmbedderUnavailable
from ddg_lsp.core.embedding.hub_fetch import Progress, fetch
from ddg_lsp.core.embedding.model_folder import missing_part

_ID = re.compile(r"[A-Za-z0-9][\w.-]*(?:/[A-Za-z0-9][\w.-]*)?\Z")
_YES = frozenset({"1", "ON", "YES", "TRUE"})


def hub_id(name: str) -> str | None:
    """The hub's id for a model's name, or None where the name is that of a folder."""
    if Path(name).expanduser().is_absolute() or not _ID.match(name):
        return None
    return name if "/" in name else f"sentence-transformers/{name}"


def locate(name: str, backend: str = "torch") -> Path | None:
    """The folder of a model that is whole and on this machine; None where it is not. Touches no network.

    A relative folder is never looked at: which one it meant would depend on where the editor was started, and a
    checked-out repository could answer for a hub's model. Raises `EmbedderUnavailable` for a name that cannot be one.
    """
    identifier = hub_id(name)
    if identifier is not None:
        return next((folder for folder in _snapshots(identifier) if not missing_part(folder, backend)), None)
    folder = Path(name).expanduser()
    if not folder.is_absolute():
        raise EmbedderUnavailable(f"The model {name!r} is neither a hub's id nor an absolute path of a folder.")
    if not folder.is_dir():
        raise EmbedderUnavailable(f"There is no model folder {folder}.")
    lacking = missing_part(folder, backend)
    if lacking:
        raise EmbedderUnavailable(f"The model folder {folder} lacks {lacking}.")
    return folder


def offline() -> bool:
    """True when the user told the hub's library to stay off the network."""
    return any(os.environ.get(name, "").upper() in _YES for name in ("HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE"))


def absent(name: str) -> str:
    """Why a model is not used that is not on the machine and that nobody named, and what would help."""
    identifier = hub_id(name) or name
    return (
        f"The model {identifier} is not on this machine, and nothing is fetched unless you ask for it: set ddg.model "
        f'to "{identifier}" to have it fetched once, or to the folder of a model.'
    )


def obtain(
    name: str, backend: str, *, may_fetch: bool, cache_dir: Path | None = None, on_progress: Progress | None = None
) -> Path:
    """The model's folder, fetched if it must and may be. Raises `EmbedderUnavailable`."""
    found = locate(name, backend)
    if found is not None:
        return found
    identifier = hub_id(name)
    if identifier is None or not may_fetch:
        raise EmbedderUnavailable(absent(name))
    if offline():
        raise EmbedderUnavailable(
            f"The model {identifier} is not on this machine, and HF_HUB_OFFLINE forbids to fetch it; set ddg.model to "
            "the folder of a model."
        )
    return fetch(identifier, backend, cache_dir=cache_dir, on_progress=on_progress)


def _cache_folders() -> Iterator[Path]:
    """Where sentence-transformers and the hub's library keep models, as the environment says, in that order."""
    environ = os.environ
    if "SENTENCE_TRANSFORMERS_HOME" in environ:
        yield Path(environ["SENTENCE_TRANSFORMERS_HOME"]).expanduser()
    for variable in ("HF_HUB_CACHE", "HUGGINGFACE_HUB_CACHE"):
        if variable in environ:
            yield Path(environ[variable]).expanduser()
            return
    home = environ.get("HF_HOME") or str(Path(environ.get("XDG_CACHE_HOME") or "~/.cache") / "huggingface")
    yield Path(home).expanduser() / "hub"


def _snapshots(identifier: str) -> Iterator[Path]:
    """Snapshots of a model in the hub's cache: the one its main branch had last, then others, newest first."""
    for cache in _cache_folders():
        base = cache / ("models--" + identifier.replace("/", "--"))
        try:
            main = base / "snapshots" / (base / "refs" / "main").read_text("ascii").strip()
        except (OSError, ValueError):
            main = base / "snapshots" / "-"
        if main.is_dir():
            yield main
        try:
            others = [folder for folder in (base / "snapshots").iterdir() if folder.is_dir() and folder != main]
            yield from sorted(others, key=lambda folder: folder.stat().st_mtime, reverse=True)
        except OSError:
            continue
