"""What is known of a documentation site, and why an address was not fetched, as values; no logic."""

from __future__ import annotations

from dataclasses import dataclass

AGENT = "ddg-lsp"
"""The name under which robots.txt may speak to us."""


@dataclass(frozen=True, slots=True)
class Miss:
    """An address that gave nothing, and why: one of `REASONS`, or `http_` and the status."""

    url: str
    reason: str


@dataclass(frozen=True, slots=True)
class Site:
    """A site as the user added it. Host names are lower case, and the ports are those of the added addresses."""

    name: str
    url: str
    """The address that was given: a page, a folder or an llms.txt."""
    hosts: tuple[str, ...] = ()
    """Further hosts its pages may be fetched from, each with `:port` where that is not 443."""
    pages: tuple[str, ...] = ()
    """Addresses the user listed besides those of the site's own index."""
    added_at: str = ""


REASONS: dict[str, str] = {
    "bad_url": "the address cannot be read in one way only",
    "not_https": "the address is not an https one",
    "userinfo": "the address holds a name or a password",
    "ip_literal": "the host is a number, not a name",
    "bad_port": "the port is not the one that was added",
    "other_host": "the host is none of the site's; `--host` allows it",
    "unresolved": "the host's name is not known",
    "private_address": "the host is on this machine or in a private network",
    "unreachable": "no connection came about, or it broke off",
    "tls": "the certificate is not valid for this host",
    "timeout": "it took too long",
    "too_large": "it is larger than the bound for its kind",
    "redirect_loop": "it leads in a circle",
    "too_many_redirects": "it leads on too often",
    "robots": "the site's robots.txt does not want it",
    "robots_unreachable": "the site's robots.txt could not be read, so nothing is fetched",
    "bad_type": "it is not text",
    "bad_encoding": "it is packed in a way that was not asked for, or cannot be unpacked",
    "html": "it is a web page, not Markdown",
    "json": "it is JSON, not Markdown",
    "binary": "it is not text in UTF-8",
    "empty": "there is nothing in it",
    "no-title-no-links": "it is no index: neither a title nor a link",
    "full": "the site's cached pages take up all they may",
}
"""Why nothing came of an address."""
