"""Which server is started, for which folder, and what happens when it is not there or goes away."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys

import pytest

from ddg_lsp import __version__
from tests.editors.conftest import documents
from tests.helpers.neovim import PLUGIN, SHIPPED_SERVER

pytestmark = pytest.mark.editors


def test_enabling_attaches_one_client_to_files_of_every_type(nvim):
    client = nvim.lua("""
      local client = vim.lsp.get_clients({ name = 'ddg_lsp', bufnr = 0 })[1]
      return { id = client.id, root = client.root_dir, encoding = client.offset_encoding,
               experimental = client.server_capabilities.experimental,
               symbols = client.server_capabilities.workspaceSymbolProvider ~= nil }""")
    assert client["root"] == str(nvim.root)
    assert client["encoding"] == "utf-8"
    assert client["experimental"] == {"semanticDocQuery": {"version": 1}}
    assert client["symbols"] is False
    nvim.edit(nvim.root / "docs" / "ops.md")
    nvim.attached()
    assert nvim.lua("return #vim.lsp.get_clients()") == 1
    assert nvim.lua("return vim.lsp.get_clients({ bufnr = 0 })[1].id") == client["id"]
    assert nvim.lua("return vim.fn.exists('g:loaded_ddg')") == 1


def test_a_very_large_file_is_not_handed_over(nvim):
    big = nvim.root / "app.log"
    big.write_text("0123456789\n" * 100_000)
    try:
        nvim.edit(big)
        nvim.edit(nvim.root / "docs" / "ops.md")
        nvim.attached()
        attached = "return vim.tbl_keys(vim.lsp.get_clients()[1].attached_buffers)"
        names = [nvim.lua("return vim.api.nvim_buf_get_name(...)", buf) for buf in nvim.lua(attached)]
        assert names
        assert str(big) not in names
    finally:
        big.unlink()


def test_a_buffer_without_a_name_is_not_handed_over(nvim):
    nvim.command("enew | set filetype=markdown")
    nvim.lua("vim.api.nvim_buf_set_lines(0, 0, -1, false, {'# Nameless', '', 'A page without a name.'})")
    nvim.ask("nameless page without a name")
    assert not any("Nameless" in row for row in nvim.rows())
    nvim.keys("<Esc>")
    nvim.closed()
    assert nvim.lua("return #vim.lsp.get_clients({ bufnr = 0 })") == 0
    nvim.command("bwipeout!")


def test_the_command_line_says_where_the_plugin_is():
    done = subprocess.run([sys.executable, "-m", "ddg_lsp", "nvim-path"], capture_output=True, text=True, check=True)
    assert done.stdout == f"{PLUGIN}\n"


def test_nothing_of_the_plugin_is_loaded_before_it_is_used(start, tmp_path):
    with start(tmp_path, server=(), enable=False) as nvim:
        loaded = "return vim.tbl_filter(function(name) return name:find('^ddg') end, vim.tbl_keys(package.loaded))"
        assert nvim.lua("return vim.fn.exists(':Ddg')") == 2
        assert nvim.lua(loaded) == []


def test_the_folder_is_the_nearest_marked_one_else_where_one_works(start, tmp_path):
    root = tmp_path / "work"
    for folder in ("marked/.git", "marked/inner", "plain/deep", "toml"):
        (root / folder).mkdir(parents=True)
    (root / "toml" / "ddg.toml").touch()
    outside = tmp_path / "outside"
    outside.mkdir()
    with start(root, enable=False) as nvim:

        def found(path: object) -> object:
            return nvim.lua("return require('ddg.server').root(...)", str(path))

        assert found(root / "marked" / "inner" / "a.py") == str(root / "marked")
        assert found(root / "toml" / "a.md") == str(root / "toml")
        assert found(root / "plain" / "deep" / "a.md") == str(root)
        assert found(outside / "a.md") is None
        nvim.lua("local home = ...; vim.uv.os_homedir = function() return home end", str(root))
        assert found(root / "plain" / "a.md") is None
        nvim.command("cd /")
        assert found("/etc/hosts") is None


def test_asking_without_a_file_and_without_enabling(start, tmp_path):
    root = documents(tmp_path / "workspace")
    with start(root, enable=False) as nvim:
        nvim.command("Ddg ask nightly backup")
        nvim.answered(containing="Nightly backup")
        nvim.keys("<CR>")
        assert (nvim.at("ops.md"), nvim.line) == (5, "## Nightly backup")
        assert nvim.lua("return vim.lsp.get_clients()[1].root_dir") == str(root)


def test_a_server_that_was_killed_is_started_by_the_next_question(start, tmp_path):
    root = documents(tmp_path / "workspace")
    with start(root) as nvim:
        nvim.edit(root / "docs" / "ops.md")
        nvim.ready()
        nvim.lua("vim.api.nvim_buf_set_lines(0, 0, 0, false, {'# Zebra crossing', '', 'Stripes.', ''})")
        old = nvim.lua("return vim.lsp.get_clients()[1].id")
        pid = nvim.lua("return vim.fn.getpid()")
        for child in nvim.lua("return vim.api.nvim_get_proc_children(...)", pid):
            os.kill(child, signal.SIGKILL)
        nvim.until(lambda: nvim.lua("return #vim.lsp.get_clients()") == 0)
        nvim.command("Ddg ask zebra crossing")
        nvim.answered(containing="Zebra crossing")
        assert nvim.lua("return vim.lsp.get_clients({ bufnr = vim.fn.bufnr('ops.md') })[1].id") > old
        nvim.keys("<Esc>")
        nvim.closed()


def test_settings_reach_the_server_and_the_plugins_own_come_before(start, tmp_path):
    root = documents(tmp_path / "workspace")
    given = "vim.lsp.config('ddg_lsp', { settings = { ddg = { limit = 2 } } })"
    with start(root, before=given) as nvim:
        nvim.edit(root / "app.py")
        nvim.ready()
        assert len(nvim.ask("nightly backup", containing="Nightly")) == 2
        nvim.keys("<Esc>")
        nvim.closed()
        nvim.lua("require('ddg').setup({ limit = 3 })")
        assert len(nvim.ask("nightly backup", containing="Nightly")) == 3


def test_the_program_beside_the_plugin_comes_before_the_one_on_path(start, tmp_path):
    packages = tmp_path / "venv" / "lib" / "python3" / "site-packages" / "ddg_lsp"
    packages.mkdir(parents=True)
    (packages / "nvim").symlink_to(PLUGIN)
    program = tmp_path / "venv" / "bin" / "ddg-lsp"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    with start(tmp_path, server=(), enable=False) as nvim:
        command = "return dofile(...).command()"
        assert nvim.lua(command, str(packages / "nvim/lua/ddg/server.lua")) == [str(program), "serve", "--stdio"]
        assert nvim.lua(command, str(PLUGIN / "lua/ddg/server.lua"))[1:] == ["serve", "--stdio"]
        assert nvim.lua("return require('ddg.server').version()") == __version__


def health(nvim) -> str:
    nvim.command("checkhealth ddg")
    return "\n".join(nvim.nvim.current.buffer[:])


def test_health_of_a_working_set_up(nvim):
    report = health(nvim)
    assert "Failed to run" not in report
    assert "No client" not in report
    assert f"folder {nvim.root}" in report
    assert "Index ready: " in report
    assert "Model hashed-words (deterministic). The test's choice." in report
    assert "does not watch files here" in report
    assert "Picker: builtin" in report


def test_a_plugin_that_is_linked_into_a_package_folder_finds_what_it_was_installed_with(start, tmp_path):
    plugin = tmp_path / "venv" / "lib" / "python3" / "site-packages" / "ddg_lsp" / "nvim"
    shutil.copytree(PLUGIN, plugin)
    program = tmp_path / "venv" / "bin" / "ddg-lsp"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    linked = tmp_path / "pack" / "start" / "ddg"
    linked.parent.mkdir(parents=True)
    linked.symlink_to(plugin)
    with start(tmp_path, server=(), enable=False) as nvim:
        found = nvim.lua("return dofile(...).command()", str(linked / "lua/ddg/server.lua"))
        assert found == [str(program), "serve", "--stdio"]


def test_health_names_versions_and_what_is_missing(start, tmp_path):
    program = tmp_path / "ddg-lsp"
    program.write_text(f'#!/bin/sh\nexec {sys.executable} -m ddg_lsp "$@"\n')
    program.chmod(0o755)
    with start(tmp_path, server=(str(program), "serve", "--stdio")) as nvim:
        report = health(nvim)
        assert f"ddg-lsp {__version__}: {program}" in report
        assert "No client runs" in report
        nvim.command("bwipeout!")
        program.write_text("#!/bin/sh\necho ddg-lsp 0.0.1\n")
        nvim.lua("vim.g.ddg = { picker = 'telescope' }")
        report = health(nvim)
        assert f"The server is version 0.0.1, this plugin {__version__}" in report
        assert "The picker telescope is not installed" in report
        nvim.command("bwipeout!")
        program.unlink()
        assert f"There is no program {program}" in health(nvim)


def test_the_shipped_command_answers_a_korean_question_over_english_documents(start, tmp_path):
    root = documents(tmp_path / "workspace")
    (root / "docs" / "ko" / "설치-안내.md").unlink()
    with start(root, server=SHIPPED_SERVER) as nvim:
        nvim.edit(root / "app.py")
        nvim.ready()
        nvim.command("Ddg ask 매일 밤 데이터베이스를 복사하나요?")
        rows = nvim.answered(containing="Nightly backup")
        assert rows[0].rstrip().endswith("docs/ops.md:5")
        assert not rows[0].startswith("~")
        nvim.keys("<CR>")
        assert (nvim.at("ops.md"), nvim.line) == (5, "## Nightly backup")
