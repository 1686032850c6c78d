"""`workspace/symbol`: the editor's own symbol search, answered by meaning, where the user switched it on.

Owns how a hit becomes a symbol and when the request is offered. Must not know how hits are found.
"""

from __future__ import annotations

from lsprotocol import types

from ddg_lsp.core.errors import DdgError
from ddg_lsp.server import features, protocol
from ddg_lsp.server.protocol import Question, Wire
from ddg_lsp.server.session import Session


async def offer(session: Session) -> None:
    """Register the request where it was switched on after `initialize`; a client that cannot be told goes without."""
    if session.symbols_offered or not session.client.can("workspace.symbol.dynamic_registration"):
        return
    if protocol.wants_symbols(session.settings):
        session.symbols_offered = True
        options = types.WorkspaceSymbolRegistrationOptions()
        await session.client.register([types.Registration("ddg.symbols", types.WORKSPACE_SYMBOL, options)])


async def answer(session: Session, params: types.WorkspaceSymbolParams) -> list[types.WorkspaceSymbol] | None:
    """The headings for the words typed; none for what is no question, null where it is switched off."""
    if not session.common.workspace_symbols:
        return None
    try:
        result = await features.answer(session, Question({"query": params.query}, None, None))
    except DdgError:
        return []  # nothing typed yet, or far too much: no error to show at every key
    return [to_symbol(hit) for hit in result["hits"] if hit["match"] != "weak"]


def to_symbol(hit: Wire) -> types.WorkspaceSymbol:
    """A hit as a symbol. Weak ones have no mark there, so the caller leaves them out."""
    *outer, name = [" ".join(heading.split()) for heading in hit["headings"]] or [hit["path"]]
    start, end = hit["selectionRange"]["start"], hit["selectionRange"]["end"]
    place = types.Range(types.Position(**start), types.Position(**end))
    return types.WorkspaceSymbol(
        name=name,
        kind=types.SymbolKind.String,
        container_name=" > ".join([hit["path"], *outer]),
        location=types.Location(hit["uri"], place),
    )
