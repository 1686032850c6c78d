"""What several files of this folder start from: a server of a documentation site, and a user's library of sites."""

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
