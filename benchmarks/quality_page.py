"""The results page `docs/explanation/quality.md`, made from one run of `benchmarks.quality`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

_HEAD = """# How well questions are answered

Made by `python -m benchmarks.quality SET... --page docs/explanation/quality.md`; nothing here is typed by hand.
Each cell is nDCG@10 by file / by section: 1 would be the right heading first every time. All rankings of a set are
measured in one run over the same passages and vectors, so that only the ranking differs.

- **hybrid** and **semantic** are this project's modes ([ranking.md](ranking.md)).
- **plain cosine** is dense search as usual; **BM25** is word search with terms for every script; **RRF** fuses their
  ranks with k = 60, what most comparable tools do; **ancestor's rule** is cosine plus at most 0.08 for words in path
  or headings.

The sets are real documentation with judged questions: headings, titles, sentences and links as their translators
wrote them, change-log lines, identifiers. They are not part of this repository; a small set of its own is in
`tests/quality/`. Any folder in that format can be measured.
"""
_UNANSWERABLE = """## Questions without an answer

The questions of the other sets, asked of each corpus: a neighbouring subject, and no page that answers. A set may add
questions of its own for this. *area*: the chance that a question with an answer has a more confident first hit than one
without. *line* keeps 95 % of the answerable ones strong, and *false answers* is the share of the others above it; then
the shares called strong as shipped.
"""


def page(results: Mapping[str, Any]) -> str:
    """The whole page as Markdown."""
    parts = [_HEAD]
    for name, result in results.items():
        if name == "unanswerable":
            continue
        parts.append(f"## {name}\n")
        parts += [_table(result, by) for by in ("by language", "by kind")]
        parts.append(_all_metrics(result))
    if "unanswerable" in results:
        parts.append(_unanswerable(results["unanswerable"]))
    return "\n".join(parts)


def _table(result: Mapping[str, Any], by: str) -> str:
    groups = next(iter(result.values()))[by]
    lines = [f"| {by} | {' | '.join(groups)} |", "|---" * (len(groups) + 1) + "|"]
    lines.append(f"| questions | {' | '.join(str(group['questions']) for group in groups.values())} |")
    for ranking, tables in result.items():
        cells = [_cell(table, "nDCG@10") for table in tables[by].values()]
        lines.append(f"| {ranking} | {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def _all_metrics(result: Mapping[str, Any]) -> str:
    names = list(next(iter(result.values()))["by language"]["all"]["file"])
    lines = [f"| all questions | {' | '.join(names)} |", "|---" * (len(names) + 1) + "|"]
    for ranking, tables in result.items():
        cells = [_cell(tables["by language"]["all"], name) for name in names]
        lines.append(f"| {ranking} | {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def _cell(table: Mapping[str, Any], metric: str) -> str:
    return f"{table['file'][metric]:.3f} / {table['section'][metric]:.3f}"


def _unanswerable(figures: Mapping[str, Mapping[str, float]]) -> str:
    names = list(next(iter(figures.values())))
    lines = [_UNANSWERABLE, f"| corpus | {' | '.join(names)} |", "|---" * (len(names) + 1) + "|"]
    lines += [f"| {name} | {' | '.join(f'{row[key]:.3f}' for key in names)} |" for name, row in figures.items()]
    return "\n".join(lines) + "\n"
