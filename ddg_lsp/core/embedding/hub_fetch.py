"""Fetching a model from the hub: the one place of the core, beside `http`, that opens a connection for an embedder.

Owns which files are wanted, progress, the sentences for what can go wrong, and remembering a failure for ten minutes
for every process of this user. Asks nobody whether it may: `model_source` decides that.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import platformdirs

from ddg_lsp.core.embedding.errors import EmbedderUnavailable
from ddg_lsp.core.embedding.foreign import first_line, foreign_calls
from ddg_lsp.core.embedding.model_folder import missing_part

Progress = Callable[[str, int, int], None]
"""Called while a model is fetched: its id, bytes so far, bytes in all. May come from several threads."""

REMEMBER_S = 600.0
"""How long a failed fetch is not tried again: a name that cannot be resolved costs many seconds each time."""

_OTHER_FORMATS = (".h5", ".msgpack", ".ot", ".tflite", ".gguf", ".mlmodel", ".pt", ".pth", ".npz", ".zip", ".png")
_FOLDERS = ("onnx/", "openvino/", "coreml/", "tflite/", ".git")


def fetch(
    identifier: str, backend: str = "torch", *, cache_dir: Path | None = None, on_progress: Progress | None = None
) -> Path:
    """Fetch a model from the hub, picking up where an earlier attempt broke off; the folder it is in.

    `cache_dir` is where a failure is remembered (default: the user's cache folder). Raises `EmbedderUnavailable`.
    """
    memory = (cache_dir or platformdirs.user_cache_path("ddg-lsp", appauthor=False)) / "fetch-failures.json"
    _raise_remembered(memory, identifier)
    try:
        with foreign_calls(lambda error: _why_not(identifier, error)):
            folder = _download(identifier, backend, on_progress)
    except EmbedderUnavailable as error:
        _remember(memory, identifier, str(error))
        raise
    lacking = missing_part(folder, backend)
    if lacking:
        sentence = f"The model {identifier} was fetched, but has no {lacking}; it is no sentence-transformers model."
        _remember(memory, identifier, sentence)
        raise EmbedderUnavailable(sentence)
    _remember(memory, identifier, None)
    return folder


def _download(identifier: str, backend: str, on_progress: Progress | None) -> Path:
    os.environ.setdefault("HF_HUB_DISABLE_TELEMETRY", "1")
    from huggingface_hub import HfApi, snapshot_download

    files = HfApi().model_info(identifier, files_metadata=True).siblings or []
    wanted = wanted_files([file.rfilename for file in files], backend)
    total = sum(file.size or 0 for file in files if file.rfilename in wanted)
    if on_progress is not None:
        on_progress(identifier, 0, total)
    return Path(
        snapshot_download(
            identifier,
            allow_patterns=wanted,
            cache_dir=os.environ.get("SENTENCE_TRANSFORMERS_HOME"),
            max_workers=2,
            tqdm_class=_progress_class(identifier, total, on_progress),
        )
    )


def wanted_files(names: list[str], backend: str) -> list[str]:
    """The files of a model's repository that the backend needs: hubs keep the weights in half a dozen formats."""
    own = f"{backend}/{_plain(backend)}"
    safe = any(name.endswith(".safetensors") for name in names)
    return [
        name
        for name in names
        if name.startswith(own)
        or not (name.endswith(_OTHER_FORMATS) or name.startswith(_FOLDERS) or (safe and name.endswith(".bin")))
    ]


def _plain(backend: str) -> str:
    """The start of the backend's unquantised files: `onnx/model.onnx`, `openvino/openvino_model.xml`."""
    return "openvino_model." if backend == "openvino" else "model.onnx"


def _progress_class(identifier: str, total: int, on_progress: Progress | None) -> Any:
    """A progress bar that draws nothing and tells bytes; the library makes one itself for each thing it counts."""
    from tqdm.auto import tqdm

    class Silent(tqdm):  # type: ignore[type-arg]
        def __init__(self, *args: Any, **kwargs: Any) -> None:
            kwargs.pop("name", None)
            self._bytes = kwargs.get("unit") == "B"
            self._done = int(kwargs.get("initial") or 0)
            super().__init__(*args, **{**kwargs, "disable": True})

        def update(self, n: float | None = 1) -> bool | None:
            self._done += int(n or 0)
            if self._bytes and on_progress is not None:
                on_progress(identifier, min(self._done, total), total)
            return None

    return Silent


def _why_not(identifier: str, error: Exception) -> str:
    """A sentence for a failed fetch; the hub's library tells its kinds of trouble by the names of its errors."""
    kinds = {kind.__name__ for kind in type(error).__mro__}
    head = f"The model {identifier} could not be fetched"
    if "GatedRepoError" in kinds:
        return f"{head}: its makers want their terms accepted on its page first, and a token in HF_TOKEN."
    if "RepositoryNotFoundError" in kinds:
        return f"{head}: the hub knows no such model, or wants a token in HF_TOKEN for it."
    if kinds & {"OfflineModeIsEnabled"}:
        return f"{head}: HF_HUB_OFFLINE is set."
    if isinstance(error, ModuleNotFoundError):
        return f"{head}: the package {error.name} is not installed."
    return (
        f"{head} ({type(error).__name__}: {first_line(error)}). Behind a proxy set HTTPS_PROXY, for a mirror "
        "HF_ENDPOINT; or copy the model to this machine and set ddg.model to its folder."
    )


def _raise_remembered(memory: Path, identifier: str) -> None:
    entry = _failures(memory).get(identifier)
    if isinstance(entry, list) and len(entry) == 2 and isinstance(entry[0], (int, float)):
        left = entry[0] + REMEMBER_S - time.time()
        if 0 < left <= REMEMBER_S:
            minutes = max(1, round(left / 60))
            raise EmbedderUnavailable(f"{entry[1]} It is tried again in {minutes} min.", retryAfterSeconds=left)


def _remember(memory: Path, identifier: str, sentence: str | None) -> None:
    """Write down a failure, or, for None, forget it; a folder that cannot be written only costs the memory."""
    failures = _failures(memory)
    if sentence is None and identifier not in failures:
        return
    failures.pop(identifier, None)
    if sentence is not None:
        failures[identifier] = [time.time(), sentence]
    try:
        memory.parent.mkdir(parents=True, exist_ok=True)
        draft = memory.with_name(f"{memory.name}.{os.getpid()}")
        draft.write_text(json.dumps(failures), "utf-8")
        draft.replace(memory)
    except OSError:
        return


def _failures(memory: Path) -> dict[str, Any]:
    try:
        value = json.loads(memory.read_text("utf-8"))
    except (OSError, ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}
