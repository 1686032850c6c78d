"""Editors of the tests: one Neovim with an indexed workspace for all, and new ones where a test needs its own."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import pytest

from tests.helpers.documents import EMOJI, workspace, write

LONG = (
    "# Operations handbook\n\n## Incidents\n\n### Restoring the nightly backup\n\nTake the last copy of the database.\n"
)
KOREAN = "# 설치 안내\n\n## 재시도 정책과 시간 제한을 길게 설명하는 제목\n\n실패한 요청은 세 번 다시 시도합니다.\n"


def documents(root: Path) -> Path:
    """A workspace with emoji, CRLF, blanks in names, Hangul and a deep path."""
    workspace(root)
    files = {"docs/deep/down/in/many/folders/operations-handbook.md": LONG, "docs/ko/설치-안내.md": KOREAN}
    (root / ".git").mkdir()
    return write(root, {**files, "docs/second.md": EMOJI.replace("retry", "second")})


@pytest.fixture(scope="session")
def editor(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """A Neovim whose workspace is indexed; `afresh` before each use."""
    from tests.helpers.neovim import running

    home = tmp_path_factory.mktemp("neovim")
    root = documents(home / "workspace")
    with running(home, root) as it:
        it.root = root
        it.edit(root / "app.py")
        it.ready()
        yield it


@pytest.fixture
def nvim(editor: Any) -> Any:
    """That Neovim, with nothing open but `app.py`."""
    editor.afresh()
    editor.edit(editor.root / "app.py")
    editor.attached()
    return editor


@pytest.fixture
def start(tmp_path: Path) -> Callable[..., AbstractContextManager[Any]]:
    """`start(root, ...)`: a Neovim of the test's own."""
    from tests.helpers.neovim import running

    def begin(root: Path, **options: Any) -> AbstractContextManager[Any]:
        return running(tmp_path / "home", root, **options)

    return begin
