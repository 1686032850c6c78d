"""The same text is cut as it ever was, or `FORMAT` says otherwise: cached layouts are trusted by that number alone."""

from __future__ import annotations

import json
from collections.abc import Sequence

import pytest
import xxhash

from ddg_lsp.core.embedded_text import opening_text, whole_text
from ddg_lsp.core.embedding import OPENING_TOKENS, TokenCounter
from ddg_lsp.core.markdown import parse
from ddg_lsp.core.passages import FORMAT, cut, hash_of
from tests.helpers.token_counters import Recorder

PATH = "guide/places.md"
_WORDS = "A failed request is sent again after a while. "
_HEADER = "| Name of it | What it does |\n|---|---|\n"
TEXTS = {
    "prose": "# A\n\n" + "".join(f"{number}. {_WORDS * (1 + number % 3)}\n\n" for number in range(70)),
    "one paragraph": "# A\n\n## B\n\n" + _WORDS * 110 + "\n\nAn end.\n",
    "uneven": "# A\n\n" + "plain words only " * 120 + "0123456789 " * 150 + "and plain again " * 130 + "\n",
    "digits in the middle": "# A\n\n" + "word " * 90 + "7" * 300 + " word" * 90 + "\n",
    "table": "# A\n\nBefore.\n\n"
    + _HEADER
    + "".join(f"| option{n} | does thing {n} |\n" for n in range(190))
    + "\nEnd.\n",
    "table of digits": "# A\n\n" + _HEADER + "".join(f"| {n} | {'3' * (n % 23)} |\n" for n in range(120)),
    "list": "# A\n\n" + "".join(f"- {_WORDS * 2}\n  - {_WORDS}\n" for _ in range(40)),
    "program": "# A\n\n```py\n" + "".join(f"def f{n}():\n    return {n}\n\n\n" for n in range(150)) + "```\n",
    "many sections": "".join(f"# S{n}\n\n{_WORDS * n}\n\n" for n in range(1, 60, 7)),
}


def dense(texts: Sequence[str]) -> list[int]:
    """Digits cost ten times what letters do: what is estimated from the surroundings is wrong, as in real text."""
    return [sum(5 if char.isdigit() else 1 for char in text) // 4 for text in texts]


def steep(texts: Sequence[str]) -> list[int]:
    """More tokens per character, the more characters: a piece is always longer than it was estimated."""
    return [len(text) // 3 + len(text) ** 2 // 4_000 for text in texts]


COUNTERS: dict[str, tuple[TokenCounter, int]] = {
    "dense, 512": (dense, 512),
    "dense, 90": (dense, 90),
    "steep, 200": (steep, 200),
    "a character each, 330": (lambda texts: [len(text) for text in texts], 330),
}
GOLDEN = {
    "prose": ("7d7a7177cca183ed", "12376c76f16b9458", "d606e6e11a51ca4a", "c418d08ec074ad2d"),
    "one paragraph": ("5f49733531a92718", "55225db2845e6289", "99da53615453c27f", "b9f211bfd7f28360"),
    "uneven": ("be9a6f14646d8d6c", "53d57990e8c7f63f", "a92f2f09f0e486c5", "b3fb56e8ae64894c"),
    "digits in the middle": ("2043f90a7b0c038f", "efbc00de7b614b9e", "7fa02285b240a1d4", "1a32e198e92b2591"),
    "table": ("948fd3f822abbd75", "b123b1059a94eb0c", "6306a5436e0da551", "5c85e900e233df71"),
    "table of digits": ("fa47516dfc1919d9", "50b97542d99441c2", "317134c3d65409c8", "a511957016ef9d1c"),
    "list": ("ab085403b91fcbe7", "a31bcdc3e44f0796", "893e76146938d07e", "a31bcdc3e44f0796"),
    "program": ("a5d1016a3cfd1134", "2918487fa8ef4634", "6c95caf5be936a62", "a68ea112fccb4988"),
    "many sections": ("0f0a274017625a70", "0db5001df5eb4441", "51ad437c6bf56582", "18c44e9cef233031"),
}
"""By text, one for each counter."""


def told(name: str, counter: str) -> str:
    """Every place, header, hash and call to the counter, as one hash."""
    text, (count, bound) = TEXTS[name], COUNTERS[counter]
    recorder = Recorder(count)
    found = cut(PATH, parse(text), text, recorder, max_tokens=bound)
    places = [(p.id, p.start, p.end, p.body_start, p.body_end, p.table_header, p.fingerprint, p.opening) for p in found]
    return xxhash.xxh3_64_hexdigest(json.dumps([places, [len(call) for call in recorder.calls]]).encode())


@pytest.mark.parametrize("counter", COUNTERS)
@pytest.mark.parametrize("name", TEXTS)
def test_a_text_is_cut_as_ever_or_the_format_is_another_one(name: str, counter: str) -> None:
    assert FORMAT == 1, "make GOLDEN anew for a new format"
    assert told(name, counter) == GOLDEN[name][list(COUNTERS).index(counter)], "cut otherwise than before: raise FORMAT"


def test_the_golden_texts_go_through_every_stage_of_cutting() -> None:
    calls = {}
    for name, text in TEXTS.items():
        for counter, (count, bound) in COUNTERS.items():
            cut(PATH, parse(text), text, recorder := Recorder(count), max_tokens=bound)
            calls[name, counter] = len(recorder.calls)
    assert {1, 3, 4} <= set(calls.values()), "fits at once; is packed anew; is split again"


def test_what_a_passage_is_called_and_hashed_by() -> None:
    text = "# A\n\nshort\n\n## B\n\n" + "long " * 200
    for passage in cut(PATH, parse(text), text, lambda texts: [len(text) // 4 for text in texts]):
        whole, opening = whole_text(text, passage), opening_text(text, passage)
        assert passage.fingerprint == hash_of(whole)
        assert passage.opening == (passage.fingerprint if whole == opening else hash_of(f"opening\n{opening}"))
        assert passage.id == f"{PATH}#{passage.fingerprint[:16]}"
        section = next(one for one in parse(text).sections if one.start == passage.start)
        assert (passage.end, passage.end_line) == (section.end, section.end_line)


@pytest.mark.parametrize(("tokens", "shared"), [(OPENING_TOKENS, True), (OPENING_TOKENS + 1, False)])
def test_an_opening_of_just_the_tokens_an_embedder_takes_is_its_whole(tokens: int, shared: bool) -> None:
    text = "# A\n\nshort"
    (passage,) = cut(PATH, parse(text), text, lambda texts: [tokens] * len(texts))
    assert (passage.opening == passage.fingerprint) is shared


@pytest.mark.parametrize(("room", "pieces"), [(16, True), (15, False)])
def test_where_path_and_headings_leave_less_than_sixteen_tokens_nothing_is_cut_finer(room: int, pieces: bool) -> None:
    text = "# A\n\n" + "word " * 60
    heads: list[str] = []
    cut(PATH, parse(text), text, lambda texts: [9_999 if len(one) > 100 else heads.append(one) or 1 for one in texts])
    bound = min(map(len, heads)) + room
    found = cut(PATH, parse(text), text, lambda texts: [len(one) for one in texts], max_tokens=bound)
    assert (len(found) > 1) is pieces


def test_halves_of_surrogate_pairs_have_a_hash_as_every_text_has() -> None:
    assert hash_of("\ud83d") != hash_of("\ude00") != hash_of("?")
