"""A heading's source to the plain text a reader sees. Knows nothing of sections; one line in, one line out."""

from __future__ import annotations

import re
from collections.abc import MutableMapping, Sequence
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.token import Token

MAX_POINTS = 1_000
"""Code points of a heading that are read; a longer one is a paragraph that was underlined by mistake."""
_MAX_BRACKETS = 32
"""Headings with more stay as they are: the inline parser's time grows with their square."""
_MAX_ANCHORS = 8

_MARKUP = re.compile(r"[\\`*_\[\]<>&!\n{]")
_ANCHOR = re.compile(
    r"""(?x)
      \{\s*\#[^\s{}`]+(?:\s[^{}`]*)?\}  # {#id}, { #id .class }
    | \{:[^{}`]*\}                      # {: #id }
    | \{\.[\w-][^{}`]*\}                # {.class}
    | \{/\*[^{}`]*\*/\}                 # {/*id*/}
    """
)
_TAG = re.compile(r"</?([A-Za-z][A-Za-z0-9-]*)")
_HTML_NAMES = frozenset(
    """
    a abbr b bdi bdo big br center cite code data del details dfn div em font h1 h2 h3 h4 h5 h6 hr i img input ins kbd
    label li mark nobr ol p picture q ruby rp rt s samp small source span strike strong sub summary sup svg table td
    time tr tt u ul var video wbr
    """.split()  # noqa: SIM905 - sixty quoted strings would hide the list
)
"""Tags that leave no trace in a heading; any other, such as `<T>` or `<Suspense>`, is something the heading names."""


def heading_text(source: str, parser: MarkdownIt, env: MutableMapping[str, Any]) -> str:
    """The heading's text without markup, anchors and comments, white space collapsed; may be empty.

    `env` is the one the document was parsed with: it holds the link references.
    """
    source = source.strip()[:MAX_POINTS]
    if not _MARKUP.search(source):
        return " ".join(source.split())
    source = _without_trailing_anchors(source)
    if source.count("[") <= _MAX_BRACKETS:
        tokens: list[Token] = []
        parser.inline.parse(source, parser, env, tokens)
        source = _plain(tokens)
    return " ".join(source.split())


def _without_trailing_anchors(source: str) -> str:
    """Without anchors and comments at the end, unless they are all there is: `{#if}` may be what is documented."""
    for _ in range(_MAX_ANCHORS):
        if source.endswith("-->"):
            start = source.rfind("<!--")
        elif source.endswith("}"):
            start = source.rfind("{")
            if start >= 0 and not _ANCHOR.fullmatch(source, start):
                return source
        else:
            return source
        if start <= 0:
            return source
        source = source[:start].rstrip()
    return source


def _plain(tokens: Sequence[Token]) -> str:
    parts: list[str] = []
    for token in tokens:
        if token.type == "image":
            parts.append(_plain(token.children or ()))
        elif token.type in ("softbreak", "hardbreak"):
            parts.append(" ")
        elif token.type == "html_inline":
            parts.append(_kept_tag(token.content))
        else:
            parts.append(token.content)
    return "".join(parts)


def _kept_tag(html: str) -> str:
    name = _TAG.match(html)
    if name is None or name[1].lower() in _HTML_NAMES:
        return ""
    return html
