"""What each subcommand does. Imported only when one runs; everything here may import the core, nothing the server."""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from ddg_lsp import render
from ddg_lsp.core.errors import DdgError
from ddg_lsp.core.folder import Folder
from ddg_lsp.core.opening import Opened, open_folder
from ddg_lsp.core.query import Query, make_query
from ddg_lsp.core.report import model_dict
from ddg_lsp.core.settings import Problem
from ddg_lsp.core.settings import load as load_settings
from ddg_lsp.core.user_file import user_settings
from ddg_lsp.progress import Bar

MAX_LINE = 1_000_000


def query(arguments: argparse.Namespace) -> int:
    """`ddg-lsp query`: index what is missing for at most `--wait` seconds, then answer from what there is."""
    fields = _fields(arguments, " ".join(arguments.words)) | {"paths": arguments.path, "explain": arguments.explain}
    make_query(fields)  # a wrong call touches nothing
    if not arguments.wait >= 0:
        raise DdgError("USAGE", "--wait takes a number of seconds, 0 or more.", usage=True)
    opened = _open(arguments.root)
    asked = make_query(fields, limit=opened.settings.limit, mode=opened.settings.mode)
    _build(opened, arguments.wait if asked.mode != "lexical" else 0.0)
    answer = opened.ask(asked)
    folder = opened.folder
    report, info = folder.report(), folder.embedder.info if folder.embedder else None
    folder.close()
    if arguments.json:
        _print_json(render.answer_json(answer, report, info))
        return 0
    print(render.answer_text(answer, report, colour=render.wants_colour()))
    if note := render.condition(report):
        print(note, file=sys.stderr)
    return 0


def batch(arguments: argparse.Namespace) -> int:
    """`ddg-lsp batch`: one line out per line in, in order; a question that fails is answered with its error."""
    defaults = {key: value for key, value in _fields(arguments, "").items() if key != "query"}
    make_query(defaults | {"query": "x"})
    lines = list(_lines(arguments.queries))
    opened = _open(arguments.root)
    _build(opened, None)
    failed = 0
    for line in lines:
        entry = _answer_line(line, defaults, opened)
        failed += not entry["ok"]
        _print_json(entry)
    opened.folder.close()
    if failed:
        print(f"{failed} of {len(lines)} questions failed; each says why.", file=sys.stderr)
    return 0


def index(arguments: argparse.Namespace) -> int:
    """`ddg-lsp index`: refresh, embed what is missing, write."""
    opened = _open(arguments.root)
    _build(opened, None, rebuild=arguments.rebuild)
    folder = opened.folder
    report, info = folder.report(), folder.embedder.info if folder.embedder else None
    folder.close()
    if arguments.json:
        _print_json({"index": report.as_dict(), "model": model_dict(info)})
    else:
        print(render.report_text(report, info, opened.reason))
    return 0


def status(arguments: argparse.Namespace) -> int:
    """`ddg-lsp status`: what an answer would be based on right now; embeds nothing, writes nothing."""
    opened = _open(arguments.root)
    folder = opened.folder
    folder.refresh()
    report, info = folder.report(), folder.embedder.info if folder.embedder else None
    if arguments.json:
        plain: dict[str, object] = {"index": report.as_dict(), "model": model_dict(info), "reason": opened.reason}
        plain["tried"] = [{"embedder": name, "reason": why} for name, why in opened.tried]
        if arguments.files:
            plain["files"] = list(_files(folder))
            plain["skipped"] = [{"path": skip.path, "reason": skip.reason} for skip in report.skipped]
        _print_json(plain)
        return 0
    print(render.report_text(report, info, opened.reason))
    if arguments.files:
        for entry in _files(folder):
            print(f"indexed  {entry['embedded']:>4}/{entry['passages']:<4} {entry['path']}")
        for skip in report.skipped:
            print(f"skipped  {skip.reason:<12} {skip.path}")
    return 0


def doctor(arguments: argparse.Namespace) -> int:
    """`ddg-lsp doctor`: exit 1 when something needs mending."""
    from ddg_lsp.core import doctor as checks

    settings, problems = load_settings(Path.cwd(), user_settings())
    _tell(problems)
    report = checks.run(settings)
    if arguments.json:
        _print_json(report.as_dict())
    else:
        print(report.as_text())
    return 0 if report.healthy else 1


def _fields(arguments: argparse.Namespace, question: str) -> dict[str, object]:
    fields: dict[str, object] = {"query": question}
    if arguments.limit is not None:
        fields["limit"] = _number(arguments.limit)
    if arguments.per_file is not None:
        fields["perFile"] = _number(arguments.per_file)
    if arguments.mode is not None:
        fields["mode"] = arguments.mode
    return fields


def _number(text: str) -> object:
    """A whole number, or the text itself, which the query's own check then refuses with its own words."""
    try:
        return int(text)
    except ValueError:
        return text


def _open(root: str) -> Opened:
    opened = open_folder(Path(root))
    _tell(opened.problems)
    return opened


def _tell(problems: Iterable[Problem]) -> None:
    for problem in problems:
        print(f"ddg-lsp: {problem.where}: {problem.message}", file=sys.stderr)


def _build(opened: Opened, wait_seconds: float | None, *, rebuild: bool = False) -> None:
    """Refresh and embed until done or until the time is up; what is done is saved, also when interrupted."""
    folder = opened.folder
    folder.refresh()
    if rebuild:
        folder.rebuild()
    deadline = None if wait_seconds is None else time.monotonic() + wait_seconds
    try:
        with Bar(folder) as bar:
            # `opened.folder`, each time: when its embedder fails, another folder takes its place.
            while opened.folder.pending() and (deadline is None or time.monotonic() < deadline):
                opened.embed_some()
                bar.update()
                if opened.folder.checkpoint_due():
                    opened.folder.save()
    finally:
        opened.folder.finish()
        for notice in opened.folder.notices():
            print(f"ddg-lsp: {notice.sentence}", file=sys.stderr)


def _lines(source: str) -> Iterator[str]:
    try:
        content = sys.stdin.buffer.read() if source == "-" else Path(source).read_bytes()
    except OSError as error:
        raise DdgError("NO_QUERIES", f"The questions cannot be read: {error.strerror}.") from error
    for line in content.decode("utf-8-sig", "replace").split("\n"):
        if line.strip():
            yield line.strip()


def _answer_line(line: str, defaults: Mapping[str, object], opened: Opened) -> dict[str, object]:
    identity: object = None
    try:
        fields = _parse_line(line)
        identity = _finite(fields.get("id"))
        settings = opened.settings
        asked: Query = make_query({**defaults, **fields}, limit=settings.limit, mode=settings.mode)
        answer = opened.ask(asked)
    except DdgError as error:
        return {"id": identity, "ok": False, "error": {"code": error.code, "message": str(error)}}
    hits = [render.hit_json(hit) for hit in answer.hits]
    return {"id": identity, "ok": True, "query": asked.text, "mode": answer.mode, "hits": hits}


def _finite(identity: object) -> object:
    """The id as JSON can say it: infinities and NaN, which Python reads and JSON has not, become null."""
    try:
        json.dumps(identity, allow_nan=False)
    except ValueError:
        return None
    return identity


def _parse_line(line: str) -> Mapping[str, object]:
    try:
        fields = json.loads(line) if len(line) <= MAX_LINE else None
    except (ValueError, RecursionError):
        fields = None
    if not isinstance(fields, dict):
        raise DdgError("INVALID_LINE", "Each line must be a JSON object with a `query`.", usage=True)
    return fields


def _files(folder: Folder) -> Iterator[dict[str, object]]:
    snapshot = folder.snapshot
    for path, document in snapshot.documents.items():
        done = sum(snapshot.arena.has(passage.fingerprint) for passage in document.passages)
        yield {"path": path, "passages": len(document.passages), "embedded": done}


def _print_json(plain: Mapping[str, object]) -> None:
    print(json.dumps(plain, ensure_ascii=False, allow_nan=False), flush=True)
