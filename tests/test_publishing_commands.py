"""`llms`, `map` and `cite check` as a shell and CI see them: L04, B03, exit codes, and this repository's own file."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ddg_lsp import cli
from tests.helpers.acme import ACME, LLMS
from tests.helpers.folders import write

REPOSITORY = Path(__file__).parents[1]


@pytest.fixture
def acme(tmp_path: Path) -> Path:
    return write(tmp_path / "acme", ACME)


def run(capsys: pytest.CaptureFixture[str], *arguments: object) -> tuple[int, str, str]:
    code = cli.main([str(argument) for argument in arguments])
    out, err = capsys.readouterr()
    return code, out, err


def test_this_repository_s_llms_txt_is_up_to_date(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, "llms", "check", REPOSITORY)
    assert code == 0, f"{out} `make llms` writes it."


def test_l04_check_names_the_file_and_the_first_line_that_differs(
    acme: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    published = acme / "docs/llms.txt"
    assert run(capsys, "llms", "check", acme)[:2] == (1, "docs/llms.txt: missing\n")
    assert not published.exists()
    assert run(capsys, "llms", "generate", acme)[:2] == (0, "docs/llms.txt: written\n")
    assert run(capsys, "llms", "generate", acme)[:2] == (0, "docs/llms.txt: up to date\n")
    assert run(capsys, "llms", "check", acme)[:2] == (0, "docs/llms.txt: up to date\n")
    data = LLMS.encode()
    for at in range(0, len(data), 37):
        published.write_bytes(data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :])
        code, out, _ = run(capsys, "llms", "check", acme)
        line = data[:at].count(b"\n") + 1
        assert (code, out.startswith(f"docs/llms.txt:{line}: out of date")) == (1, True), (at, out)
    for other, line in ((data[:-1], 16), (data + b"\n", 17), (b"", 1), (data.replace(b"\n", b"\r\n"), 1)):
        published.write_bytes(other)
        code, out, _ = run(capsys, "llms", "check", acme, "--json")
        assert (code, json.loads(out)["files"]) == (1, [{"path": "docs/llms.txt", "state": "stale", "line": line}])


BROKEN = {
    "no TOML": 'exclude = ["docs/internal/**"]\nlimit = 030\n',
    "a text": 'exclude = "docs/internal/**"\n',
    "a bad pattern": 'exclude = ["docs/internal/**", "a\\u0000b"]\n',
    "no UTF-8": b'exclude = ["docs/internal/**", "\xff"]\n',
    "the folder": '[llms]\nfolder = "../elsewhere"\n',
}


@pytest.mark.parametrize("how", BROKEN)
def test_nothing_is_published_where_the_rules_of_what_is_left_out_cannot_be_read(
    acme: Path, capsys: pytest.CaptureFixture[str], how: str
) -> None:
    write(acme, {"docs/internal/plan.md": "# Plan\n\nConfidential margin.\n"})
    write(acme, {"ddg.toml": 'exclude = ["docs/internal/**"]\n'})
    assert run(capsys, "llms", "generate", acme, "--full")[0] == 0
    before = (acme / "docs/llms.txt").read_bytes(), (acme / "docs/llms-full.txt").read_bytes()
    write(acme, {"ddg.toml": BROKEN[how]})
    code, out, err = run(capsys, "llms", "generate", acme, "--full", "--force")
    assert (code, out) == (1, "")
    assert "Nothing is published" in err
    assert run(capsys, "llms", "check", acme)[0] == 2
    assert before == ((acme / "docs/llms.txt").read_bytes(), (acme / "docs/llms-full.txt").read_bytes())


def test_a_file_written_by_hand_is_replaced_only_when_that_is_said(
    acme: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    by_hand = "# Acme, in my own words\n\n- [Home](https://acme.example/): where to begin\n"
    write(acme, {"docs/llms.txt": by_hand})
    code, out, err = run(capsys, "llms", "generate", acme)
    assert (code, out) == (1, "")
    assert "docs/llms.txt was not written by ddg-lsp" in err
    assert (acme / "docs/llms.txt").read_text("utf-8") == by_hand
    assert run(capsys, "llms", "generate", acme, "--force")[:2] == (0, "docs/llms.txt: written\n")
    write(acme, {"docs/new.md": "# New\n"})  # an older one of ours
    assert run(capsys, "llms", "generate", acme)[:2] == (0, "docs/llms.txt: written\n")
    write(acme, {"docs/llms.txt": by_hand, "ddg.toml": '[llms]\ntitle = "Acme"\n'})  # somebody wants ours
    assert run(capsys, "llms", "generate", acme)[:2] == (0, "docs/llms.txt: written\n")


def test_l04_what_cannot_be_found_out_is_no_red_check(acme: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (acme / "docs/llms.txt").mkdir()
    code, out, _ = run(capsys, "llms", "check", acme)
    assert (code, out) == (2, "docs/llms.txt: cannot be read (not-a-file)\n")
    code, out, _ = run(capsys, "llms", "generate", acme, "--json")
    assert (code, json.loads(out)["error"]["code"]) == (1, "NOT_WRITTEN")
    code, out, _ = run(capsys, "llms", "check", acme / "gone", "--json")
    assert (code, json.loads(out)["error"]["code"]) == (2, "NO_FOLDER")
    (acme / "docs/llms.txt").rmdir()
    (acme / "docs/llms.txt").symlink_to("/etc/hostname")
    assert run(capsys, "llms", "check", acme)[0] == 2
    assert run(capsys, "llms", "generate", acme)[0] == 1
    assert run(capsys, "llms")[0] == 2


def test_the_full_text_is_kept_up_to_date_where_it_is_there(acme: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run(capsys, "llms", "generate", acme, "--full")
    assert run(capsys, "llms", "check", acme)[0] == 0
    write(acme, {"docs/spec/README.md": "# Specs\n\nWhat we promise.\n\nMore.\n"})
    code, out, _ = run(capsys, "llms", "check", acme)
    assert (code, out.splitlines()[0]) == (1, "docs/llms.txt: up to date")
    assert out.splitlines()[1].startswith("docs/llms-full.txt:")
    code, out, _ = run(capsys, "llms", "generate", acme, "--json")
    assert json.loads(out)["written"] == ["docs/llms-full.txt"]


def test_the_map_leads_as_the_readmes_do(acme: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(
        acme,
        {"README.md": "# Project\n", "tools/a.md": "# Tool\n\nCuts. Well.\n", "docs/x.md": "---\ndraft: true\n---\n"},
    )
    code, out, _ = run(capsys, "map", acme, "--json")
    answer = json.loads(out)
    assert code == 0
    assert (answer["title"], answer["summary"], answer["total"], answer["truncated"]) == (
        "Acme",
        "Acme is a tiny build tool.",
        7,
        False,
    )
    assert [(entry["area"], entry["title"], entry["path"]) for entry in answer["entries"]] == [
        ("Docs", "Acme", "docs/README.md"),
        ("Docs", "x", "docs/x.md"),
        ("guide", "설치 안내", "docs/guide/설치 안내.md"),
        ("Specs", "Specs", "docs/spec/README.md"),
        ("Specs", "Query [v2]", "docs/spec/QUERY (v2).md"),
        ("Project", "Project", "README.md"),
        ("tools", "Tool", "tools/a.md"),
    ]
    assert answer["entries"][-1]["summary"] == "Cuts."
    code, out, err = run(capsys, "map", acme, "--limit", "2")
    assert out.splitlines()[2:] == ["Docs", "  docs/README.md  Acme: Acme is a tiny build tool.", "  docs/x.md  x"]
    assert "5 more" in err
    assert run(capsys, "map", acme, "--limit", "0")[0] == 2


def test_b03_cite_check(acme: Path, capsys: pytest.CaptureFixture[str]) -> None:
    good = '<!-- cite: docs/spec/README.md#specs "What we promise." -->\n'
    notes = write(acme, {"notes.md": good, "ddg.toml": ""}) / "notes.md"
    assert run(capsys, "cite", "check", notes)[:2] == (0, "1 of 1 citations hold.\n")
    bad = '\n> Never.\n>\n> — [it](docs/spec/README.md)\n\n<!-- cite: docs/gone.md "x" -->\n'
    notes.write_text(good + bad)
    code, out, _ = run(capsys, "cite", "check", notes)
    assert code == 1
    assert out.splitlines() == [
        f"{notes}:5: not_found: The quote is not in docs/spec/README.md.",
        f"{notes}:7: missing: There is no document docs/gone.md.",
        "1 of 3 citations hold.",
    ]
    code, out, _ = run(capsys, "cite", "check", notes, "--json", "--root", acme)
    answer = json.loads(out)
    assert answer["counts"] == {"valid": 1, "not_found": 1, "missing": 1}
    noted = answer["citations"][0]["fingerprint"]
    notes.write_text(good.replace(" -->", f" {noted} -->"))
    assert run(capsys, "cite", "check", notes)[0] == 0
    write(acme, {"docs/spec/README.md": "# Specs\n\nWhat we promise. And more.\n"})
    code, out, _ = run(capsys, "cite", "check", notes)
    assert (code, ":1: stale:" in out) == (1, True)
    assert run(capsys, "cite", "check", acme / "gone.md")[0] == 2
    notes.write_text("# Plain\n")
    assert run(capsys, "cite", "check", notes)[:2] == (0, f"{notes} cites nothing.\n")
    assert run(capsys, "cite", "check", acme / "docs")[0] == 2
