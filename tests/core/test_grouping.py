"""Translations and versions of a page are one page; pages that only look alike are not."""

from __future__ import annotations

import pytest

from ddg_lsp.core.embedding.deterministic import DeterministicEmbedder
from ddg_lsp.core.grouping import choose, groups, language_tag, page_of
from tests.helpers.folders import ask, build, paths, write


@pytest.mark.parametrize(
    ("path", "language", "version"),
    [
        ("docs/ko/guide.md", "ko", ""),
        ("docs/guide.ko.md", "ko", ""),
        ("README.ja.md", "ja", ""),
        ("README_zh-CN.md", "zh-cn", ""),
        ("i18n/pt-BR/docs/guide.md", "pt-br", ""),
        ("docs/v1/api.md", "", "v1"),
        ("docs/2.4/api.md", "", "2.4"),
        ("docs/latest/api.md", "", "latest"),
        ("docs/2024/report.md", "", ""),
        ("docs/guide.md", "", ""),
        ("docs/io.md", "", ""),
    ],
)
def test_a_path_names_its_language_and_version(path: str, language: str, version: str) -> None:
    page = page_of(path)
    assert (page.language, page.version) == (language, version)


def test_translations_and_versions_of_a_page_have_one_key() -> None:
    same = ["docs/guide.md", "docs/ko/guide.md", "docs/guide.ja.md", "i18n/de/docs/guide.md", "docs/v2/guide.md"]
    assert len({page_of(path).key for path in same}) == 1
    assert groups([*same, "docs/other.md"]).keys() == set(same)


def test_pages_of_other_names_are_not_grouped() -> None:
    assert groups(["docs/it/setup.md", "docs/install.md", "docs/ko/use.md"]) == {}


def test_no_language_is_seen_in_ordinary_names() -> None:
    assert not any(language_tag(name) for name in ("api", "docs", "src", "x", "js", "faq", "en_US_POSIX_extra"))


def test_the_question_s_language_is_shown_then_the_preferred_one_then_the_original() -> None:
    pages = ["docs/en/a.md", "docs/ko/a.md", "docs/ja/a.md"]
    assert choose(pages, ["ko"]) == "docs/ko/a.md"
    assert choose(pages, ["fr", "ja"]) == "docs/ja/a.md"
    assert choose(pages, ["fr"]) == "docs/en/a.md"
    assert choose(["docs/a.md", "docs/ko/a.md"], ["de"]) == "docs/a.md"


def test_of_versions_the_newest_is_shown() -> None:
    assert choose(["docs/v9/a.md", "docs/v10/a.md", "docs/v2/a.md"], []) == "docs/v10/a.md"
    assert choose(["docs/v9/a.md", "docs/latest/a.md"], []) == "docs/latest/a.md"


def test_row_64_translations_do_not_fill_the_result_list(tmp_path) -> None:
    texts = {
        "": "# Retry policy\n\nHow often a request is sent again.",
        "ko": "# 재시도 정책\n\n요청을 다시 보내는 횟수.",
    }
    files = {f"docs/{language + '/' if language else ''}guide.md": text for language, text in texts.items()}
    files |= {f"docs/{language}/guide.md": texts[""] for language in ("zh", "ja", "de")}
    write(tmp_path, files | {"docs/other.md": "# Backups\n\nWhere they are kept."})
    folder = build(tmp_path, DeterministicEmbedder()).folder
    answer = ask(folder, "retry policy", mode="hybrid", limit=5)
    assert len([path for path in paths(answer) if path.endswith("guide.md")]) == 1
    hit = next(hit for hit in answer.hits if hit.passage.path.endswith("guide.md"))
    assert len(hit.alternates) == 4
    assert hit.passage.path == "docs/guide.md"


def test_row_65_versions_do_not_fill_the_result_list(tmp_path) -> None:
    write(tmp_path, {f"docs/v{n}/api.md": f"# API\n\nThe call takes {n} arguments." for n in range(1, 7)})
    folder = build(tmp_path, DeterministicEmbedder()).folder
    answer = ask(folder, "api call", mode="hybrid")
    assert paths(answer) == ["docs/v6/api.md"]
    assert {document.path for document in answer.hits[0].alternates} == {f"docs/v{n}/api.md" for n in range(1, 6)}
