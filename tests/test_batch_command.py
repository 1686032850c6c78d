"""`ddg-lsp batch` with failures of every kind: B01 and B02 in the shell."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path

import pytest

from ddg_lsp import cli, commands
from ddg_lsp.core.embedding import Matrix
from ddg_lsp.core.embedding.deterministic import DeterministicEmbedder
from tests.helpers.folders import write


class Fragile(DeterministicEmbedder):
    """Fails in an unforeseen way at one question."""

    def embed(self, texts: list[str], max_tokens: int | None = None) -> Matrix:
        if any("wombat" in text for text in texts):
            raise RuntimeError("unforeseen")
        return super().embed(texts, max_tokens)


def asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], lines: list[str], *more: str
) -> tuple[int, list[dict[str, object]], str]:
    real = commands.open_folder
    monkeypatch.setattr(commands, "open_folder", lambda path, **_: real(path, {}, Fragile()))
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO("\n".join(lines).encode())))
    root = write(tmp_path, {"a.md": "# Retry policy\n\nTried again later.\n", "b.md": "# Backup\n\nKept a week.\n"})
    code = cli.main(["batch", str(root), "--queries", "-", *more])
    out, err = capsys.readouterr()
    return code, [json.loads(line) for line in out.splitlines()], err


def test_b01_b02_failures_of_every_kind_keep_their_place_and_their_question(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = [
        '{"id": 1, "query": "retry policy"}',
        '{"id": 2, "query": "wombat"}',
        "not json " + "x" * 3_000,
        '{"id": 4, "query": "xylophone", "mode": "lexical"}',
        '{"id": 5, "query": "backup", "limit": 0}',
        '{"id": 6, "query": "backup"}',
    ]
    code, answers, err = asked(tmp_path, monkeypatch, capsys, lines, "--summary")
    assert code == 0
    *entries, summary = answers
    assert [entry["id"] for entry in entries] == [1, 2, None, 4, 5, 6]
    assert [entry["ok"] for entry in entries] == [True, False, False, True, False, True]
    codes = [entry["error"]["code"] for entry in entries if not entry["ok"]]  # type: ignore[index]
    assert codes == ["INTERNAL", "INVALID_LINE", "INVALID_LIMIT"]
    assert entries[1]["rawExcerpt"] == lines[1]
    assert entries[2]["rawExcerpt"] == lines[2][:2_000]
    assert entries[3]["hits"] == []
    assert {key: summary[key] for key in ("ok", "okCount", "failedCount")} == {
        "ok": False,
        "okCount": 3,
        "failedCount": 3,
    }
    assert [one for one in summary["unresolved"] if one not in (1, 6)] == [2, None, 4, 5]  # type: ignore[attr-defined]
    assert "3 of 6 questions failed" in err


def test_without_summary_there_is_one_line_for_each_question(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    _, answers, err = asked(tmp_path, monkeypatch, capsys, ['{"query": "backup"}', '{"query": "retry"}'])
    assert [answer["ok"] for answer in answers] == [True, True]
    assert err == ""
