"""The sites a user has added: `sites.json` in the user's configuration folder, and nowhere else.

Owns that file and what a name and an address must be like. Must not know what is fetched from a site.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable
from dataclasses import asdict, replace
from pathlib import Path

import platformdirs

from ddg_lsp.core.errors import DdgError
from ddg_lsp.core.sites import addresses, files
from ddg_lsp.core.sites.addresses import Address
from ddg_lsp.core.sites.model import REASONS, Miss, Site

MAX_BYTES = 1024 * 1024
MAX_SITES = 200
MAX_LISTED = 1_000
_NAME = re.compile(r"[a-z0-9][a-z0-9._-]{0,39}")


class Registry:
    """Reads the file each time: another process may have changed it."""

    def __init__(self, folder: Path | None = None) -> None:
        self._path = (folder or platformdirs.user_config_path("ddg-lsp")) / "sites.json"

    def sites(self) -> dict[str, Site]:
        """Every added site by name, in the order of names. Raises `DdgError` BAD_SITES."""
        try:
            data = files.read(self._path, MAX_BYTES)
            listed = json.loads(data)["sites"] if data is not None else []
            found = [_site(one) for one in listed]
        except (ValueError, TypeError, KeyError, RecursionError, OSError) as error:
            raise DdgError("BAD_SITES", f"The list of documentation sites, {self._path}, cannot be used.") from error
        return {site.name: site for site in sorted(found, key=lambda one: one.name)}

    def get(self, name: str) -> Site:
        """One site. Raises `DdgError` UNKNOWN_SITE."""
        site = self.sites().get(name)
        if site is None:
            raise DdgError("UNKNOWN_SITE", f"No documentation site is called {name!r}; `docs list` names them.")
        return site

    def put(self, site: Site) -> None:
        """Add a site, or replace the one of its name."""
        known = {**self.sites(), site.name: site}
        if len(known) > MAX_SITES:
            raise DdgError("TOO_MANY_SITES", f"There are {MAX_SITES} documentation sites already.", usage=True)
        self._write(known.values())

    def drop(self, name: str) -> None:
        """Forget a site. Raises `DdgError` UNKNOWN_SITE."""
        self.get(name)
        self._write(site for site in self.sites().values() if site.name != name)

    def _write(self, sites: Iterable[Site]) -> None:
        plain = {"schema": 1, "sites": [asdict(site) for site in sites]}
        try:
            files.write(self._path, (json.dumps(plain, ensure_ascii=False, indent=1) + "\n").encode(), lasting=True)
        except OSError as error:
            why = error.strerror or os.fspath(self._path)
            raise DdgError("NOT_WRITTEN", f"{self._path} cannot be written: {why}.") from error


def new(name: str, url: str, hosts: Iterable[str] = (), pages: Iterable[str] = ()) -> Site:
    """A site from what a user typed. Raises `DdgError` BAD_NAME or BAD_ADDRESS, with `usage`."""
    if not _NAME.fullmatch(name):
        sentence = "A site's name is 1 to 40 of a-z, 0-9, `.`, `_` and `-`, and begins with a letter or a digit."
        raise DdgError("BAD_NAME", sentence, usage=True)
    listed = tuple(_address(page).url for page in pages)
    further = tuple(dict.fromkeys(_address(host if "://" in host else f"https://{host}").place for host in hosts))
    return Site(name, _address(url).url, further, listed[:MAX_LISTED])


def places(site: Site) -> frozenset[str]:
    """Where pages of a site may be fetched from."""
    own = addresses.read(site.url)
    return frozenset(site.hosts) | ({own.place} if isinstance(own, Address) else frozenset())


def _address(url: str) -> Address:
    found = addresses.read(url)
    if isinstance(found, Miss):
        raise DdgError("BAD_ADDRESS", f"{url} cannot be used: {REASONS[found.reason]}.", usage=True)
    return found


def _site(plain: dict[str, object]) -> Site:
    """A line of the file; it is checked as if it had just been typed."""
    hosts, pages = plain.get("hosts", []), plain.get("pages", [])
    if not isinstance(hosts, list) or not isinstance(pages, list):
        raise TypeError
    try:
        site = new(str(plain["name"]), str(plain["url"]), map(str, hosts), map(str, pages))
    except DdgError as error:
        raise ValueError(str(error)) from error
    return replace(site, added_at=str(plain.get("added_at", "")))
