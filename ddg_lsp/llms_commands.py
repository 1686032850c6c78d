"""`ddg-lsp llms`, `ddg-lsp map`, `ddg-lsp cite`: publishing, the documentation map, citations.

Owns their arguments and what they print; nothing heavy is imported before one of them runs. No model is loaded by any.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ddg_lsp import terminal
from ddg_lsp.core.errors import DdgError

if TYPE_CHECKING:
    from ddg_lsp.core.citations import Finding
    from ddg_lsp.core.llms_txt.check import Difference, Wanted
    from ddg_lsp.core.settings import Problem, Settings

Commands = argparse._SubParsersAction  # argparse has no public name for it


def add_llms_commands(commands: Commands[Any]) -> None:
    """Register the three commands."""
    _add_llms(commands)
    a_map = commands.add_parser("map", help="show what there is to read, in the order of the READMEs")
    a_map.add_argument("root", metavar="ROOT")
    a_map.add_argument("--limit", metavar="N", type=int, default=1_000, help="documents shown (default 1,000)")
    a_map.add_argument("--json", action="store_true", help="print one JSON object")
    a_map.set_defaults(command=show_map)
    cite = commands.add_parser("cite", help="check citations of documents")
    cited = cite.add_subparsers(metavar="WHAT", required=True)
    check = cited.add_parser("check", help="say which citations of a file still hold")
    check.add_argument("file", metavar="FILE", help="Markdown, JSON or JSON lines")
    check.add_argument("--root", metavar="ROOT", help="the folder that is cited (default: the project FILE lies in)")
    check.add_argument("--json", action="store_true", help="print one JSON object")
    check.set_defaults(command=cite_check)


def _add_llms(commands: Commands[Any]) -> None:
    llms = commands.add_parser(
        "llms", help="write llms.txt, the index of the documents for language models, or check it"
    )
    what = llms.add_subparsers(metavar="WHAT", required=True)
    for name, command, said in (
        ("generate", llms_generate, "write what is missing or out of date"),
        ("check", llms_check, "exit 1 where a file is missing or out of date; writes nothing"),
    ):
        one = what.add_parser(name, help=said)
        one.add_argument("root", metavar="ROOT", help="the workspace folder")
        one.add_argument("--full", action="store_true", help="llms-full.txt, too, even where there is none yet")
        one.add_argument("--json", action="store_true", help="print one JSON object")
        if command is llms_generate:
            one.add_argument("--force", action="store_true", help="also replace a file that was written by hand")
        one.set_defaults(command=command)


def llms_generate(arguments: argparse.Namespace) -> int:
    """`ddg-lsp llms generate`: write the files that differ; say which."""
    from ddg_lsp.core.llms_txt import check

    what = _wanted(arguments)
    written = check.generate(what, force=arguments.force)
    if arguments.json:
        files = [path for path, _ in what.files]
        _print_json({"ok": True, "files": files, "written": list(written), "pages": len(what.site.pages)})
    else:
        for path, _ in what.files:
            terminal.line(f"{terminal.visible(path)}: {'written' if path in written else 'up to date'}")
    return 0


def llms_check(arguments: argparse.Namespace) -> int:
    """`ddg-lsp llms check`: 0 up to date, 1 not, 2 where that cannot be found out."""
    from ddg_lsp.core.llms_txt import check

    try:
        what = _wanted(arguments)
    except DdgError as error:  # 1 says that something is out of date, and that is not known
        raise DdgError(error.code, str(error), usage=True) from error
    found = check.differences(what)
    if arguments.json:
        _print_json({"ok": not found, "files": [_difference_json(path, found) for path, _ in what.files]})
    else:
        for path, _ in what.files:
            terminal.line(_difference_text(path, found))
    states = {one.state for one in found}
    return 2 if "unreadable" in states else 1 if found else 0


def show_map(arguments: argparse.Namespace) -> int:
    """`ddg-lsp map`: the documentation map of a folder."""
    from ddg_lsp.core import documentation_map

    low, high = documentation_map.LIMIT_RANGE
    if not low <= arguments.limit <= high:
        raise DdgError("INVALID_LIMIT", f"--limit takes a number from {low} to {high}.", usage=True)
    root, settings = _folder(arguments.root)
    found = documentation_map.read_map(root, settings)
    shown = found.entries[: arguments.limit]
    if arguments.json:
        entries = [{"area": e.area, "title": e.title, "summary": e.summary, "path": e.path} for e in shown]
        cut = {"total": len(found.entries), "truncated": len(shown) < len(found.entries)}
        _print_json({"title": found.title, "summary": found.summary, **cut, "entries": entries})
        return 0
    terminal.line(terminal.visible(found.title + (f" - {found.summary}" if found.summary else "")))
    area = None
    for entry in shown:
        if entry.area != area:
            area = entry.area
            terminal.line(f"\n{terminal.visible(area)}")
        said = f": {entry.summary}" if entry.summary else ""
        terminal.line(f"  {terminal.visible(entry.path)}  {terminal.visible(entry.title + said)}")
    if len(shown) < len(found.entries):
        terminal.note(f"{len(found.entries) - len(shown)} more; --limit shows them.")
    return 0


def cite_check(arguments: argparse.Namespace) -> int:
    """`ddg-lsp cite check`: 0 where every citation holds, 1 where one does not, 2 where FILE cannot be read."""
    from ddg_lsp.core.cited_files import check_file

    file = Path(arguments.file)
    root, settings = _folder(arguments.root or _project_of(file))
    found = check_file(root, settings, file)
    broken = [one for one in found if one.state != "valid"]
    if arguments.json:
        counts: dict[str, int] = {}
        for one in found:
            counts[one.state] = counts.get(one.state, 0) + 1
        _print_json({"ok": not broken, "counts": counts, "citations": [_finding_json(one) for one in found]})
    else:
        for one in broken:
            where = f"{terminal.visible(arguments.file)}:{one.citation.line + 1}"
            terminal.line(f"{where}: {one.state}: {terminal.visible(one.message)}")
        held = f"{len(found) - len(broken)} of {len(found)} citations hold."
        terminal.line(held if found else f"{terminal.visible(arguments.file)} cites nothing.")
    return 1 if broken else 0


def _wanted(arguments: argparse.Namespace) -> Wanted:
    from ddg_lsp.core.llms_txt import check

    root, settings = _folder(arguments.root)
    what = check.wanted(root, settings, full=arguments.full)
    _tell(what.problems)
    for warning in what.site.warnings:
        terminal.note(f"ddg-lsp: {warning}")
    return what


def _folder(given: str | Path) -> tuple[Path, Settings]:
    """The real path of a folder and its settings. Raises `DdgError` NO_FOLDER."""
    from ddg_lsp.core.settings import load
    from ddg_lsp.core.user_file import user_settings

    try:
        root = Path(given).resolve(strict=True)
    except (OSError, RuntimeError, ValueError) as error:
        raise DdgError("NO_FOLDER", f"There is no folder {given}.") from error
    if not root.is_dir():
        raise DdgError("NO_FOLDER", f"{given} is not a folder.")
    settings, problems = load(root, user_settings())
    _tell(problems)
    return root, settings


def _project_of(file: Path) -> Path:
    """The nearest folder above a file that looks like the top of a project, else the file's own."""
    try:
        above = file.resolve().parents
    except (OSError, RuntimeError, ValueError):
        return file.parent
    tops = (one for one in above if (one / ".git").exists() or (one / "ddg.toml").exists())
    return next(tops, above[0])


def _difference_json(path: str, found: Iterable[Difference]) -> dict[str, object]:
    one = next((one for one in found if one.path == path), None)
    if one is None:
        return {"path": path, "state": "fresh"}
    plain: dict[str, object] = {"path": path, "state": one.state}
    return plain | ({"line": one.line} if one.line else {}) | ({"reason": one.reason} if one.reason else {})


def _difference_text(path: str, found: Iterable[Difference]) -> str:
    one = next((one for one in found if one.path == path), None)
    name = terminal.visible(path)
    if one is None:
        return f"{name}: up to date"
    if one.state == "stale":
        return f"{name}:{one.line}: out of date; this is the first line that differs"
    return f"{name}: missing" if one.state == "missing" else f"{name}: cannot be read ({one.reason})"


def _finding_json(one: Finding) -> dict[str, object]:
    cited = one.citation
    return {
        "line": cited.line + 1,
        "target": cited.target,
        "heading": cited.heading,
        "quote": cited.quote,
        "state": one.state,
        "message": one.message,
        "path": one.path or None,
        "citedLine": one.line + 1 if one.fingerprint else None,
        "fingerprint": one.fingerprint or None,
    }


def _tell(problems: Iterable[Problem]) -> None:
    for problem in problems:
        terminal.note(f"ddg-lsp: {problem.where}: {problem.message}")


def _print_json(plain: Mapping[str, object]) -> None:
    terminal.line(json.dumps(plain, ensure_ascii=False, allow_nan=False))
