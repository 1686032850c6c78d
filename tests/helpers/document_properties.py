"""What holds of any text whatever: sections tile it, passages tile their sections and fit, shown words can be shown."""

from __future__ import annotations

from collections.abc import Sequence

from ddg_lsp.core.markdown import Parsed
from ddg_lsp.core.model import Passage
from ddg_lsp.core.passages import whole_text
from ddg_lsp.core.text import LineIndex
from tests.helpers.token_counters import Recorder, counter


def check_sections(text: str, parsed: Parsed) -> None:
    """Every character from the content's start on is in one section, and every place is where it says."""
    lines, sections = LineIndex(text), parsed.sections
    start = sections[0].start if sections else len(text)
    assert not text[parsed.content_start : start].strip()
    assert [section.end for section in sections] == [*(section.start for section in sections[1:]), len(text)][
        : len(sections)
    ]
    assert tuple(section.heading for section in sections if section.heading) == parsed.headings
    for section in sections:
        assert section.start <= section.heading_start <= section.heading_end <= section.end
        assert section.start <= section.body_start <= section.body_end == section.end
        assert section.line == lines.line_of(section.heading_start)
        assert lines.line_start(section.line) <= section.heading_start
        assert section.end_line == lines.line_of(section.end - 1)
        starts = [block.start for block in section.blocks]
        assert starts == sorted(starts)
        assert all(section.body_start <= block.start < block.end <= section.body_end for block in section.blocks)
        assert all(block.start <= cut < block.end for block in section.blocks for cut in block.cuts + block.inner_cuts)


def check_shown(parsed: Parsed) -> None:
    """Title and headings can be written anywhere, in one line."""
    for shown in (parsed.title, *(heading.text for heading in parsed.headings)):
        assert shown.encode() is not None
        assert not set("\n\r\0") & set(shown)


def check_tiling(parsed: Parsed, found: Sequence[Passage]) -> None:
    """Every character of every section's body is in exactly one passage, in their order."""
    by_section: dict[int, list[Passage]] = {section.start: [] for section in parsed.sections}
    for passage in found:
        by_section[passage.start].append(passage)
    for section in parsed.sections:
        mine = by_section[section.start]
        borders = [mine[0].body_start, *(passage.body_end for passage in mine)]
        assert borders == [section.body_start, *(passage.body_start for passage in mine[1:]), section.body_end]
        assert all(passage.body_start < passage.body_end for passage in mine) or len(mine) == 1


def check_passages(
    text: str, parsed: Parsed, found: Sequence[Passage], recorder: Recorder, max_tokens: int, max_points: int
) -> None:
    """Every character of every section's body is in exactly one passage; each was counted, and fits."""
    check_tiling(parsed, found)
    counted = {whole for call in recorder.calls for whole in call}
    wholes = [whole_text(text, passage) for passage in found]
    assert counted.issuperset(wholes)
    for passage, whole in zip(found, wholes, strict=True):
        whole.encode()
        head, _, piece = whole.partition("\n\n")
        assert passage.table_header or len(piece) <= max_points
        tokens, bare = counter("deterministic")([whole, head])
        assert tokens <= max_tokens or bare > max_tokens - 20 or len(piece) < 2 or passage.table_header
        inside_crlf = text[passage.body_end - 1 : passage.body_end + 1] == "\r\n"
        assert not (inside_crlf and passage.body_end > passage.body_start)
