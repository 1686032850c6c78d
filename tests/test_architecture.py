"""The shape of the code, held by tests: arrows point one way, files and functions stay small, starting stays cheap."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "ddg_lsp"
CORE = sorted((PACKAGE / "core").rglob("*.py"))
SERVER = sorted((PACKAGE / "server").rglob("*.py"))
PRODUCT = sorted(PACKAGE.rglob("*.py"))
MEASURED = [
    *PRODUCT,
    *(p for p in sorted((ROOT / "tests").rglob("*.py")) if "node_modules" not in p.parts),
    *sorted((ROOT / "benchmarks").rglob("*.py")),
]
MAX_FILE, MAX_FUNCTION, MAX_HANDLER = 300, 40, 15
NOT_IN_CORE = ("pygls", "lsprotocol", "asyncio", "ddg_lsp.server", "ddg_lsp.cli", "ddg_lsp.commands")


def imports_of(path: Path) -> set[str]:
    """Every module a file imports, relative ones resolved, wherever in the file the import stands."""
    package = list(path.relative_to(ROOT).with_suffix("").parts[:-1])
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else []
            module = ".".join([*base, *([node.module] if node.module else [])])
            found |= {module, *(f"{module}.{alias.name}" for alias in node.names)}
    return found


def functions_of(path: Path) -> list[ast.FunctionDef | ast.AsyncFunctionDef]:
    return [
        n
        for n in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(n, (ast.FunctionDef, ast.AsyncFunctionDef))
    ]


def length(function: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    return (function.end_lineno or function.lineno) - function.lineno + 1


def is_handler(function: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    names = [ast.unparse(decorator) for decorator in function.decorator_list]
    return any(".feature(" in name or ".command(" in name for name in names)


def starts_with(module: str, prefix: str) -> bool:
    return module == prefix or module.startswith(prefix + ".")


@pytest.mark.parametrize("path", CORE, ids=str)
def test_core_knows_nothing_of_lsp(path: Path) -> None:
    wrong = {module for module in imports_of(path) for bad in NOT_IN_CORE if starts_with(module, bad)}
    assert not wrong, f"{path} imports {wrong}"


@pytest.mark.parametrize("path", SERVER, ids=str)
def test_the_server_does_not_import_the_command_line(path: Path) -> None:
    wrong = {m for m in imports_of(path) for bad in ("ddg_lsp.cli", "ddg_lsp.commands") if starts_with(m, bad)}
    assert not wrong


def test_the_import_check_sees_every_form_of_import(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys.modules[__name__], "ROOT", tmp_path)
    path = tmp_path / "ddg_lsp" / "core" / "x.py"
    path.parent.mkdir(parents=True)
    path.write_text("from ..server import app\nfrom lsprotocol import types\n\ndef f():\n    import asyncio.tasks\n")
    found = imports_of(path)
    assert {"ddg_lsp.server", "lsprotocol", "asyncio.tasks"} <= found


@pytest.mark.parametrize("path", MEASURED, ids=str)
def test_files_and_functions_stay_small(path: Path) -> None:
    lines = len(path.read_text("utf-8").splitlines())
    assert lines <= MAX_FILE, f"{path} has {lines} lines"
    long = [f"{f.name}: {length(f)} lines" for f in functions_of(path) if length(f) > MAX_FUNCTION]
    assert not long, f"{path}: {long}"


@pytest.mark.parametrize("path", SERVER, ids=str)
def test_handlers_stay_small(path: Path) -> None:
    long = [f"{f.name}: {length(f)} lines" for f in functions_of(path) if is_handler(f) and length(f) > MAX_HANDLER]
    assert not long, f"{path}: {long}"


def modules_after(code: str) -> set[str]:
    script = f"{code}\nimport sys\nprint('\\n'.join(sys.modules))"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    return set(done.stdout.split())


def test_the_version_is_told_without_numpy_or_lsp() -> None:
    code = "import contextlib, io\nfrom ddg_lsp.cli import main\n"
    code += "with contextlib.redirect_stdout(io.StringIO()), contextlib.suppress(SystemExit): main(['--version'])"
    loaded = modules_after(code)
    assert not loaded & {"numpy", "pygls", "lsprotocol", "onnxruntime", "markdown_it"}


def test_searching_loads_no_lsp_and_no_model_runtime() -> None:
    loaded = modules_after("import ddg_lsp.commands, ddg_lsp.core.search, ddg_lsp.core.opening")
    assert not loaded & {"pygls", "lsprotocol", "asyncio", "onnxruntime", "torch", "sentencepiece", "onnx", "httpx"}
