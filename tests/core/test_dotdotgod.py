"""A dotdotgod project is searched with the corpus its own file names."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ddg_lsp.core.corpus import scan
from ddg_lsp.core.settings import Settings, load
from tests.helpers.trees import empty, write


def config(root: Path, value: object) -> Path:
    return write(root, {"dotdotgod.config.json": json.dumps(value)})


def listed(root: Path, user: dict[str, object] | None = None) -> list[str]:
    return [entry.path for entry in scan(root, load(root, user)[0]).files]


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return empty(
        tmp_path, "README.md", "docs/a.md", "docs/plan/b.md", "docs/old/c.md", "docs/old/x/d.md", "manual/e.md"
    )


def test_the_corpus_is_docs_where_the_file_says_nothing(project: Path) -> None:
    config(project, {})
    assert listed(project) == ["docs/a.md", "docs/old/c.md", "docs/old/x/d.md"]


def test_without_a_docs_folder_the_whole_folder_is_searched(tmp_path: Path) -> None:
    config(empty(tmp_path, "a.md"), {})
    assert listed(tmp_path) == ["a.md"]


def test_its_root_is_the_root(project: Path) -> None:
    config(project, {"documentation": {"root": "manual/"}})
    assert listed(project) == ["manual/e.md"]


@pytest.mark.parametrize("pattern", ["docs/old/", "docs/old", "docs/old/**", "./docs/old/"])
def test_its_exclusions_take_the_place_of_the_default_ones(project: Path, pattern: str) -> None:
    config(project, {"load": {"documentationSummary": {"exclude": [pattern]}}})
    assert listed(project) == ["docs/a.md", "docs/plan/b.md"]


def test_the_user_and_ddg_toml_come_first(project: Path) -> None:
    config(project, {"documentation": {"root": "docs"}, "load": {"documentationSummary": {"exclude": ["docs/old/"]}}})
    write(project, {"ddg.toml": "root = 'docs/old'\n"})
    assert load(project)[0].root == "docs/old"
    assert listed(project) == []
    assert listed(project, {"root": "manual"}) == ["manual/e.md"]
    (project / "ddg.toml").unlink()
    assert listed(project, {"exclude": ["docs/a.md"]}) == ["docs/plan/b.md"]


@pytest.mark.parametrize(
    ("value", "where"),
    [
        ("[1", "dotdotgod.config.json"),
        ("[1]", "dotdotgod.config.json"),
        ("[" * 50_000, "dotdotgod.config.json"),
        (" " * 70_000, "dotdotgod.config.json"),
        ('{"documentation": {"root": 5}}', "dotdotgod.config.json: documentation.root"),
        ('{"documentation": {"root": "../x"}}', "dotdotgod.config.json: documentation.root"),
        ('{"documentation": {"root": ".hidden"}}', "dotdotgod.config.json: documentation.root"),
        (
            '{"load": {"documentationSummary": {"exclude": "docs"}}}',
            "dotdotgod.config.json: load.documentationSummary.exclude",
        ),
    ],
)
def test_what_cannot_be_used_is_a_problem_and_the_default_stands(tmp_path: Path, value: str, where: str) -> None:
    write(tmp_path, {"dotdotgod.config.json": value})
    found, problems = load(tmp_path)
    assert found == Settings()
    assert [problem.where for problem in problems] == [where]


@pytest.mark.parametrize(
    "value", [{"documentation": []}, {"load": {"documentationSummary": None}}, {"load": 3, "x": 1}]
)
def test_what_belongs_to_the_other_tool_is_passed_over(tmp_path: Path, value: object) -> None:
    config(tmp_path, value)
    assert load(tmp_path) == (Settings(), ())
