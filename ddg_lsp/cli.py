"""The command line: arguments, exit codes and errors. The work is in `commands`; nothing heavy is imported here.

Exit 0: answered (also with no hit); 1: failed; 2: the call itself was wrong; 130: interrupted.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import re
import signal
import sys
from collections.abc import Callable, Sequence
from types import FrameType
from typing import Any, NoReturn

from ddg_lsp import __version__, terminal, utf8
from ddg_lsp.core.errors import DdgError
from ddg_lsp.docs_commands import add_docs_commands
from ddg_lsp.llms_commands import add_llms_commands
from ddg_lsp.nvim_path import add_nvim_path

Command = Callable[[argparse.Namespace], int]


class _Parser(argparse.ArgumentParser):
    """argparse, but with `--json` a wrong call is answered in JSON too."""

    def error(self, message: str) -> NoReturn:
        if message.endswith(": WORDS"):  # everybody's first slip
            message += '. The folder comes first, as in: ddg-lsp query . "how is it done?"'
        if "--json" in sys.argv:
            _print_error("USAGE", message, as_json=True)
            raise SystemExit(2)
        super().error(message)

    def _print_message(self, message: str, file: Any = None) -> None:
        """Help and version are results like any other; argparse would not say that they could not be written."""
        if file is sys.stdout:
            terminal.line(message.removesuffix("\n"))
        else:
            super()._print_message(message, file)


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code."""
    if argv is None:
        utf8.ensure()
    interrupted = _note_interrupts()
    try:
        terminal.prepare()
        return _run(argv)
    except BaseException as error:
        # What imports a package may turn the interruption into an error of its own.
        if not (interrupted or isinstance(error, KeyboardInterrupt)):
            raise
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # the process is ending already
        terminal.abandon_output()
        return 130


def _run(argv: Sequence[str] | None) -> int:
    arguments = argparse.Namespace()
    try:
        terminal.require_output()
        try:
            arguments = _parser().parse_args(argv)
        except SystemExit as end:  # `--help`, `--version`, a wrong call
            terminal.flush()
            return end.code if isinstance(end.code, int) else 2
        command: Command = arguments.command
        code = command(arguments)
        terminal.flush()
    except DdgError as error:
        lost = error.code == "NO_OUTPUT"
        if lost:
            terminal.abandon_output()
        _print_error(error.code, str(error), as_json=getattr(arguments, "json", False) and not lost)
        return 2 if error.usage else 1
    except BrokenPipeError:
        terminal.abandon_output()  # `| head` has seen enough
        return 0
    return code


def _note_interrupts() -> list[int]:
    """From now on the list is filled when the user interrupts, and Python goes on as it always does."""
    seen: list[int] = []

    def handle(number: int, frame: FrameType | None) -> None:
        seen.append(number)
        signal.default_int_handler(number, frame)

    with contextlib.suppress(ValueError):  # not the main thread: interruptions do not come here
        signal.signal(signal.SIGINT, handle)
    return seen


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(prog="ddg-lsp", description="Ask a folder's documents a question, by meaning, on this machine.")
    parser.add_argument("--version", action="version", version=f"ddg-lsp {__version__}")
    parser.set_defaults(command=_unnamed, tcp=None)
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", parser_class=_Parser)
    _add_serve(commands)
    _add_query(commands)
    _add_batch(commands)
    _add_index(commands)
    _add_status(commands)
    _add_doctor(commands)
    add_llms_commands(commands)
    add_docs_commands(commands)
    add_nvim_path(commands)
    return parser


def _add_serve(commands: argparse._SubParsersAction[_Parser]) -> None:
    serve = commands.add_parser("serve", help="run the language server (what an editor starts)")
    serve.add_argument("--stdio", action="store_true", help="speak over standard input and output (the default)")
    serve.add_argument("--tcp", metavar="HOST:PORT", help="listen on a local port instead, for debugging")
    serve.add_argument("--clientProcessId", help=argparse.SUPPRESS)
    serve.set_defaults(command=_serve)


def _add_query(commands: argparse._SubParsersAction[_Parser]) -> None:
    query = commands.add_parser("query", help="answer a question with the headings worth reading")
    query.add_argument("root", metavar="ROOT", help="the folder whose documents are asked")
    query.add_argument("words", metavar="WORDS", nargs="+", help="the question; several words are joined by spaces")
    _add_search_options(query)
    query.add_argument("--path", metavar="GLOB", action="append", default=[], help="only files that match (repeatable)")
    query.add_argument(
        "--source", metavar="NAME", action="append", default=[], help="also a site you added; `*` for all (repeatable)"
    )
    query.add_argument("--wait", metavar="S", type=float, default=30.0, help="index for at most S seconds (default 30)")
    query.add_argument("--explain", action="store_true", help="show how each score came about")
    query.add_argument("--json", action="store_true", help="print one JSON object")
    query.set_defaults(command=_lazy("query"))


def _add_batch(commands: argparse._SubParsersAction[_Parser]) -> None:
    batch = commands.add_parser("batch", help="answer many questions: JSON lines in, JSON lines out")
    batch.add_argument("root", metavar="ROOT")
    batch.add_argument(
        "--queries", metavar="FILE", required=True, help='lines of {"id", "query", …}; - is standard input'
    )
    _add_search_options(batch)
    batch.add_argument(
        "--summary", action="store_true", help="one more line at the end: what failed, what is unresolved"
    )
    batch.set_defaults(command=_lazy("batch"), json=True)


def _add_search_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--limit", metavar="N", help="files in the answer, 1 to 100 (default 30)")
    parser.add_argument("--mode", metavar="M", help="hybrid (default), semantic or lexical")
    parser.add_argument("--per-file", metavar="N", help="hits one file may have, 1 to 10 (default 1)")


def _add_index(commands: argparse._SubParsersAction[_Parser]) -> None:
    index = commands.add_parser("index", help="bring the index of a folder up to date")
    index.add_argument("root", metavar="ROOT")
    index.add_argument("--rebuild", action="store_true", help="embed everything anew")
    index.add_argument("--json", action="store_true", help="print one JSON object")
    index.set_defaults(command=_lazy("index"))


def _add_status(commands: argparse._SubParsersAction[_Parser]) -> None:
    status = commands.add_parser("status", help="say what is indexed, by which model, and what was skipped")
    status.add_argument("root", metavar="ROOT")
    status.add_argument(
        "--files", action="store_true", help="list every document, and every skipped file with its reason"
    )
    status.add_argument("--json", action="store_true", help="print one JSON object")
    status.set_defaults(command=_lazy("status"))


def _add_doctor(commands: argparse._SubParsersAction[_Parser]) -> None:
    doctor = commands.add_parser("doctor", help="check the installation, and say how to mend what is wrong")
    doctor.add_argument("--json", action="store_true", help="print one JSON object")
    doctor.set_defaults(command=_lazy("doctor"))


def _lazy(name: str) -> Command:
    """`--version` and `--help` answer before numpy and the engine are imported."""

    def run(arguments: argparse.Namespace) -> int:
        from ddg_lsp import commands

        command: Command = getattr(commands, name)
        return command(arguments)

    return run


def _serve(arguments: argparse.Namespace) -> int:
    from ddg_lsp.server.app import main as serve

    return serve(tcp=_address(arguments.tcp))


def _unnamed(arguments: argparse.Namespace) -> int:
    """No command: what some editors start; a person at a terminal would wait for ever."""
    if sys.stdin is not None and sys.stdin.isatty():
        sentence = "Name a command, such as `query`; --help lists them. `serve` is for editors."
        raise DdgError("USAGE", sentence, usage=True)
    return _serve(arguments)


def _address(text: str | None) -> tuple[str, int] | None:
    if text is None:
        return None
    host, _, port = text.rpartition(":")
    if not host or not re.fullmatch("[0-9]{1,5}", port) or int(port) >= 65_536:
        raise DdgError("USAGE", "--tcp takes HOST:PORT, for example 127.0.0.1:9257.", usage=True)
    return host.removeprefix("[").removesuffix("]"), int(port)


def _print_error(code: str, message: str, *, as_json: bool) -> None:
    if as_json:
        terminal.line(json.dumps({"ok": False, "error": {"code": code, "message": message}}, ensure_ascii=False))
    else:
        terminal.note(f"ddg-lsp: {message}")
