"""`workspace/semanticDocQueryBatch`: many questions in one request, failures kept.

Owns the request as a whole: its bounds, its progress, its result. Must not know how one question is answered.
"""

from __future__ import annotations

import hashlib
import json
import logging
from collections.abc import Sequence
from dataclasses import dataclass

from pygls.exceptions import JsonRpcException

from ddg_lsp.core import batch as core
from ddg_lsp.core.errors import Cancelled, DdgError
from ddg_lsp.server import features, protocol
from ddg_lsp.server.feedback import Progress
from ddg_lsp.server.protocol import Wire
from ddg_lsp.server.session import Session

log = logging.getLogger(__name__)

TITLE = "Searching documents"


@dataclass(frozen=True, slots=True)
class Batch:
    """A valid request; its questions are still to be checked, each by itself."""

    entries: list[object]
    max_chars: int
    token: str | int | None


def parse(params: object) -> Batch:
    """The params of the request. Raises `DdgError` for one that is no batch."""
    entries = protocol.parse_batch(params)
    fields = protocol.parse_options([params])
    low, high = core.OUTPUT_RANGE
    wanted = fields.get("maxOutputChars", core.DEFAULT_OUTPUT)
    if isinstance(wanted, bool) or not isinstance(wanted, int) or not low <= wanted <= high:
        sentence = f"`maxOutputChars` must be a whole number from {low} to {high}."
        raise DdgError("INVALID_MAX_OUTPUT", sentence, usage=True, reason="out_of_range")
    return Batch(entries, wanted, protocol.parse_question({"workDoneToken": fields.get("workDoneToken")}).token)


async def batch(session: Session, params: object) -> Wire:
    """One entry for each question, in order; a failed one says why."""
    asked = parse(params)
    progress = _progress(session, asked.token)
    entries: list[Wire] = []
    try:
        for number, entry in enumerate(asked.entries):
            if progress.cancelled:
                raise Cancelled
            progress.report(f"{number}/{len(asked.entries)} questions", number / len(asked.entries))
            entries.append(await _entry(session, entry))
    finally:
        progress.end(f"{len(entries)} answered")
    bounded = await session.worker.ask(lambda _: core.bounded(entries, asked.max_chars))
    return {**core.summary(entries), "results": bounded}


async def batch_command(session: Session, arguments: Sequence[object]) -> Wire:
    """`workspace/executeCommand` of the same name."""
    return await batch(session, arguments[0] if arguments else None)


def _progress(session: Session, token: str | int | None) -> Progress:
    """The client's own token where it sent one; else one is asked for."""
    if token is None:
        return session.client.progress(TITLE)
    progress = session.client.progress_on(token)
    progress.begin(TITLE)
    return progress


async def _entry(session: Session, entry: object) -> Wire:
    identity = core.sayable(entry.get("id")) if isinstance(entry, dict) else None
    try:
        return {"id": identity, "ok": True, "result": await features.answer(session, protocol.parse_question(entry))}
    except (Cancelled, JsonRpcException):
        raise
    except DdgError as error:
        code, sentence = error.code, str(error)
    except Exception:
        # Whatever it was, it is this question's trouble: the others are answered.
        log.exception("A question of a batch failed")
        code, sentence = "INTERNAL", "The server failed on this question; its log says why."
    log.info("A question of a batch failed: %s, %s", code, _digest(entry))
    return core.failure(identity, code, sentence, entry)


def _digest(entry: object) -> str:
    """A question as it may be logged: it can be found by who has it, and not be read by who has not."""
    text = json.dumps(entry, ensure_ascii=True, sort_keys=True, default=str)
    return f"sha256 {hashlib.sha256(text.encode()).hexdigest()[:16]}, {len(text)} characters"
