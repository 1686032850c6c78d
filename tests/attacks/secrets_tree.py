"""Folders with canaries in them: words that stand where nobody may read, at any depth, under any spelling.

Owns what is planted and where; a seed decides everything. Must not know who looks at the folder.
"""

from __future__ import annotations

import os
import random
from collections.abc import Callable
from pathlib import Path

BASE64 = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
FOLDERS = ("docs", "guide", "a b", "한국어", "deep", "x.y", "Ünïcode", "notes", "api", "internal")
BAIT = "harbour lantern quarry beacon glacier orchard kettle violin saddle pepper".split()  # noqa: SIM905


class Plants:
    """A folder in the making. `never`: words nobody may see; `bodies`: words no cache and no log may hold."""

    def __init__(self, root: Path, rng: random.Random) -> None:
        self.root = root
        self.rng = rng
        self.outside = root.parent / f"outside-{self.word()}"
        self.never: dict[str, str] = {}
        self.bodies: dict[str, str] = {}
        self.ignored: list[str] = []
        """Lines of the root's own ignore file."""
        self.excluded: list[str] = []
        """Patterns of the root's own settings."""

    def word(self) -> str:
        """A word that stands nowhere else."""
        return "zq" + "".join(self.rng.choices("bcdfghjklmnprstvwx", k=12))

    def folder(self) -> str:
        """An ordinary folder, some levels down; with `/` at its end unless it is the root."""
        return "".join(f"{self.rng.choice(FOLDERS)}/" for _ in range(self.rng.randint(0, 4)))

    def text(self, word: str, more: str = "") -> str:
        """A document that invites: the bait beside the canary, in headings, body and front matter."""
        bait = self.rng.choice(BAIT)
        front = f"---\ntitle: {bait} {word}\naliases: [{word}]\n---\n" if self.rng.random() < 0.5 else ""
        return f"{front}# {bait.title()} {word}\n\nThe {bait} is {word}. {more}\n\n## More of {word}\n\n{bait} {word}\n"

    def write(self, path: str, data: str | bytes) -> str:
        """Put a file there; the path."""
        place = self.root / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(data if isinstance(data, bytes) else data.encode())
        return path

    def plant(self, kind: str) -> None:
        """One canary of this kind."""
        word = self.word()
        self.never[word] = kind
        KINDS[kind](self, word)

    def document(self) -> str:
        """An ordinary document; its headings are anybody's, its body is its readers'. The path."""
        word, bait = self.word(), self.rng.choice(BAIT)
        self.bodies[word] = "a body"
        front = f"---\npassword: {self._front()}\nx: {{y: {self._front()}}}\n---\n" if self.rng.random() < 0.3 else ""
        return self.write(f"{self.folder()}page-{len(self.bodies)}.md", f"{front}# The {bait}\n\n{bait} and {word}.\n")

    def finish(self) -> Path:
        """Write the root's own rules; the folder."""
        self.write(".gitignore", "\n".join(["# rules", *self.ignored, ""]))
        if self.excluded:
            self.write("ddg.toml", f"exclude = [{', '.join(repr(one) for one in self.excluded)}]\n")
        return self.root

    def _front(self) -> str:
        word = self.word()
        self.bodies[word] = "front matter nobody uses"
        return word


SECRET_NAMES = (
    ".env.md", ".env.local.md", "prod.env.md", "secrets.md", "SECRETS.md", "Secrets.Markdown", "my-credentials/a.md",
    "api_keys.md", "apiKeys/x/y.md", "id_rsa.md", "id_ed25519_work.md", "Passwords.mdx", "prod-secrets-2024.md",
    "server.pem.md", "secrets/readme.md", "aws_credentials.json.md", "access_token.md", "secret tokens.md",
    "Private-Key.md", "creds.md", "backup-passwords-old.md", "store.p12.md",
)  # fmt: skip
OTHER_FILES = (".env", "server.key", "id_rsa", "settings.json", "token.txt", "notes.rst", ".netrc", "store.pem")
SWAP_FILES = (".{0}.swp", "{0}~", "#{0}#", ".#{0}", "{0}.bak", "{0}.orig", ".{0}.un~", "{0}.swo", "{0}.tmp", ".{0}")
HIDDEN = (".private/{0}", ".{0}", ".git/{0}", ".obsidian/x/{0}", ".ddg/{0}", ".vscode/{0}")
OTHERS = ("node_modules/x/{0}", "build/{0}", "venv/lib/{0}", "dist/{0}", "vendor/x/{0}", "site-packages/{0}")


def _key(plants: Plants, word: str) -> None:
    rng = plants.rng
    lines = ["".join(rng.choices(BASE64, k=64)) for _ in range(rng.randint(1, 26))]
    for line in lines:  # the key is a canary, too
        plants.never[line[:40]] = "a line of a key"
    kind = rng.choice(("", "RSA ", "EC ", "OPENSSH ", "ENCRYPTED ", "DSA ", "PGP "))
    block = " BLOCK" if kind == "PGP " else ""
    head = {"PGP ": ["Version: x", ""], "RSA ": ["Proc-Type: 4,ENCRYPTED", "DEK-Info: AES-128-CBC,3F17", ""]}.get(
        kind, []
    )
    key = [f"-----BEGIN {kind}PRIVATE KEY{block}-----", *head, *lines, f"-----END {kind}PRIVATE KEY{block}-----"]
    text = plants.text(word, rng.choice(KEY_FORMS)(key) + "\n")
    if rng.random() < 0.3:
        text = ("word " * 30 + "\n\n") * 200 + text
    text = text.replace("\n", rng.choice(("\n", "\n", "\r\n")))
    encoding = rng.choice(("utf-8", "utf-8", "utf-8-sig", "utf-16", "utf-32"))
    plants.write(f"{plants.folder()}{word[:5]}-how-to.md", text.encode(encoding))
    plants.never[word] += f" {encoding}"


KEY_FORMS: tuple[Callable[[list[str]], str], ...] = (
    lambda key: "\n\n" + "\n".join(key),
    lambda key: "\n```\n" + "\n".join(key) + "\n```",
    lambda key: "\n" + "".join(f"> {line}\n" for line in key),
    lambda key: "\n" + "".join(f"    {line}\n" for line in key),
    lambda key: "\n" + "".join(f"\t- {line}\n" for line in key),
    lambda key: "\n" + "".join(f"| {line} |\n" for line in key),
    lambda key: "\n" + "".join(f"+{line}\n" for line in key),
    lambda key: "\n" + "".join(f"-{line}\n" for line in key),
    lambda key: "\n" + "".join(f"{n:>3}  {line}\n" for n, line in enumerate(key, 1)),
    lambda key: '{"private_key": "' + "\\n".join(key) + '\\n"}',
    lambda key: '"' + "\\r\\n".join(key) + '"',
    lambda key: '"{\\"k\\": \\"' + "\\\\n".join(key) + '\\"}"',
    lambda key: "\n" + "".join(f'"{line}\\n" +\n' for line in key),
    lambda key: "\n" + "".join(f'"{line}\\n" \\\n' for line in key),
    lambda key: "KEY='" + "\\\n".join(key) + "'",
    lambda key: "KEY=" + " ".join(key),
    lambda key: "<pre>" + "<br>".join(key) + "</pre>",
    lambda key: "<!--\n" + "\n".join(key) + "\n-->",
    lambda key: "<code>" + "</code>\n<code>".join(key) + "</code>",
)


def _link_out(plants: Plants, word: str) -> None:
    target = plants.outside / plants.folder() / f"{plants.word()}.md"
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(plants.text(word))
    link = plants.root / plants.folder() / f"link-{word[:4]}.md"
    link.parent.mkdir(parents=True, exist_ok=True)
    way = plants.rng.randrange(4)
    if way == 0:
        link.symlink_to(target)
    elif way == 1:
        link.with_suffix("").symlink_to(target.parent)
    elif way == 2:
        link.symlink_to(os.path.relpath(target, link.parent))
    else:  # by way of another link
        between = plants.outside / f"{plants.word()}.md"
        between.symlink_to(target)
        link.symlink_to(between)
    plants.never[plants.outside.name] = "the name of what lies outside"


def _link_to_left_out(plants: Plants, word: str) -> None:
    hidden = plants.write(f"{plants.folder()}.hidden/{word[:4]}.md", plants.text(word))
    link = plants.root / plants.folder() / f"to-{word[:4]}.md"
    link.parent.mkdir(parents=True, exist_ok=True)
    link.symlink_to(plants.root / hidden)


def _ignored(plants: Plants, word: str) -> None:
    name = f"{word[2:7]}.md"
    where = plants.folder() or "docs/"
    path = plants.write(f"{where}{name}", plants.text(word))
    way = plants.rng.randrange(5)
    if way == 0:
        plants.ignored.append(f"/{path}".replace(" ", "\\ "))
    elif way == 1:
        plants.ignored.append(name)
    elif way == 2:
        plants.ignored += [f"**/{name[:3]}*.md", "!nothing.md"]
    elif way == 3:
        plants.write(f"{where}{word[:6]}/{name}", plants.text(word))
        (plants.root / path).unlink()
        plants.write(f"{where}{word[:6]}/.gitignore", "*\n!.gitignore\n")
    else:
        plants.write(".git/info/exclude", f"{name}\n" + _text(plants.root / ".git/info/exclude"))


def _excluded(plants: Plants, word: str) -> None:
    name = f"{word[2:8]}.md"
    if plants.rng.random() < 0.3:
        plants.write(f"docs/{plants.rng.choice(('plan', 'archive'))}/{name}", plants.text(word))
        return
    path = plants.write(f"{plants.folder()}{name}", plants.text(word))
    plants.excluded.append(plants.rng.choice((f"**/{name}", path, f"**/{name[:4]}*")))


def _of_no_use(plants: Plants, word: str) -> None:
    data = plants.text(word).encode()
    spoiled = plants.rng.choice(
        (data + b"\0", data + b"\xff\xfe", plants.text(word).encode("utf-16-le"), data * 20_000)
    )
    plants.write(f"{plants.folder()}{word[:5]}.md", spoiled)


def _text(path: Path) -> str:
    return path.read_text("utf-8") if path.exists() else ""


def _named(names: tuple[str, ...], own: str = "{0}") -> Callable[[Plants, str], None]:
    def put(plants: Plants, word: str) -> None:
        name = plants.rng.choice(names).format(own.format(f"{word[:4]}.md"))
        plants.write(f"{plants.folder()}{name}", plants.text(word))

    return put


KINDS: dict[str, Callable[[Plants, str], None]] = {
    "a name that says secret": _named(SECRET_NAMES),
    "a private key in a document": _key,
    "a file that is no document": _named(OTHER_FILES),
    "an editor's own file": _named(SWAP_FILES),
    "a hidden place": _named(HIDDEN),
    "other people's files": _named(OTHERS),
    "a link out of the folder": _link_out,
    "a link to what is left out": _link_to_left_out,
    "ignored": _ignored,
    "excluded": _excluded,
    "of no use": _of_no_use,
}
