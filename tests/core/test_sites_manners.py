"""How a site is asked: as its robots.txt wants it (case E18), not too often, not too much at once."""

from __future__ import annotations

import threading
import time

import pytest

from ddg_lsp.core.sites import crew
from ddg_lsp.core.sites.fetch import Fetched
from tests.helpers.site_server import moved, reason, reply, status


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        (reply(b"User-agent: *\nDisallow: /private/", "text/plain"), "robots"),
        (reply(b"User-agent: ddg-lsp\nDisallow: /", "text/plain"), "robots"),
        (reply(b"User-agent: other\nDisallow: /", "text/plain"), "ok"),
        (reply("User-agent: *\nCrawl-delay: ²".encode(), "text/plain"), "robots_unreachable"),
        (reply(b"\xff\xfe\x00<html>", "text/html"), "ok"),
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
