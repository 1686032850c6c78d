"""The command line as a shell and a script see it: output, exit codes, and nothing but the result on stdout."""

from __future__ import annotations

import io
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from ddg_lsp import __version__, cli, commands
from ddg_lsp.core.embedding.deterministic import DeterministicEmbedder
from tests.helpers.folders import write

NO_PATH = (
    "No document whose path fits gone/**, *.txt answers that. "
    "A path begins at the top of the folder asked; **/ stands for any folders."
)
DOCS = {
    "docs/retry.md": "# Retry policy\n\nA failed delivery is tried again later.\n\n## Limits\n\nAt most five times.",
    "docs/backup.md": "\n\n# Backup 🎉\r\n\r\nCopies are kept for a week.\r\n",
    "docs/broken.md": b"\xff\xfe\x00broken",
}


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    real = commands.open_folder
    monkeypatch.setattr(commands, "open_folder", lambda path, **_: real(path, {}, DeterministicEmbedder()))
    return write(tmp_path / "a folder", DOCS)


def run(capsys: pytest.CaptureFixture[str], *arguments: object) -> tuple[int, str, str]:
    code = cli.main([str(argument) for argument in arguments])
    out, err = capsys.readouterr()
    return code, out, err


def test_a_question_is_answered_in_json(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, "query", root, "failed", "delivery", "--json", "--limit", "2")
    answer = json.loads(out)
    assert code == 0
    assert set(answer) == {"query", "mode", "limit", "revision", "elapsedMs", "index", "model", "hits"}
    hit = answer["hits"][0]
    assert (hit["path"], hit["line"], hit["endLine"]) == ("docs/retry.md", 1, 4)
    assert hit["headings"] == ["Retry policy"]
    assert answer["index"]["state"] == "ready"
    assert {"path": "docs/broken.md", "reason": "undecodable"} in answer["index"]["skipped"]
    assert answer["index"]["run"]["embedded"] == 3


def test_row_100_the_line_is_the_heading_s_in_the_file(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = run(capsys, "query", root, "backup", "--json", "--limit", "1")
    hit = json.loads(out)["hits"][0]
    assert hit["line"] == 3
    assert (root / hit["path"]).read_bytes().splitlines()[hit["line"] - 1].decode() == "# Backup 🎉"


def test_row_101_without_a_terminal_there_is_no_bar(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = run(capsys, "query", root, "failed delivery")
    assert code == 0
    assert "docs/retry.md:1" in out
    assert err == ""
    assert "\033" not in out


def test_text_of_documents_cannot_steer_the_terminal(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(root, {"docs/evil.md": "# Evil \x1b[31m title\n\nretry \x1b]0;owned\x07 policy \x9b2J"})
    _, out, _ = run(capsys, "query", root, "evil retry policy")
    assert "Evil" in out
    assert not {"\x1b", "\x07", "\x9b"} & set(out)


@pytest.mark.parametrize("words", [[""], ["   "], ["x" * 2_001], ["\u200b"]])
def test_row_105_a_question_out_of_bounds_exits_2(
    root: Path, capsys: pytest.CaptureFixture[str], words: list[str]
) -> None:
    code, out, _ = run(capsys, "query", root, *words, "--json")
    assert code == 2
    assert json.loads(out)["error"]["code"] == "INVALID_QUERY"
    assert not (root / ".ddg").exists()


def test_an_emoji_is_a_question(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, "query", root, "🎉", "--json")
    assert code == 0
    assert len(json.loads(out)["hits"]) <= 30


def test_a_wrong_mode_exits_2(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, "query", root, "x", "--mode", "fuzzy", "--json")
    assert (code, json.loads(out)["error"]["code"]) == (2, "INVALID_MODE")


def test_a_missing_folder_exits_1_with_a_sentence(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = run(capsys, "query", tmp_path / "nowhere", "x")
    assert code == 1
    assert out == ""
    assert "There is no folder" in err
    assert run(capsys, "query", write(tmp_path, {"f.md": "x"}) / "f.md", "x")[0] == 1


def test_a_person_who_names_no_command_is_told_so_and_an_editor_is_served(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys.stdin, "isatty", lambda: True, raising=False)
    code, out, err = run(capsys)
    assert (code, out) == (2, "")
    assert "Name a command" in err
    done = subprocess.run([sys.executable, "-m", "ddg_lsp"], stdin=subprocess.DEVNULL, capture_output=True, timeout=60)
    assert done.stderr == b""


def test_what_a_question_needs_is_embedded_first_however_little_time_there_is(
    root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(root, {f"a/{number}.md": f"# Page {number}\n\nNothing of interest.\n" for number in range(200)})
    write(root, {"z/far/away/quokka.md": "# Animals\n\nThe quokka is a small wallaby.\n"})
    answer = json.loads(run(capsys, "query", root, "quokka", "--wait", "0.000001", "--json")[1])
    assert answer["index"]["state"] == "building"
    assert 1 <= answer["index"]["openings"] <= 12
    assert answer["hits"][0]["path"] == "z/far/away/quokka.md"
    listed = run(capsys, "status", root, "--json", "--files")[1]
    assert json.loads(listed)["index"]["openings"] == answer["index"]["openings"]


def test_an_unchanged_folder_keeps_the_time_it_was_indexed_at(
    root: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    times = iter(f"2026-01-0{day}T00:00:00+00:00" for day in range(1, 10))
    monkeypatch.setattr("ddg_lsp.core.keeping.now", lambda: next(times))
    asked = ("query", root, "retry", "--json")
    stamps = {json.loads(run(capsys, *asked)[1])["index"]["indexedAt"] for _ in range(3)}
    assert stamps == {json.loads(run(capsys, "status", root, "--json")[1])["index"]["indexedAt"]}
    (root / "docs/retry.md").write_text("# Retry policy\n\nNever.\n", "utf-8")
    assert json.loads(run(capsys, *asked)[1])["index"]["indexedAt"] not in stamps


def test_no_documents_is_an_answer(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, "query", tmp_path, "anything", "--json")
    answer = json.loads(out)
    assert (code, answer["hits"]) == (0, [])
    assert "no documents" in answer["index"]["message"]
    assert "no documents" in run(capsys, "query", tmp_path, "anything")[1]


def test_paths_that_fit_no_document_are_named_and_nothing_is_embedded(
    root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, out, err = run(capsys, "query", root, "retry policy", "--path", "gone/**", "--path", "*.txt")
    assert (code, out.strip(), err) == (0, NO_PATH, "")
    assert json.loads(run(capsys, "status", root, "--json")[1])["index"]["embedded"] == 0
    assert "docs/retry.md" in run(capsys, "query", root, "retry policy", "--path", "docs/**")[1]


def test_status_says_of_a_folder_nobody_asked_that_it_is_not_indexed(
    root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = run(capsys, "status", root)[1]
    assert before.startswith("state      not indexed yet")
    assert "skipped    1  (`ddg-lsp status --files` says which, and why)" in before
    run(capsys, "index", root)
    assert run(capsys, "status", root)[1].startswith("state      ready")


@pytest.mark.parametrize("mode", ["hybrid", "semantic", "lexical"])
def test_an_explanation_reads_as_words_and_numbers(root: Path, capsys: pytest.CaptureFixture[str], mode: str) -> None:
    code, out, _ = run(capsys, "query", root, "retry", "policy", "--explain", "--mode", mode)
    assert code == 0
    assert re.search(r"^    score [-\d.]+", out, re.MULTILINE)
    assert not re.search(r"[{}\[\]']|None", out)


def test_with_no_time_to_wait_the_answer_says_so(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, "query", root, "retry policy", "--wait", "0", "--json")
    answer = json.loads(out)
    assert code == 0
    assert answer["index"]["state"] == "building"
    assert answer["index"]["embedded"] == 0
    assert [hit["path"] for hit in answer["hits"]] == ["docs/retry.md"]
    assert answer["hits"][0]["semanticScore"] is None
    _, _, err = run(capsys, "query", root, "retry policy", "--wait", "0")
    assert "Still indexing: of 3 passages 0 are embedded by their beginning, 0 as a whole" in err


def test_index_then_status(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(capsys, "index", root, "--json")[0] == 0
    _, out, _ = run(capsys, "status", root, "--files", "--json")
    status = json.loads(out)
    assert status["index"]["state"] == "ready"
    assert {"path": "docs/retry.md", "passages": 2, "embedded": 2} in status["files"]
    _, text, _ = run(capsys, "status", root, "--files")
    assert "skipped  undecodable  docs/broken.md" in text


def test_rebuild_embeds_everything_anew(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run(capsys, "index", root)
    _, out, _ = run(capsys, "index", root, "--rebuild", "--json")
    assert json.loads(out)["index"]["run"]["embedded"] == 3
    _, out, _ = run(capsys, "index", root, "--json")
    assert json.loads(out)["index"]["run"] == json.loads(out)["index"]["run"] | {"embedded": 0, "reused": 3}


def test_batch_keeps_order_and_failures(
    root: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = ['{"id": 1, "query": "retry"}', "not json", '{"id": 3, "query": ""}', '{"id": "four", "query": "backup"}']
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO("\n".join(lines).encode())))
    code, out, err = run(capsys, "batch", root, "--queries", "-", "--limit", "1")
    answers = [json.loads(line) for line in out.splitlines()]
    assert code == 0
    assert [answer["id"] for answer in answers] == [1, None, 3, "four"]
    assert [answer["ok"] for answer in answers] == [True, False, False, True]
    assert answers[3]["hits"][0]["path"] == "docs/backup.md"
    assert "2 of 4 questions failed" in err


def test_the_version_and_wrong_calls() -> None:
    def call(*arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "ddg_lsp", *arguments], capture_output=True, text=True, check=False
        )

    assert call("--version").stdout == f"ddg-lsp {__version__}\n"
    wrong = call("query", "--json")
    assert wrong.returncode == 2
    assert json.loads(wrong.stdout)["error"]["code"] == "USAGE"
    assert call("frobnicate").returncode == 2
    assert call("serve", "--tcp", "nonsense").returncode == 2
