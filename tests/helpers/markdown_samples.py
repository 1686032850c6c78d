"""Markdown for tests: random documents made of what ever confused a parser, and shapes that make one slow."""

from __future__ import annotations

from hypothesis import strategies as st

# fmt: off
FRAGMENTS = (
    "# ", "## ", "### ", "#", "===\n", "---\n", "+++\n", "\n", "\n\n", "    ", "\t", "  ", "> ", "- x\n", "1. ",
    "a b c. ", "Why? ", "word ", "title: x\n", "```\n", "~~~\n", "<!--", "-->", "<div>\n", "<script>", "[a](b)", "[",
    "| a | b |\n|---|---|\n| 1 | 2 |\n", "| 3 | 4 |\n", "[a]: /b\n", "`", "**", "{#id}", "{/*x*/}", "\\", "&amp;", "]",
    "한국어 ", "。", "日本語", "e\u0301" * 30, "😀", "\U0001f1e9\U0001f1ea", "\ud83d", "\ude00", "\ufeff", "\u2028",
    "x" * 700, " " * 60, "data:image/png;base64," + "A" * 100, "data:", ";base64,", "A" * 80 + "\n", "\0", "\x85",
)
# fmt: on

documents = st.lists(st.sampled_from(FRAGMENTS), max_size=60).map("".join)
"""Any line endings but CR; `with_endings` makes CRLF or CR of them."""

any_text = st.text(st.characters(exclude_categories=()), max_size=200) | documents


def with_endings(text: str, ending: str) -> str:
    """The same document with another line ending."""
    return text.replace("\n", ending)


SLOW_SHAPES = {
    "one line": "a " * 250_000,
    "brackets": "[" * 100_000,
    "brackets in a heading": "# " + "[" * 100_000,
    "bracket lines": "[\n" * 30_000,
    "emphasis in headings": ("# " + "*a " * 300 + "\n") * 100,
    "images in headings": ("# " + "![a" * 300 + "\n") * 100,
    "comments in headings": ("# " + "<!--" * 200 + "x-->\n") * 100,
    "nested quotes": "> " * 100_000,
    "nested lists": "- " * 100_000,
    "deep list": "".join(" " * (2 * depth) + "- a\n" for depth in range(500)),
    "lazy quote": ">" * 100 + "\n" + "b\n" * 3_000,
    "definitions": "".join(f"[a{number}]: b\n" for number in range(10_000)),
    "spaces": " " * 500_000 + "x",
    "spaces in a heading": "#" + " " * 500_000 + "x",
    "blank lines": "\r\n" * 200_000,
    "combining": "e" + "\u0301" * 200_000,
    "full stops": "." * 300_000,
    "data words": "data:a/b;base64," * 20_000,
    "data parameters": "data:a/b;" + ";a=b" * 100_000,
    "open front matter": "---\n" + "a" * 500_000,
    "spaced front matter": "---\na" + " " * 500_000 + "b\n---\n",
    "nested YAML": "---\n" + "[ " * 30_000 + "\n---\n",
    "YAML numbers": "---\na: " + "1:" * 30_000 + "1\n---\n",
    "dotted TOML": "+++\n" + "a." * 30_000 + "a = 1\n+++\n",
    "nested TOML": "+++\na = " + "[" * 4_000 + "\n+++\n",
}
"""Each takes well under two seconds; with a quadratic step anywhere it takes minutes."""
