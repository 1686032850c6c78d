"""The probe questions as a model sees them: shipped, cached or computed, and what languages are made of them."""

from __future__ import annotations

from importlib import resources
from pathlib import Path

import numpy as np
import pytest

from ddg_lsp.core import centring, probes
from ddg_lsp.core.embedding import embed_query
from ddg_lsp.core.embedding.deterministic import DeterministicEmbedder
from ddg_lsp.core.embedding.e5 import E5Embedder
from ddg_lsp.core.languages import possible, script_of


@pytest.fixture(scope="module")
def model() -> E5Embedder:
    return E5Embedder()


def test_the_shipped_vectors_are_those_of_the_built_in_model_as_it_is_run_now(model: E5Embedder) -> None:
    name = f"{centring.key_of(model.info)}.npy"
    assert resources.files(probes.__name__).joinpath(name).is_file(), "run python -m benchmarks.ship_probes"
    centre = centring.load(model)
    for number, (language, questions) in enumerate(probes.load().items()):
        assert centre.languages[number] == language
        fresh = model.embed([model.info.query_prefix + question for question in questions[:3]])
        assert (fresh * centre.vectors[number, :3]).sum(axis=1).min() > 0.995


@pytest.mark.parametrize(
    ("language", "question"),
    [
        ("en", "how do I configure the retry policy of a queue?"),
        ("ko", "대기열의 재시도 정책은 어떻게 설정하나요?"),
        ("ja", "キューの再試行ポリシーはどう設定しますか?"),
        ("zh", "如何配置队列的重试策略?"),
        ("de", "Wie stelle ich die Wiederholungsregel einer Warteschlange ein?"),
        ("ru", "Как настроить политику повторов очереди?"),
        ("fr", "Comment régler la politique de nouvelle tentative d'une file ?"),
        ("ar", "كيف أضبط سياسة إعادة المحاولة؟"),
    ],
)
def test_the_language_of_a_question_is_known(model: E5Embedder, language: str, question: str) -> None:
    centre = centring.load(model)
    assert centre.name_of(question, embed_query(model, question)) == language


def test_another_model_s_probes_are_computed_once_and_kept(tmp_path: Path) -> None:
    first, second = DeterministicEmbedder(), DeterministicEmbedder()
    centre = centring.load(first, tmp_path)
    assert len(first.seen) == centre.vectors.shape[0] * centre.vectors.shape[1]
    again = centring.load(second, tmp_path)
    assert second.seen == []
    assert np.array_equal(centre.vectors, again.vectors), "the first start scores as every later one does"


@pytest.mark.parametrize("damage", [b"", b"\x93NUMPY garbage", b"x" * 5_000])
def test_a_damaged_file_of_probes_is_computed_anew(tmp_path: Path, damage: bytes) -> None:
    centring.load(DeterministicEmbedder(), tmp_path)
    [kept] = (tmp_path / "centres").iterdir()
    kept.write_bytes(damage)
    embedder = DeterministicEmbedder()
    centring.load(embedder, tmp_path)
    assert embedder.seen
    assert kept.stat().st_size > len(damage)


@pytest.mark.parametrize("value", [0.0, 1.0, 6e4, np.nan, np.inf])
def test_one_probe_that_is_no_unit_vector_is_damage(tmp_path: Path, value: float) -> None:
    right = centring.load(DeterministicEmbedder(), tmp_path).vectors
    [kept] = (tmp_path / "centres").iterdir()
    vectors = np.load(kept)
    vectors[1, 2, :] = value
    np.save(kept, vectors)
    assert np.array_equal(centring.load(DeterministicEmbedder(), tmp_path).vectors, right)


def test_without_a_place_to_write_it_works_all_the_same(tmp_path: Path) -> None:
    (tmp_path / "centres").write_text("a file where the folder should be")
    assert centring.load(DeterministicEmbedder(), tmp_path).means.shape[1] == 384


def test_probes_of_other_dimensions_are_not_taken(tmp_path: Path) -> None:
    centring.load(DeterministicEmbedder(), tmp_path)
    [kept] = (tmp_path / "centres").iterdir()
    np.save(kept, np.zeros((2, 3, 4), np.float16))
    assert centring.load(DeterministicEmbedder(), tmp_path).vectors.shape[2] == 384


@pytest.mark.parametrize(
    ("text", "script"),
    [
        ("plain words", "latin"),
        ("naïve café", "latin"),
        ("설정 파일 config.toml", "hangul"),
        ("設定ファイルを読む", "kana"),
        ("读取配置文件", "han"),
        ("Это текст", "cyrillic"),
        ("12345 !?", ""),
        ("", ""),
        ("`import numpy` を使う import torch numpy", "kana"),
    ],
)
def test_the_script_of_a_text(text: str, script: str) -> None:
    assert script_of(text) == script


def test_an_unknown_script_leaves_every_language_possible() -> None:
    assert possible("", ("de", "ko")).all()
    assert possible("hangul", ("de", "ko")).tolist() == [False, True]
    assert possible("latin", ("de", "ko")).tolist() == [True, False]
    assert possible("devanagari", ("de", "ko")).all()
