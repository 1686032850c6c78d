"""`ddg-lsp nvim-path`: where the Neovim plugin lies that came with this package.

Owns the answer and nothing else; what the plugin does is in `nvim/`.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from ddg_lsp import terminal


def add_nvim_path(commands: argparse._SubParsersAction[Any]) -> None:
    """Register the command."""
    command = commands.add_parser("nvim-path", help="print the folder of the Neovim plugin, for its runtimepath")
    command.set_defaults(command=nvim_path)


def nvim_path(_: argparse.Namespace) -> int:
    """Print the folder; the exit code."""
    terminal.line(str(Path(__file__).parent / "nvim"))
    return 0
