"""Fetching with care, against a real HTTPS server: cases E10 to E18, each refused or served as the table says."""

from __future__ import annotations

import contextlib
import gzip
import threading
import time
import tracemalloc
import zlib

import pytest

from ddg_lsp.core.errors import Cancelled
from ddg_lsp.core.sites import addresses, crew
from ddg_lsp.core.sites.addresses import Address
from ddg_lsp.core.sites.connect import Limits
from ddg_lsp.core.sites.fetch import INDEX_BYTES, Fetched, Fetcher
from ddg_lsp.core.sites.model import REASONS, Miss
from tests.helpers.site_server import LOOPBACK, WRONG_CERTIFICATE, moved, reply, site_server, status

PRIVATE = (
    *("127.0.0.1", "10.0.0.1", "169.254.169.254", "100.64.0.1", "::1", "fc00::1", "::ffff:127.0.0.1"),
    *("::169.254.169.254", "64:ff9b::a9fe:a9fe", "2002:7f00:1::"),
    # and what is like them
    *("172.16.0.1", "192.168.1.1", "0.0.0.0", "168.63.129.16", "255.255.255.255", "224.0.0.1", "198.18.0.1", "::"),
    *("fe80::1%eth0", "fd00:ec2::254", "ff02::1", "2001:0:a9fe:a9fe::1", "2600::5efe:7f00:1", "::ffff:0:7f00:1"),
    *("64:ff9b:1::7f00:1", "2001:db8::1", "not an address"),
)


@pytest.fixture
def site():
    with site_server() as found:
        yield found


def reason(found) -> str:
    return found.reason if isinstance(found, Miss) else "ok"


@pytest.mark.parametrize("ip", PRIVATE)
def test_e10_a_private_address_is_refused_before_connecting(site, ip):
    found = site.fetcher(resolve=lambda *_: [ip], private=()).get(site.wish("/a.md"))
    assert reason(found) == "private_address"
    assert site.connections == 0


def test_e10_one_bad_address_among_good_ones_is_enough(site):
    fetcher = site.fetcher(resolve=lambda *_: ["8.8.8.8", "10.0.0.1"], private=())
    assert reason(fetcher.get(site.wish("/a.md"))) == "private_address"


@pytest.mark.parametrize("ip", ["8.8.8.8", "2606:4700::1111", "64:ff9b::808:808", "2002:808:808::", "::ffff:8.8.8.8"])
def test_public_addresses_are_public(ip):
    assert addresses.is_public(ip)


def test_e10_the_shipped_fetcher_refuses_loopback(site):
    assert reason(Fetcher(lambda *_: [LOOPBACK]).get(site.wish("/a.md"))) == "private_address"


@pytest.mark.parametrize("url", ["https://127.0.0.1", "https://0x7f.1", "https://2130706433", "https://[::1]"])
def test_e11_a_number_is_no_host(url):
    assert reason(addresses.read(url)) == "ip_literal"


@pytest.mark.parametrize(
    "url", ["https://0177.0.0.1", "https://１２７.0.0.1", "https://127.1", "https://a.0x1", "https://1"]
)
def test_e11_nor_is_one_in_another_spelling(url):
    assert reason(addresses.read(url)) == "ip_literal"


def test_e11_a_trailing_dot_is_the_same_host():
    assert addresses.read("https://H.test.") == Address("h.test", 443, "/")


@pytest.mark.parametrize(
    ("url", "why"),
    [
        ("http://e.test/", "not_https"),
        ("file:///etc/passwd", "not_https"),
        ("https://user:word@e.test/", "userinfo"),
        ("https://e.test@other.test/", "userinfo"),
        ("https://e.test\\@other.test/", "bad_url"),
        ("https://e.test/\r\nHost: other.test", "bad_url"),
        ("https://e.test:0/", "bad_port"),
        ("https://e.test:port/", "bad_url"),
        ("https:///path", "bad_url"),
        ("https://e..test/", "bad_url"),
        ("https://e%2etest/", "bad_url"),
        ("https://" + "a" * 3_000, "bad_url"),
    ],
)
def test_an_address_that_can_be_read_in_two_ways_is_not_used(url, why):
    assert reason(addresses.read(url)) == why


def test_names_in_any_script_are_asked_for_as_dns_has_them():
    assert addresses.read("https://Bücher.test:8443/ä?q=é#x") == Address("xn--bcher-kva.test", 8443, "/%C3%A4?q=%C3%A9")


def test_e12_a_name_is_resolved_once_a_hop_and_the_checked_address_is_the_connected_one(site):
    site.text("/a.md", "# A")
    answers = iter([[LOOPBACK], [LOOPBACK], ["10.0.0.1"]])
    asked = []

    def rebinding(host, port):
        asked.append(host)
        return next(answers)

    fetcher = site.fetcher(resolve=rebinding)
    assert reason(fetcher.get(site.wish("/a.md"))) == "ok"  # robots.txt, then the page: two answers, two connections
    assert (len(asked), site.connections) == (2, 2)
    assert reason(fetcher.get(site.wish("/a.md"))) == "private_address"  # the third, and no connection
    assert site.connections == 2


def test_e13_redirects_on_the_host_are_followed_and_checked_like_the_first_address(site):
    site.text("/end.md", "# End")
    hops = {
        "/same": moved("/end.md", 308),
        "/relative": moved("end.md", 301),
        "/other": moved(site.url("/end.md", "other.test")),
        "/http": moved(f"http://e.test:{site.port}/end.md"),
        "/userinfo": moved(f"https://a:b@e.test:{site.port}/end.md"),
        "/port": moved("https://e.test:1/end.md"),
        "/number": moved(f"https://127.0.0.1:{site.port}/end.md"),
        "/private": moved(site.url("/end.md", "h.test")),
        "/loop": moved("/loop2"),
        "/loop2": moved("/loop"),
        **{f"/hop{n}": moved(f"/hop{n + 1}") for n in range(1, 7)},
        "/hop7": moved("/end.md"),
        "/bad": moved("https://[oops"),
    }
    site.served.update(hops)

    def resolve(host, port):
        return ["10.0.0.1"] if host == "h.test" else [LOOPBACK]

    fetcher = site.fetcher(resolve=resolve)
    found = fetcher.get(site.wish("/same"))
    assert isinstance(found, Fetched)
    assert found.url == site.url("/end.md")
    expected = {
        "/relative": "ok",
        "/other": "other_host",
        "/http": "not_https",
        "/userinfo": "userinfo",
        "/port": "bad_port",
        "/number": "ip_literal",
        "/loop": "redirect_loop",
        "/hop1": "too_many_redirects",
        "/hop3": "ok",  # five hops
        "/bad": "bad_url",
    }
    assert {path: reason(fetcher.get(site.wish(path))) for path in expected} == expected
    assert reason(fetcher.get(site.wish("/private", "h.test"))) == "private_address"
    assert reason(fetcher.get(site.wish("/other", "other.test"))) == "ok"  # the user allowed it


def test_e14_an_index_one_byte_too_large_is_nothing(site):
    site.served["/ok.txt"] = reply(b"x" * INDEX_BYTES, "text/plain")
    site.served["/much.txt"] = reply(b"x" * (INDEX_BYTES + 1), "text/plain")
    fetcher = site.fetcher()
    assert reason(fetcher.get(site.wish("/ok.txt", limit=INDEX_BYTES))) == "ok"
    assert reason(fetcher.get(site.wish("/much.txt", limit=INDEX_BYTES))) == "too_large"


def bomb(megabytes: int) -> bytes:
    """Zeros, packed a thousandfold, which is as far as gzip goes."""
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    megabyte = packer.compress(b"\0" * 1_000_000) + packer.flush(zlib.Z_FULL_FLUSH)
    return b"\x1f\x8b\x08\0\0\0\0\0\0\xff" + megabyte * megabytes


def test_e14_what_unpacks_to_a_gigabyte_takes_no_memory(site):
    site.served["/bomb.md"] = reply(bomb(1_000), headers={"Content-Encoding": "gzip"})
    fetcher = site.fetcher()
    assert len(bomb(1_000)) < INDEX_BYTES
    fetcher.get(site.wish("/warm.md"))
    tracemalloc.start()
    try:
        assert reason(fetcher.get(site.wish("/bomb.md", limit=INDEX_BYTES))) == "too_large"
        assert tracemalloc.get_traced_memory()[1] < 16 * INDEX_BYTES
    finally:
        tracemalloc.stop()


def test_e14_a_body_without_a_length_is_bounded_while_it_comes(site):
    sent = []

    def endless(handler):
        handler.send_response(200)
        handler.send_header("Content-Type", "text/plain")
        handler.end_headers()
        with contextlib.suppress(OSError):
            for _ in range(100_000):
                handler.wfile.write(b"x" * 65_536)
                sent.append(1)

    site.served["/endless.txt"] = endless
    assert reason(site.fetcher().get(site.wish("/endless.txt", limit=INDEX_BYTES))) == "too_large"
    assert len(sent) * 65_536 < 64 * INDEX_BYTES


def test_packed_bodies_are_unpacked_and_broken_ones_are_not_used(site):
    packed = {"Content-Encoding": "gzip"}
    site.served["/good.md"] = reply(gzip.compress("# Gut ü".encode()), headers=packed)
    site.served["/cut.md"] = reply(gzip.compress(b"# x" * 999)[:-9], headers=packed)
    site.served["/lie.md"] = reply(b"# not packed", headers=packed)
    site.served["/brotli.md"] = reply(b"x", headers={"Content-Encoding": "br"})
    fetcher = site.fetcher()
    good = fetcher.get(site.wish("/good.md"))
    assert isinstance(good, Fetched)
    assert good.data.decode() == "# Gut ü"
    for path in ("/cut.md", "/lie.md", "/brotli.md"):
        assert reason(fetcher.get(site.wish(path))) == "bad_encoding"


def drip(handler) -> None:
    """A byte now and then: no single wait is long."""
    handler.send_response(200)
    handler.send_header("Content-Type", "text/plain")
    handler.send_header("Content-Length", "100000")
    handler.end_headers()
    with contextlib.suppress(OSError):
        for _ in range(400):
            handler.wfile.write(b"x")
            time.sleep(0.05)


def test_e15_the_time_limits_are_those_of_the_requirement():
    assert Limits() == Limits(connect_s=5.0, read_s=10.0, total_s=30.0)
    assert Fetcher().limits == Limits()


def test_e15_a_slow_drip_ends_when_the_time_is_up(site):
    site.served["/drip.md"] = drip
    began = time.monotonic()
    found = site.fetcher(Limits(5.0, 5.0, 1.0)).get(site.wish("/drip.md"))
    assert reason(found) == "timeout"
    assert 0.9 < time.monotonic() - began < 4.0


def test_e15_a_server_that_says_nothing_ends_after_one_wait(site):
    site.served["/mute.md"] = lambda _handler: time.sleep(8)
    began = time.monotonic()
    assert reason(site.fetcher(Limits(5.0, 0.5, 30.0)).get(site.wish("/mute.md"))) == "timeout"
    assert time.monotonic() - began < 5.0


def test_e15_giving_up_takes_at_most_a_second_even_while_a_name_server_is_silent(site):
    site.served["/drip.md"] = drip
    silent = threading.Event()

    def hang(host, port):
        silent.wait(20)
        return [LOOPBACK]

    for fetcher in (site.fetcher(), site.fetcher(resolve=hang)):
        began = time.monotonic()

        def check(began=began):
            if time.monotonic() - began > 0.4:
                raise Cancelled

        with pytest.raises(Cancelled):
            crew.fetch(fetcher, [site.wish("/drip.md")], check)
        assert time.monotonic() - began < 1.4
    silent.set()


def test_e16_the_content_decides_and_text_is_utf_8(site):
    text = "# 설치 안내\n"
    site.served.update(
        {
            "/stream.md": reply(text.encode(), "application/octet-stream"),
            "/html.md": reply(text.encode(), "text/html"),
            "/bare.md": reply(text.encode(), None),
            "/stream.bin": reply(text.encode(), "application/octet-stream"),
            "/page.pdf": reply(b"%PDF", "application/pdf"),
            "/picture.md": reply(b"\x89PNG", "image/png"),
        }
    )
    fetcher = site.fetcher()
    for path in ("/stream.md", "/html.md", "/bare.md"):
        found = fetcher.get(site.wish(path))
        assert isinstance(found, Fetched), path
        assert found.data.decode() == text
    for path in ("/stream.bin", "/page.pdf", "/picture.md"):
        assert reason(fetcher.get(site.wish(path))) == "bad_type"


def test_e17_a_bad_certificate_is_an_error_and_nothing_is_tried_without_it():
    with site_server(WRONG_CERTIFICATE) as site:
        site.text("/a.md", "# A")
        assert reason(site.fetcher().get(site.wish("/a.md"))) == "tls"
        assert site.requests == []
    with site_server() as site:  # a certificate that is fine, for other names
        fetcher = site.fetcher()
        wish = site.wish(site.url("/a.md", "unnamed.test"), "unnamed.test")
        assert reason(fetcher.get(wish)) == "tls"
        assert site.requests == []


def test_e17_nobody_is_there(site):
    fetcher = site.fetcher()
    wish = site.wish("/a.md")
    with site_server() as gone:
        pass
    assert reason(fetcher.get(gone.wish("/a.md"))) == "unreachable"
    unknown = site.fetcher(resolve=lambda *_: [])
    assert reason(unknown.get(wish)) == "unresolved"


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        (reply(b"User-agent: *\nDisallow: /private/", "text/plain"), "robots"),
        (reply(b"User-agent: ddg-lsp\nDisallow: /", "text/plain"), "robots"),
        (reply(b"User-agent: other\nDisallow: /", "text/plain"), "ok"),
        (status(403), "robots"),
        (status(401), "robots"),
        (status(404), "ok"),
        (status(500), "robots_unreachable"),
        (reply(b"x" * 600_000, "text/plain"), "robots_unreachable"),
        (moved("https://other.test/robots.txt"), "robots_unreachable"),
    ],
)
def test_e18_robots(site, answer, expected):
    site.served["/robots.txt"] = answer
    site.text("/private/a.md", "# A")
    fetcher = site.fetcher()
    assert reason(fetcher.get(site.wish("/private/a.md"))) == expected
    assert site.paths() == (["/private/a.md"] if expected == "ok" else [])
    fetcher.get(site.wish("/private/b.md"))
    assert sum(request.path == "/robots.txt" for request in site.requests) == 1  # asked once an hour


def test_e18_every_hop_of_a_redirect_obeys(site):
    site.text("/robots.txt", "User-agent: *\nDisallow: /private/")
    site.text("/private/a.md", "# A")
    site.served["/a.md"] = moved("/private/a.md")
    assert reason(site.fetcher().get(site.wish("/a.md"))) == "robots"


def test_a_busy_server_is_asked_once_more_when_it_says(site):
    asked = []

    def busy(handler):
        asked.append(time.monotonic())
        (reply(b"# A") if len(asked) == 2 else status(503, Retry_After="1"))(handler)

    site.served["/a.md"] = busy
    assert reason(site.fetcher().get(site.wish("/a.md"))) == "ok"
    assert asked[1] - asked[0] >= 0.9
    site.served["/b.md"] = status(503, Retry_After="61")
    assert reason(site.fetcher().get(site.wish("/b.md"))) == "http_503"
    assert site.paths().count("/b.md") == 1


def test_never_more_than_two_at_once_from_one_host(site):
    now, most, lock = [0], [0], threading.Lock()

    def slow(handler):
        with lock:
            now[0] += 1
            most[0] = max(most[0], now[0])
        time.sleep(0.1)
        with lock:
            now[0] -= 1
        reply(b"# A")(handler)

    for number in range(8):
        site.served[f"/{number}.md"] = slow
    found = crew.fetch(site.fetcher(), [site.wish(f"/{number}.md") for number in range(8)], lambda: None)
    assert [reason(one) for one in found] == ["ok"] * 8
    assert [one.url for one in found if isinstance(one, Fetched)] == [site.url(f"/{n}.md") for n in range(8)]
    assert most[0] == 2


def test_the_environment_s_proxy_and_credentials_are_not_used(site, monkeypatch, tmp_path):
    for name in ("HTTPS_PROXY", "https_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:1")
    netrc = tmp_path / "netrc"
    netrc.write_text("machine e.test login me password secret")
    monkeypatch.setenv("NETRC", str(netrc))
    site.text("/a.md", "# A")
    assert reason(site.fetcher().get(site.wish("/a.md"))) == "ok"
    assert not any("authorization" in request.raw.lower() for request in site.requests)


def test_every_reason_has_words():
    assert all(REASONS.values())
    assert len(set(REASONS.values())) == len(REASONS)
