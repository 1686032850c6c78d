"""Makes packages look installed or absent to a test, without a model: they can be found, and must not be imported."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest


def pretend_installed(monkeypatch: pytest.MonkeyPatch, folder: Path, *names: str) -> None:
    """Each package is found, and importing it is an error of the test."""
    for name in names:
        package = folder / name
        package.mkdir(parents=True, exist_ok=True)
        (package / "__init__.py").write_text(f"raise AssertionError('{name} was imported')\n", "utf-8")
        monkeypatch.delitem(sys.modules, name, raising=False)
    monkeypatch.syspath_prepend(str(folder))


def pretend_absent(monkeypatch: pytest.MonkeyPatch, *names: str) -> None:
    for name in names:
        monkeypatch.setitem(sys.modules, name, None)  # type: ignore[arg-type] # what Python calls "not importable"
