"""Which addresses may be talked to: names, not numbers; public hosts, however a private one is spelled.

Owns reading an address, once, into the parts that are both checked and connected to; no other parser looks at it
again. Must not know how one connects.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address
from urllib.parse import quote, urlsplit

from ddg_lsp.core.sites.model import Miss

MAX_URL = 2_000
HTTPS = 443

_HOST = re.compile(r"(?=.{1,253}\Z)[a-z0-9_](?:[a-z0-9_-]{0,62})(?:\.[a-z0-9_](?:[a-z0-9_-]{0,62}))*")
_NUMBER = re.compile(r"(?:[0-9]+|0x[0-9a-f]*)\Z")
"""A last label like this makes the host a number to some readers of addresses: `2130706433`, `0x7f.1`."""
_UNSAFE = re.compile(r"[\x00-\x20\x7f\\\ud800-\udfff]")
"""Blanks, control characters and backslashes are read differently by different readers; surrogates by none."""
_TARGET_SAFE = "%/?:@!$&'()*+,;=-._~"

_METADATA = frozenset(
    ip_address(one) for one in ("169.254.169.254", "168.63.129.16", "100.100.100.200", "192.0.0.192", "fd00:ec2::254")
)
"""Where clouds tell their machines secrets; one of them is a public address."""
_NOT_PUBLIC = tuple(
    IPv4Network(one)
    for one in (
        *("0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12"),
        *("192.0.0.0/24", "192.0.2.0/24", "192.88.99.0/24", "192.168.0.0/16", "198.18.0.0/15", "198.51.100.0/24"),
        *("203.0.113.0/24", "224.0.0.0/3"),
    )
)
_PUBLIC_V6 = IPv6Network("2000::/3")
_NOT_PUBLIC_V6 = tuple(IPv6Network(one) for one in ("2001::/23", "2001:db8::/32", "3fff::/20"))
_NAT64 = IPv6Network("64:ff9b::/96")
_WRAPPERS = (*map(IPv6Network, ("::/96", "::ffff:0:0/96", "::ffff:0:0:0/96")), _NAT64)
"""IPv4 in the last 32 bits: compatible, mapped, translated, and what a network without IPv4 makes of public names."""
_ISATAP = (0x00005EFE, 0x02005EFE)


@dataclass(frozen=True, slots=True)
class Address:
    """An https address in its parts, as they are sent: `host` in ASCII and lower case, `target` path and query."""

    host: str
    port: int
    target: str

    @property
    def place(self) -> str:
        """Host, and port where it is not the usual one: what is allowed or not."""
        return self.host if self.port == HTTPS else f"{self.host}:{self.port}"

    @property
    def url(self) -> str:
        """The whole address, without fragment."""
        return f"https://{self.place}{self.target}"


def read(url: str) -> Address | Miss:
    """The parts of an address, or why it is not used. The fragment is left out."""
    if len(url) > MAX_URL or _UNSAFE.search(url):
        return Miss(url, "bad_url")
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        return Miss(url, "bad_url")
    if parts.scheme != "https":
        return Miss(url, "not_https")
    if "@" in parts.netloc:
        return Miss(url, "userinfo")
    host = _host(parts.hostname or "")
    if host is None or "[" in parts.netloc:
        return Miss(url, "ip_literal" if "[" in parts.netloc else "bad_url")
    if _NUMBER.match(host.rpartition(".")[2]):
        return Miss(url, "ip_literal")
    if port == 0:
        return Miss(url, "bad_port")
    target = quote(parts.path or "/", safe=_TARGET_SAFE) + (
        f"?{quote(parts.query, safe=_TARGET_SAFE)}" if parts.query else ""
    )
    return Address(host, port or HTTPS, target)


def refusal(address: Address, allowed: frozenset[str]) -> str:
    """Why this address is none of the site's; empty where it is."""
    if address.place in allowed:
        return ""
    return "bad_port" if address.host in {place.partition(":")[0] for place in allowed} else "other_host"


def is_public(ip: str) -> bool:
    """Whether the whole world sees the same machine behind an IP address, wrappers of IPv4 in IPv6 opened."""
    try:
        address = ip_address(ip)
    except ValueError:
        return False
    if address in _METADATA:
        return False
    if isinstance(address, IPv4Address):
        return not any(address in network for network in _NOT_PUBLIC)
    if address.scope_id is not None:
        return False
    wrapped = list(_wrapped(address))
    if any(address in network for network in _WRAPPERS[:1]):
        return False  # the compatible form has been given up; nobody honest sends it
    outer = any(address in network for network in _WRAPPERS[1:]) or (
        address in _PUBLIC_V6 and not any(address in network for network in _NOT_PUBLIC_V6)
    )
    return outer and all(is_public(str(inner)) for inner in wrapped)


def _wrapped(address: IPv6Address) -> Iterator[IPv4Address]:
    """Every IPv4 address that one of the known forms of wrapping would find in this one."""
    number = int(address)
    last = IPv4Address(number & 0xFFFFFFFF)
    if any(address in network for network in _WRAPPERS) or (number >> 32) & 0xFFFFFFFF in _ISATAP:
        yield last
    if address.sixtofour is not None:
        yield address.sixtofour
    if address.teredo is not None:
        yield from address.teredo


def _host(given: str) -> str | None:
    """The host as it is asked for in DNS, in the certificate and in the request."""
    if len(given) > MAX_URL or not given:
        return None
    host = given.lower().removesuffix(".")
    if not host.isascii():
        try:
            host = host[:253].encode("idna").decode("ascii").lower()
        except UnicodeError:
            return None
    return host if _HOST.fullmatch(host) else None
