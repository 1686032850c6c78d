"""Starts the server with an embedder of the test's choice: `python -m tests.server.launch [options]`.

Everything but the choice of the embedder is the server as it is shipped.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from ddg_lsp.core.embedding import Embedder, Matrix
from ddg_lsp.core.embedding.choose import Choice
from ddg_lsp.core.embedding.deterministic import DeterministicEmbedder
from ddg_lsp.core.embedding.errors import EmbedderUnavailable
from ddg_lsp.core.settings import Settings
from ddg_lsp.server import app


class TestEmbedder(DeterministicEmbedder):
    """Takes its time, writes down what it was given, prints where it should not, or cannot work at all."""

    def __init__(self, options: argparse.Namespace) -> None:
        super().__init__()
        self._options = options

    def embed(self, texts: Sequence[str], max_tokens: int | None = None) -> Matrix:
        if self._options.noise:
            print("loading the model ... 100 %", flush=True)
        if self._options.broken:
            raise EmbedderUnavailable("The test's model is broken.")
        if self._options.crash and any(self._options.crash in text for text in texts):
            raise RuntimeError(" ".join(("secret", "text", "of a document")))  # a traceback shows this line
        if self._options.seen:
            with Path(self._options.seen).open("a", encoding="utf-8") as seen:
                seen.writelines(text.split("\n")[0] + "\n" for text in texts)
        time.sleep(self._options.slow)
        return super().embed(texts, max_tokens)


def choose_with(options: argparse.Namespace):
    def choose(settings: Settings, *, failed: Mapping[str, str] | None = None) -> Choice:
        if settings.embedder == "none":
            return Choice(None, "The setting ddg.embedder is none.", ())
        if failed:
            return Choice(None, f"No embedder works: {failed['deterministic']}", tuple(failed.items()))
        embedder: Embedder = TestEmbedder(options)
        return Choice(embedder, "The test's choice.", (), "deterministic")

    return choose


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--slow", type=float, default=0.0, help="seconds each call of the embedder takes")
    parser.add_argument("--seen", default="", help="file to which the first line of every embedded text is added")
    parser.add_argument("--broken", action="store_true")
    parser.add_argument("--noise", action="store_true", help="print to stdout as badly behaved libraries do")
    parser.add_argument("--crash", default="", help="raise an unforeseen error for texts with this word")
    options = parser.parse_args()
    app.set_up_logging()
    return app.run(app.Door(choose_with(options)))


if __name__ == "__main__":
    sys.exit(main())
