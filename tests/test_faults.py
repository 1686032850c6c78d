"""Faults that a hostile tester found, each held by a test of its kind."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from ddg_lsp import cli, commands
from ddg_lsp.core import keeping
from ddg_lsp.core.embedding.deterministic import DeterministicEmbedder
from ddg_lsp.core.embedding.errors import EmbedderUnavailable
from ddg_lsp.core.opening import open_folder
from tests.helpers.folders import build, write


def test_the_runtime_is_told_to_send_nothing_before_it_is_imported() -> None:
    environment = {name: value for name, value in os.environ.items() if name != "ORT_DISABLE_TELEMETRY"}
    code = "import sys, os, ddg_lsp; print('onnxruntime' in sys.modules, os.environ['ORT_DISABLE_TELEMETRY'])"
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "1"]


@pytest.mark.parametrize(
    "files",
    [
        {"dotdotgod.config.json": '{"documentation":{"root":"\\ud800"}}'},
        {"ddg.toml": "[" + ".".join(["ddg"] * 3_000) + "]"},
        {"ddg.toml": 'root = "a\\u0000b"'},
    ],
)
def test_hostile_settings_are_a_problem_and_no_crash(tmp_path: Path, files: dict[str, str]) -> None:
    write(tmp_path, {"docs/a.md": "# A\n\ncats", **files})
    opened = open_folder(tmp_path, {}, DeterministicEmbedder())
    assert opened.problems
    opened.folder.refresh()
    assert "docs/a.md" in opened.folder.snapshot.documents


def test_front_matter_that_is_not_used_is_not_cached(tmp_path: Path) -> None:
    write(tmp_path, {"a.md": "---\npassword: hunter2hunter2\ntitle: Kept\n---\n\n# A\n\ntext"})
    build(tmp_path, DeterministicEmbedder()).folder.close()
    cached = "".join(path.read_text("utf-8", "replace") for path in (tmp_path / ".ddg").rglob("*.json*"))
    assert "Kept" in cached
    assert "hunter2" not in cached


def test_a_complete_index_says_when_it_was_complete(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(keeping, "CHECKPOINT_SECONDS", 0.0)
    monkeypatch.setattr(keeping, "CHECKPOINT_SHARE", 0.0)
    opened = open_folder(write(tmp_path, {"a.md": "# A\n\nshort"}), {}, DeterministicEmbedder())
    opened.folder.refresh()
    while opened.folder.pending():
        opened.embed_some()
        opened.folder.save()
    opened.folder.finish()
    opened.folder.close()
    assert open_folder(tmp_path, {}, DeterministicEmbedder()).folder.indexed_at


def test_batch_lives_through_ids_that_json_cannot_say(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    real = commands.open_folder
    monkeypatch.setattr(commands, "open_folder", lambda path, **_: real(path, {}, DeterministicEmbedder()))
    lines = b'\xef\xbb\xbf{"id": 1e999, "query": "cats"}\n{"id": NaN, "query": "cats"}\n{"id": 3, "query": "cats"}\n'
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(lines)))
    assert cli.main(["batch", str(write(tmp_path, {"a.md": "# A\n\ncats"})), "--queries", "-"]) == 0
    answers = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [(answer["id"], answer["ok"]) for answer in answers] == [(None, True), (None, True), (3, True)]


class Failing(DeterministicEmbedder):
    """Works until it is told not to."""

    broken = False

    def embed(self, texts, max_tokens=None):
        if self.broken:
            raise EmbedderUnavailable("The model is gone.")
        return super().embed(texts, max_tokens)


@pytest.mark.parametrize("indexed_first", [True, False])
@pytest.mark.parametrize("command", ["query", "index"])
def test_an_embedder_that_fails_leaves_the_words(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    indexed_first: bool,
    command: str,
) -> None:
    write(tmp_path, {"a.md": "# A\n\ncats and dogs", "b.md": "# B\n\nbirds"})
    if indexed_first:
        build(tmp_path, Failing()).folder.close()
    embedder = Failing()
    embedder.broken = True
    real = commands.open_folder
    monkeypatch.setattr(commands, "open_folder", lambda path, **_: real(path, {"embedder": "none"}, embedder))
    words = ["dogs"] if command == "query" else []
    assert cli.main([command, str(tmp_path), *words, "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    if command == "query":
        assert answer["hits"][0]["path"] == "a.md"
        assert answer["index"]["state"] == "lexicalOnly"
    elif not indexed_first:
        assert answer["index"]["state"] == "lexicalOnly"
