"""The command line with an embedder that takes its time: `python -m tests.helpers.slow_cli SEEN ARGUMENTS...`.

Every call of the embedder adds a byte to the file SEEN.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from pathlib import Path

from ddg_lsp import cli, commands
from ddg_lsp.core.embedding import Matrix
from ddg_lsp.core.embedding.deterministic import DeterministicEmbedder


class SlowEmbedder(DeterministicEmbedder):
    """A twentieth of a second for each batch."""

    def embed(self, texts: Sequence[str], max_tokens: int | None = None) -> Matrix:
        with Path(sys.argv[1]).open("a") as seen:
            seen.write(".")
        time.sleep(0.05)
        return super().embed(texts, max_tokens)


if __name__ == "__main__":
    real = commands.open_folder
    commands.open_folder = lambda path, **_: real(path, {}, SlowEmbedder())  # type: ignore[assignment]
    sys.exit(cli.main(sys.argv[2:]))
