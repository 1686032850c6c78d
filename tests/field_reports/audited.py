"""Runs a module and writes down what it asks of the system: `python -m tests.field_reports.audited LOG -m MODULE`.

One line of JSON for each file opened, folder listed, process started, socket bound or connected. With `--refuse NAME`
the system refuses to open or to list what has this name: permissions do not bind the user tests may run as. With
`--shout NAME` somebody writes to the process's standard output, below Python, whenever such a file is opened.
"""

from __future__ import annotations

import argparse
import json
import os
import runpy
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

FILES = frozenset({"open", "os.scandir", "os.listdir"})
PROCESSES = frozenset({"subprocess.Popen", "os.fork", "os.forkpty", "os.exec", "os.posix_spawn", "os.system"})
NETWORK = frozenset({"socket.bind", "socket.connect", "socket.getaddrinfo", "socket.gethostbyname"})


def audited(log: Path, *command: str, refuse: str = "", shout: str = "") -> tuple[str, ...]:
    """The arguments of Python that run `command` (`-m MODULE ...`) under watch."""
    return ("-m", "tests.field_reports.audited", str(log), f"--refuse={refuse}", f"--shout={shout}", *command)


def events(log: Path, kinds: frozenset[str] | None = None) -> list[tuple[str, str]]:
    """What was written down so far: (event, path or address), of these kinds."""
    lines = log.read_bytes().split(b"\n")[:-1] if log.exists() else []
    found: Sequence[tuple[str, str]] = [tuple(json.loads(line)) for line in lines]
    return [(name, what) for name, what in found if kinds is None or name in kinds]


def opened(log: Path, part: str = "") -> list[str]:
    """Paths of files that were opened and have `part` in them."""
    return [what for name, what in events(log, FILES) if name == "open" and part in what]


def watch(log: Path, refuse: str, shout: str) -> None:
    """Begin to write down."""
    handle = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)

    def hook(event: str, arguments: tuple[Any, ...]) -> None:
        if event in FILES and isinstance(arguments[0], (str, bytes, os.PathLike)):
            what = os.fsdecode(arguments[0])
        elif event in PROCESSES or event in NETWORK:
            what = repr(arguments)
        else:
            return
        os.write(handle, json.dumps([event, what]).encode() + b"\n")
        if shout and Path(what).name == shout:
            os.write(1, b"loading the model ... 100 %\n")
        if event in FILES and refuse and Path(what).name == refuse:
            raise PermissionError(13, "Permission denied", what)

    sys.addaudithook(hook)


def main() -> None:
    """See the module."""
    parser = argparse.ArgumentParser()
    parser.add_argument("log", type=Path)
    parser.add_argument("--refuse", default="")
    parser.add_argument("--shout", default="")
    parser.add_argument("-m", dest="module", required=True)
    options, rest = parser.parse_known_args()
    sys.argv = [options.module, *rest]
    watch(options.log, options.refuse, options.shout)
    runpy.run_module(options.module, run_name="__main__", alter_sys=True)


if __name__ == "__main__":
    main()
