"""The links of an index as a document, so that the ordinary search ranks them: a section for each, in their order.

Owns the way from a link to its section and back. Must not know how the document is searched.
"""

from __future__ import annotations

from ddg_lsp.core.llms_txt.model import Index, Link

MAX_LINKS = 5_000
"""Links of one index that are ranked; the largest seen has 472."""
MAX_NAME, MAX_NOTES = 200, 400


def document(index: Index) -> tuple[str, dict[int, Link]]:
    """The document, and the link at each 0-based line that is a link's heading."""
    lines = [f"# {_plain(index.title, MAX_NAME)}", ""]
    at: dict[int, Link] = {}
    for section in index.sections:
        if section.name:
            lines += [f"## {_plain(section.name, MAX_NAME)}", ""]
        for link in section.links[: max(0, MAX_LINKS - len(at))]:
            at[len(lines)] = link
            lines += [f"### {_plain(link.name, MAX_NAME)}", ""]
            if link.notes:
                lines += [_paragraph(link.notes), ""]
    return "\n".join(lines), at


def _plain(text: str, limit: int) -> str:
    """One line that is text and nothing else."""
    return " ".join(text.split())[:limit] or "-"


def _paragraph(text: str) -> str:
    """A line that opens no fence, no heading, no HTML."""
    line = _plain(text, MAX_NOTES)
    return line if line[0].isalnum() else f"· {line}"
