"""Which documents come first, to be read and to be embedded: what the user is likely to ask about.

Owns that one order. Must not know what is done in it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from ddg_lsp.core.model import Stamp

DAY_NS = 86_400 * 10**9


def importance(stamps: Mapping[str, Stamp | None]) -> Callable[[str], tuple[bool, int, str]]:
    """A key to sort paths by: changed on the newest day (what has no stamp is on the screen), near the top, by path."""
    newest = max((stamp.mtime_ns for stamp in stamps.values() if stamp), default=0)

    def key(path: str) -> tuple[bool, int, str]:
        stamp = stamps[path]
        recent = stamp is None or newest - stamp.mtime_ns < DAY_NS
        return not recent, path.count("/"), path

    return key
