"""An excerpt is short, on one line, and shows the question's words where the passage has them."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from ddg_lsp.core import markdown, passages
from ddg_lsp.core.embedding.deterministic import DeterministicEmbedder
from ddg_lsp.core.excerpts import EXCERPT, excerpt
from ddg_lsp.core.model import Passage
from ddg_lsp.core.terms import terms


def first(text: str) -> Passage:
    return passages.cut("a.md", markdown.parse(text), text, DeterministicEmbedder().count_tokens)[0]


def of(body: str, question: str = "") -> str:
    text = f"# Title\n\n{body}"
    return excerpt(text, first(text), frozenset(terms(question)))


def test_a_short_body_is_shown_whole() -> None:
    assert of("One line.\n\nAnother one.") == "One line. Another one."


def test_markup_that_says_nothing_is_left_out() -> None:
    body = "See [the guide](guide.md) and **this**.\n\n```sh\nrun\n```\n\n<!-- hidden -->\n\n"
    body += "| a | b |\n|---|:-:|\n| c | d |"
    assert of(body) == "See the guide and this. run a · b c · d"


def test_bars_are_dots_between_the_cells_of_a_table_and_themselves_in_a_program() -> None:
    assert of("| a || b |\n|---|---|---|\n| c \\| d | | e |") == "a · b c \\| d · e"
    assert of("```js\nif (a || b) { c = d | e }\n|| f\n```") == "if (a || b) { c = d | e } || f"


def test_the_words_of_the_question_are_shown_when_they_come_late() -> None:
    body = "filler text here. " * 30 + "The retry policy doubles the delay. " + "more filler. " * 40
    shown = of(body, "how does the retry policy work")
    assert "retry policy doubles" in shown
    assert shown.startswith("…")
    assert shown.endswith("…")
    assert len(shown) <= EXCERPT


def test_a_picture_in_the_text_does_not_fill_the_excerpt() -> None:
    assert of(f"![x](data:image/png;base64,{'A' * 100_000}) after") == "x after"


@given(st.text(max_size=2_000), st.text(max_size=40))
def test_any_text_gives_one_short_line(body: str, question: str) -> None:
    text = f"# T\n\nx {body}"
    for passage in passages.cut("a.md", markdown.parse(text), text, DeterministicEmbedder().count_tokens):
        shown = excerpt(text, passage, frozenset(terms(question)))
        assert len(shown) <= EXCERPT
        assert "\n" not in shown
        assert "\r" not in shown
