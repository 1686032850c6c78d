"""Open documents: edits land where the protocol says, and one address has one spelling."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lsprotocol import types

from ddg_lsp.core.text import LineIndex
from ddg_lsp.server import buffers
from ddg_lsp.server.buffers import Buffers

URI = "file:///w/a.md"
TEXTS = st.text(alphabet="ab \n\r🎉é\u2028\x0c\x85", max_size=40)


def opened(text: str) -> Buffers:
    made = Buffers()
    made.open(types.TextDocumentItem(URI, "markdown", 1, text))
    return made


def edit(made: Buffers, *changes: types.TextDocumentContentChangeEvent, encoding: str = "utf-16") -> str:
    known = types.VersionedTextDocumentIdentifier(uri=URI, version=2)
    buffer = made.change(types.DidChangeTextDocumentParams(known, list(changes)), encoding)
    assert buffer is not None
    return buffer.text


def part(start: tuple[int, int], end: tuple[int, int], text: str) -> types.TextDocumentContentChangePartial:
    where = types.Range(types.Position(*start), types.Position(*end))
    return types.TextDocumentContentChangePartial(range=where, text=text)


@given(TEXTS, TEXTS, st.data(), st.sampled_from(["utf-8", "utf-16", "utf-32"]))
def test_an_edit_replaces_exactly_the_range_it_names(text, new, data, encoding):
    lines = LineIndex(text)
    spans = sorted(data.draw(st.tuples(*(st.integers(0, len(text)),) * 2)))
    places = [lines.position(offset, encoding) for offset in spans]
    start, end = (lines.offset(*place, encoding) for place in places)
    assert edit(opened(text), part(*places, new), encoding=encoding) == text[:start] + new + text[end:]


def test_a_line_separator_is_no_line_ending():
    assert edit(opened("one\u2028two\x0cthree\nfour\n"), part((1, 0), (1, 4), "4")) == "one\u2028two\x0cthree\n4\n"


def test_several_edits_build_on_each_other_and_a_whole_text_replaces_all():
    whole = types.TextDocumentContentChangeWholeDocument(text="new")
    assert edit(opened("ab"), part((0, 1), (0, 1), "x\n"), part((1, 0), (1, 1), "y")) == "ax\ny"
    assert edit(opened("ab"), whole, part((0, 3), (0, 3), "!")) == "new!"


def test_a_range_that_ends_before_it_begins_loses_nothing():
    assert edit(opened("abcd"), part((0, 3), (0, 1), "X")) == "abcXd"


def test_a_change_of_a_document_that_is_not_open_is_nothing():
    known = types.VersionedTextDocumentIdentifier(uri=URI, version=2)
    assert Buffers().change(types.DidChangeTextDocumentParams(known, []), "utf-8") is None


@pytest.mark.skipif(os.name == "nt", reason="POSIX paths")
@pytest.mark.parametrize(
    ("uri", "path"),
    [
        ("file:///home/me/a.md", "/home/me/a.md"),
        ("file:///My%20Docs/a%23b.md", "/My Docs/a#b.md"),
        ("file:///docs/%F0%9F%9A%80%20launch.md", "/docs/🚀 launch.md"),
        ("file:///docs/k%C3%BCche.md", "/docs/küche.md"),
        ("file:///docs/küche.md", "/docs/küche.md"),
        ("file:///docs/a;b?c#d.md", "/docs/a;b?c#d.md"),
        ("file://localhost/docs/a.md", "/docs/a.md"),
        ("FILE:///docs/100%25.md", "/docs/100%.md"),
        ("file:///docs/a%00.md", None),
        ("file:///docs/\ud800.md", None),
        ("untitled:Untitled-1", None),
        ("vscode-vfs://github/x/a.md", None),
    ],
)
def test_the_path_of_an_address(uri, path):
    assert buffers.path_of(uri) == path


@given(st.lists(st.text(alphabet="aé🚀 #?%;&+~'", min_size=1, max_size=8), min_size=1, max_size=3))
def test_an_address_and_its_path_are_each_other_s_inverse(names):
    path = Path("/", *names)
    assert buffers.path_of(buffers.uri_of(path)) == str(path)


@pytest.mark.skipif(os.name == "nt", reason="POSIX paths")
def test_spellings_of_one_address_share_a_key():
    spellings = ["file:///w/a%20b.md", "file:///w/a b.md", "file:///w//a%20b.md", "file:///w/x/../a%20b.md"]
    assert len({buffers.key(uri) for uri in spellings}) == 1
    assert buffers.key("untitled:Untitled-1") != buffers.key("untitled:Untitled-2")


def test_other_versions_of_a_file_are_no_documents():
    assert buffers.is_history("git:/w/a.md?%7B%22ref%22%3A%22HEAD%22%7D")
    assert buffers.is_history("fugitive:///w/.git//0/a.md")
    assert not buffers.is_history("untitled:a.md")
