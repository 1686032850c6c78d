"""Fetching one address with care: what may be asked, where the connection goes, what of the answer is taken.

Owns rules F2 to F12 of the requirement: https only, hosts of the site only, public addresses only and the very ones
that were checked, redirects by hand, bounds on time and size, robots.txt. Sends nothing that it was not given as an
address. Must not know sites, caches or questions.
"""

from __future__ import annotations

import socket
import ssl
import threading
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from urllib.parse import urljoin

import httpcore
import httpx

from ddg_lsp import __version__
from ddg_lsp.core.errors import Cancelled
from ddg_lsp.core.sites import addresses, body
from ddg_lsp.core.sites.addresses import Address
from ddg_lsp.core.sites.connect import Clock, Limits, Pinned
from ddg_lsp.core.sites.model import AGENT, Miss
from ddg_lsp.core.sites.robots import Robots

INDEX_BYTES = 1024 * 1024
PAGE_BYTES = 2 * 1024 * 1024
FULL_BYTES = 32 * 1024 * 1024
ROBOTS_BYTES = 512 * 1024
REDIRECTS = 5
AGAIN = (502, 503, 504)
FIRST_PAUSE_S = 1.0
LONGEST_PAUSE_S = 60.0
_MOVED = (301, 302, 303, 307, 308)

Resolve = Callable[[str, int], Sequence[str]]
"""From a host and a port to IP addresses as text; raises `OSError` for an unknown name."""


@dataclass(frozen=True, slots=True)
class Wish:
    """One address to fetch: from which places, how much at most, and what is known of it already."""

    url: str
    places: frozenset[str]
    """`host` or `host:port`, as `Address.place` spells them."""
    limit: int = PAGE_BYTES
    etag: str = ""
    modified: str = ""


@dataclass(frozen=True, slots=True)
class Fetched:
    """An answer: 200 with its bytes, or 304 where what is known already still holds. `url` is where it came from."""

    url: str
    status: int
    data: bytes
    content_type: str
    etag: str
    modified: str


def resolve(host: str, port: int) -> list[str]:
    """The system's own answer."""
    return [str(found[4][0]) for found in socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)]


class Fetcher:
    """Fetches, and remembers robots.txt. Safe on any number of threads.

    The arguments are for those who run a server of their own, tests among them; nothing a user or a workspace can set
    reaches them. `private` are IP addresses that may be talked to although they are not public.
    """

    def __init__(
        self,
        resolve: Resolve = resolve,
        *,
        private: Iterable[str] = (),
        trust: ssl.SSLContext | None = None,
        limits: Limits | None = None,
    ) -> None:
        self._resolve = resolve
        self._private = frozenset(private)
        self._trust = trust
        self.limits = limits or Limits()
        self._robots = Robots(self._robots_file)
        self._lock = threading.Lock()

    def get(self, wish: Wish, stop: threading.Event | None = None) -> Fetched | Miss:
        """Fetch one address, on this thread. Raises `Cancelled` when `stop` is set, and nothing else."""
        found = self._attempt(wish, stop or threading.Event(), polite=True)
        return found if isinstance(found, Fetched) else Miss(wish.url, found.reason)

    def _robots_file(self, url: str, places: frozenset[str], stop: threading.Event) -> Fetched | Miss:
        return self._attempt(Wish(url, places, ROBOTS_BYTES), stop, polite=False)

    def _attempt(self, wish: Wish, stop: threading.Event, *, polite: bool) -> Fetched | Miss:
        """Follow redirects by hand; every hop is checked like the first."""
        url, seen = wish.url, set[str]()
        clock = Clock(self.limits, stop)
        for _ in range(REDIRECTS + 1):
            address = self._checked(url, wish.places)
            if isinstance(address, Miss):
                return address
            if address.url in seen:
                return Miss(url, "redirect_loop")
            seen.add(address.url)
            if polite and (no := self._robots.refusal(address, wish.places, stop)):
                return Miss(url, no)
            found = self._asked(address, replace(wish, url=url), clock)
            if not isinstance(found, str):
                return found
            url = found
        return Miss(url, "too_many_redirects")

    def _checked(self, url: str, places: frozenset[str]) -> Address | Miss:
        address = addresses.read(url)
        if isinstance(address, Miss):
            return address
        no = addresses.refusal(address, places)
        return Miss(url, no) if no else address

    def _asked(self, address: Address, wish: Wish, clock: Clock) -> Fetched | Miss | str:
        """One hop, asked once more where the server asks for that; a text is where it leads on to."""
        found, pause = self._once(address, wish, clock)
        if pause is None:
            return found
        if clock.stop.wait(pause):
            raise Cancelled
        return self._once(address, wish, Clock(clock.limits, clock.stop))[0]

    def _once(self, address: Address, wish: Wish, clock: Clock) -> tuple[Fetched | Miss | str, float | None]:
        ip = self._ip(address)
        if isinstance(ip, Miss):
            return ip, None
        try:
            with httpcore.ConnectionPool(
                ssl_context=self._context(), network_backend=Pinned(ip, clock), max_connections=1
            ) as pool:
                return self._spoken(pool, address, wish)
        except body.BadBody as bad:
            return Miss(wish.url, bad.reason), None
        except httpcore.TimeoutException:
            return Miss(wish.url, "timeout"), None
        except (httpcore.NetworkError, httpcore.ProtocolError, OSError) as error:
            return Miss(wish.url, "tls" if _is_tls(error) else "unreachable"), None

    def _spoken(
        self, pool: httpcore.ConnectionPool, address: Address, wish: Wish
    ) -> tuple[Fetched | Miss | str, float | None]:
        url = httpcore.URL(
            scheme=b"https", host=address.host.encode(), port=address.port, target=address.target.encode()
        )
        with pool.stream("GET", url, headers=_headers(wish)) as response:
            headers = {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in response.headers}
            status = response.status
            if status in _MOVED and headers.get("location"):
                return _joined(wish.url, headers["location"]), None
            if status in AGAIN:
                return Miss(wish.url, f"http_{status}"), _pause(headers.get("retry-after", ""))
            if status == 304 and (wish.etag or wish.modified):
                return Fetched(address.url, 304, b"", "", wish.etag, wish.modified), None
            if status != 200:
                return Miss(wish.url, f"http_{status}"), None
            kind = headers.get("content-type", "")
            if not body.may_be_text(kind, address.target.partition("?")[0]):
                return Miss(wish.url, "bad_type"), None
            encoding = headers.get("content-encoding", "").strip().lower()
            data = body.read(response.iter_stream(), encoding, headers.get("content-length", ""), wish.limit)
            etag, modified = headers.get("etag", "")[:1_000], headers.get("last-modified", "")[:100]
            return Fetched(address.url, 200, data, kind, etag, modified), None

    def _ip(self, address: Address) -> str | Miss:
        """The address to connect to: the first of a host whose addresses are all public."""
        try:
            found = self._resolve(address.host, address.port)
        except (OSError, UnicodeError):
            found = []
        if not found:
            return Miss(address.url, "unresolved")
        if all(ip in self._private or addresses.is_public(ip) for ip in found):
            return found[0]
        return Miss(address.url, "private_address")

    def _context(self) -> ssl.SSLContext:
        """The authorities the embedding client trusts, too; reading them takes a tenth of a second."""
        with self._lock:
            if self._trust is None:
                self._trust = httpx.create_ssl_context()
            return self._trust


def _headers(wish: Wish) -> list[tuple[str, str]]:
    known = [("If-None-Match", wish.etag), ("If-Modified-Since", wish.modified)]
    return [
        ("User-Agent", f"{AGENT}/{__version__}"),
        ("Accept", "text/markdown, text/plain;q=0.9, text/html;q=0.1"),
        ("Accept-Encoding", "gzip, identity"),
        ("Connection", "close"),
        *((name, value) for name, value in known if value.isascii() and value.isprintable() and value),
    ]


def _joined(base: str, location: str) -> str:
    """Where a redirect leads; what cannot be read stays as it is, and is refused as such."""
    try:
        return urljoin(base, location)
    except ValueError:
        return location


def _pause(after: str) -> float | None:
    """Seconds until the second attempt; None where the server asks for more than is waited."""
    seconds = float(after[:10]) if after.isdecimal() else FIRST_PAUSE_S
    return seconds if seconds <= LONGEST_PAUSE_S else None


def _is_tls(error: BaseException | None) -> bool:
    while error is not None:
        if isinstance(error, ssl.SSLError):
            return True
        error = error.__cause__ or error.__context__
    return False
