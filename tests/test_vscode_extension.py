"""What the VS Code extension says twice is the same in both places: settings, names on the wire, reasons, versions."""

from __future__ import annotations

import importlib.util
import json
import re
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from ddg_lsp import __version__
from ddg_lsp.core import corpus_rules, query
from ddg_lsp.core.options import EDITOR_KEYS, OPTIONS
from ddg_lsp.core.settings import load
from ddg_lsp.server import protocol

ROOT = Path(__file__).parents[1]
EXTENSION = ROOT / "vscode-extension"
PACKAGE: dict[str, Any] = json.loads((EXTENSION / "package.json").read_text("utf-8"))
PROPERTIES: dict[str, Any] = PACKAGE["contributes"]["configuration"]["properties"]
SETTINGS_PAGE = (ROOT / "docs" / "reference" / "settings.md").read_text("utf-8")
WIRE = (EXTENSION / "src" / "wire.ts").read_text("utf-8")


@pytest.fixture(scope="module")
def script() -> ModuleType:
    spec = importlib.util.spec_from_file_location("configuration", EXTENSION / "scripts" / "configuration.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_extension_s_settings_are_those_of_the_one_list(script: ModuleType) -> None:
    assert PACKAGE["contributes"]["configuration"] == script.configuration(), "run npm run configuration"
    own = {name for name in PROPERTIES if name.split(".")[1] in EDITOR_KEYS}
    assert own == set(script.OWN)
    assert {f"ddg.{option.key}" for option in OPTIONS} == set(PROPERTIES) - own


def test_the_extension_s_settings_are_those_of_the_reference_page() -> None:
    page = SETTINGS_PAGE.split("## Options")[1].split("\n## ")[0]
    named = re.findall(r"^\| `(\w+)` \|", page, re.MULTILINE)
    assert [f"ddg.{key}" for key in named] == [name for name in PROPERTIES if name.split(".")[1] not in EDITOR_KEYS]


def test_a_workspace_counts_only_where_it_may_and_once_it_is_trusted() -> None:
    for option in OPTIONS:
        assert PROPERTIES[f"ddg.{option.key}"]["scope"] == ("resource" if option.who == "workspace" else "machine")
    assert PROPERTIES["ddg.server.path"]["scope"] == PROPERTIES["ddg.server.python"]["scope"] == "machine"
    assert PACKAGE["capabilities"]["untrustedWorkspaces"]["supported"] == "limited"
    assert PACKAGE["capabilities"]["untrustedWorkspaces"]["restrictedConfigurations"] == list(PROPERTIES)


def test_the_defaults_the_editor_sends_change_nothing(tmp_path: Path) -> None:
    (tmp_path / "ddg.toml").write_text('root = "docs"\nlimit = 7\n')
    sent: dict[str, Any] = {}
    for name, shape in PROPERTIES.items():
        first, *rest = name.split(".")[1:]
        if rest:
            sent.setdefault(first, {})[rest[0]] = shape["default"]
        else:
            sent[first] = shape["default"]
    assert load(tmp_path, sent) == load(tmp_path)


@pytest.mark.parametrize("name", ["QUERY", "STATUS", "REINDEX", "SHOW_STATUS", "STATUS_CAPABILITY"])
def test_names_on_the_wire_are_the_server_s(name: str) -> None:
    assert f'export const {name} = "{getattr(protocol, name)}";' in WIRE


def test_the_longest_question_is_the_server_s() -> None:
    assert f"export const MAX_QUESTION = {query.MAX_QUESTION};" in WIRE


def test_every_reason_a_file_is_left_out_for_has_words() -> None:
    text = (EXTENSION / "src" / "status" / "text.ts").read_text("utf-8")
    table = text.split("REASONS")[1].split("};")[0]
    assert set(re.findall(r'^  "?([\w-]+)"?: "', table, re.MULTILINE)) == set(corpus_rules.REASONS)


def test_the_extension_brings_the_server_of_its_own_version() -> None:
    assert PACKAGE["version"] == __version__.split("+")[0]
    numbers = [tuple(map(int, version.split("."))) for version in (PACKAGE["minimumServer"], PACKAGE["version"])]
    assert numbers == sorted(numbers)


def test_every_command_is_registered_and_no_other() -> None:
    registered = set(re.findall(r'^    "(ddg\.[\w.]+)":', (EXTENSION / "src" / "commands.ts").read_text("utf-8"), re.M))
    assert registered == {command["command"] for command in PACKAGE["contributes"]["commands"]}
    used = {entry["command"] for entries in PACKAGE["contributes"]["menus"].values() for entry in entries}
    used |= {entry["command"] for entry in PACKAGE["contributes"]["keybindings"]}
    assert used <= registered
    server = set(protocol.COMMANDS)
    assert not registered & server, "VS Code has one register for the commands of both"


def test_lock_files_name_no_registry() -> None:
    for folder in (EXTENSION, ROOT / "tests" / "editors" / "vscode"):
        assert '"resolved"' not in (folder / "package-lock.json").read_text("utf-8")
        assert "omit-lockfile-registry-resolved=true" in (folder / ".npmrc").read_text("utf-8")
