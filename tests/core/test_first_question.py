"""A folder read in steps: what a question needs comes first, nothing of the cache is lost, the end is the same."""

from __future__ import annotations

import tempfile
from contextlib import suppress
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from ddg_lsp.core import likely
from ddg_lsp.core.embedding.deterministic import DeterministicEmbedder
from ddg_lsp.core.folder import LIKELY_FILES, LIKELY_PASSAGES, Folder
from ddg_lsp.core.opening import open_folder
from ddg_lsp.core.queue import likely_batch
from tests.helpers.folders import ask, build, paths, write

WORDS = ("amber", "birch", "cedar", "dune", "ember", "fjord", "glade", "heron")


def many(count: int) -> dict[str, str]:
    def page(n: int) -> str:
        return f"# Page {n}\n\nAbout {WORDS[n % 8]} number{n}.\n\n## More\n\nMore of {WORDS[n % 5]}.\n"

    return {f"area{n % 7}/page{n}.md": page(n) for n in range(count)}


def cold(root: Path, embedder: DeterministicEmbedder) -> Folder:
    return open_folder(root, {}, embedder).folder


def test_the_file_a_question_needs_is_read_and_embedded_before_all_others(tmp_path: Path) -> None:
    root = write(tmp_path, {**many(300), "deep/er/still/walrus.md": "# Zoo\n\nThe walrus sleeps.\n"})
    embedder = DeterministicEmbedder()
    folder = cold(root, embedder)
    folder.hasten("where does the walrus sleep?")
    assert folder.unread
    assert len(folder.snapshot.documents) <= LIKELY_FILES
    assert 0 < len(embedder.seen) <= LIKELY_PASSAGES
    answer = ask(folder, "where does the walrus sleep?", mode="hybrid")
    assert paths(answer)[0] == "deep/er/still/walrus.md"
    report = folder.report()
    assert (report.state, report.documents) == ("building", len(folder.snapshot.documents))


def test_reading_in_steps_ends_where_reading_at_once_does(tmp_path: Path) -> None:
    root = write(tmp_path, many(60))
    whole = build(root, DeterministicEmbedder()).folder
    whole.close()
    steps = cold(root, DeterministicEmbedder())
    steps.hasten("about number7", embed=False)
    seen = len(steps.snapshot.documents)
    while steps.unread:
        steps.refresh_some(seconds=0.0)
        assert len(steps.snapshot.documents) >= seen
        seen = len(steps.snapshot.documents)
    assert steps.snapshot.documents == whole.snapshot.documents
    assert steps.snapshot.passages == whole.snapshot.passages
    for question in ("number7", "more of birch"):
        assert paths(ask(steps, question, mode="lexical")) == paths(ask(whole, question, mode="lexical"))


def test_reading_in_steps_loses_no_vector_of_the_cache(tmp_path: Path) -> None:
    root = write(tmp_path, many(500))
    build(root, DeterministicEmbedder()).folder.close()
    embedder = DeterministicEmbedder()
    folder = cold(root, embedder)
    folder.begin_refresh()
    while folder.unread:
        folder.refresh_some(seconds=0.0)
    assert folder.pending() == 0
    assert embedder.seen == []


def test_a_file_is_read_once_though_it_was_looked_at_for_a_question(tmp_path: Path) -> None:
    root = write(tmp_path, many(30))
    folder = cold(root, DeterministicEmbedder())
    folder.hasten("about amber", embed=False)
    before = dict(folder.snapshot.documents)
    (root / "area0/page0.md").write_text("# Changed\n\nAnother text altogether, of amber.\n")
    folder.refresh()
    after = folder.snapshot.documents
    assert after["area0/page0.md"].title == "Changed"
    assert all(after[path] is before[path] for path in before if path != "area0/page0.md")


def test_openings_that_are_there_are_not_embedded_for_a_question_again(tmp_path: Path) -> None:
    embedder = DeterministicEmbedder()
    folder = build(write(tmp_path, many(20)), embedder).folder
    assert not likely_batch(folder.snapshot, likely.words("about amber"), 12).rows
    seen = len(embedder.seen)
    folder.hasten("about amber")
    assert len(embedder.seen) == seen


def test_words_in_headings_and_paths_count_more_and_rare_ones_more_still() -> None:
    texts = {
        "a.md": "# Other\n\nqueue queue\n",
        "b.md": "# Queue\n\nnothing\n",
        "queue/c.md": "# Other\n\nqueue\n",
        "d.md": "# Other\n\nzeppelin\n",
        "e.md": "# Other\n\nnothing here\n",
    }
    assert set(likely.files("queue zeppelin", texts)) == {"a.md", "b.md", "queue/c.md", "d.md"}
    assert likely.files("queue", texts)[-1] == "a.md"
    assert likely.files("의존성 주입", {"x.md": "# Dependency injection", "y.md": "# Other"}) == ["x.md"]
    assert likely.files("", texts) == []


@given(st.text(max_size=40), st.dictionaries(st.text(min_size=1, max_size=8), st.text(max_size=80), max_size=6))
def test_any_text_and_any_question_give_an_order_that_does_not_depend_on_the_order_given(
    question: str, texts: dict[str, str]
) -> None:
    found = likely.files(question, texts)
    assert set(found) <= set(texts)
    assert found == likely.files(question, dict(reversed(list(texts.items()))))


class _Stop(Exception):
    pass


@given(st.integers(0, 80), st.sampled_from(["hasten", "refresh_some"]))
def test_reading_that_is_cut_off_loses_no_document(calls: int, by: str) -> None:
    with tempfile.TemporaryDirectory() as place:
        folder = cold(write(Path(place), many(24)), DeterministicEmbedder())
        folder.begin_refresh()
        left = calls

        def check() -> None:
            nonlocal left
            left -= 1
            if left < 0:
                raise _Stop

        with suppress(_Stop):
            if by == "hasten":
                folder.hasten("about amber and birch", check)
            else:
                folder.refresh_some(check)
        while folder.unread:
            folder.refresh_some()
        assert len(folder.snapshot.documents) == 24


def test_without_a_model_a_folder_that_is_not_read_yet_is_building(tmp_path: Path) -> None:
    folder = open_folder(write(tmp_path, many(30)), {"embedder": "none"}).folder
    folder.begin_refresh()
    assert folder.report().state == "building"
    folder.refresh_some(seconds=0.0)
    assert folder.report().state == "building"
    folder.refresh()
    assert folder.report().state == "lexicalOnly"


def test_a_folder_that_reads_changes_is_not_ready_between_two_steps(tmp_path: Path) -> None:
    root = write(tmp_path, many(10))
    folder = build(root, DeterministicEmbedder()).folder
    assert folder.report().state == "ready"
    write(root, {f"new{n}.md": f"# New {n}\n\nquokka\n" for n in range(10)})
    folder.begin_refresh()
    folder.refresh_some(seconds=0.0)
    assert folder.report().state == "building"
