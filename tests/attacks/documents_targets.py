"""What is fed to the readers of documents, patterns and settings, and what has to hold whatever it is.

Each target takes bytes and raises AssertionError (or whatever the product let escape). It must not know where the bytes
come from: the corpus, random changes, or a fuzzer led by coverage.
"""

from __future__ import annotations

import json
import re
import tempfile
import time
import unicodedata
from collections.abc import Callable
from functools import cache
from pathlib import Path
from urllib.parse import urlsplit

from ddg_lsp.core import citations, front_matter, markdown, synonym_file
from ddg_lsp.core import settings as settings_module
from ddg_lsp.core.citation_text import extents, find_heading, letters, quoted_in
from ddg_lsp.core.corpus import decode
from ddg_lsp.core.errors import DdgError
from ddg_lsp.core.excerpts import EXCERPT, excerpt
from ddg_lsp.core.globs import Globs
from ddg_lsp.core.heading_text import heading_text
from ddg_lsp.core.ignore import IgnoreRules
from ddg_lsp.core.listing import safe_name, shown
from ddg_lsp.core.llms_txt.model import Miss
from ddg_lsp.core.llms_txt.parse import parse as parse_llms
from ddg_lsp.core.names import names_in
from ddg_lsp.core.outline import outlined
from ddg_lsp.core.passages import cut
from ddg_lsp.core.secrets import holds_private_key, secret_path
from ddg_lsp.core.terms import fold, question_terms, spans, terms
from ddg_lsp.core.text import LineIndex
from tests.helpers.document_properties import check_passages, check_sections, check_shown
from tests.helpers.token_counters import Recorder, counter

Target = Callable[[bytes], None]
SECONDS = 10.0
"""Of the processor, for one input of a few kilobytes: a hundred times what any has taken on a slow machine."""


def text_of(data: bytes) -> str:
    """Any bytes as a text: what is not UTF-8 becomes lone surrogates, which an editor can send, too."""
    return data.decode("utf-8", "surrogateescape")


def document(data: bytes) -> None:
    """Parse, cut, take excerpts: sections and passages tile the text, places are right, limits hold."""
    text = text_of(data)
    parsed = markdown.parse(text)
    check_sections(text, parsed)
    check_shown(parsed)
    tokens, points = ((60, 20), (120, 200), (512, 1_600))[len(data) % 3]
    recorder = Recorder(counter("deterministic"))
    found = cut("a/b.md", parsed, text, recorder, max_tokens=tokens, max_points=points)
    check_passages(text, parsed, found, recorder, tokens, points)
    for passage in found[:20]:
        line = excerpt(text, passage, frozenset(terms(text[:200])))
        assert len(line) <= EXCERPT
        assert "\n" not in line


def outline(data: bytes) -> None:
    """The quick look at headings tiles as the parser does; it need not see the same ones."""
    text = text_of(data)
    seen = outlined(text)
    check_shown(seen)
    assert seen.content_start == markdown.parse(text).content_start
    assert [section.end for section in seen.sections[:-1]] == [section.start for section in seen.sections[1:]]


def front(data: bytes) -> None:
    """Front matter ends inside the text, says plain data, and what follows it is the same with it cut off."""
    text = text_of(data)
    end, meta = front_matter.split(text)
    assert 0 <= end <= len(text)
    assert end or not meta
    json.dumps(meta, allow_nan=True).encode()
    again, said = front_matter.split("\ufeff" + text, 1)
    assert (again, said) == (end + 1, meta) or repr(said) == repr(meta)  # NaN is not equal to itself


def words(data: bytes) -> None:
    """A question has no terms its text lacks; each term stands where it is said to stand."""
    text = text_of(data)
    found = terms(text)
    assert set(question_terms(text)) <= set(found)
    placed = spans(text)
    assert [span.term for span in placed] == [fold(term) for term in found]
    for term, start, end in placed:
        assert 0 <= start < end <= len(text)
        assert set(term) <= set(fold(text[start:end]))
    if "\\" not in text:
        assert terms(unicodedata.normalize("NFKC", text)) == found
    names_in(text)


def lines(data: bytes) -> None:
    """Offsets to positions and back, against a plain count."""
    text = text_of(data)
    index = LineIndex(text)
    starts = [0, *(match.end() for match in re.finditer("\r\n|\r|\n", text))]
    for offset in range(0, len(text) + 1, max(1, len(text) // 50)):
        line = sum(start <= offset for start in starts) - 1
        inside = text[starts[line] : offset].rstrip("\r\n")
        for encoding, width in (("utf-8", 1), ("utf-16", 2), ("utf-32", 4)):
            codec = encoding if encoding == "utf-8" else f"{encoding}-le"
            position = index.position(offset, encoding)
            assert position == (line, len(inside.encode(codec, "surrogatepass")) // width)
            assert index.offset(*position, encoding) == starts[line] + len(inside)
        assert index.line_of(offset) == line


def heading(data: bytes) -> None:
    """One line out of whatever goes in, never longer than what went in may become."""
    source = re.sub("[\0\ud800-\udfff]", "\ufffd", text_of(data))
    plain = heading_text(source, markdown.parser(), {})
    plain.encode()
    assert not set("\n\r") & set(plain)
    assert plain == " ".join(plain.split())


def patterns(data: bytes) -> None:
    """A path pattern is a pattern or a usage error; what it covers, it matches."""
    pattern, _, path = text_of(data).partition("\n")
    try:
        globs: Globs | None = Globs([pattern])
    except DdgError as error:
        refused = error
        globs = None
    if globs is None:
        assert (refused.code, refused.usage) == ("INVALID_GLOB", True)
        return
    globs.matches(path)
    folder = "/".join(part for part in path.split("/") if part)
    if folder and "\0" not in folder and globs.covers(folder):
        assert globs.matches(f"{folder}/x")
        assert globs.matches(f"{folder}/y/z.md")


def ignore(data: bytes) -> None:
    """Rules of an ignore file, judged on a path that stands in its first line and on others."""
    first, _, rest = data.partition(b"\n")
    rules = IgnoreRules(rest)
    path = "/".join(part for part in text_of(first.replace(b"\0", b"")).split("/") if part) or "a"
    for one in (path, "docs/a.md", f"a/{path}"):
        for folder in (True, False):
            assert rules.verdict(one, one.rpartition("/")[2], folder) in (True, False, None)


@cache
def _folder() -> Path:
    """One for the process. Where the fuzzer ends the process, whoever started it owns the place for such folders."""
    made = tempfile.TemporaryDirectory(prefix="ddg-fuzz-")
    _kept.append(made)
    return Path(made.name)


_kept: list[tempfile.TemporaryDirectory[str]] = []
CONFIGURATIONS = ("ddg.toml", "dotdotgod.config.json")


def configuration(data: bytes) -> None:
    """A workspace's own settings never raise, never widen what may be searched, and every problem is a sentence."""
    name = CONFIGURATIONS[data[:1] == b"{"]
    root = _folder()
    (root / name).write_bytes(data)
    try:
        found, problems = settings_module.load(root, {})
    finally:
        (root / name).unlink()
    default = settings_module.Settings()
    assert found.max_file_bytes <= default.max_file_bytes
    assert found.max_documents <= default.max_documents
    assert (found.gitignore, found.secret_names) == (True, True)
    assert (found.include, found.model, found.cache_dir, found.http_url) == (
        default.include,
        default.model,
        default.cache_dir,
        default.http_url,
    )
    assert ".." not in found.root.split("/")
    assert not found.root.startswith(("/", "\\"))
    for problem in problems:
        assert problem.message.strip()
        f"{problem.where}{problem.message}".encode()


def synonyms(data: bytes) -> None:
    """A synonym file is rules, notes that lie in its lines, or one failure."""
    read = synonym_file.read_file(data)
    if read.failure is not None:
        return
    content = re.split("\r\n|\r|\n", data.decode("utf-8-sig"))
    assert len(read.diagnostics) <= synonym_file.MAX_DIAGNOSTICS
    for note in read.diagnostics:
        assert 0 <= note.start <= note.end <= len(content[note.line])
    for term in list(read.rules.terms)[:20]:
        read.rules.of([term])


def llms(data: bytes) -> None:
    """Any llms.txt is an index or a reason; every link of an index can be asked for."""
    read = parse_llms(data, "https://example.org/docs/llms.txt")
    if isinstance(read, Miss):
        assert read.reason
        return
    found = [link for section in read.sections for link in section.links]
    assert len({link.url for link in found}) == len(found)
    for link in found:
        assert urlsplit(link.url).scheme in ("http", "https")
        assert not set(link.url) & set(" \t\r\n\0")
    parse_llms(text_of(data))


def cited(data: bytes) -> None:
    """Citations lie in the text they stand in; a document's headings are found by their own names."""
    text = text_of(data)
    for name in ("a.md", "a.json"):
        found = citations.find(text, name)
        assert all(0 <= one.start <= one.end <= len(text) for one in found)
        results = citations.check(found, name, lambda path: text if path.endswith(".md") else None)
        assert all(one.state in citations.STATES for one in results)
    known = extents(text)
    assert find_heading(known, "") is known[0]
    for one in known[1:20]:
        if one.headings:
            find_heading(known, " > ".join(one.headings))
        assert any(find_heading(known, name) is not None for name in one.names)
    assert quoted_in(text[:100], letters(text)) or "…" in text or letters(text[:100]) not in letters(text)


def raw(data: bytes) -> None:
    """Bytes are text or not, and nothing is taken for what it is not; names and keys are looked at in linear time."""
    text = decode(data)
    if text is not None:
        assert "\0" not in text
        marks = {"utf-8": b"\xef\xbb\xbf", "utf-32-le": b"\xff\xfe\0\0", "utf-32-be": b"\0\0\xfe\xff"}
        marks |= {"utf-16-le": b"\xff\xfe", "utf-16-be": b"\xfe\xff"}
        assert data == text.encode() or any(data == mark + text.encode(name) for name, mark in marks.items())
    loose = text_of(data)
    holds_private_key(loose)
    secret_path(loose)
    assert safe_name(shown(loose))


TARGETS: dict[str, Target] = {
    "document": document,
    "outline": outline,
    "front": front,
    "words": words,
    "lines": lines,
    "heading": heading,
    "patterns": patterns,
    "ignore": ignore,
    "configuration": configuration,
    "synonyms": synonyms,
    "llms": llms,
    "cited": cited,
    "raw": raw,
}


def feed(name: str, data: bytes) -> None:
    """One input to one target, under a limit of processor time."""
    started = time.process_time()
    TARGETS[name](data)
    spent = time.process_time() - started
    assert spent < SECONDS, f"{spent:.1f} s for {len(data)} bytes"
