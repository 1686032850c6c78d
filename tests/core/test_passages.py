"""Cutting: nothing is lost, everything fits, and the cuts fall where a reader would make them."""

from __future__ import annotations

import time
from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ddg_lsp.core.embedded_text import opening_text
from ddg_lsp.core.embedding import OPENING_TOKENS
from ddg_lsp.core.markdown import parse
from ddg_lsp.core.model import Passage
from ddg_lsp.core.passages import cut, whole_text
from tests.helpers.document_properties import check_passages
from tests.helpers.markdown_samples import SLOW_SHAPES, any_text, documents, with_endings
from tests.helpers.token_counters import NAMES, Recorder, counter

PATH = "docs/guide/안내 페이지.md"
KOREAN = (
    "검색 서버는 문서를 제목 단위로 나누고 각 조각을 벡터로 바꾸어 저장합니다. 질문이 오면 가까운 조각을 찾습니다. "
)


def passages(text: str, name: str = "deterministic", **bounds: int) -> tuple[Passage, ...]:
    return cut(PATH, parse(text), text, counter(name), **bounds)


def bodies(text: str, found: Sequence[Passage]) -> list[str]:
    return [text[passage.body_start : passage.body_end] for passage in found]


def test_q08_bound() -> None:
    paragraph = ("Every character of it must be found again. " * 40)[:1_601]
    text = f"# A\n\n{paragraph}"
    found = passages(text)
    assert len(found) == 2
    assert all(len(body.strip()) <= 1_600 for body in bodies(text, found))
    assert "".join(bodies(text, found)) == "\n" + paragraph
    assert min(len(body) for body in bodies(text, found)) >= 300


def test_q08_bound_without_any_place_to_cut() -> None:
    found = passages("# A\n\n" + "x" * 1_601)
    assert [passage.body_end - passage.body_start for passage in found] == [1 + 1_201, 400]
    assert len(passages("# A\n\n" + "x" * 1_600)) == 1


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    "body", [(KOREAN * 30)[:1_600], (KOREAN.replace(" ", "") * 40)[:1_600], (KOREAN * 150)[:9_000]]
)
def test_q09_tokens(name: str, body: str) -> None:
    text = f"# 시작하기 전에\n\n## 한국어 문서를 색인하는 방법\n\n{body}\n"
    found = passages(text, name)
    counts = counter(name)([whole_text(text, passage) for passage in found])
    assert max(counts) <= 512
    assert "".join(bodies(text, found[1:])).strip() == body.strip()
    assert len(found) - 1 <= 1.4 * sum(counts[1:]) / 512 + 1  # and the pieces are well filled


@pytest.mark.parametrize("name", NAMES)
def test_row_54_the_last_sentence_of_a_long_cjk_paragraph_is_embedded(name: str) -> None:
    text = "# 題\n\n" + "検索サーバーは文書を見出しごとに分けて保存します。" * 125 + "最後の文です。"
    found = passages(text, name)
    assert max(counter(name)([whole_text(text, passage) for passage in found])) <= 512
    assert whole_text(text, found[-1]).endswith("最後の文です。")
    assert all(body.rstrip().endswith("。") for body in bodies(text, found))


def test_q10_headings() -> None:
    text = "# A\n### C\n```\n# no\n```\n"
    assert [passage.headings for passage in passages(text)] == [("A",), ("A", "C")]
    assert whole_text(text, passages(text)[1]).endswith("A > C\n\n```\n# no\n```")


def test_places_of_a_passage() -> None:
    text = "intro\n\n## B\n\n" + "word " * 500 + "\n\n# C"
    first, second, third, last = passages(text)
    assert (first.level, first.headings, first.line, first.end_line) == (0, ("C",), 0, 1)
    assert text[first.heading_start : first.heading_end] == "intro"
    assert (second.start, second.end, second.line, second.end_line) == (
        third.start,
        third.end,
        third.line,
        third.end_line,
    )
    assert text[second.heading_start : second.heading_end] == "## B"
    assert second.body_end == third.body_start
    assert (last.level, last.body_start, last.body_end) == (1, len(text), len(text))


def test_whole_parts_are_packed_greedily() -> None:
    sizes = {"a": 300, "b": 200, "c": 100, "d": 500, "e": 15}
    parts = [f"{letter}. " * count + "\n\n" for letter, count in sizes.items()]
    text = "# A\n" + "".join(parts)
    assert bodies(text, passages(text, max_tokens=9_999)) == [parts[0] + parts[1], parts[2], parts[3] + parts[4]]


def test_a_short_introduction_stays_with_the_long_part_it_introduces() -> None:
    text = "# A\nExample:\n\n```\n" + "line of code\n" * 300 + "```\n"
    found = bodies(text, passages(text))
    assert found[0].startswith("Example:\n\n```\nline of code\n")
    assert all(body.endswith(("line of code\n", "```\n")) for body in found)


def test_indentation_stays_with_the_line_it_indents() -> None:
    found = bodies(text := "# A\n\n" + "    if True:\n        continue\n\n" * 200, passages(text))
    assert len(found) > 2
    assert all(body.lstrip("\n").startswith("    if") for body in found)


def test_lists_are_cut_between_items() -> None:
    items = [f"- {'item words ' * 20}\n  - {'below it ' * 10}\n" for _ in range(12)]
    found = bodies(text := "# A\n\n" + "".join(items), passages(text))
    assert len(found) > 2
    assert all(body.lstrip("\n").startswith("- item") for body in found)


def test_sentences_then_spaces_are_cut_before_words_are() -> None:
    sentences = "# A\n" + "Some seven words make up this sentence. " * 100
    assert all(body.endswith("sentence. ") for body in bodies(sentences, passages(sentences)))
    words = "# A\n" + "word " * 900
    assert all(body.endswith("word ") for body in bodies(words, passages(words)))
    abbreviated = "# A\n" + "word " * 250 + "see 12. " + "word " * 200
    assert len(bodies(abbreviated, passages(abbreviated))[0]) > 1_400
    numbered = "# A\n" + "1. one two three four five six seven\n" * 100
    assert all(body.startswith("1. one") for body in bodies(numbered, passages(numbered)))


@pytest.mark.parametrize(
    "cluster", ["e\u0301\u0323", "👩\u200d💻", "👍🏽", "❤\ufe0f", "\u1112\u1161\u11ab", "\ud83d\ude00"]
)
def test_no_cut_inside_what_is_seen_as_one_character(cluster: str) -> None:
    text = "# A\n" + "x" + cluster * 1_500
    found = bodies(text, passages(text))
    assert len(found) > 1
    assert all(len(body.removeprefix("x")) % len(cluster) == 0 for body in found)


def test_row_55_a_cut_table_repeats_its_header_and_keeps_its_lines() -> None:
    header = "| Name | What it does |\n|------|--------------|\n"
    rows = [f"| option{number} | does a thing with number {number} |\n" for number in range(200)]
    text = "# A\n\nBefore.\n\n" + header + "".join(rows) + "\nAfter.\n"
    found = passages(text)
    assert len(found) > 4
    for passage, body in zip(found[1:], bodies(text, found)[1:], strict=True):
        assert body.startswith("| option")
        assert passage.table_header is not None
        assert text[slice(*passage.table_header)] == header
        assert whole_text(text, passage).split("\n\n", 1)[1].startswith(header + "| option")
    assert found[0].table_header is None
    assert "".join(bodies(text, found)).count("| Name |") == 1
    assert max(counter("deterministic")([whole_text(text, passage) for passage in found])) <= 512


def test_row_55_the_header_counts_as_tokens() -> None:
    header = "| " + " | ".join(f"column{number}" for number in range(20)) + " |\n" + "|---" * 20 + "|\n"
    text = "# A\n\n" + header + ("| " + " | ".join("a,b" * 3 for _ in range(20)) + " |\n") * 60
    found = passages(text)
    assert any(passage.table_header for passage in found)
    assert max(counter("deterministic")([whole_text(text, passage) for passage in found])) <= 512


def test_a_header_too_wide_to_repeat_is_not_repeated() -> None:
    header = "| " + " | ".join("a wide column name" for _ in range(20)) + " |\n" + "|---" * 20 + "|\n"
    text = "# A\n\n" + header + ("| x" * 20 + " |\n") * 60
    assert {passage.table_header for passage in passages(text)} == {None}
    assert "".join(bodies(text, passages(text))) == text[4:]


def test_what_is_dropped_at_the_very_end_still_belongs_to_the_last_passage() -> None:
    text = "# A\n" + "word " * 600 + "\n\n![](data:image/png;base64,AAAA"
    assert passages(text)[-1].body_end == len(text)
    (only,) = passages("data:image/png;base64,AAAA")
    assert (only.body_start, only.body_end) == (0, 26)


def test_row_53_a_picture_of_megabytes_makes_one_passage() -> None:
    text = "# A\n\nBefore ![x](data:image/png;base64," + "iVBORw0KGgo" * 230_000 + ") after.\n"
    (found,) = passages(text)
    assert whole_text(text, found).endswith("A\n\nBefore ![x]() after.")
    assert (found.body_start, found.body_end) == (4, len(text))


def test_row_47_equal_twins_have_ids_of_their_own() -> None:
    found = passages("# A\n## Options\nx\n## Options\nx\n## Options\nx\n## Options\ny\n")
    names = [passage.id for passage in found]
    assert len(set(names)) == len(names)
    assert names[2:4] == [f"{names[1]}-2", f"{names[1]}-3"]
    assert found[1].fingerprint == found[3].fingerprint != found[4].fingerprint


def test_an_edit_changes_only_the_passages_it_touches() -> None:
    before = "# A\none\n## B\ntwo\n## C\nthree\n"
    old = {passage.fingerprint for passage in passages(before)}
    new = {passage.fingerprint for passage in passages(before.replace("two", "2 and\n\nmore"))}
    assert len(new - old) == 1
    assert old & {passage.fingerprint for passage in passages("\n\n" + before + "\n\n")} == old


def test_tokens_are_counted_in_few_calls() -> None:
    short = "# A\n" + "## B\nbody\n" * 200
    cut(PATH, parse(short), short, recorder := Recorder(counter("deterministic")))
    assert [len(call) for call in recorder.calls] == [201]
    long = "# A\n" + "".join(f"## B{number}\n{KOREAN * 30}\n" for number in range(30))
    cut(PATH, parse(long), long, recorder := Recorder(lambda texts: [len(text) // 2 for text in texts]))
    assert len(recorder.calls) <= 5
    assert sum(len(text) for call in recorder.calls for text in call) < 3 * len(long)


def test_a_counter_that_is_never_content_does_not_hang() -> None:
    text = "# A\n" + "word " * 2_000
    assert len(cut(PATH, parse(text), text, lambda texts: [9_999] * len(texts))) < 10
    jumpy = cut(PATH, parse(text), text, lambda texts: [20 if len(text) < 80 else 600 for text in texts])
    assert "".join(bodies(text, jumpy)) == text[4:]


@given(any_text, st.sampled_from([60, 120, 512]), st.sampled_from([20, 200, 1_600]))
@settings(deadline=None)
def test_passages_tile_their_sections_and_fit(text: str, max_tokens: int, max_points: int) -> None:
    parsed = parse(text)
    recorder = Recorder(counter("deterministic"))
    found = cut("a/b.md", parsed, text, recorder, max_tokens=max_tokens, max_points=max_points)
    check_passages(text, parsed, found, recorder, max_tokens, max_points)


@given(documents, st.sampled_from(["\r\n", "\r"]), st.sampled_from([40, 1_600]))
@settings(deadline=None)
def test_row_49_line_endings_change_no_fingerprint(text: str, ending: str, max_points: int) -> None:
    plain = passages(text, max_points=max_points)
    other = passages(with_endings(text, ending), max_points=max_points)
    assert [(p.id, p.headings, p.fingerprint, p.opening) for p in plain] == [
        (p.id, p.headings, p.fingerprint, p.opening) for p in other
    ]
    assert [(p.line, p.end_line) for p in plain] == [(p.line, p.end_line) for p in other]


@pytest.mark.parametrize("shape", SLOW_SHAPES)
def test_no_text_hangs_the_cutting(shape: str) -> None:
    text = SLOW_SHAPES[shape]
    parsed = parse(text)
    started = time.process_time()
    cut(PATH, parsed, text, lambda texts: [len(text) // 3 for text in texts])
    assert time.process_time() - started < 10


@given(st.lists(st.sampled_from(["a", "word", "somewhat-longer", "가나다", "x" * 40]), min_size=1, max_size=120))
def test_an_opening_shares_its_vector_with_the_whole_only_where_nothing_is_cut_from_it(words: list[str]) -> None:
    text = f"# T\n\n{' '.join(words)}\n"
    count = counter("deterministic")
    for passage in cut("a.md", parse(text), text, count):
        whole = whole_text(text, passage)
        uncut = whole == opening_text(text, passage) and count([whole])[0] <= OPENING_TOKENS
        assert (passage.opening == passage.fingerprint) is uncut
