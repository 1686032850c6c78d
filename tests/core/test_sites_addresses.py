"""Which addresses may be talked to: cases E10 and E11, private addresses and numbers in every spelling."""

from __future__ import annotations

from ipaddress import IPv6Address

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ddg_lsp.core.sites import addresses
from ddg_lsp.core.sites.addresses import Address
from ddg_lsp.core.sites.fetch import Fetcher
from ddg_lsp.core.sites.model import REASONS, Miss
from tests.helpers.site_server import LOOPBACK, reason

PRIVATE = (
    *("127.0.0.1", "10.0.0.1", "169.254.169.254", "100.64.0.1", "::1", "fc00::1", "::ffff:127.0.0.1"),
    *("::169.254.169.254", "64:ff9b::a9fe:a9fe", "2002:7f00:1::"),
    # and what is like them
    *("172.16.0.1", "192.168.1.1", "0.0.0.0", "168.63.129.16", "255.255.255.255", "224.0.0.1", "198.18.0.1", "::"),
    *("fe80::1%eth0", "fd00:ec2::254", "ff02::1", "2001:0:a9fe:a9fe::1", "2600::5efe:7f00:1", "::ffff:0:7f00:1"),
    *("64:ff9b:1::7f00:1", "2001:db8::1", "not an address"),
)


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


@given(st.text() | st.text("htps:/@.\\[]#?%0x1eE:\ud800\u2028İß", max_size=30).map("https://".__add__))
def test_any_text_is_an_address_or_a_reason(url):
    found = addresses.read(url)
    if isinstance(found, Miss):
        assert found.reason in REASONS
    else:
        assert addresses.read(found.url) == found  # read once or twice, it is the same place
        assert found.url.isascii()


@given(st.ip_addresses().map(str) | st.text(max_size=40))
def test_any_text_is_a_public_ip_address_or_none(ip):
    assert addresses.is_public(ip) in (True, False)


@given(st.ip_addresses(network="10.0.0.0/8") | st.ip_addresses(network="127.0.0.0/8"), st.integers(0, 6))
def test_e10_no_wrapping_makes_a_private_address_public(inner, form):
    number = int(inner)
    wrapped = [
        number,
        0xFFFF << 32 | number,
        0xFFFF << 48 | number,
        0x64FF9B << 96 | number,
        0x2002 << 112 | number << 80,
        0x20010000 << 96 | number << 64,
        0x2600 << 112 | 0x5EFE << 32 | number,
    ][form]
    assert not addresses.is_public(str(IPv6Address(wrapped)))
