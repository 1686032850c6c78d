"""Fetching with care, against a real HTTPS server: cases E12 to E17, each refused or served as the table says."""

from __future__ import annotations

import contextlib
import gzip
import threading
import time
import tracemalloc
import zlib

import pytest

from ddg_lsp.core.errors import Cancelled
from ddg_lsp.core.sites import crew
from ddg_lsp.core.sites.connect import Limits
from ddg_lsp.core.sites.fetch import INDEX_BYTES, Fetched, Fetcher
from ddg_lsp.core.sites.model import REASONS
from tests.helpers.site_server import LOOPBACK, WRONG_CERTIFICATE, moved, reason, reply, site_server


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


def redirects(site) -> None:
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


def test_e13_redirects_on_the_host_are_followed_and_checked_like_the_first_address(site):
    redirects(site)

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
