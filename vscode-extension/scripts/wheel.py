"""Builds the server's wheel from this repository into dist/server, with a note of what it is (`server.json`).

    python scripts/wheel.py

The wheel is packed without compression: the .vsix around it compresses all its files as one, and gets smaller so.
"""

from __future__ import annotations

import hashlib
import json
import shutil
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

EXTENSION = Path(__file__).parents[1]
TARGET = EXTENSION / "dist" / "server"


def build(folder: Path) -> Path:
    """The wheel as pip makes it."""
    pip = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--disable-pip-version-check"]
    subprocess.run([*pip, "--wheel-dir", str(folder), str(EXTENSION.parent)], check=True)
    (wheel,) = folder.glob("*.whl")
    return wheel


def repack(wheel: Path, target: Path) -> None:
    """The same files in the same order, stored as they are; what RECORD says of them stays true."""
    with zipfile.ZipFile(wheel) as packed, zipfile.ZipFile(target, "w", zipfile.ZIP_STORED) as plain:
        for entry in packed.infolist():
            plain.writestr(entry, packed.read(entry), zipfile.ZIP_STORED)


def main() -> None:
    """Leave one wheel and one note in the target folder."""
    shutil.rmtree(TARGET, ignore_errors=True)
    TARGET.mkdir(parents=True)
    with tempfile.TemporaryDirectory() as scratch:
        wheel = build(Path(scratch))
        repack(wheel, TARGET / wheel.name)
    digest = hashlib.sha256((TARGET / wheel.name).read_bytes()).hexdigest()[:8]
    note = {"wheel": wheel.name, "version": wheel.name.split("-")[1], "digest": digest}
    (TARGET / "server.json").write_text(json.dumps(note) + "\n", "utf-8")
    print(f"dist/server/{wheel.name} ({digest})")


if __name__ == "__main__":
    main()
