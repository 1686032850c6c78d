"""Folders on disk for tests."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path


def write(root: Path, files: Mapping[str, str | bytes]) -> Path:
    """Write files by their `/`-path below `root`, and return `root`."""
    for path, content in files.items():
        target = root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content if isinstance(content, bytes) else content.encode())
    return root


def empty(root: Path, *paths: str) -> Path:
    """Write files that hold one heading."""
    return write(root, dict.fromkeys(paths, "# Heading\n"))
