"""A word was anybody's, and then a rule says that it is not: it leaves the cache, whoever is running.

Owns the rules and their order. Must not know how documents are left out.
"""

from __future__ import annotations

import json
import random
import time
from collections.abc import Callable
from pathlib import Path

from tests.attacks.run import Run
from tests.attacks.secrets_tree import Plants
from tests.attacks.secrets_watch import Watch, finds, watching

Rule = Callable[[Plants, str], None]
"""Makes a document (its path) one that is left out."""


def _ignore(plants: Plants, path: str) -> None:
    plants.write(".gitignore", _line(plants, ".gitignore", "/" + path.replace(" ", "\\ ")))


def _ignore_beside(plants: Plants, path: str) -> None:
    folder, _, name = path.rpartition("/")
    plants.write(f"{folder}/.gitignore", _line(plants, f"{folder}/.gitignore", name))


def _exclude_for_git(plants: Plants, path: str) -> None:
    plants.write(".git/info/exclude", _line(plants, ".git/info/exclude", path.rpartition("/")[2]))


def _line(plants: Plants, file: str, line: str) -> str:
    place = plants.root / file
    return (place.read_text("utf-8") if place.exists() else "") + line + "\n"


def _toml(plants: Plants, path: str) -> None:
    plants.excluded.append(path)
    plants.finish()


def _dotdotgod(plants: Plants, path: str) -> None:
    config = {"documentation": {"root": "."}, "load": {"documentationSummary": {"exclude": [path]}}}
    plants.write("dotdotgod.config.json", json.dumps(config))


def _key(plants: Plants, path: str) -> None:
    key = "-----BEGIN RSA PRIVATE KEY-----\nMIIEvQIBADANBgkqhkiG9w0BAQEFAASC\n-----END RSA PRIVATE KEY-----\n"
    plants.write(path, (plants.root / path).read_text("utf-8") + key)


def _rename(to: str) -> Rule:
    def rename(plants: Plants, path: str) -> None:
        target = plants.root / Path(path).parent / to
        target.parent.mkdir(parents=True, exist_ok=True)
        (plants.root / path).rename(target)

    return rename


def _link(plants: Plants, path: str) -> None:
    plants.outside.mkdir(exist_ok=True)
    target = plants.outside / f"{plants.word()}.md"
    (plants.root / path).rename(target)
    (plants.root / path).symlink_to(target)


def _spoil(plants: Plants, path: str) -> None:
    plants.write(path, (plants.root / path).read_bytes() + b"\0")


def _grow(plants: Plants, path: str) -> None:
    plants.write(path, (plants.root / path).read_bytes() + b"word " * 210_000)


def _delete(plants: Plants, path: str) -> None:
    (plants.root / path).unlink()


RULES: dict[str, Rule] = {
    "the folder's ignore file": _ignore, "an ignore file beside it": _ignore_beside,
    "git's own exclusions": _exclude_for_git, "ddg.toml": _toml, "dotdotgod.config.json": _dotdotgod,
    "a key in the text": _key, "a name that says secret": _rename("secrets.md"),
    "a folder that says secret": _rename("credentials/a.md"), "a hidden name": _rename(".x.md"),
    "a hidden folder": _rename(".x/y.md"), "a link that leads out": _link, "no text any more": _spoil,
    "too large": _grow, "deleted": _delete,
}  # fmt: skip


def rules_added_later(run: Run) -> None:
    """Every rule once and again, with the command line and while a server runs; what was set aside goes, too."""
    for number, rng in enumerate(run.rounds()):
        folder = run.folder / str(number)
        plants = Plants(folder / "w", rng)
        words = {name: _document(plants, rng) for name in RULES}
        kept = _document(plants, rng)
        plants.finish()
        with watching(folder) as watch:
            watch.call("index", str(plants.root), "--json")
            with run.attempt("control: every word is in the cache before"):
                everything = [word for word, _ in words.values()]
                assert len({word for word, _ in finds(everything, watch.kept(plants.root))}) == len(everything)
            order = rng.sample(list(RULES), len(RULES))
            half = len(order) // 2 if run.seconds else 4
            _with_the_command_line(run, watch, plants, {name: words[name] for name in order[:half]}, rng)
            _with_the_server(run, watch, plants, {name: words[name] for name in order[half:]})
            with run.attempt("control: what no rule speaks of is in the cache after"):
                assert finds([kept[0]], watch.kept(plants.root))


def _document(plants: Plants, rng: random.Random) -> tuple[str, str]:
    """A document whose headings, title and alias hold a word of its own; the word and the path."""
    word = plants.word()
    return word, plants.write(f"docs/{plants.folder()}{word[:6]}/page-{rng.randrange(1000)}.md", plants.text(word))


def _with_the_command_line(
    run: Run, watch: Watch, plants: Plants, words: dict[str, tuple[str, str]], rng: random.Random
) -> None:
    for name, (word, path) in words.items():
        if rng.random() < 0.3:  # a damaged cache is set aside, with the word in it
            for damaged in (plants.root / ".ddg" / "vectors").glob("chunks-*"):
                damaged.write_bytes(damaged.read_bytes()[:-1])
            watch.call("index", str(plants.root), "--json")
        with run.attempt(f"later, then the command line: {name}", path):
            RULES[name](plants, path)
            command = rng.choice((["index"], ["query", "--mode", "lexical"], ["query"]))
            question = ["glacier"] if command[0] == "query" else []
            watch.heard.clear()
            watch.call(command[0], str(plants.root), *question, *command[1:], "--json")
            assert not (found := finds([word], [*watch.kept(plants.root), *watch.heard])), found


def _with_the_server(run: Run, watch: Watch, plants: Plants, words: dict[str, tuple[str, str]]) -> None:
    with watch.serving(plants.root) as server:
        for name, (word, path) in words.items():
            with run.attempt(f"later, while a server runs: {name}", path):
                RULES[name](plants, path)
                uri = (plants.root / path).as_uri()
                params = {"changes": [{"uri": uri, "type": 2}]}
                server.send(method="workspace/didChangeWatchedFiles", params=params)
                give_up = time.monotonic() + 60.0
                while found := finds([word], watch.kept(plants.root)):
                    assert time.monotonic() < give_up, found
                    time.sleep(0.02)
                answer = server.request(name, "workspace/semanticDocQuery", {"query": "glacier", "limit": 100})
                assert path not in [hit["path"] for hit in answer["result"]["hits"]]
        server.request("end", "shutdown")
