"""The acceptance cases of the semantic query (source A), each under its name, on the deterministic embedder."""

from __future__ import annotations

import json
import socket
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from ddg_lsp import cli, commands
from ddg_lsp.core.embedding import EmbedderInfo, Matrix
from ddg_lsp.core.embedding.deterministic import DeterministicEmbedder
from ddg_lsp.core.errors import DdgError
from ddg_lsp.core.query import make_query
from ddg_lsp.core.scoring import BOOST_CAP
from tests.helpers.folders import ask, build, paths, write


class Scripted(DeterministicEmbedder):
    """Gives chosen cosines with the question: a text that holds a key has that key's cosine, others 0."""

    def __init__(self, cosines: dict[str, float]) -> None:
        super().__init__()
        self.cosines = cosines

    @property
    def info(self) -> EmbedderInfo:
        return EmbedderInfo("scripted", "scripted", 384, 512, repr(self.cosines), "query: ", "passage: ")

    def embed(self, texts: Sequence[str], max_tokens: int | None = None) -> Matrix:
        self.seen.extend(texts)
        out = np.zeros((len(texts), 384), np.float32)
        for row, text in zip(out, texts, strict=True):
            cosine = next((c for key, c in self.cosines.items() if key in text), 0.0)
            if text.startswith("query: "):
                cosine = 1.0
            row[0], row[1] = cosine, (1 - cosine**2) ** 0.5
        return out


def test_q01_join(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path, {"docs/a.md": "# Load\n\nWhat load leaves out."})
    real = commands.open_folder
    monkeypatch.setattr(commands, "open_folder", lambda root, **_: real(root, {}, DeterministicEmbedder()))
    assert cli.main(["query", str(tmp_path), "why", "does", "load exclude", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["query"] == "why does load exclude"


def test_q02_default_limit(tmp_path: Path) -> None:
    write(tmp_path, {f"docs/{n:02}.md": f"# Page {n}\n\nabout retries" for n in range(40)})
    folder = build(tmp_path, DeterministicEmbedder()).folder
    assert len(ask(folder, "retries").hits) == 30


@pytest.mark.parametrize("limit", [0, 101, 1.5, "5", True, -1, 10**9])
def test_q03_limit_out_of_range(limit: object) -> None:
    with pytest.raises(DdgError) as caught:
        make_query({"query": "x", "limit": limit})
    assert caught.value.usage
    assert caught.value.code == "INVALID_LIMIT"


@pytest.mark.parametrize("limit", [1, 100])
def test_q03_limit_in_range(limit: int) -> None:
    assert make_query({"query": "x", "limit": limit}).limit == limit


@pytest.mark.parametrize("limit", ["0", "101", "1.5", "five"])
def test_q03_command_line_exits_2(limit: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["query", str(tmp_path), "x", "--limit", limit, "--json"]) == 2
    assert json.loads(capsys.readouterr().out)["error"]["code"] == "INVALID_LIMIT"
    assert list(tmp_path.iterdir()) == []


def test_q04_files_not_passages(tmp_path: Path) -> None:
    many = "\n\n".join(f"## Part {n}\n\nretry policy number {n}" for n in range(9))
    write(tmp_path, {"docs/a.md": many, "docs/b.md": "# Other\n\nretry", "docs/c.md": "# Third\n\npolicy"})
    folder = build(tmp_path, DeterministicEmbedder()).folder
    assert sorted(paths(ask(folder, "retry policy", limit=3))) == ["docs/a.md", "docs/b.md", "docs/c.md"]


def test_q05_best_passage_represents(tmp_path: Path) -> None:
    write(tmp_path, {"a.md": "# Plain\n\nalpha body\n\n# Wanted\n\nbeta body"})
    folder = build(tmp_path, Scripted({"alpha": 0.80, "beta": 0.79})).folder
    hit = ask(folder, "wanted").hits[0]
    assert hit.passage.headings == ("Wanted",)
    assert hit.semantic_score == pytest.approx(0.79, abs=1e-6)
    assert hit.score == pytest.approx(0.79 + BOOST_CAP, abs=1e-6)


def test_q06_exclusion(tmp_path: Path) -> None:
    left_out = ["docs/plan/a.md", "docs/archive/b.md", "docs/.x/c.md", "docs/node_modules/d.md", "docs/.env.md"]
    write(tmp_path, dict.fromkeys(left_out, "# Secret\n\nnever") | {"docs/e.md": "# Fine\n\nyes"})
    embedder = DeterministicEmbedder()
    folder = build(tmp_path, embedder).folder
    assert list(folder.snapshot.documents) == ["docs/e.md"]
    assert not [text for text in embedder.seen if "never" in text]


def test_q07_prefix(tmp_path: Path) -> None:
    write(tmp_path, {"docs/a.md": "# A\n\none\n\n## B\n\ntwo"})
    embedder = DeterministicEmbedder()
    folder = build(tmp_path, embedder).folder
    assert embedder.seen
    assert all(text.startswith("passage: path: docs/a.md") for text in embedder.seen)
    embedder.seen.clear()
    ask(folder, "what is two?")
    assert embedder.seen == ["query: what is two?"]


def test_q11_reuse(tmp_path: Path) -> None:
    write(tmp_path, {"a.md": "# A\n\none\n\n## B\n\ntwo\n\n## C\n\nthree", "b.md": "# D\n\nfour"})
    build(tmp_path, DeterministicEmbedder()).folder.close()
    before = {path: path.stat().st_mtime_ns for path in (tmp_path / ".ddg").rglob("*") if path.is_file()}
    second = DeterministicEmbedder()
    folder = build(tmp_path, second).folder
    folder.close()
    assert second.seen == []
    assert before == {path: path.stat().st_mtime_ns for path in before}
    run = folder.report().run
    assert run is not None
    assert (run.embedded, run.reused, run.removed) == (0, 4, 0)
    write(tmp_path, {"a.md": "# A\n\none\n\n## B\n\ntwo, edited\n\n## C\n\nthree"})
    third = DeterministicEmbedder()
    folder = build(tmp_path, third).folder
    folder.close()
    run = folder.report().run
    assert run is not None
    assert (run.embedded, run.reused) == (1, 3)
    assert third.seen
    assert all("two, edited" in text for text in third.seen)


def test_q12_delete(tmp_path: Path) -> None:
    write(tmp_path, {"a.md": "# A\n\none", "b.md": "# B\n\ntwo\n\n## C\n\nthree"})
    build(tmp_path, DeterministicEmbedder()).folder.close()
    (tmp_path / "b.md").unlink()
    folder = build(tmp_path, DeterministicEmbedder()).folder
    folder.close()
    vectors = tmp_path / ".ddg" / "vectors"
    [rows] = vectors.glob("chunks-*.jsonl")
    [data] = vectors.glob("embeddings-*.f32")
    text = rows.read_text("utf-8")
    assert "b.md" not in text
    assert data.stat().st_size == len(text.splitlines()) * 384 * 4


def test_q13_corrupt(tmp_path: Path) -> None:
    write(tmp_path, {"a.md": "# A\n\none", "b.md": "# B\n\ntwo"})
    fresh = build(tmp_path, DeterministicEmbedder()).folder
    fresh.close()
    [data] = (tmp_path / ".ddg" / "vectors").glob("embeddings-*.f32")
    data.write_bytes(data.read_bytes()[:-5])
    embedder = DeterministicEmbedder()
    again = build(tmp_path, embedder).folder
    assert embedder.seen
    assert again.notices()
    assert again.notices() == []
    one, two = fresh.snapshot, again.snapshot
    assert np.array_equal(one.arena.view().matrix[one.wholes], two.arena.view().matrix[two.wholes])
    again.close()


def test_q15_ties(tmp_path: Path) -> None:
    write(tmp_path, {"docs/b.md": "# Same\n\nsame words", "docs/a.md": "# Same\n\nsame words"})
    folder = build(tmp_path, Scripted({"same words": 0.5})).folder
    answer = ask(folder, "same")
    assert paths(answer) == ["docs/a.md", "docs/b.md"]
    assert answer.hits[0].score == answer.hits[1].score


def test_q16_both_scores(tmp_path: Path) -> None:
    write(tmp_path, {f"docs/{name}.md": f"# {name}\n\ntext of {name}" for name in ("retry", "backoff", "limits")})
    folder = build(tmp_path, DeterministicEmbedder()).folder
    for hit in ask(folder, "retry limits in docs").hits:
        assert hit.semantic_score is not None
        assert 0 <= hit.score - hit.semantic_score <= BOOST_CAP + 1e-6


def test_q17_offline(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise AssertionError("a connection was attempted")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    write(tmp_path, {"a.md": "# A\n\none"})
    folder = build(tmp_path, DeterministicEmbedder()).folder
    assert paths(ask(folder, "one")) == ["a.md"]
