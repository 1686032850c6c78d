"""What each subcommand does. Imported only when one runs; everything here may import the core, nothing the server."""

from __future__ import annotations

import argparse
import json
import sys
import time
import traceback
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from ddg_lsp import render, terminal
from ddg_lsp.core.batch import Entry, failure, sayable, summary
from ddg_lsp.core.corpus_rules import REASONS
from ddg_lsp.core.errors import DdgError
from ddg_lsp.core.folder import Folder
from ddg_lsp.core.globs import match_globs
from ddg_lsp.core.opening import Opened, open_folder
from ddg_lsp.core.query import Query, make_query
from ddg_lsp.core.report import file_dicts, model_dict, skip_dicts
from ddg_lsp.core.settings import Problem
from ddg_lsp.core.settings import load as load_settings
from ddg_lsp.core.user_file import user_settings
from ddg_lsp.progress import Bar, FetchBar
from ddg_lsp.site_query import Asked

MAX_LINE = 1_000_000
_NO_LOOKING = frozenset({"unreadable", "vanished", "link-outside", "link-loop"})
"""Why the folder itself could not be listed."""


def query(arguments: argparse.Namespace) -> int:
    """`ddg-lsp query`: index what is missing for at most `--wait` seconds, then answer from what there is."""
    fields = _fields(arguments, " ".join(arguments.words)) | {"paths": arguments.path, "explain": arguments.explain}
    make_query(fields)  # a wrong call touches nothing
    if not arguments.wait >= 0:
        raise DdgError("USAGE", "--wait takes a number of seconds, 0 or more.", usage=True)
    sites = Asked(arguments.source)
    opened = _open(arguments.root)
    asked = make_query(fields, limit=opened.settings.limit, mode=opened.settings.mode)
    _refresh(opened.folder)
    documents = opened.folder.snapshot.documents
    rankable = not asked.paths or any(map(match_globs(asked.paths), documents))
    _embed(opened, arguments.wait if asked.mode != "lexical" and rankable else 0.0, asked.text)
    answer = sites.ask(opened, asked, arguments.wait)
    origins = sites.origins(answer)
    folder = opened.folder
    report, info = folder.report(), folder.embedder.info if folder.embedder else None
    folder.close()
    if arguments.json:
        found = render.answer_json(answer, report, info, origins)
        _print_json(found | ({"sources": sites.described()} if sites.names else {}))
        sites.close()
        return 0
    sites.close()
    terminal.line(render.answer_text(answer, report, origins, colour=terminal.wants_colour()))
    sites.tell()
    if rankable and (note := render.condition(report, answer.mode)):
        terminal.note(note)
    return 0


def batch(arguments: argparse.Namespace) -> int:
    """`ddg-lsp batch`: one line out per line in, in order; a question that fails is answered with its error."""
    defaults = {key: value for key, value in _fields(arguments, "").items() if key != "query"}
    make_query(defaults | {"query": "x"})
    lines = list(_lines(arguments.queries))
    opened = _open(arguments.root)
    _build(opened, None)
    entries = []
    for line in lines:
        entry = _answer_line(line, defaults, opened)
        _print_json(entry)
        matches = [{"match": hit["match"]} for hit in entry.get("hits", ())]
        entries.append({"id": entry["id"], "ok": entry["ok"], "hits": matches})
    opened.folder.close()
    found = summary(entries)
    if arguments.summary:
        _print_json(found)
    if failed := found["failedCount"]:
        terminal.note(f"{failed} of {len(lines)} questions failed; each says why.")
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
        terminal.line(render.report_text(report, info, opened.reason))
    return 0


def status(arguments: argparse.Namespace) -> int:
    """`ddg-lsp status`: what an answer would be based on right now; embeds nothing, writes nothing."""
    opened = _open(arguments.root)
    folder = opened.folder
    _refresh(folder)
    report, info = folder.report(), folder.embedder.info if folder.embedder else None
    if arguments.json:
        plain: dict[str, object] = {"index": report.as_dict(), "model": model_dict(info), "reason": opened.reason}
        plain["tried"] = [{"embedder": name, "reason": why} for name, why in opened.tried]
        if arguments.files:
            plain["files"] = list(file_dicts(folder.snapshot))
            plain["skipped"] = list(skip_dicts(report.skipped))
        _print_json(plain)
        return 0
    terminal.line(render.report_text(report, info, opened.reason))
    if arguments.files:
        for entry in file_dicts(folder.snapshot):
            path = terminal.visible(str(entry["path"]))
            terminal.line(f"indexed  {entry['embedded']:>4}/{entry['passages']:<4} {path}")
        for skip in report.skipped:
            terminal.line(f"skipped  {skip.reason:<12} {terminal.visible(skip.path)}")
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
        for line in report.as_text().split("\n"):
            terminal.line(terminal.visible(line))
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
    opened = open_folder(Path(root), on_fetch=FetchBar())
    _tell(opened.problems)
    return opened


def _tell(problems: Iterable[Problem]) -> None:
    for problem in problems:
        terminal.note(f"ddg-lsp: {problem.where}: {problem.message}")


def _build(opened: Opened, wait_seconds: float | None, *, rebuild: bool = False) -> None:
    """Refresh and embed until done or until the time is up."""
    _refresh(opened.folder)
    if rebuild:
        opened.folder.rebuild()
    _embed(opened, wait_seconds)


def _embed(opened: Opened, wait_seconds: float | None, question: str | None = None) -> None:
    """Embed until done or until the time is up; what is done is saved, also when interrupted.

    What the question is likely to need comes first: passages that are embedded stand before those that are not yet.
    """
    deadline = None if wait_seconds is None else time.monotonic() + wait_seconds
    try:
        with Bar(opened.folder) as bar:
            if question and wait_seconds and opened.folder.pending():
                opened.hasten(question)
            # `opened.folder`, each time: when its embedder fails, another folder takes its place.
            while opened.folder.pending() and (deadline is None or time.monotonic() < deadline):
                opened.embed_some()
                bar.update()
                if opened.folder.checkpoint_due():
                    opened.folder.save()
    finally:
        opened.folder.finish()
        for notice in opened.folder.notices():
            terminal.note(f"ddg-lsp: {notice.sentence}")


def _refresh(folder: Folder) -> None:
    """Look for changes. A folder that cannot be looked at has no answer, least of all an empty one."""
    folder.refresh()
    start = folder.settings.root
    for skip in folder.snapshot.skipped:
        if skip.path == f"{start or '.'}/" and skip.reason in _NO_LOOKING:
            where = folder.root / start if start else folder.root
            raise DdgError("NO_FOLDER", f"The folder {where} cannot be searched: {REASONS[skip.reason]}.")
    if folder.dictionary.failure:
        terminal.note(f"ddg-lsp: {folder.settings.synonyms}: {folder.dictionary.failure} No word is expanded.")


def _lines(source: str) -> Iterator[str]:
    if source == "-" and sys.stdin is None:
        raise DdgError("NO_QUERIES", "The questions cannot be read: standard input is closed.")
    try:
        content = sys.stdin.buffer.read() if source == "-" else Path(source).read_bytes()
    except (OSError, ValueError) as error:  # ValueError: a name with NUL
        why = error.strerror if isinstance(error, OSError) else "there is no such file"
        raise DdgError("NO_QUERIES", f"The questions cannot be read: {why}.") from error
    for line in content.decode("utf-8-sig", "replace").split("\n"):
        if line.strip():
            yield line.strip()


def _answer_line(line: str, defaults: Mapping[str, object], opened: Opened) -> Entry:
    identity: object = None
    try:
        fields = _parse_line(line)
        identity = sayable(fields.get("id"))
        settings = opened.settings
        asked: Query = make_query({**defaults, **fields}, limit=settings.limit, mode=settings.mode)
        answer = opened.ask(asked)
    except DdgError as error:
        return failure(identity, error.code, str(error), line)
    except Exception as error:
        # Whatever it was, it is this question's trouble: the others are answered.
        traceback.print_exc()
        return failure(identity, "INTERNAL", f"The question failed: {type(error).__name__}.", line)
    hits = [render.hit_json(hit) for hit in answer.hits]
    return {"id": identity, "ok": True, "query": asked.text, "mode": answer.mode, "hits": hits}


def _parse_line(line: str) -> Mapping[str, object]:
    try:
        fields = json.loads(line) if len(line) <= MAX_LINE else None
    except (ValueError, RecursionError):
        fields = None
    if not isinstance(fields, dict):
        raise DdgError("INVALID_LINE", "Each line must be a JSON object with a `query`.", usage=True)
    return fields


def _print_json(plain: Mapping[str, object]) -> None:
    terminal.line(json.dumps(plain, ensure_ascii=False, allow_nan=False))
