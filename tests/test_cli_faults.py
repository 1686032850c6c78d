"""The command line where its streams, its folder or its user fail it: a sentence and an exit code, no traceback."""

from __future__ import annotations

import io
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ddg_lsp import cli, commands, terminal
from ddg_lsp.core import corpus, walk
from ddg_lsp.core.embedding.deterministic import DeterministicEmbedder
from ddg_lsp.core.opening import open_folder
from tests.helpers.documents import many
from tests.helpers.folders import build, write

REPOSITORY = Path(__file__).parent.parent
posix = pytest.mark.skipif(os.name == "nt", reason="a shell of POSIX")


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    real = commands.open_folder
    monkeypatch.setattr(commands, "open_folder", lambda path, **_: real(path, {}, DeterministicEmbedder()))
    return write(tmp_path / "w", {"docs/a.md": "# Retry\n\ncats and dogs\n"})


@pytest.fixture
def words_only(tmp_path: Path) -> dict[str, str]:
    """The environment of a user who wants no model."""
    write(tmp_path / "config", {"ddg-lsp/config.toml": 'embedder = "none"\n'})
    return {**os.environ, "XDG_CONFIG_HOME": str(tmp_path / "config")}


def run(capsys: pytest.CaptureFixture[str], *arguments: object) -> tuple[int, str, str]:
    code = cli.main([str(argument) for argument in arguments])
    out, err = capsys.readouterr()
    return code, out, err


def shell(command: str, environment: dict[str, str] | None = None) -> subprocess.CompletedProcess[bytes]:
    """The shell's own exit code is that of the last command of a pipe: `pipefail` makes it ours."""
    script = f"set -o pipefail; {command.replace('ddg-lsp', f'{sys.executable} -m ddg_lsp')}"
    return subprocess.run(["bash", "-c", script], capture_output=True, check=False, cwd=REPOSITORY, env=environment)


@posix
@pytest.mark.parametrize(
    ("command", "code", "sentence"),
    [
        ("ddg-lsp status W >/dev/full", 1, "No space left"),
        ("ddg-lsp status W --files --json >/dev/full", 1, "No space left"),
        ("ddg-lsp --help >/dev/full", 1, "No space left"),
        ("ddg-lsp query W cats >&-", 1, "Standard output is closed"),
        ("ddg-lsp serve >&- </dev/null", 1, "Standard output is closed"),
        ("ddg-lsp serve <&-", 1, ""),
        ("ddg-lsp batch W --queries - <&-", 1, "standard input is closed"),
        ("ddg-lsp status W | true", 0, ""),
        ("ddg-lsp status W 2>/dev/full", 0, ""),
    ],
)
def test_streams_that_are_full_closed_or_unread_are_no_traceback(tmp_path, words_only, command, code, sentence):
    root = write(tmp_path / "w", {"a.md": "# A\n\ncats\n"})
    done = shell(command.replace("W", str(root)), words_only)
    told = (done.stderr + done.stdout).decode()
    assert done.returncode == code
    assert sentence in told
    assert "Traceback" not in told
    assert "Exception ignored" not in told


@posix
def test_what_belongs_to_standard_error_never_lands_on_standard_output(tmp_path, words_only):
    root = write(tmp_path / "w", {"a.md": "# A\n\ncats\n", "ddg.toml": "nonsense = 1\n"})
    done = shell(f"ddg-lsp query {root} cats --json 2>&-", words_only)
    assert done.returncode == 0
    assert json.loads(done.stdout)["hits"][0]["path"] == "a.md"


def test_a_batch_whose_questions_cannot_be_read_says_so(root, capsys, monkeypatch):
    for source in (root, root / "nowhere.jsonl", "a\0b"):
        code, out, _ = run(capsys, "batch", root, "--queries", source)
        assert (code, json.loads(out)["error"]["code"]) == (1, "NO_QUERIES")
    monkeypatch.setattr(sys, "stdin", None)
    assert run(capsys, "batch", root, "--queries", "-")[0] == 1


@pytest.mark.parametrize("address", ["nowhere.invalid:1", "1.2.3.4.5:9", "TAKEN", "256.256.256.256:80"])
def test_an_address_that_cannot_be_listened_on_is_a_sentence(capsys, address):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        address = f"127.0.0.1:{taken.getsockname()[1]}" if address == "TAKEN" else address
        code, out, err = run(capsys, "serve", "--tcp", address)
    assert (code, out) == (1, "")
    assert err.startswith("ddg-lsp: ")
    assert address in err


@pytest.mark.parametrize(
    "address", ["127.0.0.1:65536", "127.0.0.1:²", "127.0.0.1:-1", ":80", "host", f"h:{'9' * 5000}"]
)
def test_an_address_that_is_none_is_a_wrong_call(capsys, address):
    code, out, err = run(capsys, "serve", "--tcp", address)
    assert (code, out) == (2, "")
    assert "HOST:PORT" in err


@posix
def test_ctrl_c_in_a_build_exits_130_says_nothing_and_keeps_what_is_embedded(tmp_path):
    root, seen = many(tmp_path / "w", 60), tmp_path / "seen"
    command = [sys.executable, "-m", "tests.helpers.slow_cli", str(seen), "index", str(root)]
    with subprocess.Popen(command, cwd=REPOSITORY, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        give_up = time.monotonic() + 60.0
        while not (seen.exists() and seen.stat().st_size >= 3):
            assert time.monotonic() < give_up
            time.sleep(0.02)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60.0)
    assert (process.returncode, out, err) == (130, b"", b"")
    opened = open_folder(root, {}, DeterministicEmbedder())
    opened.folder.refresh()
    assert opened.folder.notices() == []
    assert opened.folder.report().openings + opened.folder.report().embedded >= 8


@pytest.fixture
def signals():
    before = signal.getsignal(signal.SIGINT)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("signals")
@pytest.mark.parametrize("turned_into", [None, ImportError("numpy is broken"), SystemExit(1)])
def test_ctrl_c_is_130_also_where_an_import_makes_an_error_of_its_own_of_it(capsys, monkeypatch, turned_into):
    def doctor(_: object) -> int:
        try:
            os.kill(os.getpid(), signal.SIGINT)
            time.sleep(5.0)
        except KeyboardInterrupt:
            if turned_into is None:
                raise
            raise turned_into from None
        return 0

    monkeypatch.setattr(commands, "doctor", doctor)
    assert run(capsys, "doctor") == (130, "", "")


def test_another_error_is_not_taken_for_an_interruption(monkeypatch):
    def doctor(_: object) -> int:
        raise ZeroDivisionError

    monkeypatch.setattr(commands, "doctor", doctor)
    with pytest.raises(ZeroDivisionError):
        cli.main(["doctor"])


@pytest.mark.parametrize("command", [["query", "W", "cats"], ["index", "W"], ["status", "W"], ["batch", "W"]])
@pytest.mark.parametrize("why", ["vanished", "unreadable"])
def test_a_folder_that_cannot_be_looked_at_has_no_empty_answer(root, capsys, monkeypatch, command, why):
    build(root, DeterministicEmbedder()).folder.close()
    kept = sorted(path.name for path in (root / ".ddg").rglob("*.*"))
    if why == "vanished":
        monkeypatch.setattr(corpus, "real", _raising(FileNotFoundError(2, "gone")))
    else:
        monkeypatch.setattr(walk.os, "scandir", _raising(PermissionError(13, "no")))
    queries = ["--queries", str(root / "docs" / "a.md")] if command[0] == "batch" else ["--json"]
    code, out, _ = run(capsys, command[0], root, *command[2:], *queries)
    monkeypatch.undo()
    error = json.loads(out)["error"]
    assert (code, error["code"]) == (1, "NO_FOLDER")
    assert str(root) in error["message"]
    assert sorted(path.name for path in (root / ".ddg").rglob("*.*")) == kept


def test_a_root_that_the_settings_name_and_nobody_made_is_no_empty_answer(root, capsys):
    write(root, {"ddg.toml": 'root = "handbook"\n'})
    code, _, err = run(capsys, "query", root, "cats")
    assert code == 1
    assert "handbook" in err


def test_a_folder_that_vanishes_while_it_is_asked_is_a_sentence(root, capsys, monkeypatch):
    opening = commands.open_folder

    def then_gone(path: Path, **others):
        opened = opening(path, **others)
        shutil.rmtree(path)
        return opened

    monkeypatch.setattr(commands, "open_folder", then_gone)
    code, out, err = run(capsys, "query", root, "cats")
    assert (code, out) == (1, "")
    assert "cannot be searched" in err
    assert not root.exists()


@pytest.mark.parametrize("content", [b"\xff\xfe\xfa", b"x" * (1 << 20) + b"xx", None])
@pytest.mark.parametrize("command", ["query", "status", "index"])
def test_a_synonym_file_that_cannot_be_used_is_told(root, capsys, content, command):
    if content is None:
        (root / "synonyms.txt").mkdir()
    else:
        (root / "synonyms.txt").write_bytes(content)
    write(root, {"ddg.toml": 'synonyms = "synonyms.txt"\n'})
    code, _, err = run(capsys, command, root, *(["cats"] if command == "query" else []))
    assert code == 0
    assert "synonym" in err


def test_an_answer_by_words_never_says_that_it_is_partial(root, capsys):
    code, out, err = run(capsys, "query", root, "cats", "--mode", "lexical")
    assert (code, err) == (0, "")
    assert "docs/a.md" in out
    _, out, _ = run(capsys, "query", root, "cats", "--mode", "lexical", "--json")
    assert "complete" in json.loads(out)["index"]["message"]
    _, _, err = run(capsys, "query", root, "cats", "--wait", "0")
    assert "Still indexing" in err


EVIL = "x\x1b[31m\x9b2J\x07\u202edesrever\u2066\u200f\u2028\ufeff\x00\x7f"


@posix
@pytest.mark.parametrize(
    "command", [["query", "retry evil"], ["query", "retry evil", "--explain"], ["status", "--files"]]
)
def test_nothing_of_a_workspace_is_obeyed_by_the_terminal(root, capsys, command):
    name = EVIL.replace("\x00", "")
    hidden = {f"docs/{name}.md": "# x\n", f"docs/{name}/b.md": "# y\n"}
    text = f"# Retry {name}\n\nevil {name}\n\n## Also retry {name}\n\nevil retry\n"
    write(root, {"docs/evil.md": text, **hidden, "ddg.toml": f'"{json.dumps(name)[1:-1]}" = 1\nmode = "\\u001b[31m"\n'})
    code, out, err = run(capsys, command[0], root, *command[1:])
    assert code == 0
    assert "ddg.toml" in err
    for told in (out, err):
        assert not [character for character in told if character != "\n" and obeyed(character)]


def obeyed(character: str) -> bool:
    return character in "\x1b\x9b\x07\x7f\u202e\u2066\u200f\u2028\ufeff\x00" or ord(character) < 32


@given(st.text())
def test_visible_text_is_one_line_that_a_terminal_shows_and_utf8_can_say(text):
    shown = terminal.visible(text)
    shown.encode("utf-8")
    assert not [character for character in shown if obeyed(character)]
    assert terminal.visible(shown) == shown
    assert len(shown) >= len(text)


@pytest.mark.parametrize("text", ["plain", "käse 일본 🎉", "می‌خواهم", "👩‍💻", "क्‍ष"])
def test_what_people_write_is_shown_as_it_is(text):
    assert terminal.visible(text) == text


@posix
@pytest.mark.parametrize("locale", [{"LC_ALL": "C", "PYTHONUTF8": "0"}, {"LC_ALL": "C.UTF-8"}, {"LC_ALL": "POSIX"}])
def test_names_questions_and_answers_are_the_same_under_every_locale(tmp_path, words_only, locale):
    root = write(tmp_path / "wörk 한", {"docs/küche 🍎.md": "# Käse\n\nkäse und brot\n"})
    done = shell(f"ddg-lsp query '{root}' käse --json", {**words_only, **locale})
    answer = json.loads(done.stdout)
    assert (done.returncode, answer["query"]) == (0, "käse")
    assert [hit["path"] for hit in answer["hits"]] == ["docs/küche 🍎.md"]


def _raising(error: OSError):
    def fail(*_: object, **__: object) -> None:
        raise error

    return fail


def test_output_that_is_no_stream_of_the_system_is_let_go(monkeypatch):
    monkeypatch.setattr(sys, "stdout", io.StringIO())
    terminal.abandon_output()
