"""A heading's source to the plain text a reader sees. Knows nothing of sections; one line in, one line out."""

from __future__ import annotations

import re
from collections.abc import MutableMapping, Sequence
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.token import Token

_MAX_INLINE = 2_000
"""Longer headings stay as they are: inline parsing of 10^5 brackets is quadratic, and nobody reads such a heading."""

_MARKUP = re.compile(r"[\\`*_\[\]<>&!\n{]")
_TRAILING_ANCHOR = re.compile(
    r"""(?xs) \s*
    (?: \{\s*\#[^{}`]*\}            # {#id}, { #id .class }
      | \{:[^{}`]*\}                # {: #id }
      | (?<=\s)\{\.[^{}`]*\}        # {.class}
      | \{/\*(?:(?!\*/).)*\*/\}     # {/*id*/}
      | <!--(?:(?!-->).)*-->
    ) \s* \Z"""
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
    source = source.strip()
    if not _MARKUP.search(source):
        return " ".join(source.split())
    if len(source) <= _MAX_INLINE:
        source = _without_trailing_anchors(source)
        tokens: list[Token] = []
        parser.inline.parse(source, parser, env, tokens)
        source = _plain(tokens)
    return " ".join(source.split())


def _without_trailing_anchors(source: str) -> str:
    while source and source[-1] in "}>":
        shorter = _TRAILING_ANCHOR.sub("", source)
        if shorter == source:
            break
        source = shorter
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
