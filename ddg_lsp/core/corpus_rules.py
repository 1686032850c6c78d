"""The fixed rules of the corpus as data: folders never searched, and the words for why something is left out.

Owns the lists, so that the code, the reference page and the tests read the same ones. Must not know the settings.
"""

from __future__ import annotations


def words(text: str) -> frozenset[str]:
    """The words of a text that is really a list."""
    return frozenset(text.split())


RULES_VERSION = 3
"""Raised when a rule here, in `secrets.py` or in `ignore.py` changes what belongs: part of `Settings.policy`."""

UNMENTIONED_FOLDERS = words(".git .hg .svn .bzr .jj .ddg .dotdotgod __pycache__")
"""Never searched and never reported: nobody expects documents in them."""

SKIP_FOLDERS = words(
    "node_modules bower_components jspm_packages web_modules site-packages dist-packages venv virtualenv "
    "__pypackages__ Pods DerivedData elm-stuff _build _site htmlcov storybook-static"
)
"""Other people's files and what tools write; searched never, whatever is in them."""

OUTPUT_FOLDERS = words("build dist out target coverage vendor")
"""The same, unless the folder has an index page of its own: `docs/build/index.md` is a chapter about building."""

INDEX_PAGES = words("index.md _index.md index.mdx _index.mdx index.markdown")

PUBLISHED = words("llms.txt llms-full.txt llms-ctx.txt llms-ctx-full.txt llms-small.txt llms-medium.txt")
"""Made of the documents; searched, every answer would be found twice."""

MAX_SKIPS = 1_000
"""Skips a listing names; one more entry says how many there were besides."""
MAX_ENTRIES = 2_000_000
"""Directory entries one scan looks at before it stops: a whole home directory was opened."""
MAX_RULE_FILE = 256 * 1024
"""Bytes of one ignore file."""

REASONS: dict[str, str] = {
    "hidden": "the name begins with a dot",
    "skip-folder": "a folder of other people's files or of build output",
    "ignored": "a `.gitignore` in the folder, or `.git/info/exclude`, says so",
    "excluded": "a pattern of `ddg.exclude`, or the workspace's own `include`, leaves it out",
    "published": "an `llms.txt` or one of its kind, which is made of the documents",
    "secret-name": "the name of the file or of a folder above it looks like a place for secrets",
    "secret-content": "the text holds a private key",
    "too-large": "more than `ddg.maxFileBytes`",
    "too-many": "the folder holds more than `ddg.maxDocuments` documents, or more entries than one scan looks at; "
    "the path says where the scan stopped",
    "not-a-file": "a pipe, a socket, a device",
    "same-file": "a link to a file that is listed under its own name, or to a folder that was already walked",
    "link-outside": "a link that leaves the folder",
    "link-loop": "a link to a folder above it, or to itself",
    "broken-link": "a link to nothing",
    "unreadable": "the system refuses to list or to open it",
    "vanished": "it was there a moment ago",
    "undecodable": "not text in UTF-8, nor in UTF-16 or UTF-32 with a byte-order mark",
    "bad-name": "the name is not valid Unicode, or holds control characters; it is shown with escapes",
    "more": "stands for the skips beyond the first 1,000",
}
"""Every reason a `Skip` may carry, and what it means."""
