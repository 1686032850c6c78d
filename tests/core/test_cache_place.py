"""Where the vector cache lives, and where it must not go."""

from __future__ import annotations

import errno
import os
from io import FileIO
from pathlib import Path

import pytest

from ddg_lsp.core.cache_files import FileLayer
from ddg_lsp.core.cache_place import places
from ddg_lsp.core.vector_cache import VectorCache
from tests.helpers.cache_content import KEY, assert_same, cache_files, content
from tests.helpers.cache_places import SAVED, assert_works_elsewhere, everything, link
from tests.helpers.faulty_files import FullDisk, ReadOnly


def test_the_workspace_comes_first_then_the_user_then_memory(root: Path, home: Path) -> None:
    assert [place.location for place in places(root)] == ["workspace", "user", "memory"]
    assert places(root)[0].folder == root / ".ddg" / "vectors"


def test_the_user_may_choose_the_users_folder(root: Path, home: Path) -> None:
    cache = VectorCache(root, KEY, "user")
    assert cache.location == "user"
    assert cache.save(SAVED)
    assert everything(root) == []
    assert cache.notices == []
    assert_same(VectorCache(root, KEY, "user").load(), SAVED)
    if os.name == "posix":
        assert (cache.folder or root).stat().st_mode & 0o077 == 0, "nobody else reads it"


def test_the_user_may_choose_any_folder_for_several_workspaces(root: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    shared = tmp_path / "shared" / "caches"
    one, two = VectorCache(root, KEY, shared), VectorCache(other, KEY, str(shared))
    assert one.save(SAVED)
    assert two.load() is None
    assert two.save(content())
    assert_same(one.load(), SAVED)
    assert len(list(shared.iterdir())) == 2
    assert (one.location, two.location) == ("user", "user")


def test_one_workspace_by_two_names_is_one(root: Path, tmp_path: Path) -> None:
    name = tmp_path / "name"
    link(name, root)
    shared = tmp_path / "shared"
    assert VectorCache(root, KEY, shared).save(SAVED)
    assert_same(VectorCache(name, KEY, shared).load(), SAVED)


def test_a_workspace_that_is_itself_a_link_keeps_its_cache(root: Path, tmp_path: Path) -> None:
    name = tmp_path / "name"
    link(name, root)
    cache = VectorCache(name, KEY)
    assert cache.location == "workspace"
    assert cache.save(SAVED)
    assert_same(VectorCache(root, KEY).load(), SAVED)


def test_a_relative_folder_is_refused(root: Path) -> None:
    with pytest.raises(ValueError, match="absolute"):
        places(root, "caches")
    cache = VectorCache(root, KEY, "caches")
    assert cache.location == "workspace"
    assert [notice.code for notice in cache.notices] == ["bad-place"]
    assert cache.save(SAVED)


def test_memory_by_choice_keeps_nothing_and_needs_no_notice(root: Path) -> None:
    cache = VectorCache(root, KEY, "memory")
    assert cache.location == "memory"
    assert not cache.acquire()
    assert not cache.save(SAVED)
    assert cache.load() is None
    assert cache.is_current()
    assert cache.notices == []
    assert everything(root) == []


def test_a_user_without_a_home_has_no_folder(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("platformdirs.user_cache_path", lambda *_, **__: Path("~/.cache"))
    assert [place.location for place in places(root)] == ["workspace", "memory"]


@pytest.mark.parametrize("name", [".ddg", ".ddg/vectors"])
def test_a_file_in_place_of_the_folder(root: Path, home: Path, name: str) -> None:
    (root / name).parent.mkdir(exist_ok=True)
    (root / name).write_text("a file")
    assert_works_elsewhere(root, home)
    assert (root / name).read_text() == "a file"


def test_without_any_place_it_is_memory(root: Path, home: Path) -> None:
    (root / ".ddg").write_text("a file")
    home.parent.mkdir()
    home.write_text("a file")
    cache = VectorCache(root, KEY)
    assert cache.location == "memory"
    assert not cache.save(SAVED)
    assert not cache.save(SAVED)
    assert cache.load() is None
    assert [notice.code for notice in cache.notices] == ["memory-only"]


@pytest.mark.parametrize("known", [True, False])
@pytest.mark.parametrize("number", [errno.EROFS, errno.EACCES, errno.EPERM])
def test_a_read_only_workspace(root: Path, home: Path, number: int, known: bool) -> None:
    assert_works_elsewhere(root, home, files=ReadOnly(root, number, known=known))
    assert everything(root) == []


def test_a_workspace_that_turns_read_only_while_in_use(root: Path, home: Path) -> None:
    files = ReadOnly(root / "nothing", errno.EROFS, known=False)
    cache = VectorCache(root, KEY, files=files)
    assert cache.save(content())
    assert cache.location == "workspace"
    before = cache_files(root)
    files.below = root
    assert cache.save(SAVED)
    assert cache.location == "user"
    assert_same(cache.load(), SAVED)
    assert cache_files(root) == before


@pytest.mark.skipif(os.name != "posix", reason="mode bits are POSIX's")
def test_a_workspace_whose_mode_forbids_it(root: Path, home: Path) -> None:
    root.chmod(0o555)
    try:
        cache = VectorCache(root, KEY)
        allowed = os.access(root, os.W_OK)  # root may write everywhere
        assert cache.save(SAVED)
        assert cache.location == ("workspace" if allowed else "user")
    finally:
        root.chmod(0o755)


def test_no_locks_in_the_workspace(root: Path, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(self: object, *_: object, **__: object) -> None:
        if root.as_posix() in Path(self.lock_file).as_posix():  # type: ignore[attr-defined]
            raise OSError(errno.ENOLCK, os.strerror(errno.ENOLCK))
        original(self, *_, **__)

    from filelock import FileLock

    original = FileLock.acquire
    monkeypatch.setattr(FileLock, "acquire", refuse)
    assert_works_elsewhere(root, home)


def test_a_full_disk_is_no_reason_to_move(root: Path, home: Path) -> None:
    cache = VectorCache(root, KEY, files=FullDisk(0))
    assert not cache.save(SAVED)
    assert not cache.acquire()
    assert cache.location == "workspace"
    assert [notice.code for notice in cache.notices] == ["not-written"]
    assert not home.exists()


def test_a_workspace_that_is_gone(root: Path, home: Path) -> None:
    cache = VectorCache(root, KEY)
    root.rmdir()
    assert cache.load() is None
    assert not cache.save(SAVED)
    assert not root.exists()
    assert VectorCache(root, KEY).location == "user"


def test_two_processes_that_begin_at_once_both_stay_in_the_workspace(tmp_path: Path) -> None:
    """Whatever one of them makes, the other may be about to make, too."""

    class Overtaken(FileLayer):
        def create(self, path: Path) -> FileIO:
            if path.name == ".gitignore":
                path.write_text("*\n")
            return super().create(path)

    cache = VectorCache(tmp_path, KEY, files=Overtaken())
    assert cache.acquire()
    assert cache.location == "workspace"
    assert cache.notices == []
