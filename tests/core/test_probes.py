"""The probe questions stay a parallel set: equally many, each once, each in its own language's letters."""

from __future__ import annotations

import re
import unicodedata

import pytest

from ddg_lsp.core import probes

COUNT = 48
LATIN = ("en", "de", "fr", "es", "pt", "it", "nl", "pl", "tr", "id", "vi")
SCRIPTS = {
    **dict.fromkeys(LATIN, ("LATIN",)),
    **dict.fromkeys(("ru", "uk"), ("CYRILLIC",)),
    "ar": ("ARABIC",),
    "hi": ("DEVANAGARI",),
    "ja": ("HIRAGANA", "KATAKANA", "CJK"),
    "ko": ("HANGUL",),
    "zh": ("CJK",),
}
OWN_WORDS = {
    "en": r"the|how|why|a",
    "de": r"der|die|das|ein|eine|wie|man",
    "fr": r"le|la|les|une?|d",
    "es": r"el|los|una?|por",
    "pt": r"o|os|uma?|no|do",
    "it": r"il|gli|una?|perché|di",
    "nl": r"het|een|de|hoe",
    "pl": r"jak|czy|się|na|w",
    "tr": r"bir|ne|mi|neden|nasıl|için",
    "id": r"yang|apa|di|cara|mengapa",
    "vi": r"không|thì|nào|khi|có",
    "ru": r"почему|как|ли|что|и",
    "uk": r"чому|як|чи|що|й",
}
FOREIGN_LETTERS = {"ru": "іїєґ", "uk": "ыэёъ"}


def letters(text: str) -> list[str]:
    """The letters and marks of a text, without digits, spaces and punctuation."""
    return [char for char in text if unicodedata.category(char)[0] in "LM"]


def ending(question: str) -> str:
    """How a line ends: `?`, `.`, or nothing for a phrase; every script's own signs count alike."""
    return {"？": "?", "؟": "?", "。": ".", "।": "."}.get(question[-1], question[-1] if question[-1] in "?." else "")


def test_the_languages_are_those_chosen_sorted_by_code() -> None:
    assert list(probes.load()) == sorted(SCRIPTS)


@pytest.mark.parametrize("language", SCRIPTS)
def test_every_language_has_the_same_number_of_questions_each_once(language: str) -> None:
    questions = probes.load()[language]
    assert len(questions) == COUNT
    assert len({question.casefold() for question in questions}) == COUNT


@pytest.mark.parametrize("language", SCRIPTS)
def test_lines_are_clean_text(language: str) -> None:
    for question in probes.load()[language]:
        assert question == unicodedata.normalize("NFC", question).strip()
        assert "  " not in question
        assert all(char == " " or char.isprintable() for char in question)


@pytest.mark.parametrize("language", SCRIPTS)
def test_every_letter_is_of_the_languages_own_script(language: str) -> None:
    for question in probes.load()[language]:
        written = letters(question)
        own = [char for char in written if unicodedata.name(char).startswith(SCRIPTS[language])]
        # The prolonged sound mark is named for both kana; everything else must be of the script without exception.
        alien = [char for char in written if char not in own and char != "ー"]
        assert written, question
        assert not alien, (question, alien)


@pytest.mark.parametrize("language", FOREIGN_LETTERS)
def test_neighbours_in_script_are_not_mixed(language: str) -> None:
    text = "".join(probes.load()[language]).casefold()
    assert not set(text) & set(FOREIGN_LETTERS[language])


def test_japanese_has_kana_in_every_line_and_chinese_in_none() -> None:
    kana = re.compile(r"[\u3041-\u30ff]")
    assert all(kana.search(question) for question in probes.load()["ja"])
    assert not any(kana.search(question) for question in probes.load()["zh"])


@pytest.mark.parametrize("language", OWN_WORDS)
def test_a_file_holds_the_language_it_is_named_for(language: str) -> None:
    def share(code: str) -> float:
        own = re.compile(rf"\b(?:{OWN_WORDS[language]})\b", re.IGNORECASE)
        return sum(bool(own.search(question)) for question in probes.load()[code]) / COUNT

    same_script = [code for code in OWN_WORDS if code != language and SCRIPTS[code] == SCRIPTS[language]]
    assert share(language) > max(share(code) for code in same_script)


@pytest.mark.parametrize("language", SCRIPTS)
def test_line_i_has_the_same_form_in_every_language(language: str) -> None:
    pairs = zip(probes.load()["en"], probes.load()[language], strict=True)
    assert [number for number, (one, other) in enumerate(pairs, 1) if ending(one) != ending(other)] == []


@pytest.mark.parametrize("language", [code for code in SCRIPTS if code not in ("ja", "zh")])
def test_questions_are_of_a_length_people_type(language: str) -> None:
    assert [q for q in probes.load()[language] if not 5 <= len(q.rstrip(" ?").split()) <= 14] == []


def test_no_word_of_what_corpora_are_about() -> None:
    subject = re.compile(
        r"\b(?:computers?|software|programs?|code|files?|documents?|search|web|internet|online|apps?|data|servers?|users?)\b"
    )
    assert [question for question in probes.load()["en"] if subject.search(question.casefold())] == []
