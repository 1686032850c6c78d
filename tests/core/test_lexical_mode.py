"""Mode `lexical` from folder to hits: the dictionary file is read, limits hold, the order is source C's."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from ddg_lsp.core import literal_rank
from ddg_lsp.core.embedding.deterministic import DeterministicEmbedder
from ddg_lsp.core.errors import DdgError
from ddg_lsp.core.search import Answer
from tests.helpers.folders import ask, build, paths, write

FILES = {
    "a.md": "# A\n\nSETUP01 설치 절차\n",
    "b.md": "# B\n\n설치 안내 / 설치 설명서 / 셋업 가이드\n",
    "c.md": "# C\n\n아무 관계 없음\n",
}
SYNONYMS = "SETUP01 => 설치 안내, 설치 설명서, 셋업 가이드\n"


def answer(root: Path, question: str, mode: str = "lexical", **fields: object) -> tuple[Answer, DeterministicEmbedder]:
    embedder = DeterministicEmbedder()
    opened = build(root, embedder)
    try:
        return ask(opened.folder, question, mode=mode, explain=True, **fields), embedder
    finally:
        opened.folder.close()


def expansion(found: Answer) -> Mapping[str, object]:
    explained = found.hits[0].explain
    assert explained is not None
    value = explained["expansion"]
    assert isinstance(value, dict)
    return value


def test_s04_typed_word_first_from_files_on_disk(tmp_path: Path) -> None:
    found, _ = answer(write(tmp_path, {**FILES, "synonyms.txt": SYNONYMS}), "SETUP01")
    assert paths(found) == ["a.md", "b.md"]
    assert [hit.score for hit in found.hits] == [1.000303, 0.091818]
    assert expansion(found)["terms"] == ["설치 안내", "설치 설명서", "셋업 가이드"]


def test_s12_seventeen_words_are_refused(tmp_path: Path) -> None:
    root = write(tmp_path, FILES)
    with pytest.raises(DdgError) as caught:
        answer(root, " ".join(f"t{i}" for i in range(17)))
    assert (caught.value.code, caught.value.data["got"]) == ("SEARCH_INVALID_QUERY", 17)


def test_s14_an_unreadable_dictionary_is_as_none(tmp_path: Path) -> None:
    without, _ = answer(write(tmp_path / "without", FILES), "SETUP01")
    broken, _ = answer(write(tmp_path / "broken", {**FILES, "synonyms.txt": b"SETUP01, \xff\n"}), "SETUP01")
    assert [(hit.passage.id, hit.score) for hit in broken.hits] == [(hit.passage.id, hit.score) for hit in without.hits]
    assert expansion(broken)["terms"] == []
    assert "UTF-8" in str(expansion(broken)["reason"])
    assert expansion(without)["reason"] == "no_dictionary"


def test_s15_other_trouble_is_not_an_empty_answer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def unreadable(*_: object) -> None:
        raise OSError("the index cannot be read")

    monkeypatch.setattr(literal_rank.FoldedTexts, "of", unreadable)
    with pytest.raises(OSError, match="index"):
        answer(write(tmp_path, FILES), "SETUP01")


def test_s16_ties_from_files_on_disk(tmp_path: Path) -> None:
    def page(date: str) -> str:
        return (f"---\ndate: {date}\n---\n" if date else "") + "# T\n\nterm\n"

    files = {
        "a.md": page("2026-01-01"),
        "b.md": page("2025-01-01"),
        "docs/b.md": page("2026-01-01"),
        "docs/a.md": page("2026-01-01"),
        "c.md": page(""),
        "ddg.toml": '[priorities]\n"/a.md" = 2\n"*" = 1\n',
    }
    found, _ = answer(write(tmp_path, files), "term")
    assert paths(found) == ["docs/a.md", "docs/b.md", "b.md", "c.md", "a.md"]


def test_s25_the_dictionary_is_not_in_the_meaning(tmp_path: Path) -> None:
    with_, used = answer(write(tmp_path / "with", {**FILES, "synonyms.txt": SYNONYMS}), "SETUP01", "semantic")
    without, plain = answer(write(tmp_path / "without", FILES), "SETUP01", "semantic")
    assert [(h.passage.id, h.score, h.semantic_score, h.boost) for h in with_.hits] == [
        (h.passage.id, h.score, h.semantic_score, h.boost) for h in without.hits
    ]
    assert len(with_.hits) == 3
    texts = [[t for t in one.seen if t.startswith("passage: ") or "SETUP01" in t] for one in (used, plain)]
    assert texts[0] == texts[1]
    assert "query: SETUP01" in texts[0]


def test_further_headings_are_scored_on_the_scale_of_their_hit(tmp_path: Path) -> None:
    text = "## One\n\nwalrus\n\n## Two\n\nwalrus\n\n## Three\n\nwalrus\n"
    folder = build(write(tmp_path, {"a.md": text}), DeterministicEmbedder()).folder
    for mode in ("lexical", "semantic", "hybrid"):
        (hit,) = ask(folder, "walrus", mode=mode).hits
        assert all(further.score <= hit.score for further in hit.also_in)
        assert hit.also_in or mode != "lexical"
