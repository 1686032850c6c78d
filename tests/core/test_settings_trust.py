"""What a checked-out repository may do with its own settings: narrow the corpus, and nothing that reaches further."""

from __future__ import annotations

from pathlib import Path

import pytest

from ddg_lsp.core.corpus import scan
from ddg_lsp.core.settings import OPTIONS, Problem, Settings, load
from tests.helpers.trees import empty, write


def toml(root: Path, text: str) -> Path:
    return write(root, {"ddg.toml": text})


def where(problems: tuple[Problem, ...]) -> list[str]:
    return [problem.where for problem in problems]


@pytest.mark.parametrize("key", [option.key for option in OPTIONS if option.who == "user"])
def test_row102_a_workspace_cannot_set_what_is_the_user_s(tmp_path: Path, key: str) -> None:
    values = {
        "gitignore": "false",
        "secretNames": "false",
        "embedder": "'http'",
        "threads": "64",
        "idleUnloadMinutes": "0",
        "workspaceSymbols": "true",
        "debounceMs": "0",
    }
    toml(tmp_path, f"{key} = {values.get(key, repr('http://example.org'))}\n")
    found, problems = load(tmp_path)
    assert found == Settings()
    assert where(problems) == [f"ddg.toml: {key}"]


def test_a_workspace_only_narrows_the_corpus(tmp_path: Path) -> None:
    empty(tmp_path, "docs/a.md", "docs/b.txt", "docs/plan/c.md", "src/d.md", "docs/old/e.md", "z.md")
    toml(tmp_path, "include = ['docs/**']\nexclude = ['old']\nmaxFileBytes = 500\nmaxDocuments = 10\n")
    found, problems = load(tmp_path)
    assert problems == ()
    assert (found.max_file_bytes, found.max_documents) == (500, 10)
    assert [entry.path for entry in scan(tmp_path, found).files] == ["docs/a.md"]
    found, _ = load(tmp_path, {"include": ["**/*.txt"], "exclude": []})
    assert [entry.path for entry in scan(tmp_path, found).files] == ["docs/b.txt"]


def test_a_workspace_cannot_widen_the_corpus(tmp_path: Path) -> None:
    empty(tmp_path, "docs/a.md", "docs/b.txt", "docs/plan/c.md", ".hidden/d.md", "secrets/e.md", "ignored/f.md")
    write(tmp_path, {".gitignore": "ignored/\n"})
    before = scan(tmp_path, Settings()).files
    text = (
        "include = ['**/*', '../**']\nexclude = []\ngitignore = false\nmaxFileBytes = 40000000\nmaxDocuments = 900000\n"
    )
    toml(tmp_path, text + "secretNames = false\n")
    found, problems = load(tmp_path)
    assert scan(tmp_path, found).files == before
    assert [one.removeprefix("ddg.toml: ") for one in where(problems)] == [
        "secretNames",
        "maxFileBytes",
        "maxDocuments",
        "gitignore",
    ]


@pytest.mark.parametrize("root", [".hidden", "secrets", "node_modules/x", "build", "docs/.x", ".git", "..", "/", "out"])
def test_a_workspace_cannot_name_a_root_that_is_left_out_by_rule(tmp_path: Path, root: str) -> None:
    toml(tmp_path, f"root = '{root}'\n")
    found, problems = load(tmp_path)
    assert (found.root, where(problems)) == ("", ["ddg.toml: root"])


def test_a_root_that_is_a_link_is_judged_by_where_it_leads(tmp_path: Path) -> None:
    folder = empty(tmp_path / "folder", ".hidden/a.md")
    (folder / "out-there").symlink_to(tmp_path)
    (folder / "inside").symlink_to(".hidden")
    for root in ("out-there", "inside"):
        toml(folder, f"root = '{root}'\n")
        assert (load(folder)[0].root, where(load(folder)[1])) == ("", ["ddg.toml: root"])
    assert load(folder, {"root": "out-there"})[0].root == ""
    assert load(folder, {"root": "inside"})[0].root == "inside"
