"""TOML nobody has vetted: read or refused soon, and never refused for what stands in strings and comments."""

from __future__ import annotations

import sys
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ddg_lsp.core import toml
from ddg_lsp.core.toml import MAX_DOTS, TOMLDecodeError, loads

VERSIONS = [f"docs/v{number}.0.0/**" for number in range(400)]


@pytest.mark.parametrize("quote", ["'", '"'])
def test_dots_of_paths_in_one_line_are_no_keys(quote: str) -> None:
    listed = ", ".join(f"{quote}{one}{quote}" for one in VERSIONS)
    assert loads(f"exclude = [{listed}]") == {"exclude": VERSIONS}


@pytest.mark.parametrize(
    "text",
    [
        f"# {'.' * 2_000}\nx = 1",
        f"x = 1 # {'.' * 2_000}",
        f'x = "a\\"{"." * 2_000}"',
        f"x = 'a\\' # '{'.' * 2_000}",
        f'x = """\n{"..." * 700}"\n"" {"." * 900}"""',
        f"x = '''\n{'.' * 2_000} ' '' #'''",
    ],
)
def test_dots_of_strings_and_comments_are_no_keys(text: str) -> None:
    assert "x" in loads(text)


@pytest.mark.parametrize(
    "text",
    [
        ".".join("a" * 30_000) + " = 1",
        "x = { " + ".".join("a" * (MAX_DOTS + 2)) + " = 1 }",
        "x = {'\\' = 1, " + ".".join("a" * 30_000) + " = 1}",
        "[" + ".".join("a" * 30_000) + "]",
        "[" + ".".join("a" * 400) + "]\n" + "\n".join(f"k{n}.a.a.a = 1" for n in range(4_000)),
        "\n".join(f"k{n}.a.a.a.a.a.a.a.a = 1" for n in range(3_000)),
        '"' * 60_000,
        '"\\' * 30_000,
        "'" * 59_999,
        '"""' + '"\\' * 30_000,
    ],
)
def test_what_would_hold_the_parser_is_refused_soon(text: str) -> None:
    started = time.process_time()
    with pytest.raises(TOMLDecodeError):
        loads(text)
    assert time.process_time() - started < 5


@given(st.text(alphabet="a.=[]{}\"'#\\\n 1", max_size=200))
def test_any_text_is_a_table_or_no_toml_and_what_is_one_is_what_the_parser_says(text: str) -> None:
    parser = toml._toml
    try:
        wanted = parser.loads(text)
    except (TOMLDecodeError, ValueError):
        wanted = None
    try:
        assert loads(text) == wanted
    except TOMLDecodeError:
        assert wanted is None


def test_the_parser_is_python_s_own_where_it_has_one() -> None:
    assert toml._toml.__name__ == ("tomllib" if sys.version_info >= (3, 11) else "tomli")
