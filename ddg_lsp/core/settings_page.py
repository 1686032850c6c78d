"""The reference page of the settings, written from the lists the code uses.

Owns the page's words. Must not hold a fact about an option that is not in `options.py` or `corpus_rules.py`.
"""

from __future__ import annotations

from ddg_lsp.core import corpus_rules as rules
from ddg_lsp.core.options import OPTIONS, Option

_HEAD = """\
# Settings

<!-- Written by `python -m ddg_lsp.core.settings`; change the lists in `ddg_lsp/core`, not this page. -->

Editor settings have the prefix `ddg.`, as in `ddg.maxFileBytes`. A workspace keeps its own in `ddg.toml` at the top of
the folder, in a table `[ddg]` or without one:

```toml
[ddg]
root = "docs"
exclude = ["docs/drafts/**"]

[synonyms]
SETUP01 = ["installation guide", "getting started"]

[priorities]
"docs/guides/**" = 10
```

What the user set in the editor or on the command line comes before the workspace's file, and that before the default.
A repository is not trusted because it was checked out: its own files may narrow the corpus and set what is marked
*workspace* below, and nothing else. Whatever cannot be taken as it stands is reported, and the other value stands.

A `dotdotgod.config.json` is honoured: `documentation.root` is the root (`docs` where it says nothing and there is such
a folder), and `load.documentationSummary.exclude` takes the place of the default `exclude`.

## Options

| Option | Type | Default | Set by | Meaning |
|---|---|---|---|---|
"""

_PATTERNS = """
## Patterns

`*` and `?` stay inside one name, `**` crosses folders; `{a,b}`, `[a-z]` and `[!a]` are understood. A pattern without
`/` matches at any depth: `*.md`, `README.md`. A pattern that ends in `/`, or in a plain name, also matches everything
below a folder of that name: `docs/plan`. Other patterns start at the top of the folder. Upper and lower case are
the same.

## What is left out, and why

`ddg-lsp status --files` shows each file or folder that was left out with one of these words. A folder that is left out
stands for everything in it.

| Reason | Meaning |
|---|---|
"""

_NAMES = """
Files whose names do not match `include` are not mentioned.

Folders never searched: {skip}. Neither searched nor mentioned: {unmentioned}. Searched only where they have an index
page of their own ({pages}), since that makes them a chapter and not a tool's output: {output}.

A name looks like a place for secrets when all it says is "secret": `.env.md`, `secrets/`, `credentials.md`,
`prod-api-keys.md`, `id_rsa.md`, `server.pem`. A name that says what is done with secrets is documentation:
`secrets-management.md`, `reset-password.md`, `tokens.md`. Text with a private key in it is left out whatever its name.

Links are followed where they stay inside the folder, and each file is listed once, under its own name if that is
listed. A link brings in nothing that is left out under its own name. Ignore files above the folder are not read.
"""


def page() -> str:
    """The whole page, Markdown."""
    options = "".join(_row(option) for option in OPTIONS)
    reasons = "".join(f"| `{word}` | {meaning} |\n" for word, meaning in rules.REASONS.items())
    names = _NAMES.format(
        skip=_listed(rules.SKIP_FOLDERS),
        unmentioned=_listed(rules.UNMENTIONED_FOLDERS),
        output=_listed(rules.OUTPUT_FOLDERS),
        pages=_listed(rules.INDEX_PAGES),
    )
    return _HEAD + options + _PATTERNS + reasons + names


def _listed(names: frozenset[str]) -> str:
    return ", ".join(f"`{name}`" for name in sorted(names))


def _row(option: Option) -> str:
    kind = f"{option.type} or null" if option.nullable else option.type
    meaning = option.description
    if option.choices:
        meaning += " One of " + ", ".join(f"`{choice}`" for choice in option.choices) + "."
    if option.minimum is not None and option.maximum is not None:
        meaning += f" {option.minimum:,} to {option.maximum:,}."
    return f"| `{option.key}` | {kind} | {_default(option.default)} | {option.who} | {meaning} |\n"


def _default(value: object) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, tuple):
        return ", ".join(f"`{one}`" for one in value) or "empty"
    if isinstance(value, (int, float)):
        return f"{value:g}" if isinstance(value, float) else str(value)
    return f"`{value}`" if value else "empty"
