"""Field reports on scores that hide: an answer is ordered by them and never cut by them."""

from __future__ import annotations

from pathlib import Path

import pytest

from ddg_lsp.core.embedding.deterministic import DeterministicEmbedder
from ddg_lsp.core.options import OPTIONS
from tests.helpers.folders import ask, build, write


def test_row_37_there_is_no_setting_of_a_least_score() -> None:
    assert not [option.key for option in OPTIONS if "score" in option.key.lower() or "threshold" in option.key.lower()]


@pytest.mark.parametrize("mode", ["hybrid", "semantic"])
def test_row_37_no_score_hides_a_document(tmp_path: Path, mode: str) -> None:
    """There is no least score, on whatever scale: what is far off is called weak, and left to the reader."""
    root = write(tmp_path, {f"{n}.md": f"# Page {n}\n\nthing {n}\n" for n in range(20)})
    folder = build(root, DeterministicEmbedder()).folder
    for question in ("thing 3", "xqzt blorp", "colourless green ideas sleep furiously"):
        answer = ask(folder, question, mode=mode, limit=100)
        assert len(answer.hits) == 20
        assert {hit.match for hit in answer.hits} <= {"strong", "weak"}
