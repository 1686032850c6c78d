"""The vector cache takes whatever real documents come to: what parsing and cutting make of any text is given back."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ddg_lsp.core import markdown, passages
from ddg_lsp.core.embedding.deterministic import DeterministicEmbedder
from ddg_lsp.core.vector_cache import CachedDocument
from tests.helpers.cache_content import KEY, assert_same, content, hash_of
from tests.helpers.forged_cache import cache_at

EMBEDDER = DeterministicEmbedder(KEY.dimensions)
LINES = [
    "# Guide",
    "## 설치하기 \u2028 \x0b 🎉",
    "###### ",
    "#",
    "Setext\n======",
    "two\nlines\n---",
    "some body text, not much of it",
    "| a | b |\n|---|---|\n" + "| 1 | 2 |\n" * 300,
    "word " * 900,
    "字" * 3000,
    "---\ntitle: T\naliases: [x, 1, 2.5]\ndate: 2026-01-02\nself: &a [*a]\n---",
    "```\ncode # no heading\n```",
    "> # quoted",
    "- # in a list",
    "<!-- # hidden -->",
    "\r",
    "",
    "\ud800",
    "data:image/png;base64," + "A" * 5000,
]
TEXTS = st.lists(st.sampled_from(LINES), max_size=8).map("\n\n".join)
PATHS = st.sampled_from(["a.md", "docs/a b.md", "문서/설치.md", "x\udcff.md", "# odd #.md", "deep/" * 30 + "a.md"])


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("roundtrip")


def real(path: str, text: str) -> CachedDocument:
    parsed = markdown.parse(text)
    cut = passages.cut(path, parsed, text, EMBEDDER.count_tokens, max_tokens=512)
    return CachedDocument(path, hash_of(text), None, parsed.title, cut, {})


@given(st.dictionaries(PATHS, TEXTS, max_size=4))
@settings(max_examples=60, deadline=None)
def test_any_real_documents_come_back(root: Path, texts: dict[str, str]) -> None:
    saved = content(*(real(path, text) for path, text in texts.items()))
    cache = cache_at(root)
    assert cache.save(saved)
    assert_same(cache.load(), saved)
    assert cache.notices == []
    cache.close()


@given(st.dictionaries(PATHS, st.text(max_size=300), min_size=1, max_size=2))
@settings(max_examples=60, deadline=None)
def test_any_text_at_all_comes_back(root: Path, texts: dict[str, str]) -> None:
    saved = content(*(real(path, text) for path, text in texts.items()))
    cache = cache_at(root)
    assert cache.save(saved)
    assert_same(cache.load(), saved)
    assert cache.notices == []
    cache.close()
