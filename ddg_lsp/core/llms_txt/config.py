"""How a folder is published: the table `[llms]` of its settings as one value, and what was wrong with it.

Owns the keys. Must not know documents.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ddg_lsp.core.errors import DdgError
from ddg_lsp.core.globs import match_globs
from ddg_lsp.core.llms_txt.heads import one_line
from ddg_lsp.core.setting_values import Problem

DEFAULT_FOLDER = "docs"
KEYS = ("folder", "baseUrl", "title", "summary", "details", "include", "order", "optional")
_SINGLE = frozenset(KEYS[:5])


@dataclass(frozen=True, slots=True)
class Publishing:
    """The table `[llms]`. Paths and patterns are relative to the published folder."""

    folder: str | None = None
    """The subfolder that is published and holds the files; None: `docs` where that holds documents, else the whole."""
    base_url: str = ""
    """Put before every path; empty for links relative to the file. No trailing `/`."""
    title: str = ""
    summary: str = ""
    details: str = ""
    """Paragraphs between summary and sections, Markdown without headings."""
    include: tuple[str, ...] = ()
    """Patterns of the documents that are listed; empty for all."""
    order: tuple[str, ...] = ()
    """Patterns of what comes first, in this order."""
    optional: tuple[str, ...] = ()
    """Patterns of what is listed under `## Optional`."""
    asked: bool = False
    """The table is there: whoever wrote it wants the file kept up to date."""


def publishing(table: Mapping[str, tuple[str, ...]]) -> tuple[Publishing, tuple[Problem, ...]]:
    """The table as a value; a problem for each key that could not be taken, which then counts as absent."""
    problems = [Problem(f"llms: {key}", "There is no such key.") for key in table if key not in KEYS]
    values: dict[str, object] = {}
    for key in KEYS:
        if key in table and (trouble := _trouble(key, table[key])):
            problems.append(Problem(f"llms: {key}", trouble))
        elif key in table:
            values[key] = table[key][0] if key in _SINGLE else table[key]
    folder, base = values.pop("folder", None), str(values.pop("baseUrl", ""))
    made = Publishing(
        folder=None if folder is None else _clean(str(folder)),
        base_url=base.strip().rstrip("/"),
        asked=bool(table),
        title=one_line(str(values.get("title", ""))),
        summary=one_line(str(values.get("summary", ""))),
        details=str(values.get("details", "")).replace("\r\n", "\n").replace("\r", "\n").strip(),
        **{key: values[key] for key in ("include", "order", "optional") if key in values},  # type: ignore[arg-type]
    )
    return made, tuple(problems)


def _trouble(key: str, value: tuple[str, ...]) -> str:
    if key in _SINGLE:
        if len(value) != 1:
            return "A text is wanted."
        return _single_trouble(key, value[0])
    try:
        match_globs(value)
    except DdgError as error:
        return str(error)
    return ""


def _single_trouble(key: str, value: str) -> str:
    if key == "baseUrl" and value and not value.startswith(("http://", "https://")):
        return "An address that begins with http:// or https:// is wanted."
    if key == "baseUrl" and (any(c.isspace() for c in value) or not set("()<>\\").isdisjoint(value)):
        return "An address without blanks, brackets and backslashes is wanted."
    if key == "folder" and (".." in value.replace("\\", "/").split("/") or value[:1] in "/\\" or value[1:2] == ":"):
        return "" if not value else "A folder inside the workspace folder is wanted."
    if key == "details" and any(line.lstrip().startswith("#") for line in value.splitlines()):
        return "Paragraphs and lists without headings are wanted."
    return ""


def _clean(folder: str) -> str:
    return "/".join(part for part in folder.replace("\\", "/").split("/") if part not in ("", "."))
