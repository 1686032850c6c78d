"""Field reports on what the program is run with: the interpreter, where it lies, the model's runtime, the network."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import sysconfig
from collections.abc import Sequence
from pathlib import Path

import pytest

from ddg_lsp.core.embedding.e5 import E5Embedder
from tests.field_reports.audited import NETWORK, audited, events
from tests.helpers.documents import workspace

REPOSITORY = Path(__file__).parents[2]
BARE = ("-S", "-m", "ddg_lsp")
"""A Python that finds this project and none of the packages it needs."""


def run(*command: str, python: str = sys.executable, **environment: str) -> subprocess.CompletedProcess[bytes]:
    env = {**os.environ, **environment}
    return subprocess.run([python, *command], cwd=REPOSITORY, env=env, input=b"", capture_output=True, check=False)


def test_row_86_without_a_network_a_first_run_asks_nobody_and_answers(tmp_path: Path) -> None:
    root, log = workspace(tmp_path / "w"), tmp_path / "log"
    nowhere = {"HTTPS_PROXY": "http://127.0.0.1:9", "HTTP_PROXY": "http://127.0.0.1:9", "HF_HOME": str(tmp_path / "hf")}
    done = run(*audited(log, "-m", "ddg_lsp", "query", str(root), "nightly backup", "--json"), **nowhere)
    answer = json.loads(done.stdout)
    assert (answer["index"]["state"], answer["hits"][0]["path"]) == ("ready", "docs/ops.md")
    assert events(log, NETWORK) == []


def test_row_90_the_built_in_model_runs_on_the_processor_and_looks_for_nothing_else(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    import onnxruntime

    asked: list[Sequence[str]] = []
    real = onnxruntime.InferenceSession

    def session(*arguments: object, **options: Sequence[str]) -> object:
        asked.append(options["providers"])
        return real(*arguments, **options)

    monkeypatch.setattr(onnxruntime, "InferenceSession", session)
    embedder = E5Embedder()
    assert embedder.embed(["query: a question"]).shape == (1, 384)
    assert asked == [["CPUExecutionProvider"]]
    embedder.unload()


@pytest.mark.parametrize("command", [["serve"], ["query", ".", "x"], ["batch", ".", "--queries", "-"], ["doctor"]])
def test_row_91_a_python_without_what_is_needed_says_what_to_do(command: list[str]) -> None:
    done = run(*BARE, *command)
    told = done.stderr.decode()
    assert (done.returncode, done.stdout) == (1, b"")
    assert len(told.splitlines()) == 1
    assert f'"{sys.executable}" -m pip install --upgrade ddg-lsp' in told


def test_row_91_a_script_is_told_in_its_own_way() -> None:
    done = run(*BARE, "query", ".", "x", "--json")
    assert done.returncode == 1
    assert json.loads(done.stdout)["error"]["code"] == "PACKAGE_MISSING"


@pytest.mark.skipif(os.name == "nt", reason="a link to a folder needs a privilege there")
def test_row_91_row_92_an_interpreter_behind_a_link_with_blanks_and_other_letters(tmp_path: Path) -> None:
    """The server answers from there; what it is given and what it says is whole."""
    home = tmp_path / "Prógram Files (x86)" / "사용자 O'Neil"
    home.mkdir(parents=True)
    (home / "venv").symlink_to(sys.prefix, target_is_directory=True)
    scripts = Path(sysconfig.get_path("scripts")).relative_to(sys.prefix)
    python = home / "venv" / scripts / Path(sys.executable).name
    root = workspace(home / "my docs")
    done = run("-m", "ddg_lsp", "query", str(root), "nightly backup", "--mode", "lexical", "--json", python=str(python))
    assert json.loads(done.stdout)["hits"][0]["path"] == "docs/ops.md"
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"capabilities": {}}}).encode()
    command = [str(python), "-m", "ddg_lsp", "serve", "--stdio"]
    with subprocess.Popen(command, cwd=REPOSITORY, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as server:
        assert server.stdin is not None
        assert server.stdout is not None
        server.stdin.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
        server.stdin.flush()
        assert server.stdout.readline().startswith(b"Content-")
        server.stdin.close()
        server.stdout.read()
