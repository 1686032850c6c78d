"""Vim with ALE, running the code of the set-up page."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from tests.editors.blocks import block, program
from tests.editors.conftest import documents

pytestmark = pytest.mark.editors

SCRIPT = Path(__file__).parent / "vim" / "ale.vim"


def test_the_set_up_of_the_page_works(tmp_path):
    root, code, out = documents(tmp_path / "workspace"), tmp_path / "block.vim", tmp_path / "out"
    code.write_text(block("ale") + "\n", "utf-8")
    path = f"{program(tmp_path)}{os.pathsep}{os.environ['PATH']}"
    given = {"PATH": path, "HOME": str(tmp_path), "DDG_ROOT": str(root), "DDG_BLOCK": str(code), "DDG_OUT": str(out)}
    command = ["vim.nox", "-Nu", "NONE", "-i", "NONE", "-es", "-S", SCRIPT]
    subprocess.run(command, env={**os.environ, **given, "LANG": "C.UTF-8"}, cwd=root, timeout=180, check=False)
    lines = out.read_text("utf-8").splitlines()
    assert lines[0] == "ready 1"
    assert lines[1] == "ops.md:5 Operations > Nightly backup"
    assert any(" ~ " in line for line in lines)
    assert lines[-1].startswith("at ops.md:5 ## Nightly backup")
