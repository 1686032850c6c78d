"""Field reports on names, columns and secrets, seen by an editor and by a script: what comes back leads there."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import pytest

from ddg_lsp.server import protocol
from tests.helpers.documents import write
from tests.helpers.raw_lsp import RawServer

HEADING = "# 𝔘nicode 🎉 end"
WIDTHS = {"utf-8": len(HEADING.encode()), "utf-16": len(HEADING.encode("utf-16-le")) // 2, "utf-32": len(HEADING)}


def answered(server: RawServer, question: str, **fields: object) -> dict[str, Any]:
    """The first answer of a complete index."""
    give_up = time.monotonic() + 60.0
    while time.monotonic() < give_up:
        found: dict[str, Any] = server.request("q", protocol.QUERY, {"query": question, **fields})["result"]
        if found["index"]["state"] == "ready":
            return found
        time.sleep(0.05)
    raise AssertionError("The index is never ready.")


@pytest.mark.parametrize("encoding", WIDTHS)
@pytest.mark.parametrize("ending", ["\n", "\r\n"])
def test_row_67_the_end_of_a_heading_counts_as_the_client_counts(tmp_path: Path, encoding: str, ending: str) -> None:
    write(tmp_path, {"a.md": f"text 🎉\n\n{HEADING}\n\nbody 🎉\n\n## Next\n".replace("\n", ending)})
    with RawServer() as server:
        capabilities = {"general": {"positionEncodings": [encoding]}}
        result = server.begin(tmp_path, capabilities=capabilities)["result"]
        assert result["capabilities"]["positionEncoding"] == encoding
        (hit,) = (h for h in answered(server, "unicode end", perFile=10)["hits"] if h["level"] == 1)
    line = {"line": 2, "character": 0}, {"line": 2, "character": WIDTHS[encoding]}
    assert (hit["selectionRange"]["start"], hit["selectionRange"]["end"]) == line
    assert hit["range"]["start"] == line[0]


NAMES = [
    "🚀 launch.md",
    "a#b%20c?.md",
    "Entwürfe/übersicht [alt].md",
    "안내/첫 걸음.md",
    "e\u0301te\u0301.md",
    "'q' & $x;.md",
]


def test_row_63_row_69_any_name_comes_back_as_an_address_that_leads_to_the_file(tmp_path: Path) -> None:
    root = write(tmp_path / "My Docs, 100%", dict.fromkeys(NAMES, "## 🎉 Done\n\nLaunched.\n"))
    with RawServer() as server:
        server.begin(root)
        hits = answered(server, "launched done", limit=100)["hits"]
    assert {hit["path"] for hit in hits} == set(NAMES)
    for hit in hits:
        assert hit["uri"] == (root / hit["path"]).as_uri()
        assert hit["headings"] == ["🎉 Done"]


KEY = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7"
SECRETS = {
    ".env.md": "# Quokka one\n",
    "secrets/token.md": "# Quokka two\n",
    "docs/key.md": f"# Quokka three\n\n-----BEGIN PRIVATE KEY-----\n{KEY}\n-----END PRIVATE KEY-----\n",
}


def test_row_76_what_is_secret_is_in_no_answer_no_cache_no_log_and_never_embedded(tmp_path: Path) -> None:
    """Also where an editor has it open, and where a key is typed into a document that was searched before."""
    seen = tmp_path / "seen.txt"
    root = write(tmp_path / "w", {**SECRETS, "docs/guide.md": "# Guide\n\nWalrus.\n"})
    with RawServer("-m", "tests.server.launch", "--seen", str(seen)) as server:
        server.begin(root)
        assert answered(server, "walrus")["hits"][0]["path"] == "docs/guide.md"
        for path, text in SECRETS.items():
            show(server, (root / path).as_uri(), text)
        show(server, (root / "docs/guide.md").as_uri(), f"# Quokka four\n\nWalrus.\n\n{SECRETS['docs/key.md']}")
        show(server, "untitled:Untitled-1", SECRETS["docs/key.md"].replace("three", "five"))
        for uri in (root / "docs/control.md").as_uri(), "untitled:Untitled-2":
            show(server, uri, "# Control\n\nPlatypus.\n")
        give_up = time.monotonic() + 60.0
        while len(answered(server, "platypus", mode="lexical")["hits"]) < 2:
            assert time.monotonic() < give_up
            time.sleep(0.05)
        for mode in ("hybrid", "semantic", "lexical"):
            assert "uokka" not in json.dumps(answered(server, "walrus", mode=mode, limit=100)["hits"])
        skips = {(skip["path"], skip["reason"]) for skip in answered(server, "walrus")["index"]["skipped"]}
        assert {("secrets/", "secret-name"), ("docs/key.md", "secret-content")} <= skips
        server.request("end", "shutdown")
        server.send(method="exit")
        server.process.wait(30.0)
        told = server.errors.decode() + json.dumps([m for m in server.messages.queue if "method" in m])
    cached = b"".join(path.read_bytes() for path in (root / ".ddg").rglob("*") if path.is_file())
    for text in (told, cached.decode("utf-8", "replace"), seen.read_text("utf-8")):
        assert "uokka" not in text
        assert KEY[:20] not in text
    assert "Guide" in cached.decode("utf-8", "replace")


def show(server: RawServer, uri: str, text: str) -> None:
    item = {"uri": uri, "languageId": "markdown", "version": 1, "text": text}
    server.send(method="textDocument/didOpen", params={"textDocument": item})
