"""Translations and versions of one page: which paths are the same page, and which of them is shown.

Works on paths alone: `docs/ko/guide.md`, `guide.ko.md`, `i18n/ja/docs/guide.md`, `v1/api.md`, `api-v2.md`. Only paths
that become equal when language and version are taken out belong together, so a folder that happens to be called `it`
or `v2` groups nothing by itself.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import NamedTuple

LANGUAGES = frozenset(
    [
        "af",
        "am",
        "ar",
        "az",
        "be",
        "bg",
        "bn",
        "bs",
        "ca",
        "cs",
        "cy",
        "da",
        "de",
        "el",
        "en",
        "eo",
        "es",
        "et",
        "eu",
        "fa",
        "fi",
        "fr",
        "ga",
        "gl",
        "gu",
        "he",
        "hi",
        "hr",
        "hu",
        "hy",
        "id",
        "is",
        "it",
        "ja",
        "ka",
        "kk",
        "km",
        "kn",
        "ko",
        "ky",
        "lo",
        "lt",
        "lv",
        "mk",
        "ml",
        "mn",
        "mr",
        "ms",
        "my",
        "nb",
        "ne",
        "nl",
        "nn",
        "no",
        "pa",
        "pl",
        "ps",
        "pt",
        "ro",
        "ru",
        "si",
        "sk",
        "sl",
        "sq",
        "sr",
        "sv",
        "sw",
        "ta",
        "te",
        "tg",
        "th",
        "tl",
        "tr",
        "tt",
        "ug",
        "uk",
        "ur",
        "uz",
        "vi",
        "yo",
        "zh",
        "zu",
    ]
)
"""ISO 639-1 codes seen as folder or file-name parts of documentation."""
_LANGUAGE = re.compile(r"(?P<code>[A-Za-z]{2})(?:[-_](?P<rest>[A-Za-z]{2,4}|\d{3}))*")
_VERSION = re.compile(r"v?\d+(?:\.(?:\d+|x))*(?:-?(?:alpha|beta|rc)\d*)?|latest|stable|next|current", re.IGNORECASE)
_PLAIN_NUMBER = re.compile(r"\d+")
_NAME = re.compile(r"(?P<stem>.+?)[._-](?P<tag>[A-Za-z]{2}(?:[-_][A-Za-z]{2,4})?)(?P<ending>\.[A-Za-z]+)")
_WRAPPERS = ("i18n", "locales", "locale", "translations", "translated_docs", "lang", "languages")
_NEWEST = ("latest", "current", "stable", "next")


class Page(NamedTuple):
    """What a path says of its page: the page's own key, the language tag and the version, "" where none is named."""

    key: str
    language: str
    version: str


def page_of(path: str) -> Page:
    """The page a folder-relative `/`-path stands for. Paths of one page have equal keys."""
    *folders, name = path.split("/")
    language = version = ""
    kept: list[str] = []
    for folder in folders:
        if not language and (tag := language_tag(folder)):
            language = tag
        elif folder.lower() in _WRAPPERS or (folder == "docusaurus-plugin-content-docs"):
            continue
        elif not version and (found := _version(folder)):
            version = found
        else:
            kept.append(folder)
    match = _NAME.fullmatch(name)
    if match and not language and (tag := language_tag(match["tag"])):
        language, name = tag, match["stem"] + match["ending"]
    return Page("/".join([*kept, name]).casefold(), language, version)


def language_tag(text: str) -> str:
    """The tag in lower case (`zh-hant`) when the text is a language tag, else ""."""
    match = _LANGUAGE.fullmatch(text)
    return text.lower().replace("_", "-") if match and match["code"].lower() in LANGUAGES else ""


def groups(paths: Iterable[str]) -> Mapping[str, tuple[str, ...]]:
    """Each path that has translations or versions, with all paths of its page in code-point order, itself included."""
    pages: dict[str, list[str]] = {}
    for path in sorted(paths):
        pages.setdefault(page_of(path).key, []).append(path)
    return {path: tuple(same) for same in pages.values() if len(same) > 1 for path in same}


def choose(paths: Iterable[str], wanted: Iterable[str]) -> str:
    """The path to show: in the first wanted language there is, else the original; of versions, the newest.

    `wanted` are language tags, best first; the original is the page without a language, else the English one.
    """
    candidates = [(page_of(path), path) for path in paths]
    for language in [*wanted, "", "en"]:
        speaking = [c for c in candidates if c[0].language.split("-")[0] == language.split("-")[0]]
        if speaking:
            return min(speaking, key=_newest_first)[1]
    return min(candidates, key=_newest_first)[1]


def _newest_first(candidate: tuple[Page, str]) -> tuple[int, list[int], int, str]:
    page, path = candidate
    if page.version == "" or page.version in _NEWEST:
        return 0, [], _NEWEST.index(page.version) if page.version else -1, path
    return 1, [-int(number) for number in re.findall(r"\d+", page.version)], 0, path


def _version(folder: str) -> str:
    # A lone number is a chapter or a year more often than a version.
    folder = folder.removeprefix("version-")
    is_version = _VERSION.fullmatch(folder) and not _PLAIN_NUMBER.fullmatch(folder)
    return folder.lower() if is_version else ""
