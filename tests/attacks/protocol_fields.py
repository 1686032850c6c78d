"""Wrong types in every field of every method and command there is, made from the protocol's schema; huge params."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from lsprotocol import types

from ddg_lsp.server import protocol
from tests.attacks.protocol_target import ABLE, GOOD, SECRET, Target, documents, serving
from tests.attacks.run import Run
from tests.helpers.schema import FIELDS, WRONG, params_of, served, spoiled

LIFE = {types.INITIALIZE, types.SHUTDOWN, types.EXIT}
SHORT_WRONG = (None, -1, SECRET, [1], {"x": [1]})
AT_ONCE = 200


def wrong_fields(run: Run) -> None:
    """Each field of each method and of each command left out and set to everything else, one at a time."""
    wrong = SHORT_WRONG if run.seconds <= 0 else (*WRONG, SECRET, 2**31, -(2**63), 1e308, [[[]]], "x" * 100_000)
    with serving(run, capabilities=ABLE, initializationOptions={"workspaceSymbols": True}) as one:
        for method in served():
            kind = "field of a request" if _is_request(method) else "field of a notification"
            _send_all(run, one, kind, [(method, params) for params in _spoiled(params_of(method), wrong)])
        for method in protocol.REQUESTS:
            _send_all(run, one, "field of our requests", [(method, params) for params in _spoiled(FIELDS, wrong)])
        for command in protocol.COMMANDS:
            params = [{"command": command, "arguments": [bad]} for bad in _spoiled(FIELDS, wrong)]
            params += [{"command": command, "arguments": bad} for bad in WRONG]
            _send_all(run, one, "field of a command", [(types.WORKSPACE_EXECUTE_COMMAND, one) for one in params])


def _spoiled(value: Any, wrong: tuple[Any, ...]) -> Iterator[Any]:
    return (params for _, params in spoiled(value, wrong=wrong))


def _is_request(method: str) -> bool:
    return method in protocol.REQUESTS or "Request" in types.METHOD_TO_TYPES[method][0].__name__


def _send_all(run: Run, one: Target, kind: str, asked: list[tuple[str, Any]]) -> None:
    for start in range(0, len(asked), AT_ONCE):
        names = []
        for method, params in asked[start : start + AT_ONCE]:
            if _is_request(method):
                names.append((one.ask(method, params), method, params))
            else:
                with run.attempt(kind, method):
                    one.send(method=method, params=params)
        for name, method, params in names:
            with run.attempt(kind, (method, params)):
                one.answer_to(name)
    with run.attempt(f"{kind}: and the next question", asked[0][0] if asked else ""):
        one.holds()


def wrong_initialize(run: Run) -> None:
    """Each field of `initialize` of another type, on a server of its own: refused or taken, then it answers."""
    cases = [("as it should be", params_of(types.INITIALIZE)), *spoiled(params_of(types.INITIALIZE), wrong=SHORT_WRONG)]
    for count, rng in enumerate(run.rounds(at_least=3)):
        label, params = rng.choice(cases) if count else cases[0]
        with run.attempt("field of initialize", label), Target() as one:
            root = documents(Path(tempfile.mkdtemp(dir=run.folder)))
            answer = one.answer_to(one.ask("initialize", params))
            if "error" in answer:
                assert answer["error"]["code"] == -32602, answer
                one.start(root)
            else:
                one.send(method="initialized", params={})
                gone = [{"uri": root.as_uri(), "name": "x"}]
                one.send(method="workspace/didChangeWorkspaceFolders", params={"event": {"added": gone, "removed": []}})
                one.collect(lambda one=one: bool(one.result(protocol.QUERY, GOOD)["hits"]))
            one.holds()
            one.leaves()


def huge_params(run: Run) -> None:
    """Megabytes in a question, a name, an id, a list, an object and a document; 100 MB where there is time."""
    size = 100_000_000 if run.seconds >= 60 else 4_000_000 if run.seconds else 600_000
    word = f"{SECRET} "
    text = word * (size // len(word))
    kinds: dict[str, tuple[str, Any]] = {
        "question": (protocol.QUERY, {"query": text}),
        "list": (protocol.QUERY, {**GOOD, "paths": [word] * (size // 40)}),
        "object": (protocol.QUERY, {**GOOD, "x": {str(n): n for n in range(size // 40)}}),
        "unknown method": ("x/unheardOf", {"x": text}),
        "method": (text, None),
        "batch": (protocol.QUERY_BATCH, {"queries": [{"id": n, "query": word} for n in range(size // 400)]}),
        "folders": (protocol.QUERY, {**GOOD, "folders": [f"file:///{n}" for n in range(size // 40)]}),
        "code action": (types.TEXT_DOCUMENT_CODE_ACTION, {**params_of(types.TEXT_DOCUMENT_CODE_ACTION), "x": text}),
        "command": (types.WORKSPACE_EXECUTE_COMMAND, {"command": text, "arguments": [text[: size // 10]]}),
    }
    with serving(run) as one:
        for kind, (method, params) in kinds.items():
            with run.attempt(f"huge {kind}", size):
                one.answer_to(one.ask(method, params))
        with run.attempt("huge id", size // 10):
            one.answer_to(one.ask(protocol.QUERY, GOOD, text[: size // 10]))
        _huge_document(run, one, text)


def _huge_document(run: Run, one: Target, text: str) -> None:
    for kind, content in (
        ("lines", text.replace(" ", "\n")),
        ("one line", text),
        ("headings", text.replace(" ", "\n\n# ")),
    ):
        item = {"uri": f"file:///huge/{kind}.md", "languageId": "markdown", "version": 1, "text": content}
        with run.attempt(f"huge document of {kind}", len(content)):
            one.send(method="textDocument/didOpen", params={"textDocument": item})
            one.answer_to(one.ask(protocol.QUERY, GOOD), 120.0)
            one.send(method="textDocument/didClose", params={"textDocument": {"uri": item["uri"]}})
            one.holds()
