"""What a model's files tell before anything is loaded, and where a model is looked for."""

from __future__ import annotations

from pathlib import Path

import pytest

from ddg_lsp.core.embedding.errors import EmbedderUnavailable
from ddg_lsp.core.embedding.hub_fetch import wanted_files
from ddg_lsp.core.embedding.model_folder import MOST_TOKENS, missing_part, read_model_folder, weights_hash
from ddg_lsp.core.embedding.model_source import hub_id, locate, obtain
from tests.helpers.model_folders import COMMIT, MEAN_POOLED, module, write_hub_cache, write_model_folder


@pytest.fixture(autouse=True)
def _own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HF_HUB_CACHE", "HUGGINGFACE_HUB_CACHE", "SENTENCE_TRANSFORMERS_HOME", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HF_HOME", str(tmp_path / "hf"))


def test_an_ordinary_model(tmp_path: Path) -> None:
    found = read_model_folder(write_model_folder(tmp_path / "m"), "m")
    assert (found.dimensions, found.max_tokens, found.cuts, found.lower_case) == (32, 256, True, False)
    assert found.tokenizer == tmp_path / "m" / "tokenizer.json"
    assert (found.query_prefix, found.passage_prefix) == ("", "")


DIMENSIONS = [
    ({"modules.json": None}, 32),
    ({"modules.json": None, "config.json": {"d_model": 48}}, 48),
    ({"modules.json": None, "config.json": {}}, None),
    ({"1_Pooling/config.json": {"embedding_dimension": 32, "pooling_mode": ["cls", "mean"]}}, 64),
    ({"1_Pooling/config.json": {"embedding_dimension": 32, "pooling_mode": "cls"}}, 32),
    (
        {
            "1_Pooling/config.json": {
                "word_embedding_dimension": 32,
                "pooling_mode_cls_token": True,
                "pooling_mode_max_tokens": True,
            }
        },
        64,
    ),
    ({"modules.json": [*MEAN_POOLED, module("Dense", "3_Dense")], "3_Dense/config.json": {"out_features": 16}}, 16),
    ({"modules.json": [*MEAN_POOLED, module("Unheard", "3_X")], "3_X/config.json": {}}, None),
    ({"config_sentence_transformers.json": {"truncate_dim": 24}}, 24),
    ({"config_sentence_transformers.json": {"truncate_dim": 240}}, 32),
    ({"1_Pooling/config.json": "not json"}, None),
]


@pytest.mark.parametrize(("files", "dimensions"), DIMENSIONS)
def test_dimensions(tmp_path: Path, files: dict[str, object], dimensions: int | None) -> None:
    assert read_model_folder(write_model_folder(tmp_path / "m", files), "m").dimensions == dimensions


@pytest.mark.parametrize(
    ("files", "limit"),
    [
        ({"sentence_bert_config.json": None}, 512),
        ({"sentence_bert_config.json": {}, "tokenizer_config.json": {"model_max_length": 10**30}}, 514),
        ({"sentence_bert_config.json": None, "sentence_roberta_config.json": {"max_seq_length": 128}}, 128),
        ({"sentence_bert_config.json": {"max_seq_length": 10**6}}, MOST_TOKENS),
        ({"sentence_bert_config.json": None, "tokenizer_config.json": None, "config.json": {"hidden_size": 32}}, None),
    ],
)
def test_token_limits(tmp_path: Path, files: dict[str, object], limit: int | None) -> None:
    assert read_model_folder(write_model_folder(tmp_path / "m", files), "m").max_tokens == limit


@pytest.mark.parametrize(
    ("name", "files", "prefixes"),
    [
        ("m", {"config_sentence_transformers.json": {"prompts": {"query": "Q: ", "document": "D: "}}}, ("Q: ", "D: ")),
        ("m", {"config_sentence_transformers.json": {"prompts": {"query": "Q: ", "passage": "P"}}}, ("Q: ", "P")),
        ("m", {"config_sentence_transformers.json": {"prompts": {"query": "", "document": ""}}}, ("", "")),
        ("m", {"config_sentence_transformers.json": {"prompts": ["query"]}}, ("", "")),
        ("intfloat/multilingual-e5-base", {}, ("query: ", "passage: ")),
        ("/models/e5-small", {}, ("query: ", "passage: ")),
        ("m", {"config.json": {"hidden_size": 32, "_name_or_path": "intfloat/e5-small-v2"}}, ("query: ", "passage: ")),
        ("e5-x", {"config_sentence_transformers.json": {"prompts": {"query": "Q: "}}}, ("Q: ", "")),
        ("intfloat/multilingual-e5-large-instruct", {}, ("", "")),
    ],
)
def test_prefixes(tmp_path: Path, name: str, files: dict[str, object], prefixes: tuple[str, str]) -> None:
    found = read_model_folder(write_model_folder(tmp_path / "m", files), name)
    assert (found.query_prefix, found.passage_prefix) == prefixes


def test_models_that_would_give_wrong_vectors_are_refused(tmp_path: Path) -> None:
    router = write_model_folder(tmp_path / "r", {"modules.json": [module("Router", "")]})
    with pytest.raises(EmbedderUnavailable, match="separate networks"):
        read_model_folder(router, "r")
    pooled = {"word_embedding_dimension": 32, "include_prompt": False}
    with pytest.raises(EmbedderUnavailable, match="prompt"):
        read_model_folder(write_model_folder(tmp_path / "i", {"1_Pooling/config.json": pooled}), "i")


@pytest.mark.parametrize("text", ["", "[]", "{}", "[1]", '[{"path": "../../etc", "type": "a.B"}]', '[{"type": "a.B"}]'])
def test_a_damaged_list_of_modules_is_said(tmp_path: Path, text: str) -> None:
    folder = write_model_folder(tmp_path / "m", {"modules.json": text})
    with pytest.raises(EmbedderUnavailable, match=r"modules\.json"):
        read_model_folder(folder, "m")
    assert missing_part(folder) == "modules.json"


@pytest.mark.parametrize("name", ["model.safetensors", "tokenizer.json", "config.json", "1_Pooling/config.json"])
def test_a_missing_part_is_named(tmp_path: Path, name: str) -> None:
    assert missing_part(write_model_folder(tmp_path / "whole")) == ""
    folder = write_model_folder(tmp_path / "part", without=name)
    assert missing_part(folder) == name
    with pytest.raises(EmbedderUnavailable, match=name):
        locate(str(folder))


def test_shards_must_all_be_there(tmp_path: Path) -> None:
    index = {"weight_map": {"a": "model-1-of-2.safetensors", "b": "model-2-of-2.safetensors"}}
    files = {"model.safetensors": None, "model.safetensors.index.json": index, "model-1-of-2.safetensors": "w"}
    folder = write_model_folder(tmp_path / "m", files)
    assert missing_part(folder) == "model-2-of-2.safetensors"
    (folder / "model-2-of-2.safetensors").touch()
    assert missing_part(folder) == ""


def test_a_backends_own_weights_are_enough(tmp_path: Path) -> None:
    folder = write_model_folder(tmp_path / "m", {"model.safetensors": None, "onnx/model.onnx": "w"})
    assert missing_part(folder, "onnx") == ""
    assert missing_part(folder, "torch") == "model.safetensors"


def test_weights_are_named_by_their_content(tmp_path: Path) -> None:
    one, two = write_model_folder(tmp_path / "one"), write_model_folder(tmp_path / "two")
    assert weights_hash(one, "torch") == weights_hash(two, "torch")
    assert weights_hash(one, "torch") != weights_hash(one, "onnx")
    before = weights_hash(one, "torch")
    (one / "model.safetensors").write_text("other weights")
    assert weights_hash(one, "torch") != before


def test_the_hubs_cache_is_looked_into_without_its_library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert locate("some/model") is None
    snapshot = write_hub_cache(tmp_path / "hf" / "hub", "some/model")
    assert locate("some/model") == snapshot
    assert weights_hash(snapshot, "torch") == COMMIT
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path / "other"))
    assert locate("some/model") is None
    monkeypatch.setenv("SENTENCE_TRANSFORMERS_HOME", str(tmp_path / "hf" / "hub"))
    assert locate("some/model") == snapshot


def test_a_broken_off_download_is_no_model_and_an_older_whole_one_is(tmp_path: Path) -> None:
    cache = tmp_path / "hf" / "hub"
    old = write_hub_cache(cache, "some/model", commit="a" * 40)
    write_hub_cache(cache, "some/model", without="model.safetensors")
    assert locate("some/model") == old
    write_hub_cache(cache, "another/model", without="model.safetensors")
    assert locate("another/model") is None


@pytest.mark.parametrize(
    ("name", "identifier"),
    [
        ("BAAI/bge-m3", "BAAI/bge-m3"),
        ("all-MiniLM-L6-v2", "sentence-transformers/all-MiniLM-L6-v2"),
        ("/models/e5", None),
        ("./models/e5", None),
        ("../e5", None),
        ("a/b/c", None),
        ("", None),
        ("a b", None),
    ],
)
def test_what_is_a_hubs_id(name: str, identifier: str | None) -> None:
    assert hub_id(name) == identifier


def test_a_folder_beside_the_editor_cannot_answer_for_a_hubs_model(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_model_folder(tmp_path / "intfloat" / "multilingual-e5-small")
    monkeypatch.chdir(tmp_path)
    assert locate("intfloat/multilingual-e5-small") is None
    with pytest.raises(EmbedderUnavailable, match="absolute"):
        locate("./intfloat/multilingual-e5-small")
    with pytest.raises(EmbedderUnavailable, match="no model folder"):
        locate(str(tmp_path / "absent"))


def test_nothing_is_fetched_unless_it_was_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(EmbedderUnavailable, match=r'ddg\.model to "some/model"'):
        obtain("some/model", "torch", may_fetch=False)
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    with pytest.raises(EmbedderUnavailable, match="HF_HUB_OFFLINE"):
        obtain("some/model", "torch", may_fetch=True)


def test_of_the_formats_a_hub_keeps_one_is_fetched() -> None:
    kept = ["config.json", "tokenizer.json", "1_Pooling/config.json", "model.safetensors"]
    others = ["pytorch_model.bin", "tf_model.h5", "rust_model.ot", "flax_model.msgpack", ".gitattributes"]
    onnx = ["onnx/model.onnx", "onnx/model.onnx_data", "onnx/model_qint8_avx512.onnx"]
    vino = ["openvino/openvino_model.xml", "openvino/openvino_model.bin"]
    everything = [*kept, *others, *onnx, *vino]
    assert wanted_files(everything, "torch") == kept
    assert wanted_files(everything, "onnx") == [*kept, *onnx[:2]]
    assert wanted_files(everything, "openvino") == [*kept, vino[0], vino[1]]
    assert wanted_files(["config.json", "pytorch_model.bin"], "torch") == ["config.json", "pytorch_model.bin"]


def test_reading_touches_nothing(tmp_path: Path) -> None:
    folder = write_model_folder(tmp_path / "m")
    before = {path: path.stat().st_mtime_ns for path in folder.rglob("*")}
    read_model_folder(folder, "m")
    weights_hash(folder, "torch")
    assert {path: path.stat().st_mtime_ns for path in folder.rglob("*")} == before
