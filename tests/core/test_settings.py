"""Settings: layers, the trust line between them, and what is said about values that cannot be taken."""

from __future__ import annotations

import json
from dataclasses import fields
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ddg_lsp.core.options import camel
from ddg_lsp.core.settings import OPTIONS, Problem, Settings, load
from ddg_lsp.core.settings_page import page
from tests.helpers.trees import empty, write

PAGE = Path(__file__).parents[2] / "docs/reference/settings.md"


def toml(root: Path, text: str) -> Path:
    return write(root, {"ddg.toml": text})


def where(problems: tuple[Problem, ...]) -> list[str]:
    return [problem.where for problem in problems]


def test_the_page_and_the_list_say_the_same() -> None:
    assert PAGE.read_text(encoding="utf-8") == page()


def test_every_field_is_an_option_with_its_default() -> None:
    defaults = Settings()
    assert {option.name: option.default for option in OPTIONS} == {
        one.name: getattr(defaults, one.name) for one in fields(Settings) if one.name != "also_include"
    }
    assert all(option.key == camel(option.name) and option.description.endswith(".") for option in OPTIONS)
    assert len({option.key for option in OPTIONS}) == len(OPTIONS)


def test_without_files_and_user_settings_the_defaults_hold(tmp_path: Path) -> None:
    assert load(tmp_path) == (Settings(), ())
    assert load(tmp_path / "nowhere", {}) == (Settings(), ())


@pytest.mark.parametrize("text", ["[ddg]\nlimit = 5\nmode = 'lexical'\n", "limit = 5\nmode = 'lexical'\n"])
def test_the_workspace_s_file_comes_before_the_default_and_the_user_before_it(tmp_path: Path, text: str) -> None:
    toml(tmp_path, text)
    found, problems = load(tmp_path)
    assert (found.limit, found.mode, problems) == (5, "lexical", ())
    found, problems = load(tmp_path, {"limit": 7})
    assert (found.limit, found.mode, problems) == (7, "lexical", ())


@pytest.mark.parametrize("user", [{"limit": 7}, {"ddg.limit": 7}, {"ddg": {"limit": 7}}, {"ddg": {"ddg.limit": 7}}])
def test_user_settings_may_be_a_section_nested_or_dotted(tmp_path: Path, user: dict[str, object]) -> None:
    assert load(tmp_path, user) == (Settings(limit=7), ())


def test_defaults_and_nulls_an_editor_sends_along_do_not_cover_the_workspace_s_file(tmp_path: Path) -> None:
    toml(tmp_path, "limit = 5\nexclude = ['x/**']\nroot = 'docs'\n")
    sent = json.loads(json.dumps({option.key: plain(option.default) for option in OPTIONS}))
    found, problems = load(tmp_path, {**sent, "model": None})
    assert problems == ()
    assert found == load(tmp_path)[0]
    assert (found.limit, found.root) == (5, "docs")


def plain(value: object) -> object:
    return dict(value) if hasattr(value, "items") else value


EVERY: dict[str, object] = {
    "include": ["**/*.txt"],
    "exclude": [],
    "root": "docs/",
    "gitignore": False,
    "secretNames": False,
    "maxFileBytes": 2_000_000,
    "maxDocuments": 50_000,
    "limit": 1,
    "mode": "semantic",
    "languages": ["ko", "en"],
    "codeActionLanguages": ["python"],
    "embedder": "http",
    "model": "some/model",
    "device": "cuda",
    "backend": "onnx",
    "queryPrefix": "",
    "passagePrefix": "p: ",
    "httpUrl": "http://localhost:8080",
    "httpDialect": "tei",
    "httpApiKeyEnv": "KEY",
    "threads": 4,
    "idleUnloadMinutes": 0,
    "cacheDir": "/tmp/x",
    "synonyms": "docs/words.txt",
    "aliases": True,
    "workspaceSymbols": True,
    "debounceMs": 0,
    "synonymTable": {"a": ["b", "c"], "d": "e"},
    "priorities": {"docs/**": 10},
    "llms": {"baseUrl": "https://docs.example", "order": ["a.md", "b.md"]},
}


def test_every_option_can_be_set_by_the_user(tmp_path: Path) -> None:
    assert sorted(EVERY) == sorted(option.key for option in OPTIONS)
    found, problems = load(tmp_path, EVERY)
    assert problems == ()
    wanted = {**EVERY, "root": "docs", "synonymTable": {"a": ("b", "c"), "d": ("e",)}}
    wanted["llms"] = {"baseUrl": ("https://docs.example",), "order": ("a.md", "b.md")}
    for option in OPTIONS:
        value = wanted[option.key]
        assert getattr(found, option.name) == (tuple(value) if isinstance(value, list) else value), option.key
    assert isinstance(found.idle_unload_minutes, float)


BAD: list[tuple[str, object]] = [
    ("limit", 0),
    ("limit", 101),
    ("limit", 1.5),
    ("limit", "5"),
    ("limit", True),
    ("maxFileBytes", -1),
    ("mode", "fuzzy"),
    ("mode", 3),
    ("gitignore", "yes"),
    ("gitignore", 0),
    ("include", "**/*.md"),
    ("include", [1]),
    ("include", ["!a.md"]),
    ("exclude", [""]),
    ("exclude", ["x" * 2_000]),
    ("exclude", ["{a,b,c}" * 5]),
    ("exclude", ["x"] * 2_000),
    ("root", "/etc"),
    ("root", ".."),
    ("root", "docs/../../x"),
    ("root", "C:\\x"),
    ("root", "..\\x"),
    ("root", "a\0b"),
    ("synonyms", "../words.txt"),
    ("httpUrl", "file:///etc/passwd"),
    ("idleUnloadMinutes", float("nan")),
    ("idleUnloadMinutes", float("inf")),
    ("synonymTable", {"a": [1]}),
    ("synonymTable", ["a"]),
    ("priorities", {"docs/**": "high"}),
    ("priorities", {"docs/**": True}),
    ("priorities", {"": 1}),
    ("nonsense", 1),
]


@pytest.mark.parametrize(("key", "value"), BAD)
def test_a_bad_value_is_one_problem_and_the_default_stands(tmp_path: Path, key: str, value: object) -> None:
    found, problems = load(tmp_path, {key: value})
    assert found == Settings()
    assert where(problems) == [f"settings: {key}"]
    assert problems[0].message.endswith((".", "'"))


def test_a_bad_value_of_the_user_leaves_the_workspace_s_and_the_other_way_round(tmp_path: Path) -> None:
    toml(tmp_path, "limit = 5\nmode = 'fuzzy'\n")
    found, problems = load(tmp_path, {"limit": "x", "mode": "lexical"})
    assert (found.limit, found.mode) == (5, "lexical")
    assert where(problems) == ["settings: limit", "ddg.toml: mode"]


def test_an_empty_table_stands_for_an_empty_list_and_the_other_way_round(tmp_path: Path) -> None:
    found, problems = load(tmp_path, {"exclude": {}, "priorities": [], "languages": {}})
    assert (found.exclude, dict(found.priorities), found.languages, problems) == ((), {}, (), ())


def test_keys_of_the_editor_s_own_extension_are_passed_over(tmp_path: Path) -> None:
    assert load(tmp_path, {"trace": {"server": "off"}, "trace.server": "off", "interpreter": ["x"]}) == (Settings(), ())


def test_the_synonyms_of_the_file_are_a_table_or_a_path(tmp_path: Path) -> None:
    tables = "[synonyms]\nSETUP01 = ['설치 안내', '셋업']\n[priorities]\n'docs/**' = 3\n"
    toml(tmp_path, "[ddg]\nsynonyms = 'docs/words.txt'\n" + tables)
    found, problems = load(tmp_path)
    assert problems == ()
    assert found.synonyms == "docs/words.txt"
    assert found.synonym_table == {"SETUP01": ("설치 안내", "셋업")}
    assert found.priorities == {"docs/**": 3}


@pytest.mark.parametrize(
    "data",
    [
        b"limit = \n",
        b"limit = 1\nlimit = 2\n",
        b"\xff\xfe\x00",
        b"x = " + b"[" * 20_000,
        b"limit = 5 # " + b"x" * 70_000,
        b"limit = " + b"9" * 10_000,
    ],
)
def test_a_file_that_cannot_be_used_is_a_problem_and_the_rest_stands(tmp_path: Path, data: bytes) -> None:
    write(tmp_path, {"ddg.toml": data})
    found, problems = load(tmp_path, {"mode": "lexical"})
    assert found == Settings(mode="lexical")
    assert len(problems) == 1
    assert problems[0].where.startswith("ddg.toml")


def test_a_file_with_a_byte_order_mark_or_windows_lines_is_read(tmp_path: Path) -> None:
    write(tmp_path, {"ddg.toml": b"\xef\xbb\xbflimit = 5\r\nmode = 'lexical'\r\n"})
    assert load(tmp_path) == (Settings(limit=5, mode="lexical"), ())


def test_a_settings_file_that_is_a_link_out_of_the_folder_is_not_read(tmp_path: Path) -> None:
    write(tmp_path, {"elsewhere.toml": "limit = 5\n"})
    root = empty(tmp_path / "root", "a.md")
    (root / "ddg.toml").symlink_to("../elsewhere.toml")
    found, problems = load(root)
    assert (found, where(problems)) == (Settings(), ["ddg.toml"])


def test_problems_are_bounded_and_can_be_shown(tmp_path: Path) -> None:
    write(tmp_path, {"ddg.toml": '"\\u001b[31m' + "k" * 500 + '" = 1\n' + "".join(f"k{n} = 1\n" for n in range(500))})
    _, problems = load(tmp_path)
    assert len(problems) == 51
    assert all(len(problem.where) <= 100 and problem.where.isprintable() for problem in problems)
    assert problems[-1].message == "There are 451 more problems."


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)


@given(st.dictionaries(st.sampled_from([option.key for option in OPTIONS] + ["ddg", "x"]), JSON, max_size=4))
@settings(max_examples=300, deadline=None)
def test_whatever_the_editor_sends_settings_come_of_it(values: dict[str, object]) -> None:
    found, problems = load(Path("/nowhere"), values)
    assert isinstance(found, Settings)
    assert len(found.policy) == 16
    assert all(isinstance(problem, Problem) for problem in problems)


def test_the_policy_changes_with_what_decides_the_corpus_and_with_nothing_else() -> None:
    assert Settings().policy == Settings(limit=3, threads=7, model="x", priorities={"a": 1}).policy
    deciding = [
        Settings(),
        Settings(include=("**/*.md",)),
        Settings(also_include=("docs/**",)),
        Settings(exclude=()),
        Settings(root="docs"),
        Settings(gitignore=False),
        Settings(secret_names=False),
        Settings(max_file_bytes=5),
        Settings(max_documents=5),
    ]
    assert len({one.policy for one in deciding}) == len(deciding)
