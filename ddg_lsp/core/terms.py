"""Text to search terms: one fold for documents and questions, and where each term stands, for highlights.

Owns what a word is: letters of alphabetic scripts, n-grams of scripts written without spaces, identifiers whole and in
parts, flags, versions, paths. Knows nothing of indexes, passages or scores.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache
from itertools import chain, pairwise
from operator import add
from typing import NamedTuple

from ddg_lsp.core.folding import compatible, with_places

MAX_TERM = 64
"""Code points of a term; the rest is cut off, in documents and questions alike: longer ones are hashes, not words."""


class Span(NamedTuple):
    """A term and where it stands in the text as given (code points, end exclusive)."""

    term: str
    start: int
    end: int


_HAN = "\u3005-\u3007\u3021-\u3029\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003fffd"
_KANA = "\u3041-\u3096\u309d\u309e\u30a1-\u30fa\u30fc-\u30ff\u3100-\u312f\u31a0-\u31bf\u31f0-\u31ff"
_HANGUL = "\u1100-\u11ff\u3131-\u318e\ua960-\ua97f\uac00-\ud7ff"
_SOUTH_EAST = "\u0e01-\u0eff\u1000-\u109f\u1780-\u17ff"  # Thai, Lao, Burmese, Khmer: no spaces between words either
_DENSE = _HAN + _KANA + _HANGUL + _SOUTH_EAST
# Marks that Python's \w leaves out (Indic vowel signs, points, joiners, the soft hyphen) would cut words in two.
_MARKS = (
    "\u00ad\u0300-\u036f\u0483-\u0489\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a\u064b-\u065f\u0670"
    "\u06d6-\u06dc\u06df-\u06e8\u06ea-\u06ed\u0711\u0730-\u074a\u07a6-\u07b0\u0900-\u0963\u0966-\u0dff\u1ab0-\u1aff"
    "\u1dc0-\u1dff\u200c\u200d\u2060\u20d0-\u20ff\ufe20-\ufe2f\ufeff"
)
_IGNORED = dict.fromkeys(map(ord, "\u00ad\u200c\u200d\u2060\ufeff"))
# A word and what joins words to one name (a.b, a/b, a-b, a:b, a::b), C++ and C#; or a flag. The hyphen of a flag comes
# before the look-behind: a literal first is refused faster, and this runs over every character of the corpus.
_JOINED = r"(?:[./\\:-]:?{w})*(?:\+\+|#(?!\w))?|-(?<![\w-]-)-?[A-Za-z][\w-]*"
_WORD_ASCII = re.compile(r"\w+" + _JOINED.format(w=r"\w+"), re.ASCII)
_LETTER = rf"[^\W{_DENSE}]"
_LETTERS = f"{_LETTER}+(?:[{_MARKS}]+{_LETTER}*)*"
_WORD = re.compile(f"[{_DENSE}]+|{_LETTERS}" + _JOINED.format(w=_LETTERS))
_RUN = re.compile(f"[{_DENSE}]+")
# Kanji and kana carry different halves of a Japanese phrase; cut between them, 型の追加 still holds the word 型.
_SCRIPT = re.compile(f"[{_HAN}]+|[{_KANA}]+|[{_HANGUL}]+|[{_SOUTH_EAST}]+")
_LEVELS = (
    re.compile(r"[^/\\]+"),
    re.compile(r"(?:[^.:]|(?<=\d)\.(?=\d))+"),
    re.compile(r"[^-]+"),
)
_JOINER = re.compile(r"[/\\.:-]")
_VERSION = re.compile(r"[vV]?(\d+(?:\.\d+){1,4})(?:[-.]?[A-Za-z]\w*)?")
_PLAIN = re.compile(r"[^._]+")
_HUMPS = re.compile(r"[A-Z]{2,}(?=s(?![a-z]))|[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|\d+")
_CODE = re.compile(r"[A-Za-z]\d+")
_OPAQUE_CHANGES = 4
"""More changes between letters and digits than this make a piece a hash, whose parts mean nothing."""


def terms(text: str) -> list[str]:
    """The terms of `text` in reading order, repeats kept; equal for a document and a question with the same words."""
    return list(chain.from_iterable(map(parts, words(text))))


def question_terms(text: str) -> list[str]:
    """The terms of a question: as `terms`, without the single characters of longer runs, which only documents need."""
    return list(chain.from_iterable(map(parts, words(text, singles=False))))


def words(text: str, *, singles: bool = True) -> list[str]:
    """The raw words of `text`, case kept, n-grams for scripts without spaces; `parts` turns each into terms."""
    if text.isascii():
        return _WORD_ASCII.findall(text)
    text = compatible(text)
    found: list[str] = _WORD.findall(text)
    if not _RUN.search(text):
        return found
    out: list[str] = []
    for word in found:
        if _is_dense(word):
            for run in _SCRIPT.findall(word):
                if singles or len(run) == 1:
                    out.extend(run)
                out.extend(map(add, run, run[1:]))
        else:
            out.append(word)
    return out


@lru_cache(maxsize=1 << 16)
def parts(word: str) -> tuple[str, ...]:
    """The terms of one raw word: folded whole, then its pieces from the coarsest cut to the finest."""
    if len(word) <= 2 and _is_dense(word):
        return (word,)
    return tuple(term for term, _, _ in _pieces(word))


def spans(text: str) -> list[Span]:
    """The terms of `text`, as `terms` gives them, each with its place in `text` as it was passed in."""
    if text.isascii():
        return [Span(t, m.start() + a, m.start() + b) for m in _WORD_ASCII.finditer(text) for t, a, b in _pieces(m[0])]
    folded, starts, ends = with_places(text, compatible)
    out: list[Span] = []
    for match in _WORD.finditer(folded):
        word, at = match[0], match.start()
        pieces = _grams(word, singles=True) if _is_dense(word) else _pieces(word)
        out.extend(Span(fold(term), starts[at + a], ends[at + b - 1]) for term, a, b in pieces)
    return out


def fold(word: str) -> str:
    """One word as everything here compares it: NFKC, case fold, joiners out, at most MAX_TERM code points."""
    if word.isascii():
        return word.lower()[:MAX_TERM]
    folded = unicodedata.normalize("NFKC", word).casefold().translate(_IGNORED)
    # Last, since a letter and its accent may have met only now: folding twice must be folding once.
    return unicodedata.normalize("NFKC", folded)[:MAX_TERM]


def _is_dense(word: str) -> bool:
    return word[0] >= "\u0e01" and _RUN.match(word) is not None


def _grams(run: str, singles: bool) -> Iterator[tuple[str, int, int]]:
    """Bigrams of each script in `run`, and the single characters: all of them, or only where a script stands alone."""
    for match in _SCRIPT.finditer(run):
        start, end = match.span()
        if singles or end - start == 1:
            yield from ((run[i], i, i + 1) for i in range(start, end))
        yield from ((run[i : i + 2], i, i + 2) for i in range(start, end - 1))


@lru_cache(maxsize=1 << 14)
def _pieces(word: str) -> tuple[tuple[str, int, int], ...]:
    """(term, start, end) of a raw word: itself and its parts, each place once, single ASCII letters only as a whole."""
    if word.isalpha() and (word[1:].islower() or len(word) == 1):
        return ((fold(word), 0, len(word)),)
    rest = len(word) - len(word.lstrip("-_"))
    end = len(word.rstrip("_"))
    places = [(0, len(word))] if word.startswith(("-", "__")) and end > rest else []
    pieces = [(rest, end)] if rest < end else []
    places += pieces
    for level in _LEVELS if _JOINER.search(word, rest) else ():
        pieces = [(a + m.start(), a + m.end()) for a, b in pieces for m in level.finditer(word[a:b])]
        places += pieces
    for a, b in pieces:
        fine = [(a + start, a + stop) for start, stop in _finest(word[a:b])]
        places += [(a, b) for a, b in fine if b - a > 1 or not (word[a].isascii() and word[a].isalpha())]
    kept = [(fold(word[a:b]), a, b) for a, b in dict.fromkeys(places)]
    return tuple(piece for piece in kept if piece[0])


def _finest(piece: str) -> Iterator[tuple[int, int]]:
    """Places of the last parts of a piece without `/`, `:` or `-`: prefixes of a version, or words of an identifier."""
    version = _VERSION.fullmatch(piece)
    if version:
        start, number = version.start(1), version[1]
        yield from ((start, start + i) for i in range(len(number), 0, -1) if i == len(number) or number[i] == ".")
        return
    for plain in _PLAIN.finditer(piece):
        at, name = plain.start(), plain[0]
        yield at, plain.end()
        if name.isascii() and not _CODE.fullmatch(name):
            humps = list(_HUMPS.finditer(name))
            changes = sum(a[0].isdigit() != b[0].isdigit() for a, b in pairwise(humps))
            if changes <= _OPAQUE_CHANGES:
                yield from ((at + hump.start(), at + hump.end()) for hump in humps)
