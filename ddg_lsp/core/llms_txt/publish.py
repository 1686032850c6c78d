"""A site to the text of its llms.txt and llms-full.txt: the same bytes for the same documents, anywhere and any time.

Owns the format. Must not know the disk, the clock or the machine.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from urllib.parse import quote

from ddg_lsp.core.llms_txt import heads
from ddg_lsp.core.llms_txt.config import Publishing
from ddg_lsp.core.llms_txt.site import Page, Site

MAX_BODY = 100_000
"""Code points of one page's text in llms-full.txt; of a longer one, its size is told instead."""

_BRACKETS = re.compile(r"[\[\]\\]")
_HEADING = re.compile(r"\\(?=[!-/:-@\[-`{-~])|#(?=#*$)")


def index_text(site: Site, plan: Publishing) -> str:
    """The text of llms.txt."""
    blocks = [*_header(site, plan)]
    groups = [(group.name, group.pages) for group in site.groups]
    if site.optional:
        groups.append(("Optional", site.optional))
    for name, pages in groups:
        blocks.append(f"## {_escaped_heading(name)}")
        blocks.append("\n".join(_item(page, plan) for page in pages))
    return "\n\n".join(blocks) + "\n"


def full_text(site: Site, plan: Publishing, texts: Mapping[str, str]) -> str:
    """The text of llms-full.txt: the header, then every page with its text."""
    blocks = ["\n\n".join(_header(site, plan))]
    blocks += ["\n\n".join(_page(page, plan, texts[page.path])) for page in site.pages]
    return "\n\n---\n\n".join(blocks) + "\n"


def address(path: str, plan: Publishing) -> str:
    """The link to a page: relative to the file, or below the site's address."""
    escaped = "/".join(quote(name, safe="") for name in path.split("/"))
    return f"{plan.base_url}/{escaped}" if plan.base_url else escaped


def _header(site: Site, plan: Publishing) -> Iterator[str]:
    yield f"# {_escaped_heading(site.title)}"
    if site.summary:
        yield f"> {site.summary}"
    if plan.details:
        yield plan.details


def _item(page: Page, plan: Publishing) -> str:
    name = _BRACKETS.sub(lambda found: f"\\{found[0]}", page.title)
    return f"- [{name}]({address(page.path, plan)})" + (f": {page.note}" if page.note else "")


def _page(page: Page, plan: Publishing, text: str) -> Iterator[str]:
    where = address(page.path, plan)
    yield f"# {_escaped_heading(page.title)}"
    yield f"Source: {where}"
    body = heads.body(text)
    if len(body) > MAX_BODY:
        yield f"[This page has {len(body):,} characters and is left out here; read it at its source.]({where})"
    elif body:
        yield body


def _escaped_heading(name: str) -> str:
    """What would be read as an escape, or as the closing `#` of a heading, is escaped."""
    return _HEADING.sub(lambda found: f"\\{found[0]}", name)
