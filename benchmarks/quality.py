"""How well questions are answered: `python -m benchmarks.quality [SET_FOLDER ...] [--json] [--modes …]`.

For each set (a folder with `corpus/` and `queries.jsonl`) the corpus is indexed with the chosen embedder, every
question is asked in every mode and of every baseline in the same run, and nDCG@10, recall and MRR are printed by kind
and by language, for files and for sections (`perFile` 10). Questions without an answer are those of a set's
`unanswerable.jsonl` and, with two sets or more, those of the other ones: how well the first hit's confidence tells them
from the others is printed as an area under the curve. Without a folder, the small set of this repository is used.
Nothing is asserted here.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from types import MappingProxyType

from benchmarks import metrics, quality_page
from benchmarks.rankings import Ranking, baselines, product
from ddg_lsp.core.embedding import Embedder
from ddg_lsp.core.opening import Opened, open_folder
from ddg_lsp.core.search import Target

OWN_SET = Path(__file__).parent.parent / "tests" / "quality" / "set"
KEPT = 0.95
"""Share of answerable questions that stay strong at the line where false answers are counted."""


def main(argv: Sequence[str] | None = None) -> int:
    """Measure the sets and print the figures."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.quality", description=__doc__)
    parser.add_argument("sets", nargs="*", type=Path, default=[OWN_SET], metavar="SET_FOLDER")
    parser.add_argument("--json", action="store_true", help="one JSON object in place of tables")
    parser.add_argument("--page", type=Path, help="write the tables as a Markdown page")
    parser.add_argument("--modes", default="hybrid,semantic", help="modes to measure, separated by commas")
    parser.add_argument("--setting", action="append", default=[], metavar="NAME=VALUE", help="e.g. model=FOLDER")
    parser.add_argument("--no-baselines", action="store_true", help="the product alone")
    arguments = parser.parse_args(argv)
    for folder in arguments.sets:
        if not (folder / "queries.jsonl").is_file() or not (folder / "corpus").is_dir():
            parser.error(f"{folder} is no set: it needs corpus/ and queries.jsonl")
    settings = dict(setting.split("=", 1) for setting in arguments.setting)
    with ExitStack() as stack:
        opened = {f.resolve().name: (f, stack.enter_context(indexed(f / "corpus", settings))) for f in arguments.sets}
        results = _results(opened, arguments.modes.split(","), not arguments.no_baselines, not arguments.json)
    if arguments.page:
        arguments.page.write_text(quality_page.page(results), encoding="utf-8")
    if arguments.json:
        print(json.dumps(results, ensure_ascii=False, indent=1))
    return 0


def _results(
    opened: Mapping[str, tuple[Path, Opened]], modes: Sequence[str], others: bool, printed: bool
) -> dict[str, object]:
    """Every set's tables, and what is known of questions without an answer; printed as soon as they are there."""
    results: dict[str, object] = {}
    for name, (folder, corpus) in opened.items():
        results[name] = _measure(folder, corpus, modes, others)
        if printed:
            _print_set(name, results[name])
    unanswerable = _unanswerable(opened)
    if unanswerable:
        results["unanswerable"] = unanswerable
        if printed:
            _print_unanswerable(unanswerable)
    return results


@contextmanager
def indexed(corpus: Path, settings: Mapping[str, object] = MappingProxyType({})) -> Iterator[Opened]:
    """The corpus indexed to the end; its cache goes to a temporary folder, so that a set is never written to."""
    with tempfile.TemporaryDirectory(prefix="ddg-quality-") as place:
        opened = open_folder(corpus, {"cacheDir": place, **settings})
        opened.folder.refresh()
        started, total = time.monotonic(), opened.folder.pending()
        while opened.folder.pending():
            opened.embed_some()
            if sys.stderr.isatty():
                print(f"\r{corpus.parent.name}: {total - opened.folder.pending()}/{total}", end="", file=sys.stderr)
        print(f"\r{corpus.parent.name}: {total} views in {time.monotonic() - started:.0f} s", file=sys.stderr)
        yield opened
        opened.folder.close()


def parts(opened: Opened) -> tuple[Target, Embedder]:
    """What is asked, and with what; ends the run where there is no model."""
    embedder = opened.folder.embedder
    if embedder is None:
        raise SystemExit(f"No embedder: {opened.reason}")
    return opened.folder.target(), embedder


def _measure(folder: Path, opened: Opened, modes: Sequence[str], others: bool) -> dict[str, object]:
    target, embedder = parts(opened)
    judged = metrics.load(folder)
    rankings: dict[str, Ranking] = {mode: product(target, embedder, mode)[0] for mode in modes}
    if others:
        rankings |= baselines(target.snapshot, embedder)
    out: dict[str, object] = {}
    for name, ranking in rankings.items():
        places = {question.id: ranking(question.question) for question in judged}
        out[name] = {
            "by language": metrics.table(judged, places, "language"),
            "by kind": metrics.table(judged, places, "kind"),
        }
    return out


def _unanswerable(opened: Mapping[str, tuple[Path, Opened]]) -> dict[str, object]:
    """Each set's questions against those its corpus does not answer: its own such, and those of unlike sets."""
    out: dict[str, object] = {}
    for name, (folder, corpus) in opened.items():
        _, strength = product(*parts(corpus), "hybrid")
        strangers = [other for other in opened if other.split("-")[1:2] != name.split("-")[1:2]]
        questions = metrics.load_unanswerable(folder)
        questions += [judged.question for other in strangers for judged in metrics.load(opened[other][0])]
        if not questions:
            continue
        own = [strength(judged.question) for judged in metrics.load(folder)]
        foreign = [strength(question) for question in questions]
        line = sorted(own)[int((1 - KEPT) * len(own))]
        out[name] = {
            "area": metrics.area_under_curve(own, foreign),
            "line": line,
            "false answers": sum(score >= line for score in foreign) / len(foreign),
            "strong as shipped, answerable": sum(score >= 0 for score in own) / len(own),
            "strong as shipped, unanswerable": sum(score >= 0 for score in foreign) / len(foreign),
        }
    return out


def _print_set(name: str, result: object) -> None:
    assert isinstance(result, dict)
    for by in ("by language", "by kind"):
        print(f"\n{name}, nDCG@10 file/section, {by}")
        groups = list(next(iter(result.values()))[by])
        print("".join([f"{'':18}", *(f"{group[:13]:>14}" for group in groups)]))
        for ranking, tables in result.items():
            cells = [f"{t['file']['nDCG@10']:.3f}/{t['section']['nDCG@10']:.3f}" for t in tables[by].values()]
            print("".join([f"{ranking:18}", *(f"{cell:>14}" for cell in cells)]))
        questions = [str(table["questions"]) for table in next(iter(result.values()))[by].values()]
        print("".join([f"{'questions':18}", *(f"{count:>14}" for count in questions)]))
    print(f"\n{name}, all questions" + "".join(f"{metric:>16}" for metric in metrics.NAMES))
    for ranking, tables in result.items():
        table = tables["by language"]["all"]
        cells = [f"{table['file'][metric]:.3f}/{table['section'][metric]:.3f}" for metric in metrics.NAMES]
        print("".join([f"{ranking:{15 + len(name)}}", *(f"{cell:>16}" for cell in cells)]))


def _print_unanswerable(result: object) -> None:
    assert isinstance(result, dict)
    print("\nQuestions the corpus cannot answer (of the set's own list, and those of the other sets)")
    for name, figures in result.items():
        print(f"{name}: " + ", ".join(f"{key} {value:.3f}" for key, value in figures.items()))


if __name__ == "__main__":
    raise SystemExit(main())
