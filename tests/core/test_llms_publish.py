"""Writing llms.txt: the cases L01 to L14 but for those of the command line and the server, and what is read back."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from ddg_lsp.core import corpus
from ddg_lsp.core import settings as settings_module
from ddg_lsp.core.listing import Listing
from ddg_lsp.core.llms_txt import check, full
from ddg_lsp.core.llms_txt.config import KEYS, Publishing, publishing
from ddg_lsp.core.llms_txt.model import Index
from ddg_lsp.core.llms_txt.parse import parse
from tests.helpers.acme import ACME, LLMS
from tests.helpers.folders import write


def wanted(root: Path, *, full: bool = False, **table: object) -> check.Wanted:
    found, problems = settings_module.load(root, {"llms": table} if table else {})
    assert problems == ()
    return check.wanted(root, found, full=full)


def published(root: Path, **table: object) -> str:
    return wanted(root, **table).files[0][1]


def read(text: str) -> Index:
    found = parse(text)
    assert isinstance(found, Index)
    return found


@pytest.fixture
def acme(tmp_path: Path) -> Path:
    return write(tmp_path / "acme", ACME)


def test_l01_exact(acme: Path) -> None:
    assert check.generate(wanted(acme)) == ("docs/llms.txt",)
    assert (acme / "docs/llms.txt").read_bytes() == LLMS.encode()
    assert sorted(path.name for path in (acme / "docs").iterdir() if path.is_file()) == ["README.md", "llms.txt"]


def test_l02_the_same_bytes_whatever_the_order_of_the_folder(acme: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = os.scandir

    class Backwards:
        def __init__(self, path: object) -> None:
            with real(path) as found:  # type: ignore[call-overload]
                self._entries = sorted(found, key=lambda entry: entry.name, reverse=True)

        def __enter__(self) -> object:
            return iter(self._entries)

        def __exit__(self, *_: object) -> None:
            return None

    monkeypatch.setattr(os, "scandir", Backwards)
    assert published(acme) == LLMS


def test_l02_the_same_bytes_with_windows_lines_byte_order_marks_and_backslashes(acme: Path, tmp_path: Path) -> None:
    other = write(tmp_path / "b" / "acme", {p: "\ufeff" + t.replace("\n", "\r\n") for p, t in ACME.items()})
    for path in other.rglob("*.md"):
        os.utime(path, (2e9, 2e9))
    one, two = wanted(acme, full=True), wanted(other, full=True)
    assert one.files == two.files
    slashes = published(acme, order=["spec/README.md", "guide/*"])
    assert published(acme, order=["spec\\README.md", "guide\\*"]) == slashes


@pytest.mark.parametrize("locale", ["tr_TR.UTF-8", "C", "ko_KR.EUC-KR"])
def test_l02_the_same_bytes_under_another_locale_and_from_another_folder(acme: Path, locale: str) -> None:
    environment = {**os.environ, "LC_ALL": locale, "LANG": locale, "TZ": "Asia/Seoul", "PYTHONUTF8": "0"}
    environment["PYTHONPATH"] = str(Path(__file__).parents[2])
    command = [sys.executable, "-m", "ddg_lsp", "llms", "generate", "."]
    done = subprocess.run(command, cwd=acme, env=environment, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr
    assert (acme / "docs/llms.txt").read_bytes() == LLMS.encode()


def test_l03_unchanged_is_not_written(acme: Path) -> None:
    check.generate(wanted(acme, full=True))
    before = {path: path.stat() for path in acme.rglob("*")}
    assert check.generate(wanted(acme)) == ()
    assert {path: path.stat() for path in acme.rglob("*")} == before


def test_l03_what_is_replaced_keeps_its_permissions_and_leaves_nothing_beside_it(acme: Path) -> None:
    write(acme, {"docs/llms.txt": "old"}).joinpath("docs/llms.txt").chmod(0o640)
    assert check.generate(wanted(acme), force=True) == ("docs/llms.txt",)
    assert (acme / "docs/llms.txt").stat().st_mode & 0o777 == 0o640
    assert [path.name for path in (acme / "docs").iterdir() if path.name.startswith(".")] == []


def test_l05_base_url(acme: Path) -> None:
    for base in ("https://x.test/d", "https://x.test/d/"):
        found = read(published(acme, baseUrl=base))
        assert [link.url for link in found.links][2] == "https://x.test/d/spec/README.md"
        assert all(link.url.startswith("https://x.test/d/") for link in found.links)


def test_l06_round_trip() -> None:
    found = read(LLMS)
    assert (found.title, found.summary) == ("Acme", "Acme is a tiny build tool.")
    assert [section.name for section in found.sections] == ["Docs", "guide", "Specs"]
    assert [link.name for link in found.links] == ["Acme", "설치 안내", "Specs", "Query [v2]"]
    assert found.links[3].notes == "Searches docs."
    assert found.warnings == {}


def test_l07_optional(acme: Path) -> None:
    text = published(acme, optional=["spec/README.md"])
    assert text.endswith("## Optional\n\n- [Specs](spec/README.md): What we promise.\n")
    assert text.count("spec/README.md") == 1
    assert [section.optional for section in read(text).sections] == [False, False, False, True]
    odd = write(acme, {"docs/opt/README.md": "# Optional\n\nx\n"})
    assert not any(section.optional for section in read(published(odd)).sections)


@pytest.mark.parametrize("mark", ["draft: true", "draft: yes", "llms: false", "llms: off"])
def test_l08_excludes(acme: Path, mark: str) -> None:
    text = "# Hidden page\n\nSecret.\n"
    files = {"docs/guide/x.md": f"---\n{mark}\n---\n{text}", "docs/.h/y.md": text, "docs/node_modules/z.md": text}
    files |= {"docs/guide/shown.md": "---\ndraft: false\nllms: true\n---\n# Shown\n"}
    files |= {"docs/ignored.md": text, ".gitignore": "ignored.md\n", "docs/llms.md.txt": text}
    check.generate(wanted(write(acme, files), full=True))
    for name in ("llms.txt", "llms-full.txt"):
        found = (acme / "docs" / name).read_text("utf-8")
        assert "Hidden" not in found
        assert "Next" not in found
        assert "Old" not in found
        assert "guide/shown.md" in found


@pytest.mark.parametrize("name", ["llms.txt", "llms-full.txt", "LLMS.TXT", "llms-small.txt", "llms-ctx-full.txt"])
def test_l08_what_is_published_is_never_searched_nor_listed(acme: Path, name: str) -> None:
    found, _ = settings_module.load(write(acme, {f"docs/{name}": "# T\n"}), {"include": ["**/*.md", "**/*.txt"]})
    listing: Listing = corpus.scan(acme, found)
    assert f"docs/{name}" not in {entry.path for entry in listing.files}
    assert (f"docs/{name}", "published") in {(skip.path, skip.reason) for skip in listing.skipped}
    assert name not in check.wanted(acme, found).files[0][1]


def test_l09_a_body_over_the_cap_is_told_and_the_others_are_whole(acme: Path) -> None:
    long, fits = "é" * 100_001, "é" * 100_000
    write(acme, {"docs/guide/long.md": f"# Long\n\n{long}\n", "docs/guide/fits.md": f"# Fits\n\n{fits}\n"})
    text = wanted(acme, full=True).files[1][1]
    assert long not in text
    assert fits in text
    assert "100,001" in text
    assert "(guide/long.md)" in text
    pages = full.pages(text, "https://h.test/docs/llms-full.txt")
    assert isinstance(pages, tuple)
    assert [page.title for page in pages] == ["Acme", "Fits", "Long", "설치 안내", "Specs", "Query [v2]"]
    assert pages[1].body == fits
    assert pages[-1].url == "https://h.test/docs/spec/QUERY%20%28v2%29.md"
    assert pages[-1].body == "Searches docs. More."


def test_l10_order(acme: Path) -> None:
    def order(**table: object) -> list[str]:
        [specs] = [one for one in read(published(acme, **table)).sections if one.name == "Specs"]
        return [link.url.split("/")[-1] for link in specs.links]

    write(acme, {"docs/spec/a.md": "# A\n", "docs/spec/b.md": "# B\n"})
    assert order() == ["README.md", "QUERY%20%28v2%29.md", "a.md", "b.md"]
    write(acme, {"docs/spec/README.md": "# Specs\n\n[b](b.md#x), [a](./a), [web](https://x.test/a.md)\n"})
    assert order() == ["README.md", "b.md", "a.md", "QUERY%20%28v2%29.md"]
    write(acme, {"docs/README.md": "# Acme\n\n* [q](<spec/QUERY (v2).md>)\n* [r](spec/README.md)\n"})
    assert order() == ["QUERY%20%28v2%29.md", "README.md", "b.md", "a.md"]
    assert order(order=["spec/a.md", "spec/README.md"]) == ["a.md", "README.md", "QUERY%20%28v2%29.md", "b.md"]


def test_l10_sections_stand_as_the_readme_leads_through_them(acme: Path) -> None:
    def names(**table: object) -> list[str]:
        return [section.name for section in read(published(acme, **table)).sections]

    assert names() == ["Docs", "guide", "Specs"]
    for link in ("spec/", "spec", "spec/README.md", "/spec/README"):
        write(acme, {"docs/README.md": f"# Acme\n\nFirst [the promise]({link}).\n"})
        assert names() == ["Docs", "Specs", "guide"], link
    assert names(order=["guide/**"]) == ["Docs", "guide", "Specs"]


def test_l11_two_stars_are_no_folder_too(acme: Path) -> None:
    write(acme, {"docs/guide/a.md": "# A\n", "docs/guide/deep/er/b.md": "# B\n"})
    found = [link.url for link in read(published(acme, include=["guide/**/*.md"])).links]
    assert found == ["guide/a.md", "guide/deep/er/b.md", "guide/%EC%84%A4%EC%B9%98%20%EC%95%88%EB%82%B4.md"]


def test_l12_a_section_without_pages_is_no_section_but_a_warning(acme: Path) -> None:
    write(acme, {"docs/later/a.md": "---\ndraft: true\n---\n# A\n", "docs/gone/b.md": "# B\n"})
    found, _ = settings_module.load(acme, {"exclude": ["docs/plan/**", "docs/archive/**", "docs/gone/b.md"]})
    site = check.wanted(acme, found).site
    assert [group.name for group in site.groups] == ["Docs", "guide", "Specs"]
    assert [warning.split("`")[1] for warning in site.warnings] == ["gone/", "later/"]
    write(acme, {"docs/later/b.md": "# B\n"})
    assert wanted(acme).site.warnings == ()


def test_l14_a_folder_without_documents_has_a_title(tmp_path: Path) -> None:
    root = write(tmp_path / "my folder", {"a.txt": "x"})
    assert published(root) == "# my folder\n"
    assert read(published(root)).title == "my folder"


def test_the_folder_is_the_configured_one_the_corpus_s_root_docs_or_everything(tmp_path: Path) -> None:
    root = write(tmp_path, {"README.md": "# Top\n", "site/a.md": "# A\n"})
    assert wanted(root).files[0][0] == "llms.txt"
    write(root, {"docs/b.md": "# B\n"})
    assert wanted(root).files[0][0] == "docs/llms.txt"
    assert wanted(root, folder="site").files[0][0] == "site/llms.txt"
    assert wanted(root, folder="").files[0][0] == "llms.txt"
    write(root, {"ddg.toml": 'root = "site"\n'})
    assert wanted(root).files[0][0] == "site/llms.txt"


def test_what_is_configured_stands_in_the_header(acme: Path) -> None:
    text = published(acme, title="A # b #", summary=" two\nlines ", details="Read *this*.\r\n\r\n- first")
    assert text.startswith("# A # b \\#\n\n> two lines\n\nRead *this*.\n\n- first\n\n## Docs\n")
    assert read(text).title == "A # b #"


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("baseUrl", ("ftp://x",)),
        ("baseUrl", ("javascript:x",)),
        ("baseUrl", ("https://x.test/a b",)),
        ("folder", ("../x",)),
        ("folder", ("/etc",)),
        ("folder", ("C:\\x",)),
        ("details", ("# no",)),
        ("title", ("a", "b")),
        ("include", ("{" + "a," * 200 + "}",)),
        ("nonsense", ("x",)),
    ],
)
def test_what_cannot_be_taken_is_a_problem_and_counts_as_absent(key: str, value: tuple[str, ...]) -> None:
    plan, problems = publishing({key: value})
    assert [problem.where for problem in problems] == [f"llms: {key}"]
    assert plan == Publishing(asked=True)


def test_every_key_is_on_the_page() -> None:
    page = (Path(__file__).parents[2] / "docs/how-to/llms-txt.md").read_text("utf-8")
    assert all(f"`{key}`" in page for key in KEYS)
