"""What a stranger's folder, a stranger's cache and a careless log cannot do; see docs/explanation/security.md."""

from __future__ import annotations

import ast
import json
import re
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ddg_lsp import cli
from ddg_lsp.core.embedding.deterministic import DeterministicEmbedder
from ddg_lsp.core.opening import open_folder
from ddg_lsp.core.secrets import secret_path
from ddg_lsp.server import protocol
from tests.helpers.documents import write
from tests.helpers.folders import ask, build, paths
from tests.helpers.raw_lsp import RawServer

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "explanation" / "security.md"
_TEST = re.compile(r"`(tests/[\w/]+\.py)::(\w+)`")
_LINE = re.compile(r"^\| (?!threat|---)([^|]+) \| ([^|]+) \| ([^|]+) \|$", re.MULTILINE)
LINES = _LINE.findall(PAGE.read_text("utf-8"))
NAMED = sorted(set(_TEST.findall(PAGE.read_text("utf-8"))))
KEY = "-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7\n-----END PRIVATE KEY-----\n"


def test_every_threat_of_the_page_has_a_guard_and_a_test() -> None:
    assert len(LINES) > 20
    for threat, guard, proof in LINES:
        assert len(threat) > 10, threat
        assert len(guard) > 10, threat
        assert _TEST.search(proof), threat


@pytest.mark.parametrize(("path", "name"), NAMED, ids=[name for _, name in NAMED])
def test_a_test_of_the_page_exists(path: str, name: str) -> None:
    tree = ast.parse((ROOT / path).read_text("utf-8"))
    assert name in {n.name for n in ast.walk(tree) if isinstance(n, (ast.FunctionDef, ast.AsyncFunctionDef))}


RULES: dict[str, Callable[[Path], object]] = {
    "an ignore file": lambda root: write(root, {".gitignore": "/docs/quokka.md\n"}),
    "the workspace's settings": lambda root: write(root, {"ddg.toml": 'exclude = ["docs/quokka.md"]\n'}),
    "the user's settings": lambda _: {"exclude": ["docs/quokka.md"]},
    "another tool's settings": lambda root: write(
        root,
        {"dotdotgod.config.json": '{"load": {"documentationSummary": {"exclude": ["docs/quokka.md"]}}}'},
    ),
    "a smaller limit": lambda root: write(root, {"ddg.toml": "maxFileBytes = 200\n"}),
    "a key in the text": lambda root: write(root, {"docs/quokka.md": f"# Quokka\n\n{KEY}"}),
    "a name that says secret": lambda root: (root / "docs/quokka.md").rename(root / "docs/credentials.md"),
    "a link out of the folder": lambda root: swap_for_link(root / "docs/quokka.md"),
    "a deletion": lambda root: (root / "docs/quokka.md").unlink(),
}


def swap_for_link(path: Path) -> None:
    outside = path.parents[2] / "outside.md"
    path.rename(outside)
    path.symlink_to(outside)


@pytest.mark.parametrize("name", RULES)
def test_a_rule_added_later_removes_what_was_cached(tmp_path: Path, name: str) -> None:
    text = "# Quokka\n\n" + "A quokka is a small animal. " * 20
    root = write(tmp_path / "w", {"docs/quokka.md": text, "docs/guide.md": "# Guide\n\nWalrus.\n"})
    before = build(root, DeterministicEmbedder())
    vectors = len(before.folder.snapshot.wholes)
    before.folder.close()
    assert b"uokka" in cached(root)
    user = RULES[name](root)
    after = build(root, DeterministicEmbedder(), user if isinstance(user, dict) else None)
    assert paths(ask(after.folder, "quokka", mode="hybrid", limit=100)) == ["docs/guide.md"]
    after.folder.close()
    assert b"uokka" not in cached(root)
    assert b"Guide" in cached(root)
    manifest = json.loads((root / ".ddg/vectors/manifest.json").read_text())
    assert manifest["documents"] == 1
    assert manifest["rows"] < 2 * vectors


def test_a_rule_added_later_removes_what_was_set_aside(tmp_path: Path) -> None:
    root = write(tmp_path, {"docs/quokka.md": "# Quokka\n\nAnimal.\n", "docs/guide.md": "# Guide\n\nWalrus.\n"})
    build(root, DeterministicEmbedder()).folder.close()
    (chunks,) = (root / ".ddg/vectors").glob("chunks-*")
    chunks.write_bytes(chunks.read_bytes()[:-1])
    build(root, DeterministicEmbedder()).folder.close()
    assert (root / ".ddg/vectors/aside/manifest.json").exists()
    write(root, {".gitignore": "/docs/quokka.md\n"})
    build(root, DeterministicEmbedder()).folder.close()
    assert b"uokka" not in cached(root)


def cached(root: Path) -> bytes:
    return b"".join(path.read_bytes() for path in (root / ".ddg").rglob("*") if path.is_file())


def test_a_published_file_holds_nothing_of_what_is_left_out(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    files = {
        "docs/key.md": f"# Quokka one\n\n{KEY}",
        "docs/secrets/a.md": "# Quokka two\n",
        ".hidden/a.md": "# Quokka\n",
    }
    (tmp_path / "outside.md").write_text("# Quokka outside\n")
    root = write(tmp_path / "w", {**files, "docs/guide.md": "# Guide\n\nWalrus.\n"})
    (root / "docs/link.md").symlink_to(tmp_path / "outside.md")
    assert cli.main(["llms", "generate", str(root), "--full"]) == 0
    assert cli.main(["map", str(root), "--json"]) == 0
    out = capsys.readouterr().out
    published = out + "".join(path.read_text("utf-8") for path in root.rglob("llms*.txt"))
    assert "Walrus" in published
    assert "uokka" not in published
    assert "MIIEvQ" not in published


COMMANDS = [
    ["query", ".", "walrus", "--json"],
    ["query", ".", "walrus", "--mode", "lexical", "--explain", "--json"],
    ["status", ".", "--files", "--json"],
    ["index", ".", "--json"],
    ["map", ".", "--json"],
]


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_no_answer_of_the_command_line_names_a_place_outside_the_folder(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, command: list[str]
) -> None:
    monkeypatch.setattr(
        "ddg_lsp.commands.open_folder", lambda path, **_: open_folder(path, {}, DeterministicEmbedder())
    )
    root = a_folder_that_points_out(tmp_path)
    assert cli.main([command[0], str(root), *command[2:]]) == 0
    out = capsys.readouterr().out
    assert json.loads(out)
    assert str(tmp_path.parent) not in out
    assert "outside" not in out.replace("link-outside", "")


def test_every_address_in_an_answer_of_the_server_lies_in_the_folder(tmp_path: Path) -> None:
    root = a_folder_that_points_out(tmp_path)
    with RawServer() as server:
        server.begin(root)
        params = {"query": "walrus", "limit": 100, "perFile": 10, "explain": True}
        answer = wait_for(server, protocol.QUERY, params)
        status = server.request("s", "workspace/executeCommand", {"command": protocol.SHOW_STATUS, "arguments": [{}]})
    assert answer["hits"]
    for text in [*texts(answer["hits"]), *texts(answer["index"])]:
        assert str(tmp_path) not in text or text.startswith(root.as_uri() + "/")
        assert "outside" not in text.replace("link-outside", "")
    assert "outside" not in json.dumps(status).replace("link-outside", "")


def a_folder_that_points_out(tmp_path: Path) -> Path:
    (tmp_path / "outside.md").write_text("# Outside\n\nwalrus\n")
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside/a.md").write_text("# Outside\n\nwalrus\n")
    root = write(tmp_path / "w", {"docs/guide.md": "# Guide\n\nWalrus.\n", "docs/bad.md": "# \0"})
    (root / "docs/link.md").symlink_to(tmp_path / "outside.md")
    (root / "docs/folder").symlink_to(tmp_path / "outside")
    (root / "ddg.toml").write_text('include = ["../**", "/**", "**/*.md"]\nsynonyms = "../outside.md"\nroot = ".."\n')
    return root


def texts(value: Any) -> list[str]:
    if isinstance(value, str):
        return [value]
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return [text for one in inner for text in texts(one)]


def wait_for(server: RawServer, method: str, params: dict[str, object]) -> dict[str, Any]:
    give_up = time.monotonic() + 60.0
    while time.monotonic() < give_up:
        found: dict[str, Any] = server.request("q", method, params)["result"]
        if found["index"]["state"] in ("ready", "failed"):
            return found
        time.sleep(0.05)
    raise AssertionError("The index is never ready.")


def test_an_error_nobody_foresaw_is_logged_without_what_it_says(tmp_path: Path) -> None:
    """Its message may quote a document or a question; where it came from, and of which kind it is, may be told."""
    root = write(tmp_path, {"docs/a.md": "# A\n\nwalrus\n"})
    with RawServer("-m", "tests.server.launch", "--crash", "crashword") as server:
        server.begin(root)
        wait_for(server, protocol.QUERY, {"query": "walrus"})
        assert "error" in server.request(1, protocol.QUERY, {"query": "crashword", "mode": "semantic"})
        server.request(2, "workspace/semanticDocQueryBatch", {"queries": [{"id": "1", "query": "crashword"}]})
        show(server, (root / "docs/b.md").as_uri(), "# B\n\ncrashword\n")
        wait_for_state(server, "failed")
        server.request("end", "shutdown")
        server.send(method="exit")
        server.process.wait(30.0)
        told = server.errors.decode() + json.dumps([m for m in server.messages.queue if "method" in m])
    assert "RuntimeError" in told
    assert "Traceback" in told
    assert "crashword" not in told
    assert "secret text" not in told


def show(server: RawServer, uri: str, text: str) -> None:
    item = {"uri": uri, "languageId": "markdown", "version": 1, "text": text}
    server.send(method="textDocument/didOpen", params={"textDocument": item})


def wait_for_state(server: RawServer, state: str) -> None:
    give_up = time.monotonic() + 60.0
    while (
        server.request("q", protocol.QUERY, {"query": "walrus", "mode": "lexical"})["result"]["index"]["state"] != state
    ):
        assert time.monotonic() < give_up
        time.sleep(0.05)


HOSTILE = {
    "ddg.toml": [b"\xff\xfe\x00", b"[" * 50_000, b'include = ["' + b"*" * 60_000 + b'"]', b"exclude = " + b"[" * 9_000],
    "dotdotgod.config.json": [b"[" * 60_000, b'{"documentation": {"root": "/etc"}}', b'{"load": 1e999}', b"\xff"],
    ".gitignore": [b"[" * 60_000, b"**/" * 20_000 + b"x\n", b"\\" * 60_000, b"\xff\xfe\x00\n" * 9_000],
    "synonyms.txt": [b"," * 60_000, b"\\" * 60_000, b"\xff\xfe", b"=>" * 30_000, ("a," * 20_000).encode()],
    "docs/llms.txt": [
        b"# " + b"[" * 60_000,
        b"- [a](" * 9_000,
        b"\xff\xfe\x00",
        b"# A\n\n- [x](../../../etc/passwd)\n",
    ],
}


@pytest.mark.parametrize(("name", "number"), [(name, n) for name, bad in HOSTILE.items() for n in range(len(bad))])
def test_a_hostile_file_of_a_workspace_leaves_its_documents_searched(tmp_path: Path, name: str, number: int) -> None:
    root = tmp_path / "w"
    write(root, {"docs/guide.md": "# Guide\n\nWalrus.\n", "docs/secrets/a.md": "# Walrus\n"})
    if name == "synonyms.txt":
        write(root, {"ddg.toml": 'synonyms = "synonyms.txt"\n'})
    (root / name).parent.mkdir(exist_ok=True)
    (root / name).write_bytes(HOSTILE[name][number])
    opened = open_folder(root, {}, DeterministicEmbedder())
    opened.folder.refresh()
    while opened.folder.pending():
        opened.embed_some()
    for mode in ("hybrid", "lexical"):
        assert paths(ask(opened.folder, "walrus", mode=mode)) == ["docs/guide.md"]
    opened.folder.close()
    assert secret_path("docs/secrets/a.md")
