"""Every trouble with encodings: all codecs of Python, cut short, with the wrong mark, broken at one byte, as a folder.

Bytes are the text they are, or undecodable; never another text. Knows nothing of names and links.
"""

from __future__ import annotations

import encodings.aliases
from collections.abc import Iterator
from pathlib import Path

from ddg_lsp.core.corpus import decode
from tests.attacks.documents_place import check_folder, read_whole
from tests.attacks.run import Run

TEXTS = {
    "Latin": "# Überschrift\r\n\r\nà é ñ — “naïve” €\r\n",
    "Cyrillic": "# Заголовок\n\nсъешь ещё этих мягких булок\n",
    "Greek": "# Τίτλος\n\nξεσκεπάζω τὴν ψυχοφθόρα\n",
    "Arabic": "# عنوان\n\nنص عربي\n",
    "Hebrew": "# כותרת\n\nטקסט\n",
    "Thai": "# หัวข้อ\n\nข้อความ\n",
    "Japanese": "# 見出し\r\rカタカナ、ひらがな。\r",
    "Chinese": "# 标题\n\n简体中文，繁體中文。\n",
    "Korean": "# 제목\n\n한국어 문서입니다.\n",
    "emoji": "# 🚀 \u200d👩‍💻\n\n🇩🇪 𝔘 \U0010fffd\n",
    "plain": "# Heading\n\ntext\n",
}
CODECS = sorted({*encodings.aliases.aliases.values(), "utf_8_sig"})
MARKS = (b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff", b"\xff\xfe\0\0", b"\0\0\xfe\xff", b"+/v8", b"\xf7\x64\x4c")
BROKEN = {
    "overlong": b"# \xc0\xaf\xe0\x80\xaf\xf0\x80\x80\xaf\n",
    "half characters": "# \ud83d\ude00\n".encode("utf-8", "surrogatepass"),
    "beyond Unicode": b"# \xf4\x90\x80\x80\n",
    "five bytes": b"# \xf8\x88\x80\x80\x80\n",
    "continuation alone": b"# \x80\xbf\n",
    "never FE, FF": b"# \xfe\xff\n",
    "NUL": b"# a\0b\n",
    "mark twice": b"\xef\xbb\xbf\xef\xbb\xbf# a\n",
    "mark within": "# a\ufeffb\n".encode(),
    "odd UTF-16": b"\xff\xfe#\0 ",
    "half a pair": b"\xff\xfe\x3d\xd8",
    "UTF-32 beyond Unicode": b"\xff\xfe\0\0\0\0\x11\0",
    "UTF-32 half character": b"\xff\xfe\0\0\0\xd8\0\0",
    "no characters": "\ufffe\uffff\ufdd0\n".encode(),
    "controls": bytes(range(1, 32)) + b"\x7f\xc2\x80\xc2\x9f",
    "only a mark": b"\xef\xbb\xbf",
    "gzip": b"\x1f\x8b\x08\0\0\0\0\0",
    "every byte": bytes(range(256)),
}


def _as_it_is(data: bytes) -> str | None:
    """What the reference page promises: UTF-8, or UTF-16 or UTF-32 with its mark, without NUL."""
    marked = [(b"\xef\xbb\xbf", "utf-8"), (b"\xff\xfe\0\0", "utf-32-le"), (b"\0\0\xfe\xff", "utf-32-be")]
    marked += [(b"\xff\xfe", "utf-16-le"), (b"\xfe\xff", "utf-16-be"), (b"", "utf-8")]
    mark, codec = next(one for one in marked if data.startswith(one[0]))
    try:
        text = data[len(mark) :].decode(codec)
    except UnicodeDecodeError:
        return None
    return None if "\0" in text else text


def _encoded() -> Iterator[tuple[str, str, bytes]]:
    """Kind, what it is, bytes."""
    for script, text in TEXTS.items():
        for codec in CODECS:
            try:
                yield "a codec", f"{script} in {codec}", text.encode(codec)
            except (UnicodeError, LookupError):
                continue
        for codec in ("utf-8", "utf-16", "utf-32", "utf-16-be", "utf-32-be"):
            data = text.encode(codec)
            yield from (("cut short", f"{script}, {codec}, {end} bytes", data[:end]) for end in range(len(data)))
            yield from (("wrong mark", f"{script}, {codec}, {mark!r}", mark + data) for mark in MARKS)
    yield from (("broken", name, data) for name, data in BROKEN.items())


def decoded(run: Run) -> None:
    """Bytes of every codec, whole, cut at every byte, behind every mark, and with any one byte changed."""
    for kind, what, data in _encoded():
        with run.attempt(kind, what):
            assert decode(data) == _as_it_is(data)
    for rng in run.rounds(at_least=200):
        text = rng.choice(list(TEXTS.values()))
        changed = bytearray(text.encode(rng.choice(["utf-8", "utf-16", "utf-32"])))
        changed[rng.randrange(len(changed))] = rng.randrange(256)
        with run.attempt("one byte changed", bytes(changed)):
            assert decode(bytes(changed)) == _as_it_is(bytes(changed))


def folders_of_bytes(run: Run) -> None:
    """All of them in one folder: what is no text is one skip each, and costs no other file its place."""
    root = run.folder / "bytes"
    root.mkdir()
    count = 0
    for count, (_, _, data) in enumerate(_some(), 1):
        Path(root, f"{count:05}.md").write_bytes(data)
    with run.attempt("a folder of every encoding", f"{count} files"):
        folder = read_whole(root)
        check_folder(folder)
        reasons = {skip.reason for skip in folder.snapshot.skipped}
        assert reasons == {"undecodable"}
        assert len(folder.snapshot.documents) + len(folder.snapshot.skipped) == count
    for rng in run.rounds(at_least=20):
        path = root / f"{rng.randrange(1, count + 1):05}.md"
        path.write_bytes(rng.choice([*BROKEN.values(), *(text.encode() for text in TEXTS.values())]))
        with run.attempt("a file of the folder becomes another", path.name):
            folder.refresh()
            check_folder(folder)


def _some() -> Iterator[tuple[str, str, bytes]]:
    """One in twenty of the cut ones, every other."""
    for number, one in enumerate(_encoded()):
        if one[0] != "cut short" or number % 20 == 0:
            yield one
