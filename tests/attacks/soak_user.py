"""A user at their editor: every action a real server is sent, and what is on their screen and disk meanwhile.

Owns the open documents and the actions. Must not know how many there will be, nor what is measured.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from ddg_lsp.server import protocol
from tests.attacks.soak_tree import WORDS, Tree, document, section, sentence
from tests.helpers.raw_lsp import RawServer

SHIPPED = ("-m", "ddg_lsp", "serve", "--stdio")
OPEN_AT_ONCE = 8
CAPABILITIES = {
    "window": {"workDoneProgress": True},
    "textDocument": {"codeAction": {"codeActionLiteralSupport": {"codeActionKind": {"valueSet": []}}}},
    "experimental": {"ddgStatus": True},
}
SETTINGS: tuple[dict[str, Any], ...] = (
    {},
    {"mode": "semantic"},
    {"exclude": ["docs/part-1/**"]},
    {"languages": ["ko"], "codeActionLanguages": ["markdown"]},
    {"maxFileBytes": 5_000},
    {"embedder": "none"},
)
MODES = ("hybrid", "semantic", "lexical")


class User:
    """One user with one folder; `server` is replaced when it dies."""

    def __init__(self, tree: Tree, rng: random.Random) -> None:
        self.tree = tree
        self.rng = rng
        self.server: RawServer
        self.open: dict[str, str] = {}
        self.settings: dict[str, Any] = {}
        self._version = 0
        self._asked = 0

    @contextmanager
    def life(self) -> Iterator[RawServer]:
        """A server, from its start to its end; documents that are open in the editor are opened in it."""
        with RawServer(*SHIPPED) as self.server:
            options = {"ddg": self._wishes()}
            self.server.begin(self.tree.root, capabilities=CAPABILITIES, initializationOptions=options)
            for path, text in self.open.items():
                self._show(path, text)
            yield self.server

    # -- what is on the screen

    def type(self) -> None:
        """One edit, sent as the difference."""
        if not self.open:
            return self.look_at()
        path = self.rng.choice(sorted(self.open))
        lines = self.open[path].split("\n")
        at = self.rng.randrange(len(lines))
        kind = self.rng.random()
        if kind < 0.6 or len(lines) < 8:
            new = section(self.rng) if kind < 0.03 else f"{sentence(self.rng)}\n"
            self._edit(path, lines, at, at, new)
        elif kind < 0.9:
            self._edit(path, lines, at, min(at + 1, len(lines) - 1), f"{sentence(self.rng)}\n")
        else:
            self._edit(path, lines, at, min(at + self.rng.randint(1, 5), len(lines) - 1), "")
        return None

    def move(self) -> None:
        """The cursor moves, and the editor asks for code actions by itself."""
        self._actions(automatic=True)

    def act(self) -> None:
        """The user asks for code actions."""
        self._actions(automatic=False)

    def save(self) -> None:
        """One document is saved; one that has grown too long is written anew, as people tidy up."""
        if self.open:
            path = self.rng.choice(sorted(self.open))
            if len(self.open[path]) > 4_000:
                self._edit(path, self.open[path].split("\n"), 0, self.open[path].count("\n"), document(self.rng))
            self._save(path)

    def look_at(self) -> None:
        """A document is opened; when there are many, one is closed, saved or not."""
        paths = [path for path in self.tree.paths() if path not in self.open]
        if paths:
            path = self.rng.choice(paths)
            self.open[path] = self.tree.read(path)
            self._show(path, self.open[path])
        if len(self.open) > OPEN_AT_ONCE:
            self._close(self.rng.choice(sorted(self.open)))

    def close(self) -> None:
        """A document is closed; what was not saved is lost."""
        if self.open:
            self._close(self.rng.choice(sorted(self.open)))

    # -- what is asked

    def ask(self) -> None:
        """A question, in any mode."""
        params = {"query": sentence(self.rng), "mode": self.rng.choice(MODES), "limit": self.rng.randint(1, 50)}
        if self.rng.random() < 0.3:
            params |= {"perFile": 3, "explain": True, "paths": ["docs/**"]}
        assert "result" in self._request(protocol.QUERY, params)

    def ask_and_cancel(self) -> None:
        """A question nobody waits for: it is answered, or said to be cancelled."""
        identity = self._next()
        self.server.send(id=identity, method=protocol.QUERY, params={"query": sentence(self.rng)})
        self.server.send(method="$/cancelRequest", params={"id": identity})
        answer = self.server.reply(identity)
        assert "result" in answer or answer["error"]["code"] == -32800, answer

    def ask_much(self) -> None:
        """Many questions at once, or the map."""
        if self.rng.random() < 0.5:
            queries = [{"id": str(n), "query": sentence(self.rng)} for n in range(5)]
            assert "result" in self._request(protocol.QUERY_BATCH, {"queries": queries})
        else:
            assert "result" in self._request(protocol.MAP, {})

    def check(self) -> dict[str, Any]:
        """The status, every file of it now and then."""
        wanted = {"silent": True, "files": self.rng.random() < 0.2}
        status: dict[str, Any] = self._command(protocol.SHOW_STATUS, wanted)["result"]
        return status

    # -- what happens on the disk

    def create(self) -> None:
        """Another program writes a document."""
        self.tree.write(self.tree.new_path(self.rng), document(self.rng))
        self._watched()

    def rewrite(self) -> None:
        """Another program changes a document, which may be open."""
        path = self.rng.choice(self.tree.paths())
        self.tree.write(path, document(self.rng))
        self._watched()

    def rename(self) -> None:
        """A document gets another name; the editor closes the old one."""
        path = self.rng.choice(self.tree.paths())
        if path in self.open:
            self._close(path)
        (self.tree.root / path).rename(self.tree.root / f"docs/part-{self.rng.randrange(3)}-{path.split('/')[-1]}")
        self._watched()

    def delete(self) -> None:
        """A document goes; one that is open stays on the screen, as in an editor."""
        if len(paths := self.tree.paths()) > 20:
            (self.tree.root / self.rng.choice(paths)).unlink()
            self._watched()

    def move_folder(self) -> None:
        """A folder gets another name."""
        self._close_all()
        self.tree.rename_folder(self.rng)
        self._watched()

    def switch(self) -> None:
        """Save, commit, go to the other branch; the editor reads again what it shows."""
        for path in list(self.open):
            self._save(path)
        self.tree.switch()
        for path in list(self.open):
            if (self.tree.root / path).exists():
                text = self.tree.read(path)
                self._edit(path, self.open[path].split("\n"), 0, self.open[path].count("\n"), text, whole=True)
            else:
                self._close(path)
        self._watched()

    # -- what happens to the server

    def configure(self) -> None:
        """The settings change; the model is never away for long."""
        self._set(self.rng.choice(SETTINGS))
        if self.settings.get("embedder"):
            self.ask()
            self._set({})

    def idle(self, wait_for_unloading: Callable[[], None]) -> None:
        """A coffee: the model is dropped, and needed again afterwards."""
        self._set({**self.settings, "idleUnloadMinutes": 0.01})
        self.answer(sentence(self.rng), "semantic")  # which needs the model, whatever was done before
        wait_for_unloading()
        self._set({key: value for key, value in self.settings.items() if key != "idleUnloadMinutes"})
        self.ask()

    def calm(self) -> None:
        """Close everything (what was not saved is lost), and go back to the settings of the first day."""
        self._close_all()
        self._set({})

    def leave(self) -> None:
        """The editor is closed; the server ends in time, without complaint."""
        assert self._request("shutdown", None)["result"] is None
        self.server.send(method="exit")
        assert self.server.process.wait(30.0) == 0
        assert self.server.stray == b""

    # -- what should be

    def at_rest(self) -> dict[str, Any] | None:
        """The status, when nothing is under way and every document is known; None otherwise."""
        status = self.check()
        known = status["index"]["documents"] == self.expected()
        return status if status["quiescent"] and status["index"]["state"] == "ready" and known else None

    def answer(self, question: str, mode: str) -> dict[str, Any]:
        """The whole answer to one question."""
        found: dict[str, Any] = self._request(protocol.QUERY, {"query": question, "mode": mode, "limit": 100})["result"]
        return found

    def expected(self) -> int:
        """Documents there should be: those on the disk and those on the screen, less what the settings leave out."""
        paths = {*self.tree.paths(), *self.open}
        if self.settings.get("exclude"):
            paths = {path for path in paths if not path.startswith("docs/part-1/")}
        most = self.settings.get("maxFileBytes", float("inf"))
        return sum(1 for path in paths if len(self._shown(path).encode()) <= most)

    def _shown(self, path: str) -> str:
        return self.open[path] if path in self.open else self.tree.read(path)

    def _wishes(self) -> dict[str, Any]:
        return {"debounceMs": 20, **self.settings}

    def _set(self, settings: dict[str, Any]) -> None:
        self.settings = settings
        self.server.send(method="workspace/didChangeConfiguration", params={"settings": {"ddg": self._wishes()}})

    def _uri(self, path: str) -> str:
        return (self.tree.root / path).as_uri()

    def _show(self, path: str, text: str) -> None:
        item = {"uri": self._uri(path), "languageId": "markdown", "version": self._version, "text": text}
        self.server.send(method="textDocument/didOpen", params={"textDocument": item})

    def _close(self, path: str) -> None:
        del self.open[path]
        self.server.send(method="textDocument/didClose", params={"textDocument": {"uri": self._uri(path)}})

    def _close_all(self) -> None:
        for path in list(self.open):
            self._close(path)

    def _save(self, path: str) -> None:
        self.tree.write(path, self.open[path])
        self.server.send(method="textDocument/didSave", params={"textDocument": {"uri": self._uri(path)}})

    def _edit(self, path: str, lines: list[str], start: int, end: int, text: str, *, whole: bool = False) -> None:
        """Put `text` in the place of lines `start` to `end` (without it), or of everything."""
        self._version += 1
        if whole:
            self.open[path] = text
            change: dict[str, Any] = {"text": text}
        else:
            self.open[path] = "\n".join([*lines[:start], text + lines[end], *lines[end + 1 :]])
            places = [{"line": line, "character": 0} for line in (start, end)]
            change = {"range": {"start": places[0], "end": places[1]}, "text": text}
        document = {"uri": self._uri(path), "version": self._version}
        self.server.send(method="textDocument/didChange", params={"textDocument": document, "contentChanges": [change]})

    def _actions(self, *, automatic: bool) -> None:
        if not self.open:
            return
        path = self.rng.choice(sorted(self.open))
        lines = self.open[path].split("\n")
        line = self.rng.randrange(len(lines))
        start, end = {"line": line, "character": 0}, {"line": line, "character": self.rng.choice((0, len(lines[line])))}
        context = {"diagnostics": [], "triggerKind": 2 if automatic else 1}
        params = {"textDocument": {"uri": self._uri(path)}, "range": {"start": start, "end": end}, "context": context}
        assert "result" in self._request("textDocument/codeAction", params)

    def _watched(self) -> None:
        change = {"uri": self._uri(f"docs/{self.rng.choice(WORDS)}.md"), "type": 2}
        self.server.send(method="workspace/didChangeWatchedFiles", params={"changes": [change]})

    def _command(self, name: str, *arguments: object) -> dict[str, Any]:
        return self._request("workspace/executeCommand", {"command": name, "arguments": list(arguments)})

    def _request(self, method: str, params: object) -> dict[str, Any]:
        return self.server.request(self._next(), method, params)

    def _next(self) -> int:
        self._asked += 1
        return self._asked
