"""docs/reference/protocol.md and protocol.py name the same things."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from ddg_lsp.core.errors import DdgError
from ddg_lsp.core.report import STATES
from ddg_lsp.server import batch, protocol

PAGE = (Path(__file__).parents[2] / "docs" / "reference" / "protocol.md").read_text(encoding="utf-8")
NAMES = {*protocol.REQUESTS, *protocol.COMMANDS, *protocol.NOTIFICATIONS, protocol.OPEN_DOCS_KIND}


def test_every_name_is_on_the_page_and_no_other():
    ours = re.findall(
        r"`((?:workspace/(?:semanticDoc|documentation)\w*|ddg/\w+|ddg\.server\.\w+|ddg\.openDocs))`", PAGE
    )
    assert set(ours) == NAMES
    assert {f"experimental.{name}" for name in (protocol.CAPABILITY, protocol.STATUS_CAPABILITY)} == set(
        re.findall(r"`(experimental\.\w+)`", PAGE)
    )


def test_every_state_is_on_the_page_and_no_other():
    table = PAGE.split("| `index.state` |")[1].split("\n\n")[0]
    assert set(re.findall(r"^\| `(\w+)` \|", table, re.MULTILINE)) == set(STATES)


@pytest.mark.parametrize(
    "name", ["query", "limit", "mode", "folders", "paths", "perFile", "explain", "sources", "workDoneToken"]
)
def test_every_param_is_on_the_page(name):
    assert f'"{name}":' in PAGE


@pytest.mark.parametrize(
    ("parse", "argument", "code"),
    [
        (protocol.parse_question, "text", "INVALID_PARAMS"),
        (protocol.parse_question, {"folders": [1]}, "INVALID_FOLDERS"),
        (protocol.parse_question, {"folders": ["a"] * 101}, "INVALID_FOLDERS"),
        (protocol.parse_question, {"workDoneToken": True}, "INVALID_TOKEN"),
        (protocol.parse_batch, {"queries": [{}] * 101}, "INVALID_BATCH"),
        (protocol.parse_batch, None, "INVALID_BATCH"),
        (batch.parse, {"queries": [{}], "maxOutputChars": 9_999}, "INVALID_MAX_OUTPUT"),
        (batch.parse, {"queries": [{}], "workDoneToken": 1.5}, "INVALID_TOKEN"),
        (protocol.parse_place, [{"uri": 1}], "INVALID_URI"),
        (
            protocol.parse_place,
            [{"uri": "file:///a", "range": {"start": {"line": -1, "character": 0}}}],
            "INVALID_RANGE",
        ),
        (protocol.parse_options, [3], "INVALID_PARAMS"),
    ],
)
def test_what_does_not_fit_is_named(parse, argument, code):
    with pytest.raises(DdgError) as caught:
        parse(argument)
    assert (caught.value.code, caught.value.usage) == (code, True)


def test_params_come_as_plain_json_whatever_they_were():
    from collections import namedtuple

    from lsprotocol import types

    nested = namedtuple("Object", "a b")(1, namedtuple("Object", "c")(["x"]))
    assert protocol.plain(nested) == {"a": 1, "b": {"c": ["x"]}}
    assert protocol.plain([types.Position(1, 2)]) == [{"line": 1, "character": 2}]
    assert protocol.plain({"a": None}) == {"a": None}
