"""Reading one document: what was listed is checked again on what is opened."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ddg_lsp.core import disk
from ddg_lsp.core.corpus import decode, read, scan
from ddg_lsp.core.model import Skip
from ddg_lsp.core.settings import Settings
from tests.helpers.trees import empty, write

DEFAULT = Settings()


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (b"", ""),
        (b"# A\r\nb\rc\n", "# A\r\nb\rc\n"),
        (b"\xef\xbb\xbf# A\n", "# A\n"),
        ("# é 🎉".encode("utf-16"), "# é 🎉"),
        (b"\xfe\xff" + "# é".encode("utf-16-be"), "# é"),
        ("# é".encode("utf-32"), "# é"),
        (b"\x00\x00\xfe\xff" + "# é".encode("utf-32-be"), "# é"),
        (b"\xef\xbb\xbf", ""),
        ("設定".encode("shift-jis"), None),
        ("é".encode("latin-1"), None),
        ("# é".encode("utf-16-le"), None),
        (b"# A\x00", None),
        (b"\xff\xfe\x00", None),
        (b"\xed\xa0\x80", None),
        (b"\x89PNG\r\n\x1a\n\x00\x00", None),
    ],
)
def test_row66_text_is_utf_8_or_marked_and_anything_else_is_a_skip(
    tmp_path: Path, data: bytes, text: str | None
) -> None:
    write(tmp_path, {"a.md": data})
    assert read(tmp_path, "a.md", DEFAULT) == (Skip("a.md", "undecodable") if text is None else text)


@given(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0")))
def test_any_text_comes_back_from_every_encoding(text: str) -> None:
    if not text.startswith("\ufeff"):
        assert decode(text.encode()) == text
    for encoding in ("utf-8-sig", "utf-16", "utf-32"):
        assert decode(text.encode(encoding)) == text


@given(st.binary(max_size=64))
def test_any_bytes_are_text_or_not_and_never_an_error(data: bytes) -> None:
    text = decode(data)
    assert text is None or "\0" not in text


def test_row74_a_file_the_system_refuses_is_a_skip_and_the_others_are_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    empty(tmp_path, "a.md", "cloud.md")
    real_open, real_read = os.open, os.read
    failing: set[int] = set()

    def opening(path: Any, *rest: Any) -> int:
        handle = real_open(path, *rest)
        if os.fsdecode(path).endswith("cloud.md"):
            failing.add(handle)
        return handle

    def reading(handle: int, wanted: int) -> bytes:
        if handle in failing:
            raise OSError(11, "Resource deadlock avoided")
        return real_read(handle, wanted)

    monkeypatch.setattr(os, "open", opening)
    monkeypatch.setattr(os, "read", reading)
    assert read(tmp_path, "cloud.md", DEFAULT) == Skip("cloud.md", "unreadable")
    for handle in failing:
        with pytest.raises(OSError, match="Bad file descriptor"):
            os.fstat(handle)
    failing.clear()
    assert read(tmp_path, "a.md", DEFAULT) == "# Heading\n"


def test_row72_a_file_that_may_not_be_opened_is_listed_and_then_a_skip(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    empty(tmp_path, "y.md")
    assert [entry.path for entry in scan(tmp_path, DEFAULT).files] == ["y.md"]

    def refusing(path: Any, *_: Any) -> int:
        raise PermissionError(13, "Permission denied", path)

    monkeypatch.setattr(os, "open", refusing)
    assert read(tmp_path, "y.md", DEFAULT) == Skip("y.md", "unreadable")


@pytest.mark.parametrize(
    ("path", "reason"),
    [("missing.md", "vanished"), ("a.md/b.md", "vanished"), ("folder", "not-a-file"), ("nul\0.md", "unreadable")],
)
def test_what_is_not_there_or_no_file_is_a_skip(tmp_path: Path, path: str, reason: str) -> None:
    empty(tmp_path, "a.md", "folder/x.md")
    found = read(tmp_path, path, DEFAULT)
    assert isinstance(found, Skip)
    assert found.reason == reason


def test_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.md")
    assert read(tmp_path, "pipe.md", DEFAULT) == Skip("pipe.md", "not-a-file")


def test_a_file_that_became_a_pipe_after_it_was_looked_at_is_not_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    empty(tmp_path, "a.md")
    real_open = os.open

    def swapping(path: Any, *rest: Any) -> int:
        (tmp_path / "a.md").unlink()
        os.mkfifo(tmp_path / "a.md")
        return real_open(path, *rest)

    monkeypatch.setattr(os, "open", swapping)
    assert read(tmp_path, "a.md", DEFAULT) == Skip("a.md", "not-a-file")


def test_row73_a_file_swapped_for_a_link_after_it_was_looked_at_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = empty(tmp_path / "root", "a.md")
    write(tmp_path, {"outside.md": "not yours\n"})
    real_open = os.open

    def swapping(path: Any, *rest: Any) -> int:
        (root / "a.md").unlink()
        (root / "a.md").symlink_to(tmp_path / "outside.md")
        return real_open(path, *rest)

    monkeypatch.setattr(os, "open", swapping)
    assert read(root, "a.md", DEFAULT) == Skip("a.md", "link-outside")


def test_the_size_limit_holds_for_what_is_read_not_for_what_was_listed(tmp_path: Path) -> None:
    settings = Settings(max_file_bytes=100)
    write(tmp_path, {"a.md": "x" * 100})
    assert read(tmp_path, "a.md", settings) == "x" * 100
    write(tmp_path, {"a.md": "x" * 101})
    assert read(tmp_path, "a.md", settings) == Skip("a.md", "too-large")


def test_no_more_than_the_limit_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path, {"a.md": "x" * 5_000_000})
    total: list[int] = []
    real_read = os.read

    def counting(handle: int, wanted: int) -> bytes:
        data = real_read(handle, wanted)
        total.append(len(data))
        return data

    monkeypatch.setattr(disk.os, "read", counting)
    assert read(tmp_path, "a.md", Settings(max_file_bytes=1_000)) == Skip("a.md", "too-large")
    assert sum(total) <= 1_001


def test_a_name_that_cannot_be_shown_is_escaped_in_its_skip(tmp_path: Path) -> None:
    assert read(tmp_path, "a\nb\udce9.md", DEFAULT) == Skip("a\\nb\\udce9.md", "vanished")
    assert read(tmp_path, "lone\ud800.md", DEFAULT) == Skip("lone\\ud800.md", "bad-name")
