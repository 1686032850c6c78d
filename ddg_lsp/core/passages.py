"""Sections to passages: how a body is cut so that nothing is lost and everything fits the model.

Knows nothing of files, embedders or search: tokens are counted by a function it is given. What is embedded of a passage
is said in `embedded_text`, where to cut in `cutting`.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace

import xxhash

from ddg_lsp.core.cutting import Borders, Room, pieces
from ddg_lsp.core.embedded_text import Flat, compose, flatten, head, opening_text, whole_text
from ddg_lsp.core.embedding import OPENING_TOKENS, TokenCounter
from ddg_lsp.core.markdown import Parsed, Section
from ddg_lsp.core.model import Passage

__all__ = ["FORMAT", "MAX_POINTS", "MAX_TOKENS", "cut", "opening_text", "whole_text"]

FORMAT = 1
"""Raised whenever the same document would be cut or embedded differently: cached layouts of another format are void."""

MAX_POINTS = 1_600
"""Code points of a piece as embedded: what is dropped (`data:` URIs) and outer white space do not count."""
MAX_TOKENS = 512
"""Tokens of a whole, prefix, path and headings included."""

_MAX_TABLE_HEADER = 400
"""Code points; the rows of a wider header are not repeated, it would leave no room for the rows they explain."""
_MARGIN = 0.96
"""Token counts of pieces not yet counted are estimates from their surroundings: aim a little below the bound."""
_MIN_ROOM_TOKENS = 16
"""When path and headings leave less than this, cutting finer cannot help and is not tried."""


@dataclass(slots=True)
class _Piece:
    start: int
    end: int
    header: tuple[int, int] | None
    """Of the table it continues, in document offsets."""
    tokens: int = 0


@dataclass(slots=True)
class _Body:
    """A section's body while it is being cut; places count in `flat.text`."""

    section: Section
    flat: Flat
    head: str
    borders: Borders
    tables: list[tuple[int, int, tuple[int, int], str]]
    """Of each table with rows to cut between: first row, end, header in the document, header as embedded."""
    pieces: list[_Piece] = field(default_factory=list)


def cut(
    path: str,
    parsed: Parsed,
    text: str,
    count_tokens: TokenCounter,
    *,
    max_tokens: int = MAX_TOKENS,
    max_points: int = MAX_POINTS,
) -> tuple[Passage, ...]:
    """The passages of a document, in reading order. `parsed` must be the parse of `text`.

    The pieces of a section tile its body. Each holds at most `max_points` code points as embedded, and its whole at
    most `max_tokens` tokens by `count_tokens` (called with all wholes at once, then only for what was too long). A
    heading without a body is one passage too. Nothing raises unless `count_tokens` does.
    """
    bodies = [_body(path, section, text) for section in parsed.sections]
    for body in bodies:
        body.pieces = _cut_body(body, _always(max_points))
    _fit_tokens(bodies, count_tokens, max_points, max_tokens)
    passages = [_passage(path, body, piece, text) for body in bodies for piece in body.pieces]
    names = names_of(path, (passage.fingerprint for passage in passages))
    return tuple(replace(passage, id=name) for passage, name in zip(passages, names, strict=True))


def _body(path: str, section: Section, text: str) -> _Body:
    flat = Flat(text, section.body_start, section.body_end)
    place = flat.from_document
    blocks = section.blocks
    borders = Borders(
        sorted({place(block.start) for block in blocks}),
        sorted({place(cut) for block in blocks for cut in block.cuts}),
        sorted({place(cut) for block in blocks for cut in block.inner_cuts}),
    )
    headers = [
        (block, flatten(text[block.start : block.cuts[0]])) for block in blocks if block.kind == "table" and block.cuts
    ]
    tables = [
        (place(block.cuts[0]), place(block.end), (block.start, block.cuts[0]), header)
        for block, header in headers
        if len(header) <= _MAX_TABLE_HEADER
    ]
    return _Body(section, flat, head(path, section.path), borders, tables)


def _cut_body(body: _Body, room: Room) -> list[_Piece]:
    text = body.flat.text
    return [_Piece(a, b, _continued(body, a)[0]) for a, b in pieces(text, 0, len(text), body.borders, room)]


def _always(points: int) -> Room:
    return lambda _: points


def _continued(body: _Body, place: int) -> tuple[tuple[int, int] | None, str]:
    """The header of the table in which a piece that begins at `place` begins."""
    index = bisect_right(body.tables, place, key=lambda table: table[0]) - 1
    if index >= 0 and place < body.tables[index][1]:
        return body.tables[index][2:]
    return None, ""


def _embedded(body: _Body, piece: _Piece) -> str:
    return compose(body.head, body.flat.text[piece.start : piece.end], _continued(body, piece.start)[1])


def _count(bodies: Iterable[_Body], count_tokens: TokenCounter) -> None:
    """Count what has not been counted, in one call."""
    waiting = [(body, piece) for body in bodies for piece in body.pieces if piece.tokens == 0]
    if waiting:
        counts = count_tokens([_embedded(body, piece) for body, piece in waiting])
        for (_, piece), tokens in zip(waiting, counts, strict=True):
            piece.tokens = max(tokens, 1)


def _fit_tokens(bodies: list[_Body], count_tokens: TokenCounter, max_points: int, max_tokens: int) -> None:
    _count(bodies, count_tokens)
    waiting = [body for body in bodies if any(piece.tokens > max_tokens for piece in body.pieces)]
    if not waiting:
        return
    heads = [body.head for body in waiting] + [table[3] for body in waiting for table in body.tables]
    counts = iter(count_tokens(heads))
    costs = [next(counts) for _ in waiting]
    header_costs = [max((next(counts) for _ in body.tables), default=0) for body in waiting]
    tight: list[tuple[_Body, int]] = []
    for body, cost, header_cost in zip(waiting, costs, header_costs, strict=True):
        if max_tokens - cost >= _MIN_ROOM_TOKENS:
            body.pieces = _repacked(body, cost, header_cost, max_points, max_tokens)
            tight.append((body, cost))
    shrink = _MARGIN
    while tight:
        _count((body for body, _ in tight), count_tokens)
        tight = [(body, cost) for body, cost in tight if _split_long(body, cost, max_tokens, shrink)]
        shrink *= 0.9


def _repacked(body: _Body, cost: int, header_cost: int, max_points: int, max_tokens: int) -> list[_Piece]:
    """Cut the body anew, now that tokens per code point are known for every stretch of it."""
    starts = [piece.start for piece in body.pieces]
    ends = [piece.end for piece in body.pieces]
    rates = [max(piece.tokens - cost, 1) / max(piece.end - piece.start, 1) for piece in body.pieces]

    def room(place: int) -> int:
        budget = (max_tokens - cost) * _MARGIN
        if _continued(body, place)[0]:
            budget = max(budget - header_cost, budget / 2)
        points = 0
        for index in range(bisect_right(starts, place) - 1, len(starts)):
            stretch = ends[index] - place
            if stretch * rates[index] > budget:
                return min(max_points, points + int(budget / rates[index]))
            if points + stretch >= max_points:
                break
            budget -= stretch * rates[index]
            points += stretch
            place = ends[index]
        return max_points

    return _cut_body(body, room)


def _split_long(body: _Body, cost: int, max_tokens: int, shrink: float) -> bool:
    """Split the pieces that are still too long, each by itself; true when there were any that could be split."""
    result: list[_Piece] = []
    changed = False
    for piece in body.pieces:
        size = len(body.flat.text[piece.start : piece.end].strip())
        if piece.tokens <= max_tokens or size < 2:
            result.append(piece)
            continue
        share = (max_tokens - cost) / max(piece.tokens - cost, 1)
        limit = max(1, min(int(size * share * shrink), size - 1))
        parts = pieces(body.flat.text, piece.start, piece.end, body.borders, _always(limit))
        result.extend(_Piece(a, b, _continued(body, a)[0]) for a, b in parts)
        changed = True
    body.pieces = result
    return changed


def _passage(path: str, body: _Body, piece: _Piece, text: str) -> Passage:
    section = body.section
    passage = Passage(
        id="",
        path=path,
        headings=section.path,
        level=section.level,
        start=section.start,
        end=section.end,
        heading_start=section.heading_start,
        heading_end=section.heading_end,
        body_start=body.flat.to_document(piece.start) if piece.start else section.body_start,
        body_end=body.flat.to_document(piece.end) if piece.end < len(body.flat.text) else section.body_end,
        line=section.line,
        end_line=section.end_line,
        fingerprint="",
        opening="",
        table_header=piece.header,
    )
    whole, opening = whole_text(text, passage), opening_text(text, passage)
    fingerprint = hash_of(whole)
    # The embedder cuts openings to OPENING_TOKENS: one text has one vector only where there is nothing to cut.
    shared = whole == opening and piece.tokens <= OPENING_TOKENS
    return replace(passage, fingerprint=fingerprint, opening=fingerprint if shared else hash_of_opening(opening))


def hash_of(text: str) -> str:
    """The fingerprint of a whole, from its embedded text."""
    return xxhash.xxh3_128_hexdigest(text.encode("utf-8", "surrogatepass"))


def hash_of_opening(opening: str) -> str:
    """The fingerprint of an opening that is not its whole, from its embedded text."""
    return hash_of(f"opening\n{opening}")


def names_of(path: str, fingerprints: Iterable[str]) -> Iterator[str]:
    """The ids of a document's passages: `path#` and 16 hex; equal twins get `-2`, `-3` … in reading order."""
    seen: dict[str, int] = {}
    for fingerprint in fingerprints:
        name = f"{path}#{fingerprint[:16]}"
        seen[name] = seen.get(name, 0) + 1
        yield name if seen[name] == 1 else f"{name}-{seen[name]}"
