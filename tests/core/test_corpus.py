"""The corpus: what is listed, what is not and why, and what reading one file may do."""

from __future__ import annotations

from pathlib import Path

import pytest

from ddg_lsp.core.corpus import read, scan
from ddg_lsp.core.model import Skip
from ddg_lsp.core.settings import Settings

DEFAULT = Settings()



def write(root: Path, files: dict[str, str | bytes]) -> Path:
    for path, text in files.items():
        target = root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(text if isinstance(text, bytes) else text.encode())
    return root


def listed(root: Path, settings: Settings = DEFAULT) -> list[str]:
    return [entry.path for entry in scan(root, settings).files]


def reasons(root: Path, settings: Settings = DEFAULT) -> dict[str, str]:
    return {skip.path: skip.reason for skip in scan(root, settings).skipped}


def test_q06_plan_archive_hidden_module_and_secret_files_are_not_listed(tmp_path: Path) -> None:
    left_out = ["docs/plan/a.md", "docs/archive/b.md", "docs/.x/c.md", "docs/node_modules/d.md", "docs/.env.md"]
    write(tmp_path, dict.fromkeys([*left_out, "docs/guide.md"], "# x\n"))
    assert listed(tmp_path) == ["docs/guide.md"]
    assert reasons(tmp_path) == {
        "docs/plan/": "excluded",
        "docs/archive/": "excluded",
        "docs/.x/": "hidden",
        "docs/node_modules/": "skip-folder",
        "docs/.env.md": "secret-name",
    }


@pytest.mark.parametrize("path", ["../outside.md", "missing.md"])
def test_reading_what_is_not_there_is_a_skip(tmp_path: Path, path: str) -> None:
    assert isinstance(read(tmp_path, path, DEFAULT), Skip)
