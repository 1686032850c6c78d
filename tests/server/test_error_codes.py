"""Every code and every reason that is raised anywhere stands on a reference page, and no page names another."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from ddg_lsp.server import dialogue, messages, rpc

ROOT = Path(__file__).parents[2]
PROTOCOL, COMMAND_LINE = (
    (ROOT / "docs" / "reference" / f"{name}.md").read_text(encoding="utf-8") for name in ("protocol", "command-line")
)
RAISING = {"DdgError", "_bad", "EmbedderUnavailable", "__init__"}
_CODE, _REASON = re.compile(r"[A-Z][A-Z]+(?:_[A-Z]+)*"), re.compile(r"[a-z]+(?:_[a-z]+)*")


def calls(tree: ast.AST) -> Iterator[tuple[ast.Call, dict[str, list[ast.expr]]]]:
    """Every call that makes an error, with what the names around it were given."""
    for function in ast.walk(tree):
        if not isinstance(function, (ast.FunctionDef, ast.AsyncFunctionDef)):
            continue
        given: dict[str, list[ast.expr]] = {}
        for node in ast.walk(function):
            if isinstance(node, ast.Assign):
                for target in node.targets:
                    pairs = [(target, node.value)]
                    if isinstance(target, ast.Tuple) and isinstance(node.value, ast.Tuple):
                        pairs = list(zip(target.elts, node.value.elts, strict=True))
                    for name, value in pairs:
                        if isinstance(name, ast.Name):
                            given.setdefault(name.id, []).append(value)
        for node in ast.walk(function):
            if isinstance(node, ast.Call) and getattr(node.func, "id", getattr(node.func, "attr", "")) in RAISING:
                yield node, given


def texts(value: ast.expr, given: dict[str, list[ast.expr]]) -> set[str]:
    """The texts an expression may be: constants, either branch, what a name was given."""
    if isinstance(value, ast.Constant):
        return {value.value} if isinstance(value.value, str) else set()
    if isinstance(value, ast.IfExp):
        return texts(value.body, given) | texts(value.orelse, given)
    if isinstance(value, ast.Name):
        return {text for one in given.get(value.id, []) for text in texts(one, given)}
    return set()


def raised() -> tuple[set[str], set[str]]:
    """Codes and reasons."""
    codes, reasons = set(), set()
    for path in (ROOT / "ddg_lsp").rglob("*.py"):
        for call, given in calls(ast.parse(path.read_text(encoding="utf-8"))):
            codes |= {one for value in call.args[:1] for one in texts(value, given) if _CODE.fullmatch(one)}
            told = [word.value for word in call.keywords if word.arg == "reason"] + list(call.args[2:3])
            reasons |= {one for value in told for one in texts(value, given) if _REASON.fullmatch(one)}
    return codes | {"UNKNOWN_COMMAND"}, reasons


def test_what_is_looked_for_is_found():
    codes, reasons = raised()
    assert {"INVALID_QUERY", "INVALID_LIMIT", "INVALID_PER_FILE", "EMBEDDER_UNAVAILABLE", "USAGE"} <= codes
    assert {"too_many_terms", "no_terms", "unknown_folder", "not_a_string"} <= reasons


def test_every_code_raised_is_on_a_page_and_the_pages_name_no_other():
    named = set(re.findall(r"`([A-Z]+(?:_[A-Z]+)+|USAGE)`", PROTOCOL + COMMAND_LINE))
    assert named == raised()[0]


def test_every_reason_given_is_on_the_page_and_the_page_names_no_other():
    table = PROTOCOL.split("| `data.code` |")[1].split("\n\n")[0]
    rows = [row.split("|")[2] for row in table.splitlines() if row.startswith("| `")]
    named = {word for row in rows for word in re.findall(r"`([a-z]+(?:_[a-z]+)*)`", row)}
    assert named - {"paths", "lexical", "max", "got"} == raised()[1]


def test_every_number_sent_is_on_the_page():
    ours = {messages.PARSE_ERROR, messages.INVALID_REQUEST}
    for module in (dialogue, rpc):
        source = Path(str(module.__file__)).read_text(encoding="utf-8")
        for name in set(re.findall(r"JsonRpc\w+", source)):
            code = getattr(getattr(module, name, None), "CODE", None)
            ours |= {code} if code else set()
    ours |= {rpc.types.LSPErrorCodes.RequestFailed.value}
    assert len(ours) > 5
    assert {str(code) for code in ours if code is not None} <= set(re.findall(r"^\| (-\d+) \|", PROTOCOL, re.MULTILINE))
