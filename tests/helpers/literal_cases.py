"""Small documents for mode `lexical`: a text, or a heading and a body, as the index would hold them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ddg_lsp.core.folding import literal
from ddg_lsp.core.literal import Expander, Expansion, LiteralScore, plan, score_passage
from ddg_lsp.core.model import Document, Passage

ALIASES = ("설치 안내", "설치 설명서", "셋업 가이드")
"""What the dictionary of the acceptance cases has for SETUP01."""


def giving(*terms: str) -> Expander:
    """A dictionary that answers everything with these terms."""
    return lambda asked: Expansion(tuple(terms))


def score(text: str, terms: Sequence[str], *expansions: str) -> LiteralScore:
    """The score of a text, with a dictionary that gives `expansions`."""
    return score_passage(plan(terms, giving(*expansions)), literal(text))


def document(path: str, text: str, meta: Mapping[str, object] | None = None, title: str = "") -> Document:
    """A document with one passage: the first line its heading if it begins with #, the rest its body."""
    heading = text.split("\n", 1)[0] if text.startswith("#") else ""
    start = len(heading) + 1 if heading else 0
    passage = Passage(
        id=f"{path}#0",
        path=path,
        headings=(heading.strip("# "),) if heading else (),
        level=1 if heading else 0,
        start=0,
        end=len(text),
        heading_start=0,
        heading_end=len(heading) if heading else len(text.split("\n", 1)[0]),
        body_start=min(start, len(text)),
        body_end=len(text),
        line=0,
        end_line=text.count("\n"),
        fingerprint="",
        opening="",
    )
    return Document(path, text, literal(text) + path, title, (passage,), meta=meta or {})
