"""The page on field reports names real tests, has every row, and says which faults are still there."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "explanation" / "field-reports.md"
ROWS = [
    *range(1, 21),
    *range(22, 31),
    *range(32, 40),
    41,
    42,
    43,
    *range(45, 50),
    51,
    53,
    54,
    55,
    *range(58, 62),
    *range(63, 70),
    *range(71, 77),
    *range(78, 83),
    *range(84, 94),
    95,
    96,
    97,
    98,
    *range(100, 104),
    105,
]
_ROW = re.compile(r"^\| (\d+) \| ([^|]+) \| (.+) \|$", re.MULTILINE)
_TEST = re.compile(r"`(tests/[\w/]+\.py)::(\w+)`")

LINES = _ROW.findall(PAGE.read_text("utf-8"))
TABLE = {int(number): (symptom.strip(), proof.strip()) for number, symptom, proof in LINES}
NAMED = sorted({found for _, proof in TABLE.values() for found in _TEST.findall(proof)})


def functions_in(path: Path) -> set[str]:
    tree = ast.parse(path.read_text("utf-8"))
    return {node.name for node in ast.walk(tree) if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))}


def test_every_row_is_on_the_page_once_and_in_order() -> None:
    assert [int(number) for number, _, _ in LINES] == ROWS


@pytest.mark.parametrize("number", ROWS)
def test_every_row_has_a_test_or_a_reason(number: int) -> None:
    symptom, proof = TABLE[number]
    assert len(symptom) > 15
    assert _TEST.search(proof.split("not yet: ")[0])


@pytest.mark.parametrize(("path", "name"), NAMED, ids=[name for _, name in NAMED])
def test_a_test_on_the_page_exists(path: str, name: str) -> None:
    assert name in functions_in(ROOT / path)


def test_every_test_of_a_row_is_on_the_page() -> None:
    own = {
        (path.relative_to(ROOT).as_posix(), name)
        for path in Path(__file__).parent.glob("test_rows_*.py")
        for name in functions_in(path)
        if name.startswith("test_")
    }
    assert own <= set(NAMED)


def test_faults_that_are_still_there_are_said_to_be() -> None:
    expected = {
        node.name
        for path in Path(__file__).parent.glob("test_rows_*.py")
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))
        if any("mark.xfail" in ast.unparse(decorator) for decorator in node.decorator_list)
    }
    said = {
        name for _, proof in TABLE.values() for part in proof.split("not yet: ")[1:] for _, name in _TEST.findall(part)
    }
    assert said == expected
