"""Where a hit of a documentation site comes from, and how it is shown: as a quotation, with nothing in it active.

Owns what a site's hit says in place of what a folder's says. Must not know stores or fetching; cheap to import.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ddg_lsp.core.sites.harmless import harmless


@dataclass(frozen=True, slots=True)
class Origin:
    """See the module. `headings` and `excerpt` are safe to show."""

    source: str
    """The site's name."""
    url: str
    path: str
    """The path of the address, for people."""
    headings: tuple[str, ...]
    excerpt: str
    fetched_at: str
    sha256: str
    """Of the page as it came, 64 hex."""


def shown(plain: Mapping[str, Any], origin: Origin | None) -> dict[str, Any]:
    """A hit, as it is sent or printed, of a site; unchanged where it is none."""
    if origin is None:
        return dict(plain)
    return {
        **plain,
        "uri": origin.url,
        "path": origin.path,
        "headings": list(origin.headings),
        "excerpt": origin.excerpt,
        "alsoIn": [{**also, "headings": [harmless(one) for one in also["headings"]]} for also in plain["alsoIn"]],
        "alternates": [],
        "source": origin.source,
        "fetchedAt": origin.fetched_at,
        "sha256": origin.sha256,
    }
