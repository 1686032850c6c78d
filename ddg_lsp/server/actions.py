"""Code actions: on a selection, a word or a heading of any file, "Open docs: ..." for the best heading.

Owns which words are asked and which hit is offered. Must not know how hits are found.
"""

from __future__ import annotations

import re
from collections import OrderedDict
from collections.abc import Sequence

from lsprotocol import types

from ddg_lsp.core.text import Encoding, LineIndex
from ddg_lsp.server import features, protocol
from ddg_lsp.server.buffers import Buffer
from ddg_lsp.server.protocol import Question, Wire
from ddg_lsp.server.session import Session

REMEMBERED = 64
"""Answers kept for automatic triggers, which come with every move of the cursor."""
CANDIDATES = 3
"""Hits asked for: the first may be the very section the cursor is in."""
MAX_WORDS = 500
"""Characters of a selection that are asked; more is not a question any more."""
_WORD = re.compile(r"\w+(?:[-.']\w+)*")
_ATX = re.compile(r" {0,3}#{1,6}[ \t]+(.*?)(?:[ \t]+#+)?[ \t]*")


class Actions:
    """Answers `textDocument/codeAction`."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._known: OrderedDict[str, tuple[int, list[Wire]]] = OrderedDict()

    async def answer(self, params: types.CodeActionParams) -> list[types.CodeAction | types.Command]:
        """At most one action; none where there is nothing to ask or nothing worth opening."""
        session, context = self._session, params.context
        buffer = session.buffers.get(params.text_document.uri)
        if buffer is None or not _wanted(context.only) or not self._offered_in(buffer):
            return []
        words = words_at(buffer, params.range, session.client.encoding)
        automatic = context.trigger_kind == types.CodeActionTriggerKind.Automatic
        hits = self._remembered(words) if automatic else await self._asked(words)
        for hit in hits:
            if hit["match"] != "weak" and not (hit["uri"] == buffer.uri and _touches(hit["range"], params.range)):
                return [self._action(hit)]
        return []

    def _offered_in(self, buffer: Buffer) -> bool:
        languages = self._session.settings_of(buffer.uri).code_action_languages
        return "*" in languages or buffer.language in languages

    async def _asked(self, words: str) -> list[Wire]:
        if not words:
            return []
        fields = {"query": words, "limit": CANDIDATES}
        result = await features.answer(self._session, Question(fields, None, None))
        self._known[words] = (result["revision"], result["hits"])
        while len(self._known) > REMEMBERED:
            self._known.popitem(last=False)
        hits: list[Wire] = result["hits"]
        return hits

    def _remembered(self, words: str) -> list[Wire]:
        """What was answered before and is still true; the model is never run for a mere move of the cursor."""
        folders = self._session.all_folders()
        revision = sum(folder.core.snapshot.revision for folder in folders if folder.core)
        known, hits = self._known.get(words, (-1, []))
        return hits if known == revision else []

    def _action(self, hit: Wire) -> types.CodeAction | types.Command:
        title = protocol.to_title(hit)
        place = {"uri": hit["uri"], "range": hit["selectionRange"]}
        command = types.Command(title=title, command=protocol.OPEN_HEADING, arguments=[place])
        if not self._session.client.can("text_document.code_action.code_action_literal_support"):
            return command
        return types.CodeAction(title=title, kind=protocol.OPEN_DOCS_KIND, command=command)


def words_at(buffer: Buffer, where: types.Range, encoding: Encoding) -> str:
    """What to ask: the selection, else the heading of this line, else the word under the cursor; empty for nothing."""
    lines = LineIndex(buffer.text)
    start = lines.offset(where.start.line, where.start.character, encoding)
    end = lines.offset(where.end.line, where.end.character, encoding)
    if end > start:
        return " ".join(buffer.text[start:end].split())[:MAX_WORDS]
    begin = lines.line_start(where.start.line)
    line = buffer.text[begin : lines.line_end(where.start.line)]
    if buffer.is_document and (heading := _ATX.fullmatch(line)):
        return heading[1].strip()[:MAX_WORDS]
    for word in _WORD.finditer(line):
        if word.start() <= start - begin <= word.end():
            return word[0][:MAX_WORDS]
    return ""


def _wanted(only: Sequence[types.CodeActionKind | str] | None) -> bool:
    """Kinds are a tree: asking for `ddg` is asking for `ddg.openDocs`, too, and for the empty one for all."""
    if not only:
        return True
    kinds = [str(getattr(kind, "value", kind)) for kind in only]
    return any(not kind or f"{protocol.OPEN_DOCS_KIND}.".startswith(f"{kind}.") for kind in kinds)


def _touches(section: Wire, where: types.Range) -> bool:
    first = (section["start"]["line"], section["start"]["character"])
    last = (section["end"]["line"], section["end"]["character"])
    return first <= (where.end.line, where.end.character) and (where.start.line, where.start.character) < last
