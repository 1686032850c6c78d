"""Trees as nobody plans them: odd names, links in loops and out of the folder, pipes and devices in place of files.

Each tree is real, on the disk the test runs on. What the system itself refuses to make is told as a fact.
"""

from __future__ import annotations

import os
import random
import socket
import stat
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from ddg_lsp.core import corpus
from ddg_lsp.core.listing import safe_name, shown
from ddg_lsp.core.model import Skip
from tests.attacks.documents_place import ask_terminal, check_folder, limit, read_whole
from tests.attacks.run import Run
from tests.helpers.folders import ask

# fmt: off
NAMES = (
    " ", "  a", "a ", "a b", "#", "a#b", "%", "%20", "50%25", "%zz", "?", "a?b=c&d", "*", "[a]",
    "{a,b}", "!", "~", "$HOME",
    "`id`", "$(id)", ";", "|", "&", "'", '"', "\\", "a\\b", ":", "C:", "a:b", "<a>", "-", "--",
    "-rf", "--help", "+", "=", "@",
    "🚀", "👩\u200d💻", "🇩🇪", "é", "e\u0301", "설치", "\u1109\u1165\u11af", "設定", "ไทย", "עברית", "ﬁ",
    "ＦＵＬＬ", "İ", "ß", "ſ",
    "\u00a0", "\u3000", "\u200b", "\ufeff", "\u00ad", "\U0001d518", "\U0010fffd", "\ufffd",
    "\ue000", "\u0378", "x" * 245, "é" * 120,
    "漢" * 80, "CON", "NUL", "aux.txt", "LPT1", "a.", "a..b", "...", "a.md.md", "README", "index",
    "A", "a", "a\nb", "\n", "\r", "a\tb",
    "\x01", "\x1b[31mred", "\x7f", "\x85", "\u2028", "\u202egpj", "\u2066a", "\udcff", "caf\udce9",
    "\udce3\udc81", "a\udc80/b",
)
# fmt: on
OUTSIDE = "the text nobody may see"


def names(run: Run) -> None:
    """Each name for a file, for a folder, and for both; read, asked for by its own word, printed as JSON."""
    root = run.folder / "names"
    made: dict[str, str] = {}
    for name in NAMES:
        for kind, path in (("file", f"{name}.md"), ("folder", f"{name}/in.md"), ("both", f"d/{name}/{name}.md")):
            try:
                target = os.path.join(os.fsencode(root), path.encode("utf-8", "surrogateescape"))  # noqa: PTH118
                os.makedirs(os.path.dirname(target), exist_ok=True)  # noqa: PTH103, PTH120
                with open(target, "xb") as file:  # noqa: PTH123 - a name that is no text
                    word = "q" + "".join(chr(ord("a") + int(digit)) for digit in f"{len(made):04}")
                    file.write(f"# Title {word}\n\ntext\n".encode())
            except OSError as error:
                run.fact(f"not made here: {kind} {name[:20]!r} ({error.strerror})")
            else:
                made[path] = word
    with limit(), run.attempt("a tree of odd names", len(made)):
        folder = read_whole(root)
        check_folder(folder)
    reasons = {skip.path: skip.reason for skip in folder.snapshot.skipped}
    for path, word in made.items():
        with run.attempt("an odd name", repr(path)):
            if all(safe_name(part) and not part.startswith(".") for part in path.split("/")):
                found = [hit.passage.path for hit in ask(folder, word, mode="lexical").hits]
                assert found[:1] == [path], found[:3]
            else:
                parts = path.split("/")
                above = ["/".join(parts[: n + 1]) + "/" * (n + 1 < len(parts)) for n in range(len(parts))]
                assert any(reasons.get(shown(one)) in ("bad-name", "hidden") for one in above), above
    with run.attempt("odd names on the terminal", "status"):
        code, said, _ = ask_terminal(run.folder, root, "status", "--files")
        assert (code, said["index"]["documents"]) == (0, len(folder.snapshot.documents))
    word = made["🚀.md"]
    with run.attempt("odd names on the terminal", "query"):
        code, said, _ = ask_terminal(run.folder, root, "query", word)
        assert (code, said["hits"][0]["path"]) == (0, "🚀.md")


def links(run: Run) -> None:
    """Trees with links put anywhere to anything: each file once, nothing from outside, an end."""
    for number, rng in enumerate(run.rounds(at_least=25)):
        base = run.folder / f"links{number}"
        root = _linked(rng, base)
        with limit(), run.attempt("a tree of links at random", sorted(map(str, root.rglob("*")))[:50]):
            folder = read_whole(root)
            check_folder(folder)
            real = [os.path.realpath(root / path) for path in folder.snapshot.documents]
            assert len(set(real)) == len(real)
            assert all(path.startswith(f"{os.path.realpath(root)}/") for path in real)
            assert not any(OUTSIDE in document.text for document in folder.snapshot.documents.values())
        for path in list(base.rglob("*"))[:40]:
            given = os.path.relpath(path, root)
            with run.attempt("a path through links, read as it is", given):
                found = corpus.read(root, given, folder.settings)
                assert isinstance(found, Skip) or OUTSIDE not in found


def _linked(rng: random.Random, base: Path) -> Path:
    root = base / "root"
    folders = [root, *(root / one for one in ("a", "b", "a/c", "a/c/d", "build", ".h")), base / "out", base / "root2"]
    for folder in folders:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "page.md").write_text("# Page\n\n" + (OUTSIDE if root not in (folder, *folder.parents) else "inside"))
    for number in range(rng.randrange(1, 25)):
        place = rng.choice(folders) / rng.choice(
            [f"l{number}", f"l{number}.md", "page2.md", ".gitignore", "ddg.toml", "synonyms.txt"]
        )
        target = rng.choice(
            [*folders, *(folder / "page.md" for folder in folders), *base.rglob("l*"), Path("/"), Path("/proc/self")]
        )
        with suppress(FileExistsError):
            place.symlink_to(target if rng.random() < 0.4 else os.path.relpath(target, place.parent))
    return root


def chains(run: Run) -> None:
    """A link to a link to a link, to itself, to what is gone; a folder in a folder thousands deep."""
    root = run.folder / "chains"
    root.mkdir()
    (root / "end.md").write_text("# End\n")
    for length in (1, 39, 40, 41, 300):
        before = "end.md"
        for number in range(length):
            (root / f"c{length}-{number}.md").symlink_to(before)
            before = f"c{length}-{number}.md"
    for name, target in (
        ("self.md", "self.md"),
        ("x.md", "y.md"),
        ("y.md", "x.md"),
        ("gone.md", "no/such.md"),
        ("up", ".."),
        ("here", "."),
    ):
        (root / name).symlink_to(target)
    place = os.open(root, os.O_RDONLY)
    for _ in range(400):  # deeper than one path can name
        os.mkdir("d" * 12, dir_fd=place)
        deeper = os.open("d" * 12, os.O_RDONLY, dir_fd=place)
        os.close(place)
        place = deeper
    handle = os.open("deep.md", os.O_WRONLY | os.O_CREAT, dir_fd=place)
    os.close(handle)
    os.close(place)
    with limit(), run.attempt("chains of links, a tree deeper than a path"):
        folder = read_whole(root)
        check_folder(folder)
        assert "end.md" in folder.snapshot.documents


def _special() -> dict[str, Callable[[Path], object]]:
    def device(kind: int, major: int, minor: int) -> Callable[[Path], object]:
        return lambda path: os.mknod(path, kind | 0o666, os.makedev(major, minor))

    def listening(path: Path) -> None:
        with socket.socket(socket.AF_UNIX) as one:
            one.bind(os.path.relpath(path))

    return {
        "a pipe": os.mkfifo,
        "a socket": listening,
        "a folder": Path.mkdir,
        "the device null": device(stat.S_IFCHR, 1, 3),
        "the device zero": device(stat.S_IFCHR, 1, 5),
        "the device random": device(stat.S_IFCHR, 1, 8),
        "the device full": device(stat.S_IFCHR, 1, 7),
        "the terminal": device(stat.S_IFCHR, 5, 0),
        "a block device": device(stat.S_IFBLK, 7, 200),
        "a link to zero": lambda path: path.symlink_to("/dev/zero"),
        "a link to this process's memory": lambda path: path.symlink_to("/proc/self/mem"),
        "a link to standard input": lambda path: path.symlink_to("/dev/stdin"),
        "a link to itself": lambda path: path.symlink_to(path.name),
        "a link to nothing": lambda path: path.symlink_to("nothing"),
        "a sparse file of 8 GB": lambda path: (path.touch(), os.truncate(path, 8 << 30)),
        "a file of nothing": Path.touch,
    }


PLACES = (
    "page.md",
    "docs",
    "docs/page.md",
    "ddg.toml",
    "dotdotgod.config.json",
    "synonyms.txt",
    ".gitignore",
    ".git",
    ".git/info/exclude",
    ".ddg",
    "docs/.gitignore",
    "llms.txt",
)
"""Every file and folder of a workspace that is looked at."""


def special(run: Run) -> None:
    """Whatever may stand in a folder instead of a file, in every place: told, not waited for."""
    refused: dict[str, str] = {}
    for number, (kind, make) in enumerate(_special().items()):
        for place in PLACES:
            root = run.folder / f"special{number}" / place.replace("/", "-")
            (root / place).parent.mkdir(parents=True)
            (root / "good.md").write_text("# Good\n")
            try:
                make(root / place)
            except OSError as error:
                refused[kind] = error.strerror or ""
                continue
            with limit(), run.attempt(f"{kind} in place of", place):
                folder = read_whole(root)
                check_folder(folder)
                assert "good.md" in folder.snapshot.documents or place in ("dotdotgod.config.json", "docs")
                found = corpus.read(root, place, folder.settings)
                assert isinstance(found, Skip) or not found
    for kind, why in refused.items():
        run.fact(f"not made here: {kind} ({why})")
    for kind in ("a pipe", "the device zero"):
        with suppress(OSError):
            root = run.folder / f"terminal {kind}"
            root.mkdir()
            (root / "good.md").write_text("# Good\n")
            for place in ("page.md", "ddg.toml", "synonyms.txt", ".gitignore", ".ddg"):
                _special()[kind](root / place)
            with run.attempt(f"{kind} everywhere, on the terminal"):
                code, said, _ = ask_terminal(run.folder, root, "query", "good")
                assert (code, said["hits"][0]["path"]) == (0, "good.md")
