"""Files of settings nobody has vetted, and what may stand in place of the user's own: said, and never waited for."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from ddg_lsp.core.errors import DdgError
from ddg_lsp.core.settings import Settings, load
from ddg_lsp.core.user_file import user_file, user_settings
from tests.helpers.trees import write

HOSTILE = {
    "a dotted key": "a." * 30_000 + "a = 1\n",
    "a dotted table": "[" + "a." * 30_000 + "a]\n",
    "many dotted keys": "".join(f"{'a.' * 400}b{number} = 1\n" for number in range(80)),
    "nested lists": "a = " + "[" * 30_000,
    "nested tables": "a = " + "{a=" * 20_000,
    "a number of thousands of digits": "a = " + "1" * 5_000,
    "no TOML": "a = = 1",
}


@pytest.mark.parametrize("shape", HOSTILE)
def test_a_hostile_file_of_settings_is_a_problem_and_holds_nobody(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, shape: str
) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    started = time.process_time()
    found, problems = load(write(tmp_path / "workspace", {"ddg.toml": HOSTILE[shape]}), {})
    assert (found, bool(problems)) == (Settings(), True)
    write(user_file().parent, {"config.toml": HOSTILE[shape]})
    with pytest.raises(DdgError, match=r"config\.toml"):
        user_settings()
    assert time.process_time() - started < 4


def test_the_user_s_own_file_may_be_a_link_out_of_its_folder_and_begin_with_a_mark(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    write(tmp_path / "dotfiles", {"ddg.toml": b"\xef\xbb\xbflimit = 7\r\n"})
    user_file().parent.mkdir()
    user_file().symlink_to(tmp_path / "dotfiles" / "ddg.toml")
    assert user_settings() == {"limit": 7}


@pytest.mark.parametrize("kind", ["pipe", "folder", "too large", "loop", "no text"])
def test_what_stands_in_place_of_the_user_s_file_is_said_and_not_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    user_file().parent.mkdir()
    assert user_settings() == {}
    if kind == "pipe":
        os.mkfifo(user_file())
    elif kind == "folder":
        user_file().mkdir()
    elif kind == "loop":
        user_file().symlink_to("config.toml")
    else:
        user_file().write_bytes(b"#" * 70_000 if kind == "too large" else b"\xff")
    with pytest.raises(DdgError, match=r"config\.toml"):
        user_settings()
