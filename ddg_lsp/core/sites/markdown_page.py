"""What a fetched page is: Markdown that can be kept and searched, or not, and why.

Owns the look at the content; a header is not believed. Must not know where a page is kept.
"""

from __future__ import annotations

import re

from ddg_lsp.core import markdown
from ddg_lsp.core.llms_txt import model as llms
from ddg_lsp.core.llms_txt.sniff import text_of

_LEAD = re.compile(r"\s*(?:>[^\n]*\n)+\s*(?=# )")


def text(data: bytes | str, name: str, *, strict: bool) -> str | llms.Miss:
    """The text to keep, under its own title or `name`; or why there is none.

    `strict`: the server did not say that it is text, so bytes that are none make it binary.
    """
    found = text_of(data)
    if isinstance(found, llms.Miss):
        return found
    content, replaced = found
    if strict and replaced:
        return llms.Miss("binary")
    content = _LEAD.sub("", content, count=1) if content.lstrip().startswith(">") else content
    if not markdown.parse(content).title:
        content = f"# {' '.join(name.split()) or 'Page'}\n\n{content}"
    return content
