"""Workspaces for server tests: a few documents with what editors and encodings stumble over."""

from __future__ import annotations

from pathlib import Path

EMOJI = "# Guide 🎉\n\nHow to begin.\n\n## 𝔘nicode 🎉 retry policy\n\nFailed requests are retried three times.\n"
CRLF = "# Operations\n\nDaily work.\n\n## Nightly backup\n\nThe database is copied every night.\n".replace("\n", "\r\n")
COOKING = "# Kitchen\n\nFood.\n\n## Apple pie\n\nBake the apples in butter, with cinnamon and sugar.\n"


def write(root: Path, files: dict[str, str]) -> Path:
    """Write files exactly as given."""
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode("utf-8"))
    return root


def workspace(root: Path) -> Path:
    """Three documents and a program."""
    files = {"docs/guide 🚀.md": EMOJI, "docs/ops.md": CRLF, "docs/küche #1.md": COOKING}
    return write(root, {**files, "app.py": "def retry_policy():\n    return 3  # backup\n"})


def many(root: Path, count: int, sections: int = 4) -> Path:
    """So many documents about numbered things."""
    words = ("alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta")
    for number in range(count):
        body = "".join(
            f"\n## Part {part} of {words[(number + part) % 8]}\n\nThing {number} has property {number * 31 + part}.\n"
            for part in range(sections)
        )
        write(root, {f"docs/d{number:04}.md": f"# Document {number}\n{body}"})
    return root
