"""Field reports on what documents are made of, seen in answers: headings, twins, pictures, tables, many entries."""

from __future__ import annotations

from pathlib import Path

import pytest

from ddg_lsp.core.embedding.deterministic import DeterministicEmbedder
from ddg_lsp.core.hits import Hit
from ddg_lsp.core.search import Answer
from tests.helpers.folders import ask, build, paths, write

PAGES: dict[str, tuple[str | bytes, list[tuple[int, tuple[str, ...]]]]] = {
    "row 39: a comment in a shell": ("# A\n\n```sh\n# install\n```\n", [(0, ("A",))]),
    "row 39: nothing but blank lines": ("\n \n\t\n\n", []),
    "row 39: nothing but a comment in a shell": ("```sh\n# install\n```\n", [(0, ())]),
    "row 41: a fence in an item": ("# A\n\n- item\n  ```\n  # no\n  ```\n", [(0, ("A",))]),
    "row 41: three blanks, and four": ("# A\n\n   ## B\n\n    # code\n", [(0, ("A",)), (2, ("A", "B"))]),
    "row 42: a comment": ("<!--\n# draft\n-->\n\n# A\n", [(0, ("A",)), (4, ("A",))]),
    "row 42: a script": ("# A\n\n<script>\n# no\n\n# no\n</script>\n", [(0, ("A",))]),
    "row 43: a comment behind the heading": (
        "# A\n\n## Setup <!-- omit in toc -->\n",
        [(0, ("A",)), (2, ("A", "Setup"))],
    ),
    "row 45: front matter": ("---\ntitle: x\n---\n# A\n", [(3, ("A",))]),
    "row 45: front matter and nothing else": ("---\ntitle: x\n---\n", []),
    "row 46: underlined": ("Title\n===\n\nTwo\nlines\n---\n\ntext\n", [(0, ("Title",)), (3, ("Title", "Two lines"))]),
    "row 48: a mark at the beginning": (b"\xef\xbb\xbf# A\n\ntext\n", [(0, ("A",))]),
    "row 48: a mark and front matter": (b"\xef\xbb\xbf---\ntitle: x\n---\n# A\n", [(3, ("A",))]),
    "row 49: CRLF": ("# A\r\n\r\ntext\r\n\r\n## B\r\n", [(0, ("A",)), (4, ("A", "B"))]),
    "row 49: CR": ("# A\r\rtext\r\r## B\r", [(0, ("A",)), (4, ("A", "B"))]),
}


def sections(root: Path, content: str | bytes) -> list[tuple[int, tuple[str, ...]]]:
    folder = build(write(root, {"page.md": content}), DeterministicEmbedder()).folder
    hits = ask(folder, "install draft setup title", mode="hybrid", limit=100, perFile=10).hits
    folder.close()
    return sorted((hit.passage.line, hit.passage.headings) for hit in hits)


@pytest.mark.parametrize("name", PAGES)
def test_row_39_41_42_43_45_46_48_49_the_sections_an_answer_names(tmp_path: Path, name: str) -> None:
    content, expected = PAGES[name]
    assert sections(tmp_path, content) == expected


def test_row_47_equal_siblings_and_equal_files_are_all_there(tmp_path: Path) -> None:
    text = "# Tool\n\n## Options\n\nThe same words.\n\n## Options\n\nThe same words.\n"
    embedder = DeterministicEmbedder()
    folder = build(write(tmp_path, {"a.md": text, "b/a.md": text}), embedder).folder
    hits = ask(folder, "the same words", mode="hybrid", perFile=10).hits
    assert len({hit.passage.id for hit in hits}) == len(hits) == 6
    assert {(hit.passage.path, hit.passage.line) for hit in hits} == {
        (path, line) for path in ("a.md", "b/a.md") for line in (0, 2, 6)
    }
    (tmp_path / "a.md").unlink()
    folder.refresh()
    assert paths(ask(folder, "the same words")) == ["b/a.md"]
    folder.close()
    again = build(tmp_path, DeterministicEmbedder()).folder
    assert paths(ask(again, "the same words")) == ["b/a.md"]


def test_row_53_a_picture_in_the_text_is_neither_embedded_nor_shown(tmp_path: Path) -> None:
    picture = "![plan](data:image/png;base64," + "iVBORw0KGgoAAAANSUhEUgAA" * 30_000 + ")"
    embedder = DeterministicEmbedder()
    folder = build(write(tmp_path, {"a.md": f"# Plan\n\nBefore it.\n\n{picture}\n\nAfter it.\n"}), embedder).folder
    (hit,) = ask(folder, "plan", mode="hybrid").hits
    assert "After it." in hit.excerpt
    assert not any("iVBORw0KGgo" in text for text in (*embedder.seen, hit.excerpt))
    assert len(folder.snapshot.passages) == 1


LAST = {"ja": "最後に、夜間の索引を再構築します。", "zh": "最后重建夜间索引。", "ko": "끝으로 야간 색인을 다시 만든다."}
LONG = {"ja": "この文章には意味がありません。", "zh": "这句话没有意义。", "ko": "이 문장에는 아무 뜻이 없다. "}


@pytest.mark.parametrize("language", LAST)
def test_row_54_the_last_sentence_of_a_paragraph_of_thousands_is_found_and_shown(tmp_path: Path, language: str) -> None:
    text = "# 文\n\n" + LONG[language] * (3_000 // len(LONG[language])) + LAST[language] + "\n"
    embedder = DeterministicEmbedder()
    folder = build(write(tmp_path, {"a.md": text}), embedder).folder
    hit = ask(folder, LAST[language], mode="hybrid").hits[0]
    assert hit.passage.path == "a.md"
    assert LAST[language].strip() in hit.excerpt
    wholes = [text for text in embedder.seen if "path: a.md" in text]
    assert any(LAST[language] in text for text in wholes)
    limit = embedder.info.max_tokens
    assert max(embedder.count_tokens(wholes)) <= limit


def test_row_55_a_row_of_a_long_table_is_found_with_its_header_and_its_lines(tmp_path: Path) -> None:
    rows = "".join(f"| setting{n} | what it is good for, number {n} |\n" for n in range(200))
    text = f"# Settings\n\n| name | purpose |\n|---|---|\n{rows}"
    embedder = DeterministicEmbedder()
    folder = build(write(tmp_path, {"a.md": text}), embedder).folder
    passages = folder.snapshot.passages
    assert len(passages) > 4
    for passage in passages:
        piece = text[passage.body_start : passage.body_end]
        assert piece.endswith("|\n")
        whole = next(seen for seen in embedder.seen if seen.endswith(piece.strip()))
        assert whole.count("| name | purpose |") == 1
    hit = ask(folder, "setting177", mode="hybrid").hits[0]
    assert "setting177" in hit.excerpt


def test_row_58_a_changelog_of_hundreds_of_entries_is_one_hit(tmp_path: Path) -> None:
    entries = "".join(f"## 1.{n}.0\n\n- Retry policy changed: attempt {n}.\n\n" for n in range(400))
    pages = {f"docs/{n}.md": f"# Page {n}\n\nAbout thing {n}.\n" for n in range(8)}
    files = {"CHANGELOG.md": f"# Changelog\n\n{entries}", "docs/retry.md": "# Retry policy\n\nThe policy.\n", **pages}
    folder = build(write(tmp_path, files), DeterministicEmbedder()).folder
    for mode in ("hybrid", "semantic", "lexical"):
        found = ask(folder, "retry policy", mode=mode, limit=5)
        assert paths(found).count("CHANGELOG.md") == 1
        assert "docs/retry.md" in paths(found)
        for hit in found.hits:
            assert len(hit.also_in) <= 3


WORDS = {
    "ja": "# 検索\n\nサーバーは起動時に索引を作成する。設定ファイルを読み込む。\n",
    "ko": "# 검색\n\n서버는 시작할 때 색인을 만든다. 설정 파일을 읽는다.\n",
    "zh": "# 搜尋\n\n伺服器啟動時會建立目錄。讀取組態檔。\n",
    "en": "# Search\n\nThe API builds an index on start.\n",
}
OTHERS = {
    "ja": "# 天気\n\n今日は雨が降る。\n",
    "ko": "# 날씨\n\n오늘은 비가 온다.\n",
    "zh": "# 天氣\n\n今天下雨。\n",
    "en": "# Weather\n\nIt rains today.\n",
}


def asked(root: Path, question: str, language: str, mode: str = "hybrid") -> Answer:
    pages = {"a.md": OTHERS[language], "z.md": WORDS[language]}
    return ask(build(write(root, pages), DeterministicEmbedder()).folder, question, mode=mode)


def lexical(answer: Answer) -> dict[str, float]:
    return {hit.passage.path: hit.lexical_score or 0.0 for hit in answer.hits}


TYPED = [("索引", "ja"), ("색인", "ko"), ("目錄", "zh"), ("ＡＰＩ", "en"), ("ａｐｉ", "en"), ("ｻｰﾊﾞｰ", "ja")]


@pytest.mark.parametrize(("question", "language"), TYPED)
def test_row_59_row_61_two_characters_of_any_script_gain_the_lexical_signal(
    tmp_path: Path, question: str, language: str
) -> None:
    scores = lexical(asked(tmp_path, question, language))
    assert scores["z.md"] > 0 == scores["a.md"]


@pytest.mark.parametrize(("question", "language"), [*TYPED[:3], ("索", "ja"), ("색", "ko"), ("API", "en")])
def test_row_59_row_61_mode_lexical_finds_them_in_a_folder_of_every_language(
    tmp_path: Path, question: str, language: str
) -> None:
    pages = {f"{language}/page.md": text for language, text in WORDS.items()}
    folder = build(write(tmp_path, {**pages, "other.md": OTHERS["ja"]}), DeterministicEmbedder()).folder
    assert f"{language}/page.md" in {
        path for hit in ask(folder, question, mode="lexical").hits for path in (hit.passage.path, *alternates(hit))
    }


def alternates(hit: Hit) -> list[str]:
    return [document.path for document in hit.alternates]


@pytest.mark.parametrize(
    "question", ["ＡＰＩ", "ａｐｉ", "ＭＡＸ＿ＲＥＴＲＩＥＳ", "ｓｅｒｖｅｒ．ｐｏｒｔ", "API", "max_retries とは"]
)
def test_row_61_a_name_typed_in_full_width_is_a_name_in_a_folder_of_every_language(
    tmp_path: Path, question: str
) -> None:
    pages = {f"{name}-weather.md": text for name, text in OTHERS.items()}
    names = "# Names\n\nAn API, MAX_RETRIES and server.port.\n"
    folder = build(write(tmp_path, {**pages, "names.md": names}), DeterministicEmbedder()).folder
    scores = lexical(ask(folder, question, mode="hybrid", limit=100))
    assert scores.pop("names.md") > 0
    assert set(scores.values()) == {0.0}


@pytest.mark.parametrize(
    ("question", "language"),
    [
        ("設定 ファイル timeout", "ja"),
        ("설정 파일 timeout", "ko"),
        ("組態 timeout", "zh"),
    ],
)
def test_row_60_a_word_nobody_has_does_not_empty_the_answer(tmp_path: Path, question: str, language: str) -> None:
    scores = lexical(asked(tmp_path, question, language))
    assert scores["z.md"] > 0 == scores["a.md"]
    assert paths(asked(tmp_path, question, language, "lexical"))[:1] == ["z.md"]
