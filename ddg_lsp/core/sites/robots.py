"""Whether a site's robots.txt lets an address be fetched. The file is fetched with the same care as any other.

Owns what an answer to robots.txt means, and how long it holds. Must not know how it is fetched.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import TYPE_CHECKING
from urllib.robotparser import RobotFileParser

from ddg_lsp.core.sites.addresses import Address
from ddg_lsp.core.sites.model import AGENT, Miss

if TYPE_CHECKING:
    from ddg_lsp.core.sites.fetch import Fetched

HOLDS_S = 3_600.0

PASSING = ("timeout", "unreachable", "unresolved", "tls", "private_address")
"""Trouble with the host itself, which the address would meet, too: it is told as what it is, and looked for anew."""

Get = Callable[[str, frozenset[str], threading.Event], "Fetched | Miss"]


class Robots:
    """Remembers each host's file for an hour."""

    def __init__(self, get: Get) -> None:
        self._get = get
        self._known: dict[str, tuple[float, RobotFileParser | str]] = {}
        self._lock = threading.Lock()

    def refusal(self, address: Address, places: frozenset[str], stop: threading.Event) -> str:
        """Why the address is not to be fetched; empty where it may be."""
        if address.target == "/robots.txt":
            return ""
        with self._lock:  # two pages of one host do not ask for it twice
            until, rules = self._known.get(address.place, (0.0, ""))
            if time.monotonic() >= until:
                rules = _rules(self._get(f"https://{address.place}/robots.txt", places, stop))
                holds = 0.0 if rules in PASSING else HOLDS_S
                self._known[address.place] = (time.monotonic() + holds, rules)
        if isinstance(rules, str):
            return rules
        return "" if rules.can_fetch(AGENT, address.url) else "robots"


def _rules(found: Fetched | Miss) -> RobotFileParser | str:
    """Refused to us: no. Not there: yes. Not to be read: no, since what it says is not known."""
    rules = RobotFileParser()
    if not isinstance(found, Miss):
        try:
            rules.parse(found.data.decode("utf-8", "replace").splitlines())
        except ValueError:  # a superscript digit as `Crawl-delay`
            return "robots_unreachable"
        return rules
    if found.reason in ("http_401", "http_403"):
        return "robots"
    if found.reason.startswith("http_4") or found.reason == "bad_type":
        rules.parse([])
        return rules
    return found.reason if found.reason in PASSING else "robots_unreachable"
