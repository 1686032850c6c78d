"""Which folder an address belongs to, and what the engine does with embedders that cannot work."""

from __future__ import annotations

import os
from collections.abc import Mapping

import pytest

from ddg_lsp.core.embedding.choose import Choice
from ddg_lsp.core.embedding.deterministic import DeterministicEmbedder
from ddg_lsp.core.embedding.errors import EmbedderUnavailable
from ddg_lsp.core.errors import DdgError
from ddg_lsp.core.settings import Settings
from ddg_lsp.server import app
from ddg_lsp.server.engine import Engine
from ddg_lsp.server.session import Session
from ddg_lsp.server.worker import LockedEmbedder
from tests.helpers.documents import write


@pytest.fixture
def session():
    door = app.Door()
    yield door.open().session
    assert door.close(5.0)


def place(session: Session, uri: str) -> tuple[str, str]:
    found = session.place_of(uri)
    assert found is not None
    return found[0].uri, found[1]


def test_an_address_belongs_to_the_deepest_folder(session, tmp_path):
    outer, inner = tmp_path / "w", tmp_path / "w" / "docs"
    for root in (outer, inner, tmp_path / "w2"):
        assert session.add(root.as_uri())
    assert place(session, (inner / "a b/c#.md").as_uri()) == (inner.as_uri(), "a b/c#.md")
    assert place(session, (outer / "x.md").as_uri()) == (outer.as_uri(), "x.md")
    assert place(session, (tmp_path / "w2" / "x.md").as_uri())[0] == (tmp_path / "w2").as_uri()
    assert place(session, (tmp_path / "w3" / "x.md").as_uri()) == ("ddg:open-documents", "x.md")


def test_a_folder_is_added_once_however_it_is_spelled(session, tmp_path):
    assert session.add(tmp_path.as_uri())
    assert session.add(tmp_path.as_uri() + "/") is None
    assert session.add("vscode-vfs://github/x") is None
    assert len(session.folders) == 1


@pytest.mark.skipif(os.name == "nt", reason="links")
def test_a_folder_opened_through_a_link_keeps_its_spelling(session, tmp_path):
    real = write(tmp_path / "real", {"docs/a.md": "# A\n"})
    link = tmp_path / "link"
    link.symlink_to(real)
    folder = session.add(link.as_uri())
    assert folder.root == real.resolve()
    for spelling in (link, real):
        assert place(session, (spelling / "docs/a.md").as_uri()) == (link.as_uri(), "docs/a.md")


def test_documents_in_no_folder_have_names_of_their_own(session):
    names = [place(session, uri)[1] for uri in ("untitled:Untitled-1", "untitled:/x/a.md", "file:///y/a.md")]
    assert names == ["Untitled-1", "a.md", "a.md (2)"]
    assert place(session, "file:///y/a.md")[1] == "a.md (2)"
    assert session.place_of("git:/w/a.md?ref") is None


def test_a_question_names_folders_that_are_open(session, tmp_path):
    folders = [session.add((tmp_path / name).as_uri()) for name in "ab"]
    assert session.chosen(None) == folders
    assert session.chosen([folders[1].uri, folders[1].uri + "/"]) == [folders[1]]
    assert session.chosen([]) == []
    with pytest.raises(DdgError):
        session.chosen([folders[0].uri, "file:///nowhere"])


class Mute(DeterministicEmbedder):
    """Cannot even say what it is."""

    @property
    def info(self):
        raise EmbedderUnavailable("Its weights are gone.")


def chooser(*candidates):
    """Takes the first candidate that has not failed, under the names 0, 1, 2 ..."""
    asked: list[Mapping[str, str]] = []

    def choose(settings: Settings, *, failed: Mapping[str, str] | None = None) -> Choice:
        asked.append(dict(failed or {}))
        if settings.embedder == "none":
            return Choice(None, "none", ())
        left = [(str(name), one) for name, one in enumerate(candidates) if str(name) not in (failed or {})]
        if not left:
            return Choice(None, " ".join((failed or {}).values()), ())
        return Choice(left[0][1], "because", (), left[0][0])

    return choose, asked


def test_the_engine_passes_over_what_cannot_work_until_it_is_told_to_try_again():
    first, second = DeterministicEmbedder(), DeterministicEmbedder(128)
    choose, asked = chooser(Mute(), first, second)
    engine = Engine(choose)
    assert engine.lacking is False
    assert engine.configure(Settings()) is True
    assert isinstance(engine.embedder, LockedEmbedder)
    assert engine.info == first.info
    assert asked == [{}, {"0": "Its weights are gone."}]
    assert engine.configure(Settings(limit=3)) is False

    broken = engine.embedder
    assert engine.fail(broken, EmbedderUnavailable("Out of memory.")) is True
    assert engine.info == second.info
    assert engine.fail(broken, EmbedderUnavailable("late news")) is False
    assert engine.fail(engine.embedder, EmbedderUnavailable("No disk.")) is True
    assert (engine.embedder, engine.info, engine.lacking) == (None, None, True)
    assert engine.choice.reason == "Its weights are gone. Out of memory. No disk."

    assert engine.retry() is True
    assert engine.info == first.info
    assert engine.configure(Settings(embedder="none")) is True
    assert (engine.embedder, engine.lacking) == (None, False)


def test_the_model_is_given_back_after_idle_minutes_and_only_then():
    unloaded: list[bool] = []

    class Counting(DeterministicEmbedder):
        def unload(self) -> None:
            unloaded.append(True)

    engine = Engine(chooser(Counting())[0])
    engine.configure(Settings(idle_unload_minutes=0.0))
    engine.used()
    engine.unload_if_idle()
    assert unloaded == []
    engine.configure(Settings(idle_unload_minutes=1e-9))
    engine.unload_if_idle()
    engine.unload_if_idle()
    assert unloaded == [True]
    engine.used()
    engine.configure(Settings(idle_unload_minutes=10.0))
    engine.unload_if_idle()
    assert unloaded == [True]
