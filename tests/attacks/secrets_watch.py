"""Everything the product says and keeps, in one place, and what of it holds a word.

Owns the watching: files of the cache, of the user, what an embedding server was sent, what a process printed, what a
server told its client. Must not know what was planted.
"""

from __future__ import annotations

import json
import os
import queue
import subprocess
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any
from unittest import mock

from tests.helpers.embedding_server import MODEL, EmbeddingServer, embedding_server
from tests.helpers.raw_lsp import REPOSITORY, RawServer


class Watch:
    """One user's machine: a home of its own, and an embedding server that keeps what it is sent."""

    def __init__(self, home: Path, embedder: EmbeddingServer) -> None:
        self.home = home
        self.embedder = embedder
        self.heard: list[tuple[str, bytes]] = []
        """What was said where, so far."""
        self.asked: set[str] = set()
        """Questions: they are embedded, too, and that is their purpose."""

    @property
    def settings(self) -> dict[str, Any]:
        """The user's settings: only they may name an embedding server."""
        return {"embedder": "http", "httpUrl": self.embedder.url, "model": MODEL}

    def call(self, *arguments: str, seconds: float = 120.0) -> bytes:
        """The command line in a process of its own; what it printed."""
        command = [sys.executable, "-m", "ddg_lsp", *arguments]
        done = subprocess.run(command, cwd=REPOSITORY, capture_output=True, timeout=seconds, check=False)
        assert done.returncode in (0, 1), (arguments, done.returncode, done.stderr[-500:])
        assert b"Traceback" not in done.stderr, done.stderr[-1500:]
        self.heard.append((f"stdout of {arguments[0]}", done.stdout))
        self.heard.append((f"stderr of {arguments[0]}", done.stderr))
        return done.stdout

    @contextmanager
    def serving(self, root: Path) -> Iterator[RawServer]:
        """The real server on a folder; everything it says is heard."""
        server = RawServer("-m", "ddg_lsp", "serve", "--stdio")
        server.messages = tape = _Tape()
        with server:
            options = {"ddg": {**self.settings, "debounceMs": 10}}
            capabilities = {"experimental": {"ddgStatus": True}, "window": {"workDoneProgress": True}}
            server.begin(root, initializationOptions=options, capabilities=capabilities)
            yield server
        assert server.stray == b""
        self.heard.append(("stderr of the server", server.errors))
        self.heard += [("a message of the server", _dump(message)) for message in tape.all if "method" in message]
        self.heard += [("an answer of the server", _dump(message.get("result"))) for message in tape.all]

    def kept(self, *roots: Path) -> Iterator[tuple[str, bytes]]:
        """Every file the product may have written: the cache of each folder, and all of the user's home."""
        for folder in (*(root / ".ddg" / "vectors" for root in roots), self.home):
            for path in folder.rglob("*"):
                # A server that runs meanwhile replaces its files.
                with suppress(FileNotFoundError):
                    if path.is_file():
                        yield f"{folder.name}/{path.relative_to(folder)}", path.read_bytes()

    def sent(self) -> Iterator[tuple[str, bytes]]:
        """What the embedding server was sent."""
        for text in self.embedder.texts():
            if text.removeprefix("query: ") not in self.asked:
                yield "what was embedded", text.encode("utf-8", "surrogatepass")


class _Tape(queue.Queue[dict[str, Any]]):
    def __init__(self) -> None:
        super().__init__()
        self.all: list[dict[str, Any]] = []

    def put(self, item: dict[str, Any], block: bool = True, timeout: float | None = None) -> None:
        self.all.append(item)
        super().put(item, block, timeout)


@contextmanager
def watching(folder: Path) -> Iterator[Watch]:
    """A machine below `folder`; the environment of every process started meanwhile is its own."""
    home = folder / "home"
    home.mkdir(exist_ok=True)
    places = {name: str(home / name.lower()) for name in ("XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME")}
    with embedding_server("openai") as embedder, mock.patch.dict(os.environ, {**places, "HOME": str(home)}):
        watch = Watch(home, embedder)
        config = home / "xdg_config_home" / "ddg-lsp" / "config.toml"
        config.parent.mkdir(parents=True, exist_ok=True)
        config.write_text("".join(f"{key} = {json.dumps(value)}\n" for key, value in watch.settings.items()))
        yield watch


def finds(words: Iterable[str], texts: Iterable[tuple[str, bytes]]) -> list[tuple[str, str]]:
    """Which of the words stand where, however they are written: any case, UTF-8 or UTF-16, escaped or not."""
    wanted = [(word, forms(word)) for word in words]
    found = []
    for where, data in texts:
        lower = data.lower()
        found += [(word, where) for word, spelled in wanted if any(one in lower for one in spelled)]
    return found


def forms(word: str) -> tuple[bytes, ...]:
    """A word's bytes, lower case, in the encodings text is kept in."""
    return tuple(dict.fromkeys(word.lower().encode(encoding) for encoding in ("utf-8", "utf-16-le", "utf-16-be")))


def without_question(answer: Any) -> Any:
    """An answer less the question it repeats."""
    if isinstance(answer, dict):
        return {key: without_question(value) for key, value in answer.items() if key != "query"}
    return [without_question(one) for one in answer] if isinstance(answer, list) else answer


def _dump(value: Any) -> bytes:
    return json.dumps(without_question(value), ensure_ascii=False).encode("utf-8", "surrogatepass")
