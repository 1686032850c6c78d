"""The wire: every method name, command id and shape of our own. `parse_*` validates, `to_*` converts.

Owns what docs/reference/protocol.md describes. Must not know how an answer comes about: the core speaks offsets, the
protocol positions, and the two meet here and nowhere else.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ddg_lsp.core.errors import DdgError
from ddg_lsp.core.report import IndexReport, file_dicts, model_dict, skip_dicts
from ddg_lsp.core.sites import names
from ddg_lsp.core.text import Encoding
from ddg_lsp.server.ranges import Ranges

if TYPE_CHECKING:  # with them numpy would be imported before `initialize` is answered
    from ddg_lsp.core.embedding import EmbedderInfo
    from ddg_lsp.core.index import Snapshot
    from ddg_lsp.core.model import Document, Passage
    from ddg_lsp.core.query import Query
    from ddg_lsp.core.search import Answer, Heading, Hit

QUERY = "workspace/semanticDocQuery"
QUERY_BATCH = "workspace/semanticDocQueryBatch"
MAP = "workspace/documentationMap"
STATUS = "ddg/status"
OPEN_HEADING = "ddg.server.openHeading"
REINDEX = "ddg.server.reindex"
SHOW_STATUS = "ddg.server.showStatus"
GENERATE_LLMS = "ddg.server.generateLlmsTxt"

REQUESTS = (QUERY, QUERY_BATCH, MAP)
COMMANDS = (QUERY, QUERY_BATCH, MAP, OPEN_HEADING, REINDEX, SHOW_STATUS, GENERATE_LLMS)
NOTIFICATIONS = (STATUS,)
OPEN_DOCS_KIND = "ddg.openDocs"
"""The kind of our code action. None of the protocol's own fits: nothing is fixed, rewritten or organised."""
CAPABILITY = "semanticDocQuery"
"""In the server's `experimental` capabilities, as `{"version": 1}`."""
STATUS_CAPABILITY = "ddgStatus"
"""In the client's `experimental` capabilities, `true`: it wants `ddg/status`."""
VERSION = 1
SECTION = "ddg"
"""The section of the editor's settings that is ours."""

MAX_BATCH = 100
MAX_FOLDERS = 100

Wire = dict[str, Any]
"""A JSON object as it is sent."""


@dataclass(frozen=True, slots=True)
class Question:
    """A question as it came: its fields for `make_query`, and what only the server reads of it."""

    fields: Mapping[str, object]
    folders: tuple[str, ...] | None
    token: str | int | None
    """The client's `workDoneToken`."""
    sources: tuple[str, ...] = ()
    """Documentation sites of the user's to be asked, too."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where a heading is, as `ddg.server.openHeading` is given it."""

    uri: str
    range: Wire
    take_focus: bool


def plain(value: Any) -> Any:
    """Anything the protocol layer hands over for untyped JSON, as dicts, lists and scalars again."""
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if hasattr(value, "_asdict"):
        return plain(value._asdict())
    if hasattr(value, "__attrs_attrs__"):
        return {field.name: plain(getattr(value, field.name)) for field in value.__attrs_attrs__}
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    return value


def parse_question(params: object) -> Question:
    """The params of `workspace/semanticDocQuery`; the fields of the question itself are checked by `make_query`."""
    fields = _object(params)
    folders = fields.get("folders")
    token = fields.get("workDoneToken")
    if folders is not None and (not _strings(folders) or len(folders) > MAX_FOLDERS):
        raise _bad("INVALID_FOLDERS", f"`folders` must be a list of at most {MAX_FOLDERS} addresses.", "not_a_list")
    if token is not None and (isinstance(token, bool) or not isinstance(token, (str, int))):
        raise _bad("INVALID_TOKEN", "`workDoneToken` must be a text or a whole number.", "not_a_token")
    sources = names.checked(fields.get("sources"))
    return Question(fields, None if folders is None else tuple(folders), token, sources)


def parse_batch(params: object) -> list[object]:
    """The params of `workspace/semanticDocQueryBatch`: its entries, each still to be checked by itself."""
    entries = _object(params).get("queries")
    if not isinstance(entries, list) or not 1 <= len(entries) <= MAX_BATCH:
        raise _bad("INVALID_BATCH", f"`queries` must be a list of 1 to {MAX_BATCH} questions.", "not_a_list")
    return entries


def parse_place(arguments: Sequence[object]) -> Place:
    """The argument of `ddg.server.openHeading`: `{uri, range, takeFocus?}`."""
    fields = _object(arguments[0] if arguments else None)
    uri, wanted = fields.get("uri"), fields.get("range")
    if not isinstance(uri, str) or ":" not in uri:
        raise _bad("INVALID_URI", "`uri` must be an address.", "not_a_uri")
    if not isinstance(wanted, dict) or not all(_is_position(wanted.get(end)) for end in ("start", "end")):
        raise _bad("INVALID_RANGE", "`range` must have a start and an end.", "not_a_range")
    return Place(uri, wanted, fields.get("takeFocus") is not False)


def wants_symbols(options: object) -> bool:
    """Whether these settings, as the client sent them, switch on the answer to `workspace/symbol`."""
    if not isinstance(options, Mapping) or not options:
        return False
    from ddg_lsp.core import settings  # not needed to answer most clients' `initialize`

    return settings.load(Path(os.devnull), options)[0].workspace_symbols


def parse_options(arguments: Sequence[object]) -> Wire:
    """The optional first argument of a command, an object; `{}` where there is none."""
    return _object(arguments[0]) if arguments and arguments[0] is not None else {}


@dataclass(frozen=True, slots=True)
class Addresses:
    """How one answer's hits become locations: the encoding, a document's address, and its text on the screen."""

    encoding: Encoding
    uri_of: Callable[[Any, str], str]
    """From the index's root and the document's path."""
    screen: Callable[[Any, str], str | None]
    """The text of the document in the editor; None where it is not open."""
    shown: Callable[[Hit, Wire], Wire] = lambda _, wire: wire
    """What of a hit differs where it is no file's."""
    _known: dict[tuple[Any, str], Ranges] = field(default_factory=dict)

    def ranges(self, root: Any, document: Document) -> Ranges:
        """Positions in one document, for the text the user sees."""
        key = (root, document.path)
        if key not in self._known:
            self._known[key] = Ranges(document.text, self.screen(root, document.path), self.encoding)
        return self._known[key]


def to_result(
    answer: Answer, where: Addresses, report: IndexReport, info: EmbedderInfo | None, elapsed_ms: float
) -> Wire:
    """The result of `workspace/semanticDocQuery`."""
    return {
        **to_query(answer.query, answer.mode),
        "revision": answer.revision,
        "elapsedMs": round(elapsed_ms, 1),
        "index": report.as_dict(),
        "model": model_dict(info),
        "hits": _once(where.shown(hit, to_hit(hit, where)) for hit in answer.hits),
    }


def to_query(query: Query, mode: str) -> Wire:
    """The question as it was understood."""
    return {"query": query.text, "mode": mode, "limit": query.limit}


def to_hit(hit: Hit, where: Addresses) -> Wire:
    """One hit: `range` is the section, `selectionRange` the heading's line."""
    passage, ranges = hit.passage, where.ranges(hit.root, hit.document)
    shown = {
        "id": passage.id,
        "uri": where.uri_of(hit.root, passage.path),
        "path": passage.path,
        "headings": list(passage.headings),
        "level": passage.level,
        "range": ranges.range(passage.start, passage.end),
        "selectionRange": ranges.range(passage.heading_start, passage.heading_end),
        "excerpt": hit.excerpt,
        "score": hit.score,
        "semanticScore": hit.semantic_score,
        "lexicalScore": hit.lexical_score,
        "boost": hit.boost,
        "match": hit.match,
        "alsoIn": [_also(heading, ranges) for heading in hit.also_in],
        "alternates": [_alternate(document, where.uri_of(hit.root, document.path)) for document in hit.alternates],
    }
    return shown if hit.explain is None else {**shown, "explain": hit.explain}


def to_title(hit: Wire) -> str:
    """The title of the code action for a hit."""
    heading = " ".join(" > ".join(hit["headings"]).split())
    return f"Open docs: {heading} — {hit['path']}" if heading else f"Open docs: {hit['path']}"


def to_status(report: IndexReport, info: EmbedderInfo | None, *, quiescent: bool, lacking: bool) -> Wire:
    """The params of `ddg/status`; `lacking`: there is no model, and nobody wanted it so."""
    health = "error" if report.state == "failed" else "warning" if lacking else "ok"
    index = report.as_dict()
    index["skipped"] = len(report.skipped)  # the list itself is for those who ask
    return {
        "health": health,
        "quiescent": quiescent,
        "message": report.message,
        "index": index,
        "model": model_dict(info),
    }


def to_folder(uri: str, report: IndexReport, snapshot: Snapshot | None) -> Wire:
    """A folder's entry in the status; with a snapshot, file by file."""
    entry: Wire = {"uri": uri, "index": report.as_dict()}
    if snapshot is None:
        return entry
    return {**entry, "files": list(file_dicts(snapshot)), "skipped": list(skip_dicts(snapshot.skipped))}


def _once(hits: Iterable[Wire]) -> list[Wire]:
    """Where one workspace folder lies in another, both find the same section; it is shown once."""
    found: dict[tuple[str, int], Wire] = {}
    for hit in hits:
        found.setdefault((hit["uri"], hit["range"]["start"]["line"]), hit)
    return list(found.values())


def _also(heading: Heading, ranges: Ranges) -> Wire:
    passage: Passage = heading.passage
    place = ranges.range(passage.start, passage.end)
    return {"headings": list(passage.headings), "range": place, "score": heading.score}


def _alternate(document: Document, uri: str) -> Wire:
    language = document.meta.get("language")
    return {"uri": uri, "path": document.path} | ({"language": language} if isinstance(language, str) else {})


def _object(params: object) -> Wire:
    value = plain(params)
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise _bad("INVALID_PARAMS", "The params must be an object.", "not_an_object")
    return value


def _strings(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(item, str) for item in value)


def _is_position(value: object) -> bool:
    if not isinstance(value, dict):
        return False
    parts = (value.get("line"), value.get("character"))
    return all(isinstance(part, int) and not isinstance(part, bool) and 0 <= part < 2**31 for part in parts)


def _bad(code: str, sentence: str, reason: str) -> DdgError:
    return DdgError(code, sentence, usage=True, reason=reason)
