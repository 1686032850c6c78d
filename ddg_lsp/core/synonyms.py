"""The dictionary: which further terms a typed term stands for. Settings' table, synonym file, front-matter aliases.

Owns the rules and the expansion contract: trouble is an empty list and a reason. Knows nothing of scores; the grammar
of the file is `synonym_file`'s.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from ddg_lsp.core.folding import literal
from ddg_lsp.core.literal import Expansion
from ddg_lsp.core.model import Document

MAX_TERM = 200
"""Code points of one term."""
# Letters of scripts whose words stand between spaces: not Thai, Chinese, Japanese; Korean adds endings to a word.
_ALPHABETIC = r"[^\W_\u0e00-\U0010ffff]"


@dataclass
class Rules:
    """One source's rules in its order: folded term -> the rules it is on the asking side of.

    A rule is kept once, not pair by pair: one line of a hostile file could stand for billions of pairs.
    """

    _others: list[tuple[str, ...]] = field(default_factory=list)
    _by_term: dict[str, list[int]] = field(default_factory=dict)

    def add(self, terms: Iterable[str], others: Iterable[str]) -> None:
        """Each of `others` is searched where one of `terms` was typed."""
        number = len(self._others)
        self._others.append(tuple(others))
        for term in dict.fromkeys(map(literal, terms)):
            self._by_term.setdefault(term, []).append(number)

    def of(self, terms: Iterable[str]) -> list[str]:
        """What the terms stand for besides themselves, each once, in the source's order whatever the terms' order."""
        asked = set(map(literal, terms))
        found: dict[str, str] = {}
        for number in sorted({number for term in asked for number in self._by_term.get(term, ())}):
            for other in self._others[number]:
                fold = literal(other)
                if fold not in asked:
                    found.setdefault(fold, other)
        return list(found.values())

    @property
    def terms(self) -> Iterable[str]:
        """The folded terms that stand for something."""
        return self._by_term.keys()


@dataclass(frozen=True)
class Dictionary:
    """Every source of synonyms of one folder, in the order their terms are taken: settings, file, aliases."""

    table: Rules = field(default_factory=Rules)
    file: Rules = field(default_factory=Rules)
    aliases: Rules = field(default_factory=Rules)
    failure: str | None = None
    """Why a source could not be read at all; then nothing is expanded, and this is the reason given."""

    def expand(self, terms: Sequence[str]) -> Expansion:
        """What the terms stand for; with trouble nothing and the reason, so that the search goes on without."""
        if self.failure is not None:
            return Expansion((), self.failure)
        sources = [rules for rules in (self.table, self.file, self.aliases) if rules.terms]
        if not sources:
            return Expansion((), "no_dictionary")
        return Expansion(tuple(dict.fromkeys(other for rules in sources for other in rules.of(terms))))

    def found_in(self, question: str) -> list[tuple[str, tuple[str, ...]]]:
        """The dictionary's terms that stand in a free-form question, in its order, each with what it stands for.

        Terms are folded. A letter or digit of an alphabet at a term's end must end the word: `api` is not in `rapid`.
        """
        if self.failure is not None:
            return []
        folded = literal(question)
        known = {term for rules in (self.table, self.file, self.aliases) for term in rules.terms if term in folded}
        places = [(at, term) for term in known if (at := _place(term, folded)) >= 0]
        return [(term, self.expand([term]).terms) for _, term in sorted(places)]


def read_table(table: Mapping[str, Sequence[str]]) -> Rules:
    """The settings' table: one way, from the key to each of its terms. Blank and overlong terms are left out."""
    rules = Rules()
    for term, others in table.items():
        good = [other.strip() for other in others if usable(other)]
        if usable(term) and good:
            rules.add([term.strip()], good)
    return rules


def read_aliases(documents: Iterable[Document]) -> Rules:
    """Front matter `aliases` (a list; a lone text is tolerated): the title and each alias stand for one another."""
    rules = Rules()
    for document in documents:
        value = document.meta.get("aliases")
        listed = [value] if isinstance(value, str) else value if isinstance(value, (list, tuple)) else []
        names = [name.strip() for name in (document.title, *listed) if isinstance(name, str) and usable(name)]
        if len(names) > 1:
            rules.add(names, names)
    return rules


def usable(term: str) -> bool:
    """Whether a term is neither blank nor too long."""
    return 0 < len(term.strip()) <= MAX_TERM


def _place(term: str, text: str) -> int:
    """Where a term stands as a word of its own; -1 for nowhere."""
    before = f"(?<!{_ALPHABETIC})" if re.match(_ALPHABETIC, term[0]) else ""
    after = f"(?!{_ALPHABETIC})" if re.match(_ALPHABETIC, term[-1]) else ""
    found = re.search(before + re.escape(term) + after, text)
    return found.start() if found else -1
