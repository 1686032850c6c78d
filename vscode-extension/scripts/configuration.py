"""Writes the settings of the extension's package.json from the one list of options, `ddg_lsp/core/options.py`.

    python scripts/configuration.py && npx prettier --write package.json

Owns which scope an option gets in VS Code, and the settings that belong to the extension alone. A test compares what
is here with what package.json holds.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT))

from ddg_lsp.core.options import OPTIONS, Option  # noqa: E402

PACKAGE = ROOT / "vscode-extension" / "package.json"
SCOPES = {"workspace": "resource", "user": "machine"}
"""What a repository may not set is of machine scope: VS Code passes over a workspace's own value."""
OWN: dict[str, dict[str, Any]] = {
    "ddg.server.path": {
        "type": "string",
        "default": "",
        "scope": "machine",
        "markdownDescription": "The `ddg-lsp` program to use. Empty: the chosen Python environment's, the one on PATH, "
        "or the one that **Docs: Set Up** installs.",
    },
    "ddg.server.python": {
        "type": "string",
        "default": "",
        "scope": "machine",
        "markdownDescription": "The Python (3.10 or newer) that **Docs: Set Up** makes its environment with. "
        "Empty: the first that fits.",
    },
    "ddg.trace.server": {
        "type": "string",
        "enum": ["off", "messages", "verbose"],
        "default": "off",
        "scope": "window",
        "markdownDescription": "What is logged of the traffic with the server. `verbose` logs questions and text of "
        "documents.",
    },
}


def configuration() -> dict[str, Any]:
    """The object `contributes.configuration`."""
    properties = {f"ddg.{option.key}": _property(option) for option in OPTIONS} | OWN
    ordered = {name: {**one, "order": place} for place, (name, one) in enumerate(properties.items())}
    return {"title": "Docs", "properties": ordered}


def restricted() -> list[str]:
    """Settings whose values from a workspace count only once the user trusts it: all of them."""
    return list(configuration()["properties"])


def _property(option: Option) -> dict[str, Any]:
    shape: dict[str, Any] = {"type": [option.type, "null"] if option.nullable else option.type}
    if option.type == "array":
        shape["items"] = {"type": "string"}
    elif option.type == "object":
        shape["additionalProperties"] = _values(option)
    else:
        shape |= _bounds(option)
    if option.choices:
        shape["enum"] = list(option.choices)
    shape["default"] = _plain(option.default)
    return {**shape, "scope": SCOPES[option.who], "markdownDescription": option.description}


def _values(option: Option) -> dict[str, Any]:
    if option.minimum is None:
        return {"type": "array", "items": {"type": "string"}}
    return {"type": "integer", **_bounds(option)}


def _bounds(option: Option) -> dict[str, Any]:
    bounds = {"minimum": option.minimum, "maximum": option.maximum}
    return {name: value for name, value in bounds.items() if value is not None}


def _plain(value: object) -> object:
    if isinstance(value, tuple):
        return list(value)
    return dict(value) if hasattr(value, "items") else value  # type: ignore[call-overload]


def main() -> None:
    """Rewrite package.json."""
    package = json.loads(PACKAGE.read_text("utf-8"))
    package["contributes"]["configuration"] = configuration()
    package["capabilities"]["untrustedWorkspaces"]["restrictedConfigurations"] = restricted()
    PACKAGE.write_text(json.dumps(package, indent=2, ensure_ascii=False) + "\n", "utf-8")


if __name__ == "__main__":
    main()
