"""The vector of a question: what the embedder makes of it, with English words of the trade said beside it.

Owns how a question and its glosses become one vector. Must not know passages or scores.
"""

from __future__ import annotations

import numpy as np

from ddg_lsp.core import glossary
from ddg_lsp.core.embedding import Embedder, Matrix, embed_query

GLOSSED = 0.6
"""Weight of the glossed question against the question alone: .4 to .7 measure alike (decisions/0009-glossary.md)."""


def plain(embedder: Embedder, question: str) -> Matrix:
    """What the embedder makes of a question, float32 (d,), norm 1: mode `semantic`."""
    return embed_query(embedder, question)


def glossed(embedder: Embedder, question: str) -> Matrix:
    """The same for mode `hybrid`: where the glossary knows words of the question, English stands beside them.

    A weighted mean, made a unit vector, of the question and of "<glosses>: <question>"; one call to the embedder.
    """
    words = glossary.glosses(question)
    if not words:
        return plain(embedder, question)
    prefix = embedder.info.query_prefix
    alone, beside = embedder.embed([prefix + question, f"{prefix}{', '.join(words)}: {question}"])
    mean = (1.0 - GLOSSED) * alone.astype(np.float64) + GLOSSED * beside
    vector: Matrix = (mean / max(float(np.linalg.norm(mean)), 1e-12)).astype(np.float32)
    return vector
