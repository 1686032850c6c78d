"""The server of `launch.py`, whose user has a library of sites on loopback: port and folder come first.

Name and address go into the fetcher's constructor; nothing a client or a workspace sends could do that.
"""

from __future__ import annotations

import sys
from pathlib import Path

from ddg_lsp.server import sites
from tests.helpers.documentation_site import library
from tests.helpers.site_server import SiteServer
from tests.server import launch

if __name__ == "__main__":
    port, folder = int(sys.argv.pop(1)), Path(sys.argv.pop(1))
    sites.library = lambda: library(SiteServer(port), folder)
    sites.Registry = lambda: sites.library().registry  # type: ignore[misc, assignment]
    sys.exit(launch.main())
