"""Probe questions: everyday questions that no corpus answers, the same ones in every language.

What a model makes of them is language and habit, not meaning: the means of two languages' vectors differ by language
and nothing else, and a corpus's scores for them say how high an unrelated question scores there. Both hold only while
line i means, asks and is punctuated alike in every `<language>.txt`; a question changed in one file is changed in all.
Nothing in them is about software, documents or the web, for that is what corpora are about.

Owns the questions and their reading. Must not know embedders, vectors or scores.
"""

from __future__ import annotations

from functools import cache
from importlib import resources


@cache
def load() -> dict[str, tuple[str, ...]]:
    """Language code -> its questions in file order, codes sorted; equally many in each. Callers must not change it."""
    files = [entry for entry in resources.files(__name__).iterdir() if entry.name.endswith(".txt")]
    return {
        file.name.removesuffix(".txt"): tuple(file.read_text("utf-8").splitlines())
        for file in sorted(files, key=lambda entry: entry.name)
    }
