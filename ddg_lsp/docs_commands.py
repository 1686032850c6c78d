"""`ddg-lsp docs`: adding, listing, refreshing and removing documentation sites.

Owns its arguments and what it prints; nothing heavy is imported before it runs.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from ddg_lsp import terminal
from ddg_lsp.core.errors import DdgError

if TYPE_CHECKING:
    from ddg_lsp.core.sites.library import Library, Overview
    from ddg_lsp.core.sites.model import Miss
    from ddg_lsp.core.sites.pages import Outcome

Commands = argparse._SubParsersAction  # argparse has no public name for it

ABOUT = "read other projects' documentation: sites you add by name"


def add_docs_commands(commands: Commands[Any]) -> None:
    """Register `docs` and what it does."""
    docs = commands.add_parser("docs", help=ABOUT)
    what = docs.add_subparsers(metavar="WHAT", required=True)
    add = what.add_parser("add", help="look for a site's llms.txt and remember the site")
    add.add_argument("name", metavar="NAME", help="how you will call it: a-z, 0-9, `.`, `_`, `-`")
    add.add_argument("url", metavar="URL", help="https address of a page, of a folder or of an llms.txt")
    add.add_argument("--host", metavar="HOST", action="append", default=[], help="a further host of its pages")
    add.add_argument("--page", metavar="URL", action="append", default=[], help="a Markdown page (repeatable)")
    add.set_defaults(command=docs_add)
    listed = what.add_parser("list", help="the sites you added, or the links of one of them")
    listed.add_argument("name", metavar="NAME", nargs="?", help="show the links of this one")
    listed.add_argument("--section", metavar="S", default="", help="only the links of this section")
    listed.add_argument("--limit", metavar="N", type=int, default=200, help="links shown (default 200)")
    listed.set_defaults(command=docs_list)
    refresh = what.add_parser("refresh", help="ask for newer copies of what is kept")
    refresh.add_argument("name", metavar="NAME", nargs="?", help="this site only")
    refresh.add_argument("--full", action="store_true", help="fetch its llms-full.txt, too: every page in one file")
    refresh.set_defaults(command=docs_refresh)
    remove = what.add_parser("remove", help="forget a site and delete its pages")
    remove.add_argument("name", metavar="NAME")
    remove.set_defaults(command=docs_remove)
    for one in (add, listed, refresh, remove):
        one.add_argument("--json", action="store_true", help="print one JSON object")


def library() -> Library:
    """The user's sites."""
    from ddg_lsp.core.sites.library import Library

    return Library()


def docs_add(arguments: argparse.Namespace) -> int:
    """`ddg-lsp docs add`: 1 where the site has nothing that could be read."""
    from ddg_lsp.core.sites import registry

    shelves = library()
    site = registry.new(arguments.name, arguments.url, arguments.host, arguments.page)
    found = shelves.add(site)
    view = shelves.overview(site.name)
    if arguments.json:
        _print_json({"ok": True, "site": _overview_json(view), **_outcome_json(found)})
        return 0
    terminal.line(_overview_text(view))
    tell_misses(found.misses)
    return 0


def docs_list(arguments: argparse.Namespace) -> int:
    """`ddg-lsp docs list`: asks nobody."""
    if arguments.name is not None:
        return _list_links(arguments)
    views = library().overviews()
    if arguments.json:
        _print_json({"ok": True, "sites": [_overview_json(view) for view in views]})
        return 0
    for view in views:
        terminal.line(_overview_text(view))
        tell_misses(view.misses)
    if not views:
        terminal.note("No documentation site was added yet; `ddg-lsp docs add NAME URL` adds one.")
    return 0


def docs_refresh(arguments: argparse.Namespace) -> int:
    """`ddg-lsp docs refresh`: 1 where a site gave nothing at all."""
    shelves = library()
    names = [arguments.name] if arguments.name is not None else list(shelves.registry.sites())
    found = {name: shelves.refresh(name, full=arguments.full) for name in names}
    failed = [name for name, one in found.items() if one.misses and not (one.fetched or one.unchanged)]
    if arguments.json:
        sites = [{"name": name, **_outcome_json(one)} for name, one in found.items()]
        _print_json({"ok": not failed, "sites": sites})
    else:
        for name, one in found.items():
            terminal.line(f"{name}: {len(one.fetched)} new, {len(one.unchanged)} as before, {len(one.misses)} missed")
            tell_misses(one.misses)
    return 1 if failed else 0


def docs_remove(arguments: argparse.Namespace) -> int:
    """`ddg-lsp docs remove`."""
    library().remove(arguments.name)
    if arguments.json:
        _print_json({"ok": True, "name": arguments.name})
    else:
        terminal.line(f"{terminal.visible(arguments.name)} is forgotten, and its pages are deleted.")
    return 0


def _list_links(arguments: argparse.Namespace) -> int:
    if not 1 <= arguments.limit <= 5_000:
        raise DdgError("INVALID_LIMIT", "--limit takes a number from 1 to 5000.", usage=True)
    found = library().listing(arguments.name, arguments.section, arguments.limit)
    truncated = len(found.links) < found.total
    if arguments.json:
        links = [
            {"section": section, "name": link.name, "url": link.url, "notes": link.notes, "sameOrigin": own}
            for section, link, own in found.links
        ]
        counts = {"totalLinks": found.total, "truncated": truncated}
        _print_json({"ok": True, "name": arguments.name, "sections": list(found.sections), **counts, "links": links})
        return 0
    shown = None
    for section, link, own in found.links:
        if section != shown:
            shown = section
            terminal.line(terminal.visible(section))
        notes = f": {link.notes}" if link.notes else ""
        terminal.line(f"  {terminal.visible(link.name + notes)}")
        terminal.line(f"    {terminal.visible(link.url)}{'' if own else '  (another host)'}")
    if truncated:
        terminal.note(f"{found.total - len(found.links)} more; --limit shows them.")
    return 0


def _overview_json(view: Overview) -> dict[str, object]:
    return {
        "name": view.site.name,
        "url": view.site.url,
        "hosts": list(view.site.hosts),
        "title": view.title,
        "index": view.index or None,
        "totalLinks": view.links,
        "pages": view.pages,
        "bytes": view.size,
        "fetchedAt": view.fetched_at or None,
        "misses": _misses_json(view.misses),
    }


def _overview_text(view: Overview) -> str:
    title = f" - {view.title}" if view.title else ""
    index = f"{view.links} links in {view.index}" if view.index else "no index"
    name = f"{view.site.name}{title}"
    return f"{terminal.visible(name)}\n  {terminal.visible(index)}; {view.pages} pages kept ({view.size:,} bytes)"


def _outcome_json(found: Outcome) -> dict[str, object]:
    return {
        "fetched": list(found.fetched),
        "unchanged": list(found.unchanged),
        "missed": _misses_json(found.misses),
    }


def _misses_json(misses: Iterable[Miss]) -> list[dict[str, str]]:
    return [{"url": miss.url, "reason": miss.reason} for miss in misses]


def tell_misses(misses: Iterable[Miss]) -> None:
    """A note for each address that gave nothing."""
    from ddg_lsp.core.sites.library import reason_text

    for miss in misses:
        terminal.note(f"  {terminal.visible(miss.url)}: {reason_text(miss.reason)}")


def _print_json(plain: Mapping[str, object]) -> None:
    terminal.line(json.dumps(plain, ensure_ascii=False, allow_nan=False))
