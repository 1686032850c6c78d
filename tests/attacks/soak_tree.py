"""A folder of documents that is written in, renamed, deleted and switched between branches, as a team's folder is.

Owns what lies on the disk and the texts that are made up for it; a seed decides everything. Must not know the server.
"""

from __future__ import annotations

import copy
import random
import shutil
import subprocess
from pathlib import Path

WORDS = [
    "backup", "restore", "retry", "queue", "deployment", "rollback", "invoice", "payment", "customer", "schema",
    "migration", "cluster", "node", "latency", "cache", "token", "session", "printer", "backlog", "kettle", "harbour",
    "orchard", "lantern", "saddle", "glacier", "violin", "pepper", "quarry", "beacon",
]  # fmt: skip
FOREIGN = (
    "백업을 복원하는 방법",
    "Sicherung wiederherstellen",
    "резервное копирование",
    "数据库备份与恢复",
    "café 🎉 naïve",
)
PARTS = 6
GIT = ("git", "-c", "user.name=x", "-c", "user.email=x@example.org", "-c", "commit.gpgsign=false", "-c", "gc.auto=0")


def sentence(rng: random.Random) -> str:
    """A sentence, now and then in another script."""
    if rng.random() < 0.1:
        return rng.choice(FOREIGN) + "."
    return " ".join(rng.choices(WORDS, k=rng.randint(5, 14))).capitalize() + "."


def section(rng: random.Random) -> str:
    """A heading and a paragraph."""
    title = " ".join(rng.choices(WORDS, k=3)).capitalize()
    return f"{'#' * rng.randint(2, 4)} {title}\n\n{sentence(rng)} {sentence(rng)}\n\n"


def document(rng: random.Random) -> str:
    """A whole document of a few sections; some with the other line ending."""
    text = f"# {' '.join(rng.choices(WORDS, k=2)).capitalize()}\n\n{sentence(rng)}\n\n"
    text += "".join(section(rng) for _ in range(rng.randint(1, 4)))
    return text.replace("\n", "\r\n") if rng.random() < 0.1 else text


class Tree:
    """The folder. Paths are `/`-paths in it."""

    def __init__(self, root: Path, rng: random.Random, count: int) -> None:
        self.root = root
        self._made = 0
        self._git = shutil.which("git") is not None
        self._branches: dict[str, dict[str, bytes]] = {}
        self.branch = "main"
        for _ in range(count):
            self.write(self.new_path(rng), document(rng))
        self._commit()
        if self._git:
            self._call("checkout", "--quiet", "-b", "other")
            self.branch = "other"
        for path in rng.sample(self.paths(), count // 2):
            (self.root / path).unlink()
            self.write(self.new_path(rng) if rng.random() < 0.5 else path, document(rng))
        self._commit()
        self.branches = ("main", "other")

    @property
    def switches_with(self) -> str:
        """What a branch is here."""
        return "git" if self._git else "a swap of the tree"

    def at(self, root: Path) -> Tree:
        """The same tree somewhere else, to be read only."""
        other = copy.copy(self)
        other.root = root
        return other

    def new_path(self, rng: random.Random) -> str:
        """A path nothing ever had."""
        self._made += 1
        return f"docs/part-{rng.randrange(PARTS)}/{rng.choice(WORDS)}-{self._made}.md"

    def paths(self) -> list[str]:
        """Every document that is there."""
        return sorted(path.relative_to(self.root).as_posix() for path in (self.root / "docs").rglob("*.md"))

    def read(self, path: str) -> str:
        """The text as it is, line endings untouched."""
        return (self.root / path).read_bytes().decode("utf-8")

    def write(self, path: str, text: str) -> None:
        """Write it as editors do: where it is."""
        (self.root / path).parent.mkdir(parents=True, exist_ok=True)
        (self.root / path).write_bytes(text.encode("utf-8"))

    def rename_folder(self, rng: random.Random) -> None:
        """One part gets another name and, the next time, perhaps its old one back."""
        parts = sorted(path for path in (self.root / "docs").iterdir() if path.is_dir())
        part = rng.choice(parts)
        name = part.name.removesuffix("-moved") if part.name.endswith("-moved") else f"{part.name}-moved"
        if not (part.parent / name).exists():
            part.rename(part.parent / name)

    def switch(self) -> None:
        """Commit what there is, and go to the other branch."""
        self._commit()
        self.branch = next(name for name in self.branches if name != self.branch)
        if self._git:
            return self._call("checkout", "--quiet", self.branch)
        shutil.rmtree(self.root / "docs")
        for path, data in self._branches[self.branch].items():
            self.write(path, data.decode("utf-8"))
        return None

    def _commit(self) -> None:
        if not self._git:
            self._branches[self.branch] = {path: (self.root / path).read_bytes() for path in self.paths()}
            self._branches.setdefault("other", self._branches[self.branch])
            return
        if not (self.root / ".git").exists():
            self._call("init", "--quiet", "--initial-branch", "main")
        self._call("add", "--all")
        self._call("commit", "--quiet", "--allow-empty", "--message", "x")

    def _call(self, *arguments: str) -> None:
        subprocess.run([*GIT, *arguments], cwd=self.root, check=True, capture_output=True)
