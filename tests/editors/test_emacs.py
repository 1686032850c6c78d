"""Emacs with eglot and with lsp-mode, each running the code of the set-up page."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from tests.editors.blocks import block, program
from tests.editors.conftest import documents

pytestmark = pytest.mark.editors

HERE = Path(__file__).parent / "emacs"


@pytest.mark.parametrize("client", ["eglot", "lsp-mode"])
def test_the_set_up_of_the_page_works(tmp_path, client):
    if client not in str(list(Path("/usr/share/emacs/site-lisp/elpa-src").glob("*"))):
        pytest.fail(f"Emacs is installed but not elpa-{client}.")
    root, code = documents(tmp_path / "workspace"), tmp_path / "code.el"
    code.write_text(f";;; -*- lexical-binding: t -*-\n{block(client)}\n", "utf-8")
    path = f"{program(tmp_path)}{os.pathsep}{os.environ['PATH']}"
    environment = {**os.environ, "PATH": path, "HOME": str(tmp_path), "DDG_ROOT": str(root), "LANG": "C.UTF-8"}
    command = ["emacs", "-Q", "--batch", "-l", HERE / "prelude.el", "-l", code, "-l", HERE / f"{client}.el"]
    done = subprocess.run(command, env=environment, cwd=root, capture_output=True, text=True, timeout=180, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.count("ok   ") >= 6
    assert "FAIL" not in done.stdout
