"""What several files of this folder start from: a workspace and a user's cache folder, a documentation site."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from ddg_lsp.core.sites.library import Library
from tests.helpers.documentation_site import library
from tests.helpers.site_server import SiteServer, site_server


@pytest.fixture
def site() -> Iterator[SiteServer]:
    with site_server() as found:
        yield found


@pytest.fixture
def shelves(site: SiteServer, tmp_path: Path) -> Library:
    return library(site, tmp_path / "user")


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The user's cache folder, which is not there yet."""
    base = tmp_path / "home" / "cache"
    monkeypatch.setattr("platformdirs.user_cache_path", lambda *_, **__: base)
    return base


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """An empty workspace folder."""
    folder = tmp_path / "workspace"
    folder.mkdir()
    return folder
