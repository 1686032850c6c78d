"""Fetching a model from a hub: only when asked, only what is needed, resumed, and remembered when it failed.

The hub's library reads its settings when it is imported, so every fetch here is a process of its own.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.helpers.hub_server import Hub, hub_server
from tests.helpers.model_folders import COMMIT, write_model_folder

pytestmark = pytest.mark.torch

MODEL = "some/model"
SCRIPT = """
import json, sys
from pathlib import Path
from ddg_lsp.core.embedding.errors import EmbedderUnavailable
from ddg_lsp.core.embedding.model_source import obtain
told = []
try:
    folder = obtain(sys.argv[1], "torch", may_fetch=True, cache_dir=Path(sys.argv[2]),
                    on_progress=lambda *progress: told.append(progress))
    print(json.dumps({"folder": str(folder), "told": told}))
except EmbedderUnavailable as error:
    print(json.dumps({"error": str(error), "told": told}))
"""


@pytest.fixture
def hub(tmp_path: Path) -> Iterator[Hub]:
    folder = write_model_folder(tmp_path / "origin", {"model.safetensors": "w" * 3_000_000})
    with hub_server(MODEL, folder) as running:
        yield running


def fetch(hub: Hub, tmp_path: Path, **environment: str) -> dict[str, Any]:
    known = {"HF_HOME": str(tmp_path / "hf"), "HF_ENDPOINT": hub.url, "HF_HUB_DISABLE_XET": "1", **environment}
    clean = {name: value for name, value in os.environ.items() if not name.startswith(("HF_", "HUGGINGFACE"))}
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, MODEL, str(tmp_path / "memory")],
        env={**clean, **known},
        capture_output=True,
        text=True,
        check=True,
        timeout=120,
    )
    answer: dict[str, Any] = json.loads(done.stdout)
    return answer


def test_a_model_is_fetched_once_with_progress_and_without_what_nobody_needs(hub: Hub, tmp_path: Path) -> None:
    answer = fetch(hub, tmp_path)
    folder = Path(answer["folder"])
    assert folder.name == COMMIT
    assert (folder / "model.safetensors").stat().st_size == 3_000_000
    assert not hub.fetched() & {"pytorch_model.bin", "onnx/model.onnx", "tf_model.h5"}
    assert {"modules.json", "1_Pooling/config.json", "model.safetensors"} <= hub.fetched()
    first, last = answer["told"][0], answer["told"][-1]
    assert first[:2] == [MODEL, 0]
    assert first[2] > 3_000_000
    assert all(0 <= done <= total for _, done, total in answer["told"])
    assert last[2] == first[2]
    hub.requests.clear()
    assert fetch(hub, tmp_path)["folder"] == str(folder)
    assert hub.requests == []  # it is on the machine: nobody is asked


def test_a_broken_off_fetch_is_taken_up_again(hub: Hub, tmp_path: Path) -> None:
    size = 24 * 1024 * 1024  # the hub's library writes down what came in steps of 10 MB
    hub.files["model.safetensors"] = b"w" * size
    hub.break_off = {"model.safetensors"}
    answer = fetch(hub, tmp_path)
    if "error" in answer:
        (tmp_path / "memory" / "fetch-failures.json").unlink()
        answer = fetch(hub, tmp_path)
    assert (Path(answer["folder"]) / "model.safetensors").read_bytes() == b"w" * size
    assert any(line.startswith("RANGE model.safetensors") for line in hub.requests)


@pytest.mark.parametrize(
    ("mode", "word"),
    [("gone", "no such model"), ("gated", "terms"), ("broken", "HF_ENDPOINT"), ("page", "HF_ENDPOINT")],
)
def test_a_failure_is_a_sentence_and_is_not_tried_again_for_a_while(
    hub: Hub, tmp_path: Path, mode: str, word: str
) -> None:
    hub.mode = mode
    error = fetch(hub, tmp_path)["error"]
    assert MODEL in error
    assert word in error
    hub.mode = "good"
    hub.requests.clear()
    again = fetch(hub, tmp_path)["error"]
    assert again.startswith(error)
    assert "tried again in 10 min" in again
    assert hub.requests == []
    memory = tmp_path / "memory" / "fetch-failures.json"
    entries = json.loads(memory.read_text())
    memory.write_text(json.dumps({MODEL: [entries[MODEL][0] - 601, entries[MODEL][1]]}))
    assert "folder" in fetch(hub, tmp_path)
    assert json.loads(memory.read_text()) == {}


def test_a_hub_that_cannot_be_reached(hub: Hub, tmp_path: Path) -> None:
    error = fetch(hub, tmp_path, HF_ENDPOINT="http://127.0.0.1:9")["error"]
    assert "HTTPS_PROXY" in error


def test_what_is_no_model_is_said_after_the_fetch(hub: Hub, tmp_path: Path) -> None:
    del hub.files["model.safetensors"], hub.files["pytorch_model.bin"]
    assert "no sentence-transformers model" in fetch(hub, tmp_path)["error"]


@pytest.mark.parametrize("variable", ["HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE"])
def test_offline_is_obeyed(hub: Hub, tmp_path: Path, variable: str) -> None:
    assert "HF_HUB_OFFLINE" in fetch(hub, tmp_path, **{variable: "1"})["error"]
    assert hub.requests == []


@pytest.mark.parametrize("content", ["", "[]", "nonsense", '{"some/model": "x"}', '{"some/model": [1e400, "y"]}'])
def test_a_damaged_memory_harms_nobody(hub: Hub, tmp_path: Path, content: str) -> None:
    (tmp_path / "memory").mkdir()
    (tmp_path / "memory" / "fetch-failures.json").write_text(content)
    assert "folder" in fetch(hub, tmp_path)
