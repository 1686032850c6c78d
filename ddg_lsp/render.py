"""Answers as a shell shows them: the JSON objects of `--json`, and short lines for people.

JSON is the wire result with `path` in place of `uri` and 1-based lines in place of ranges: see
docs/reference/command-line.md.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import zip_longest

from ddg_lsp.core.embedding import EmbedderInfo
from ddg_lsp.core.report import IndexReport, model_dict
from ddg_lsp.core.search import Answer, Heading, Hit
from ddg_lsp.core.sites.origin import Origin, shown
from ddg_lsp.terminal import visible

_BOLD, _DIM, _RESET = "\033[1m", "\033[2m", "\033[0m"


def answer_json(
    answer: Answer, report: IndexReport, info: EmbedderInfo | None, origins: Sequence[Origin | None] = ()
) -> dict[str, object]:
    """The result object of `query --json`."""
    return {
        "query": answer.query.text,
        "mode": answer.mode,
        "limit": answer.query.limit,
        "revision": answer.revision,
        "elapsedMs": round(answer.elapsed_ms, 1),
        "index": _for_mode(report, answer.mode).as_dict(),
        "model": model_dict(info),
        "hits": [shown(hit_json(hit), origin) for hit, origin in zip_longest(answer.hits, origins)],
    }


def hit_json(hit: Hit) -> dict[str, object]:
    """One hit; `line` is the heading's, `endLine` the section's last, both counted from 1."""
    passage = hit.passage
    plain: dict[str, object] = {
        "id": passage.id,
        "path": passage.path,
        "headings": list(passage.headings),
        "level": passage.level,
        "line": passage.line + 1,
        "endLine": passage.end_line + 1,
        "excerpt": hit.excerpt,
        "score": hit.score,
        "semanticScore": hit.semantic_score,
        "lexicalScore": hit.lexical_score,
        "boost": hit.boost,
        "match": hit.match,
        "alsoIn": [_heading_json(heading) for heading in hit.also_in],
        "alternates": [{"path": alternate.path} | _language(alternate.meta) for alternate in hit.alternates],
    }
    if hit.explain is not None:
        plain["explain"] = hit.explain
    return plain


def answer_text(answer: Answer, report: IndexReport, origins: Sequence[Origin | None] = (), *, colour: bool) -> str:
    """The hits for a person: heading path, file and line, a little of the text; weak ones say so."""
    if not answer.hits:
        return _nothing(answer, report)
    lines = []
    # Of an index that is not complete nobody can say that it does not answer.
    if report.state != "building" and all(hit.match == "weak" for hit in answer.hits):
        lines += ["Nothing here seems to answer that. The nearest headings:", ""]
    for number, (hit, origin) in enumerate(zip_longest(answer.hits, origins), 1):
        lines += _hit_lines(number, hit, origin, colour)
    return "\n".join(lines)


def condition(report: IndexReport, mode: str) -> str:
    """A sentence when the answer is less than it could be; empty when all is well."""
    if report.state == "building" and mode == "lexical":
        return ""  # words need no vectors, and every document was read
    if report.state == "building":
        return (
            f"Still indexing: of {report.passages} passages {report.openings} are embedded by their beginning, "
            f"{report.embedded} as a whole; "
            "ask again, or run `ddg-lsp index`, for a complete answer."
        )
    return report.message


def report_text(report: IndexReport, info: EmbedderInfo | None, reason: str) -> str:
    """What is indexed, in a few lines."""
    skipped_hint = "  (`ddg-lsp status --files` says which, and why)"
    lines = [
        f"state      {_state(report)}",
        f"documents  {report.documents:,}",
        f"passages   {report.passages:,} ({report.embedded:,} embedded, {report.openings:,} openings)",
        f"skipped    {len(report.skipped):,}{skipped_hint if report.skipped else ''}",
        f"indexed    {report.indexed_at or 'never'}",
        f"model      {f'{info.id} ({info.embedder})' if info else 'none'}",
    ]
    if reason:
        lines.append(f"because    {reason}")
    if report.message:
        lines.append(report.message)
    return "\n".join(map(visible, lines))


def _state(report: IndexReport) -> str:
    """The state's name; where nothing was ever embedded, nothing is being built either until somebody asks."""
    if report.state == "building" and not report.indexed_at and not report.embedded + report.openings:
        return "not indexed yet; the first question, `ddg-lsp index` or an editor sees to it"
    return report.state


def _for_mode(report: IndexReport, mode: str) -> IndexReport:
    """An index that is still being built answers a question by words completely, and says so."""
    if report.state != "building" or mode != "lexical":
        return report
    return replace(report, message="The answer is complete: words need no vectors. These are still being made.")


def _hit_lines(number: int, hit: Hit, origin: Origin | None, colour: bool) -> list[str]:
    bold, dim, reset = (_BOLD, _DIM, _RESET) if colour else ("", "", "")
    title = visible(" > ".join(hit.passage.headings) or hit.document.title or hit.passage.path)
    where = origin.url if origin else f"{hit.passage.path}:{hit.passage.line + 1}"
    mark = "  (weak)" if hit.match == "weak" else ""
    lines = [
        f"{number:>2}. {bold}{title}{reset}{mark}",
        f"    {visible(where)}",
    ]
    if hit.excerpt:
        lines.append(f"    {dim}{visible(hit.excerpt)}{reset}")
    if hit.also_in:
        also = ", ".join(
            f"{visible(h.passage.headings[-1])}:{h.passage.line + 1}" for h in hit.also_in if h.passage.headings
        )
        lines.append(f"    {dim}also: {also}{reset}")
    if hit.explain is not None:
        lines += [f"    {visible(line)}" for line in _explanation(hit)]
    return [*lines, ""]


def _explanation(hit: Hit) -> list[str]:
    """How a score came about, a line for each part that is there; docs/explanation/ranking.md says what each is."""
    scores = {"score": hit.score, "meaning": hit.semantic_score, "words": hit.lexical_score, "boost": hit.boost}
    lines = [_said(scores)]
    for name, part in (hit.explain or {}).items():
        if part or isinstance(part, (int, float)):
            lines.append(f"{name}: {_said(part)}")
    return lines


def _said(part: object) -> str:
    if isinstance(part, Mapping):
        return ", ".join(f"{name} {_said(value)}" for name, value in part.items() if value not in (None, [], ()))
    if isinstance(part, (list, tuple)):
        return ", ".join(map(_said, part))
    return f"{part:g}" if isinstance(part, float) else str(part)


def _nothing(answer: Answer, report: IndexReport) -> str:
    if report.documents == 0 and report.state != "building":
        return "There are no documents to search in this folder."
    if answer.query.paths:
        fitting = f"No document whose path fits {', '.join(answer.query.paths)} answers that."
        return visible(f"{fitting} A path begins at the top of the folder asked; **/ stands for any folders.")
    return "No document answers that."


def _heading_json(heading: Heading) -> dict[str, object]:
    passage = heading.passage
    lines = {"line": passage.line + 1, "endLine": passage.end_line + 1}
    return {"headings": list(passage.headings), **lines, "score": heading.score}


def _language(meta: Mapping[str, object]) -> dict[str, object]:
    language = meta.get("language")
    return {"language": language} if isinstance(language, str) else {}
