"""A folder's dictionary: which sources count, what becomes of a file that is of no use; no file outside is read."""

from __future__ import annotations

from pathlib import Path

import pytest

from ddg_lsp.core.dictionary import read
from ddg_lsp.core.embedding.deterministic import DeterministicEmbedder
from ddg_lsp.core.literal import Expansion
from ddg_lsp.core.settings import Settings, load
from ddg_lsp.core.synonym_file import MAX_BYTES
from tests.helpers.folders import ask, build, paths, write
from tests.helpers.literal_cases import document

TABLE = {"SETUP01": ("from the table",)}
FILE = "SETUP01 => from the file\n"
NAMED = document("a.md", "", {"aliases": ["from front matter"]}, title="SETUP01")
SECRET = "SETUP01 => from outside\n"


def expansion(root: Path, settings: Settings) -> Expansion:
    return read(root, settings, [NAMED]).dictionary.expand(["SETUP01"])


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A folder with a folder `docs` in it, beside a synonym file that is none of its business."""
    write(tmp_path, {"outside/words.txt": SECRET, "words.txt": SECRET, "folder/docs/page.md": "# Page\n"})
    return tmp_path / "folder"


def test_the_table_alone(root: Path) -> None:
    assert expansion(root, Settings(synonym_table=TABLE)) == Expansion(("from the table",))


def test_the_file_alone(root: Path) -> None:
    write(root, {"synonyms.txt": FILE})
    assert expansion(root, Settings()) == Expansion(("from the file",))


def test_a_file_of_another_name_in_a_subfolder(root: Path) -> None:
    write(root, {"docs/words.txt": FILE, "synonyms.txt": "SETUP01 => from the default file\n"})
    assert expansion(root, Settings(synonyms="docs/words.txt")) == Expansion(("from the file",))


def test_no_name_is_no_file(root: Path) -> None:
    write(root, {"synonyms.txt": FILE})
    assert expansion(root, Settings(synonyms="")) == Expansion((), "no_dictionary")
    assert expansion(root, Settings(synonyms="", synonym_table=TABLE)).terms == ("from the table",)


def test_a_file_that_is_not_there_is_no_trouble(root: Path) -> None:
    assert read(root, Settings(), []).dictionary.failure is None
    assert expansion(root, Settings()) == Expansion((), "no_dictionary")
    assert expansion(root, Settings(synonym_table=TABLE)).terms == ("from the table",)


def test_aliases_count_only_where_they_are_wanted(root: Path) -> None:
    assert expansion(root, Settings()) == Expansion((), "no_dictionary")
    assert expansion(root, Settings(aliases=True)) == Expansion(("from front matter",))
    assert expansion(root, Settings(aliases=True, synonyms="")) == Expansion(("from front matter",))


def test_table_then_file_then_aliases(root: Path) -> None:
    write(root, {"synonyms.txt": FILE})
    both = ("from the table", "from the file")
    assert expansion(root, Settings(synonym_table=TABLE)).terms == both
    assert expansion(root, Settings(synonym_table=TABLE, aliases=True)).terms == (*both, "from front matter")


@pytest.mark.parametrize(
    ("data", "word"),
    [
        (b"SETUP01, \xff\n", "UTF-8 at byte 9"),
        (FILE.encode().ljust(MAX_BYTES + 1), "larger"),
        (FILE.encode().ljust(MAX_BYTES + 2), "too-large"),
    ],
    ids=["not-utf-8", "a-byte-too-many", "too-large"],
)
def test_a_file_that_cannot_be_used_stops_every_source_and_says_why(root: Path, data: bytes, word: str) -> None:
    write(root, {"synonyms.txt": data})
    dictionary = read(root, Settings(synonym_table=TABLE, aliases=True), [NAMED]).dictionary
    assert word in (dictionary.failure or "")
    assert dictionary.expand(["SETUP01"]) == Expansion((), dictionary.failure)
    assert dictionary.found_in("SETUP01") == []


def test_the_largest_file_is_read(root: Path) -> None:
    write(root, {"synonyms.txt": FILE.encode().ljust(MAX_BYTES)})
    assert expansion(root, Settings()) == Expansion(("from the file",))


def test_what_is_no_file_and_a_link_to_itself_are_trouble(root: Path) -> None:
    (root / "loop.txt").symlink_to("loop.txt")
    assert "not-a-file" in (read(root, Settings(synonyms="docs"), []).dictionary.failure or "")
    assert "link-loop" in (read(root, Settings(synonyms="loop.txt"), []).dictionary.failure or "")


def test_a_link_inside_the_folder_is_followed(root: Path) -> None:
    write(root, {"docs/words.txt": FILE})
    (root / "synonyms.txt").symlink_to("docs/words.txt")
    assert expansion(root, Settings()) == Expansion(("from the file",))


@pytest.mark.parametrize("absolute", [False, True])
def test_a_file_that_links_out_of_the_folder_is_not_read(root: Path, absolute: bool) -> None:
    (root / "synonyms.txt").symlink_to(root.parent / "words.txt" if absolute else "../words.txt")
    dictionary = read(root, Settings(synonym_table=TABLE), []).dictionary
    assert "link-outside" in (dictionary.failure or "")
    assert list(dictionary.file.terms) == []
    assert dictionary.expand(["SETUP01"]).terms == ()


def test_a_folder_on_the_way_that_links_out_is_not_followed(root: Path) -> None:
    (root / "lists").symlink_to("../outside", target_is_directory=True)
    dictionary = read(root, Settings(synonyms="lists/words.txt"), []).dictionary
    assert "link-outside" in (dictionary.failure or "")
    assert list(dictionary.file.terms) == []


LEAVING = [
    "../words.txt",
    "docs/../../words.txt",
    "./../words.txt",
    "../outside/words.txt",
    "..\\words.txt",
    "{absolute}",
]


@pytest.mark.parametrize("name", LEAVING)
def test_a_name_that_leaves_the_folder_is_refused_by_the_settings(root: Path, name: str) -> None:
    name = name.format(absolute=(root.parent / "words.txt").as_posix())
    write(root, {"synonyms.txt": FILE, "ddg.toml": f"synonyms = '{name}'\n"})
    for user, source in (({}, "ddg.toml"), ({"synonyms": name}, "settings")):
        settings, problems = load(root, user)
        assert f"{source}: synonyms" in [problem.where for problem in problems]
        assert expansion(root, settings) == Expansion(("from the file",))


@pytest.mark.parametrize("name", [*LEAVING, "..", "words\0.txt", "\ud800/words.txt"])
def test_a_name_that_leaves_the_folder_is_not_read_even_if_the_settings_let_it_through(root: Path, name: str) -> None:
    name = name.format(absolute=(root.parent / "words.txt").as_posix())
    dictionary = read(root, Settings(synonyms=name), []).dictionary
    assert list(dictionary.file.terms) == []
    assert dictionary.expand(["SETUP01"]).terms == ()


@pytest.mark.parametrize("name", ["../words.txt", "docs/../../words.txt", "../outside/words.txt", ".."])
def test_such_a_name_is_told_as_what_it_is(root: Path, name: str) -> None:
    assert "link-outside" in (read(root, Settings(synonyms=name), []).dictionary.failure or "")


@pytest.mark.parametrize(("toml", "expected"), [("", ["a.md"]), ("aliases = true\n", ["a.md", "b.md"])])
def test_a_workspace_may_have_its_aliases_searched(tmp_path: Path, toml: str, expected: list[str]) -> None:
    files = {
        "a.md": "---\ntitle: SETUP01\naliases: [Bring-up]\n---\n# SETUP01\n\nFirst steps.\n",
        "b.md": "# Notes\n\nBring-up of the machine.\n",
        "c.md": "# Other\n\nNothing of the kind.\n",
    }
    opened = build(write(tmp_path, {**files, "ddg.toml": toml}), DeterministicEmbedder())
    try:
        assert paths(ask(opened.folder, "SETUP01", mode="lexical")) == expected
    finally:
        opened.folder.close()


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        (".env", "secret-name"),
        ("./.env", "secret-name"),
        ("docs/secrets.txt", "secret-name"),
        ("secrets/words.txt", "secret-name"),
        ("server.key", "secret-name"),
        (".netrc", "hidden"),
        (".git/config", "hidden"),
        ("docs/.npmrc", "hidden"),
        ("docs/words.txt", "secret-content"),
    ],
)
@pytest.mark.parametrize("through", ["", "link.txt"])
def test_what_a_search_leaves_out_as_somebody_s_own_is_no_dictionary(
    root: Path, name: str, reason: str, through: str
) -> None:
    key = "# -----BEGIN PRIVATE KEY-----\n# MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwgg\n" if "content" in reason else ""
    write(root, {name: key + "SETUP01 => what nobody else should see\n"})
    if through:
        (root / through).symlink_to(name)
    write(root, {"ddg.toml": f"synonyms = '{through or name}'\n"})
    settings, problems = load(root)
    assert (settings.synonyms, problems) == (through or name, ())
    reading = read(root, settings, [NAMED])
    assert reading.dictionary.failure == f"The synonym file was not read: {reason}."
    assert reading.diagnostics == ()
    assert reading.dictionary.expand(["SETUP01"]).terms == ()
