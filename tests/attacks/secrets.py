"""Folders full of canaries, and everything that leaves the product: nobody may find one.

Owns the rounds: plant, index, ask for the canaries, look everywhere; and rules that come later. Hostile settings are
in `secrets_hostile.py`. An embedding server that keeps what it is sent stands in for the model: it sees every text.
"""

from __future__ import annotations

import json
import random
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from ddg_lsp.core.corpus import decode
from ddg_lsp.server import protocol
from tests.attacks.run import Run, main
from tests.attacks.secrets_hostile import hostile_files, hostile_links
from tests.attacks.secrets_later import rules_added_later
from tests.attacks.secrets_tree import BAIT, KINDS, SWAP_FILES, Plants
from tests.attacks.secrets_watch import Watch, finds, watching, without_question
from tests.helpers.raw_lsp import RawServer

MODES = ("hybrid", "semantic", "lexical")
KEY = "-----BEGIN PRIVATE KEY-----\n{0}\n-----END PRIVATE KEY-----\n"


def planted_canaries(run: Run) -> None:
    """The command line on one folder after another: index, questions, status, map, published files."""
    for number, rng in enumerate(run.rounds()):
        folder = run.folder / str(number)
        plants = planted(folder, rng, each=3 if run.seconds else 2)
        with watching(folder) as watch:
            root = str(plants.root)
            watch.call("index", root, "--json")
            for question in questions(plants, rng, 4 if run.seconds else 2):
                watch.asked.add(question)
                watch.call("query", root, question, "--json", "--limit", "100", "--mode", rng.choice(MODES))
            watch.call("query", root, rng.choice(BAIT), "--per-file", "10", "--explain", "--limit", "100")
            watch.call("status", root, "--files")
            if run.seconds:
                watch.call("map", root, "--json")
            watch.call("llms", "generate", root, "--full")
            published = [("a published file", path.read_bytes()) for path in plants.root.rglob("llms*.txt")]
            heard = [(where, stripped(said)) for where, said in watch.heard]
            judge(run, plants, watch, [*heard, *published])


def canaries_on_the_screen(run: Run) -> None:
    """The server on such a folder, with secret documents open, unsaved ones, and ones of an editor's own files."""
    for number, rng in enumerate(run.rounds()):
        folder = run.folder / str(number)
        plants = planted(folder, rng, each=2 if run.seconds else 1)
        with watching(folder) as watch:
            unsaved = _use(plants, watch, rng)
            judge(run, plants, watch, watch.heard)
            with run.attempt("unsaved text is in no file and no log"):
                quiet = [one for one in watch.heard if one[0].startswith(("stderr", "a message"))]
                assert not (found := finds([unsaved], [*watch.kept(plants.root), *quiet])), found
            with run.attempt("control: what is on the screen is embedded"):
                assert finds([unsaved], watch.sent())


def _use(plants: Plants, watch: Watch, rng: random.Random) -> str:
    """A session; the word of a document that is on the screen alone and may be found, but not written."""
    root, unsaved = plants.root, plants.word()
    with watch.serving(root) as server:
        wait_until_ready(server)
        texts = {path: decode(path.read_bytes()) for path in documents_of(root)}
        for path in rng.sample([path for path, text in texts.items() if text], 12):  # people open what is left out, too
            show(server, path.as_uri(), texts[path] or "")
        for word, kind in _screen(plants):
            where = f"{plants.folder()}new-{word[:4]}.md"
            name = {"key": where, "secret name": f"{plants.folder()}.env.{word[:3]}.md", "ignored": "ignored-x/a.md"}
            swap = rng.choice(SWAP_FILES).format(f"{word[:4]}.md")
            text = plants.text(word, KEY.format("MIIEvQIBADANBgkqhkiG9w0BAQEFAASC") if kind == "key" else "")
            uri = f"git:/{where}?ref=main" if kind == "history" else (root / name.get(kind, swap)).as_uri()
            show(server, uri, text)
        show(server, (root / "docs/typing.md").as_uri(), f"# Typing\n\nThe kettle is {unsaved}.\n")
        show(server, "untitled:Untitled-1", f"# Untitled\n\nThe violin is {unsaved}.\n")
        wait_until_ready(server)
        for number, question in enumerate(questions(plants, rng, 6)):
            watch.asked.add(question)
            server.request(number, protocol.QUERY, {"query": question, "limit": 100, "mode": rng.choice(MODES)})
        server.request("m", protocol.MAP, {})
        for files in (True, False):
            arguments = [{"files": files}]
            server.request(
                f"s{files}", "workspace/executeCommand", {"command": protocol.SHOW_STATUS, "arguments": arguments}
            )
        server.request("end", "shutdown")
        server.send(method="exit")
        server.process.wait(30.0)
    return unsaved


def _screen(plants: Plants) -> Iterable[tuple[str, str]]:
    for kind in ("key", "secret name", "ignored", "an editor's own file", "history"):
        word = plants.word()
        plants.never[word] = f"on the screen: {kind}"
        yield word, kind


def planted(folder: Path, rng: random.Random, each: int) -> Plants:
    """A folder `w` with so many canaries of each kind among ordinary documents."""
    plants = Plants(folder / "w", rng)
    plants.ignored.append("ignored-*/")
    for _ in range(12):
        plants.document()
    for kind in KINDS:
        for _ in range(each):
            plants.plant(kind)
    plants.finish()
    return plants


def questions(plants: Plants, rng: random.Random, count: int) -> list[str]:
    """Half ask for what stands beside canaries, half for canaries themselves."""
    words = [word for word in plants.never if word.startswith("zq")]
    return [rng.choice(BAIT if number % 2 else words) for number in range(count)]


def judge(run: Run, plants: Plants, watch: Watch, heard: list[tuple[str, bytes]]) -> None:
    """Every canary against everything: each is one attempt."""
    names = {word: kind for word, kind in plants.never.items() if kind == "the name of what lies outside"}
    everywhere = [*watch.kept(plants.root), *watch.sent(), *heard]
    found = finds(plants.never, everywhere)
    for word, kind in plants.never.items():
        with run.attempt(f"canary: {kind.split(' utf')[0]}", word):
            assert not (where := [place for one, place in found if one == word]), (kind, where[:5])
    assert names or not (plants.outside.exists())
    kept = finds(plants.bodies, [*watch.kept(plants.root), *(one for one in heard if one[0].startswith("stderr"))])
    for word, kind in plants.bodies.items():
        with run.attempt(f"no cache and no log holds {kind}", word):
            assert not (where := [place for one, place in kept if one == word]), where[:5]
    with run.attempt("control: bodies are embedded"):
        bodies = {word for word, kind in plants.bodies.items() if kind == "a body"}
        assert {word for word, _ in finds(bodies, watch.sent())} == bodies
    with run.attempt("no answer names a place outside the folder"):
        outside = str(plants.outside.parent).encode()
        inside = str(plants.root).encode()
        for where, said in heard:
            assert outside not in said.replace(inside, b"").replace(str(watch.home).encode(), b""), where


def stripped(said: bytes) -> bytes:
    """What was printed, less a question that is repeated."""
    try:
        return json.dumps(without_question(json.loads(said)), ensure_ascii=False).encode()
    except ValueError:
        return said


def documents_of(root: Path) -> list[Path]:
    """Every file that is called a document, wherever it lies."""
    return sorted(path for path in root.rglob("*.md") if path.is_file())


def show(server: RawServer, uri: str, text: str) -> None:
    """Open a document."""
    item = {"uri": uri, "languageId": "markdown", "version": 1, "text": text}
    server.send(method="textDocument/didOpen", params={"textDocument": item})


def wait_until_ready(server: RawServer) -> dict[str, Any]:
    """Until nothing is under way."""
    give_up = time.monotonic() + 120.0
    command = {"command": protocol.SHOW_STATUS, "arguments": [{"silent": True}]}
    while time.monotonic() < give_up:
        status: dict[str, Any] = server.request("status", "workspace/executeCommand", command)["result"]
        if status["quiescent"] and status["index"]["state"] == "ready":
            return status
        time.sleep(0.02)
    raise AssertionError(f"never ready: {status['index']['state']}")


ATTACKS = [planted_canaries, canaries_on_the_screen, rules_added_later, hostile_files, hostile_links]

if __name__ == "__main__":
    main("secrets", ATTACKS, seconds=300)
