"""The code blocks of the set-up page that the tests run: what a reader copies is what was tried."""

from __future__ import annotations

import re
import sys
from pathlib import Path

REPOSITORY = Path(__file__).parents[2]
PAGE = REPOSITORY / "docs" / "how-to" / "editors.md"


def block(name: str) -> str:
    """The code after `<!-- test: name -->`."""
    found = re.search(rf"<!-- test: {re.escape(name)} -->\n```\w+\n(.*?)\n```", PAGE.read_text("utf-8"), re.DOTALL)
    assert found, f"{PAGE} has no block {name}"
    return found[1]


def program(folder: Path) -> Path:
    """A folder for the head of PATH, in which `ddg-lsp` is the server with the test's embedder."""
    path = folder / "bin" / "ddg-lsp"
    path.parent.mkdir(parents=True)
    path.write_text(f'#!/bin/sh\nPYTHONPATH="{REPOSITORY}" exec "{sys.executable}" -m tests.server.launch\n')
    path.chmod(0o755)
    return path.parent
