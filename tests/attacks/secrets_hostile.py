"""Settings, dictionaries and ignore files of a repository nobody has vetted: mutated, oversized, nested, linked.

Owns the making of them and what must hold for every one: no crash, an answer in bounded time, no document more than
without them, nothing of the user's set, no place outside the folder named.
"""

from __future__ import annotations

import json
import os
import random
import time
from collections.abc import Callable
from dataclasses import fields
from pathlib import Path
from typing import Any

from ddg_lsp.core.embedding.deterministic import DeterministicEmbedder
from ddg_lsp.core.opening import open_folder
from ddg_lsp.core.options import OPTIONS, Settings
from tests.attacks.run import Run
from tests.helpers.folders import ask, write

SECONDS = 8.0
"""The longest one folder of a handful of documents may take, on a busy machine."""
MAX_PROBLEMS = 51
OUTSIDE = "zqoutside"
SECRET = "zqsecret"
DOCUMENTS = {
    "README.md": "# Walrus\n\nquokka\n", "docs/guide.md": "# Guide\n\nWalrus.\n",
    "docs/plan/a.md": "# Plan\n\nwalrus\n",
    "docs/deep/er/b.md": "# Deeper\n\nwalrus\n", "manual/c.md": "# Manual\n\nwalrus\n", "notes.txt": "walrus\n",
    "docs/secrets/d.md": f"# {SECRET}\n\nwalrus\n", ".hidden/e.md": f"# {SECRET}\n\nwalrus\n",
    "node_modules/f.md": f"# {SECRET}\n\nwalrus\n", "docs/key.md": f"# {SECRET}\n\n-----BEGIN PRIVATE KEY-----\nMIIE\n",
    ".env": f"walrus, {SECRET}\n", "docs/.npmrc": f"walrus => {SECRET}\n", "secrets.txt": f"walrus, {SECRET}\n",
}  # fmt: skip
NEVER_MORE = {"README.md", "docs/guide.md", "docs/deep/er/b.md", "manual/c.md"}
"""Documents there are without any rule of the folder; a dotdotgod project may bring its plans in, as it says itself."""
PLANS = {"docs/plan/a.md"}
VALID = {
    "ddg.toml": (
        'include = ["docs/**"]\nexclude = ["old/**"]\nroot = "docs"\nlimit = 5\nmode = "lexical"\nlanguages = ["ko"]\n'
        'synonyms = "words.txt"\nmaxFileBytes = 500\naliases = true\n[synonyms]\nwalrus = ["seal", "sea cow"]\n'
        '[priorities]\n"docs/**" = 5\n[llms]\ntitle = "x"\n'
    ),
    "dotdotgod.config.json": (
        '{"documentation": {"root": "docs"}, "load": {"documentationSummary": {"exclude": ["x/"]}}}'
    ),
    ".gitignore": "# x\n*.tmp\n/docs/old/\n!docs/old/keep.md\n**/build\n[a-c]*.md\n\\#x\n",
    "docs/.gitignore": "a?b\n*\n!*.md\n!*/\n",
    ".git/info/exclude": "notes/\n",
    "synonyms.txt": "# x\nwalrus, seal, sea cow\ntusk => tooth, ivory\na\\,b, c\n",
}
TOKENS = (
    "..", "../", "/", "\\", "~", "/etc/passwd", "**", "***", "*", "?", "[", "]", "{", "}", "!", "=>", ",", "\n", "\r",
    "\0", "\ufeff", "\u202e", "\x1b[2J", "=", '"', "'''", '"""', "[[", "]]", "true", "1e999", "-1",
    "99999999999999999999",
    "nan", "null", "[" * 200, "{" * 200, '{"a":' * 100, "a." * 300, "\\" * 99, "*" * 99, "**/" * 50, "docs/**", ".env",
    "docs/.npmrc", "secrets.txt", "link-out", "../zqoutside.md", "root = '..'",
    'root = "link-out"', "synonyms = '.env'",
    "synonyms = 'secrets.txt'", "synonyms = '../zqoutside.md'", "embedder = 'http'", "httpUrl = 'http://example.org'",
    "cacheDir = '/tmp/x'", "gitignore = false", "secretNames = false", "\U0001f980", "\u0130", "ﬁ",
)  # fmt: skip


def hostile_files(run: Run) -> None:
    """Valid files with something wrong with them, some of them at once."""
    folder = _folder(run.folder)
    for number, rng in enumerate(run.rounds(at_least=120)):
        names = rng.sample(list(VALID), rng.randint(1, 3))
        made = {name: _hostile(name, rng) for name in names}
        with run.attempt(f"hostile: {', '.join(sorted(names)) if len(names) == 1 else 'several'}", (number, made)):
            write(folder, made)
            try:
                _check(folder)
            finally:
                for name in names:
                    (folder / name).unlink()


def hostile_links(run: Run) -> None:
    """In the place of each file: a link out, a link to a device, a loop, a folder, a pipe, a link to a secret."""
    folder = _folder(run.folder)
    for name in VALID:
        for kind, make in THINGS.items():
            with run.attempt(f"in its place: {kind}", name):
                place = folder / name
                place.parent.mkdir(parents=True, exist_ok=True)
                make(place)
                try:
                    _check(folder)
                finally:
                    place.rmdir() if place.is_dir() and not place.is_symlink() else place.unlink()


THINGS: dict[str, Callable[[Path], None]] = {
    "a link out": lambda place: place.symlink_to(_root_of(place).parent / f"{OUTSIDE}.md"),
    "a device": lambda place: place.symlink_to("/dev/zero"),
    "a loop": lambda place: place.symlink_to(place.name),
    "a folder": lambda place: place.mkdir(),
    "a pipe": lambda place: os.mkfifo(place),
    "a link to nothing": lambda place: place.symlink_to("nowhere"),
    "a link to a secret": lambda place: place.symlink_to(_root_of(place) / ".env"),
    "a link to another secret": lambda place: place.symlink_to(_root_of(place) / "secrets.txt"),
    "a link to all processes": lambda place: place.symlink_to("/proc/self/environ"),
}


def _root_of(place: Path) -> Path:
    return next(one for one in place.parents if one.name == "w")


def _folder(above: Path) -> Path:
    folder = write(above / "w", DOCUMENTS)
    write(above, {f"{OUTSIDE}.md": f"# {OUTSIDE}\n\nwalrus, {OUTSIDE}\n", f"{OUTSIDE}/x.md": f"# {OUTSIDE}\n"})
    (folder / "link-out").symlink_to(above / OUTSIDE)
    (folder / "docs/link.md").symlink_to(above / f"{OUTSIDE}.md")
    return folder


def _check(folder: Path) -> None:
    """Open, index and ask the folder; everything that must hold."""
    began = time.monotonic()
    opened = open_folder(folder, {"cacheDir": "memory"}, DeterministicEmbedder())
    opened.folder.refresh()
    while opened.folder.pending():
        opened.embed_some()
    answers = [
        ask(opened.folder, question, mode=mode, limit=100, explain=True)
        for mode, question in (("hybrid", "walrus"), ("lexical", "walrus, seal"), ("lexical", "tusk"))
    ]
    took = time.monotonic() - began
    snapshot, settings = opened.folder.snapshot, opened.settings
    allowed = NEVER_MORE | (PLANS if (folder / "dotdotgod.config.json").exists() else set())
    assert set(snapshot.documents) <= allowed, set(snapshot.documents) - allowed
    for option in OPTIONS:
        if option.who == "user" and option.name != "cache_dir":
            assert getattr(settings, option.name) == option.default, option.key
    assert settings.include == Settings().include
    assert len(opened.problems) <= MAX_PROBLEMS
    problems = [f"{one.where}: {one.message}" for one in opened.problems]
    assert all(len(one) < 500 for one in problems)
    notes = [note.message for note in opened.folder.synonym_notes]
    skips = [skip for skip in snapshot.skipped if "link" not in skip.path]
    said = json.dumps([_plain(answers), problems, notes, opened.folder.dictionary.failure, [s.path for s in skips]])
    assert OUTSIDE not in said.replace(f"../{OUTSIDE}.md", ""), "a word of outside"
    assert SECRET not in said, "a word of a secret file"
    assert str(folder.parent) not in said.replace(str(folder), ""), "a place outside"
    assert took < SECONDS, f"{took:.1f} s"
    opened.folder.close()


def _plain(value: Any) -> Any:
    """An answer as text, whatever it is made of; the documents' own texts are what they are."""
    if hasattr(value, "__dataclass_fields__"):
        return {one.name: _plain(getattr(value, one.name, None)) for one in fields(value) if one.name != "document"}
    if isinstance(value, (list, tuple)):
        return [_plain(one) for one in value]
    if isinstance(value, dict):
        return {str(key): _plain(one) for key, one in value.items()}
    return str(value)


def _hostile(name: str, rng: random.Random) -> bytes:
    """One hostile version of a valid file."""
    text = VALID[name]
    kind = rng.random()
    if kind < 0.25 and name == "ddg.toml":
        text = "".join(_line(rng) for _ in range(rng.randint(1, 12)))
    elif kind < 0.3:
        text = rng.choice(TOKENS) * rng.choice((1, 1_000, 20_000))
    for _ in range(rng.randint(0, 6)):
        text = _mutated(text, rng)
    if rng.random() < 0.1:
        text = text * rng.choice((10, 400, 4_000))
    encodings = ("utf-8", "utf-8", "utf-8", "utf-8-sig", "utf-16", "utf-32", "latin-1")
    data = text[: 3 << 20].encode(rng.choice(encodings), "replace")
    if rng.random() < 0.2:
        spoiled = bytearray(data)
        for _ in range(rng.randint(1, 8)):
            if spoiled:
                spoiled[rng.randrange(len(spoiled))] = rng.randrange(256)
        data = bytes(spoiled)
    return data


def _mutated(text: str, rng: random.Random) -> str:
    at = rng.randrange(len(text) + 1)
    end = min(len(text), at + rng.randrange(12))
    kind = rng.random()
    if kind < 0.5:
        return text[:at] + rng.choice(TOKENS) + text[at:]
    if kind < 0.7:
        return text[:at] + text[end:]
    if kind < 0.85:
        return text[:at] + text[at:end] * rng.randrange(60) + text[end:]
    lines = text.split("\n")
    rng.shuffle(lines)
    return "\n".join(lines)


def _line(rng: random.Random) -> str:
    """A line of `ddg.toml` with a real key and any value."""
    key = rng.choice([option.key for option in OPTIONS])
    value: object = rng.choice((True, False, 0, -1, 10**30, 1.5, "", *TOKENS))
    value = rng.choice((value, [value], [[value]] * 3, [value] * 1_200))
    text = json.dumps(value)
    return rng.choice(
        (f"{key} = {text}\n", f"ddg.{key} = {text}\n", f"[{key}]\n{json.dumps(rng.choice(TOKENS))} = {text}\n")
    )
