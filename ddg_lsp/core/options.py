"""The one list of options: name, type, default, bounds, who may set it, and the frozen value the code reads.

Owns names and bounds; must not know where values come from (`settings.py`) nor what is done with them.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import Field, dataclass, field, fields
from types import MappingProxyType
from typing import Any, Literal, TypeVar, cast

import xxhash

from ddg_lsp.core.corpus_rules import RULES_VERSION

T = TypeVar("T")
Who = Literal["workspace", "user"]


@dataclass(frozen=True, slots=True)
class Option:
    """One option as users know it. `type` is the JSON schema word; `nullable`: null, the default, means "not set"."""

    key: str
    """camelCase, without the section `ddg`."""
    name: str
    """The field of `Settings`."""
    type: str
    default: object
    who: Who
    """`workspace`: a checked-out repository may set it, it narrows or does no harm; `user`: editor settings only."""
    description: str
    choices: tuple[str, ...] = ()
    minimum: float | None = None
    maximum: float | None = None
    nullable: bool = False
    globs: bool = False
    """Strings are path patterns."""
    internal: bool = False
    """Not an option: filled in by `settings.load`."""


def _option(default: T, who: Who, description: str, **more: Any) -> T:
    metadata = {"who": who, "description": description, **more}
    if isinstance(default, Mapping):
        return cast(T, field(default_factory=lambda: cast(Any, default), metadata=metadata))
    return field(default=default, metadata=metadata)


_NO_SYNONYMS: Mapping[str, tuple[str, ...]] = MappingProxyType({})
_NO_PRIORITIES: Mapping[str, int] = MappingProxyType({})
_NO_PUBLISHING: Mapping[str, tuple[str, ...]] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Settings:
    """The settings of one workspace folder, every layer applied."""

    include: tuple[str, ...] = _option(
        ("**/*.md", "**/*.markdown", "**/*.mdx"),
        "workspace",
        "Patterns of the files that are documents. A workspace's own list narrows further: a file must match both.",
        globs=True,
    )
    exclude: tuple[str, ...] = _option(
        ("docs/plan/**", "docs/archive/**"),
        "workspace",
        "Patterns of files that are left out. A workspace's own list is added.",
        globs=True,
    )
    root: str = _option("", "workspace", "The subfolder that is searched; empty for the whole folder.")
    gitignore: bool = _option(True, "user", "Leave out what `.gitignore` files and `.git/info/exclude` ignore.")
    secret_names: bool = _option(True, "user", "Leave out files and folders whose names look like places for secrets.")
    max_file_bytes: int = _option(
        1_000_000,
        "workspace",
        "Larger files are left out. A workspace can only lower it.",
        minimum=1,
        maximum=50_000_000,
    )
    max_documents: int = _option(
        20_000, "workspace", "Documents of one folder. A workspace can only lower it.", minimum=1, maximum=1_000_000
    )
    limit: int = _option(
        30, "workspace", "Hits of an answer where the question names no number.", minimum=1, maximum=100
    )
    mode: str = _option(
        "hybrid",
        "workspace",
        "How documents are found: by meaning and words, by meaning alone, by words alone.",
        choices=("hybrid", "semantic", "lexical"),
    )
    languages: tuple[str, ...] = _option(
        (), "workspace", "Languages preferred among translations of one page, best first, e.g. `ko`, `en`."
    )
    code_action_languages: tuple[str, ...] = _option(
        ("*",), "workspace", "Language identifiers of files in which code actions are offered; `*` for all."
    )
    embedder: str = _option(
        "auto",
        "user",
        "The engine that turns text into vectors.",
        choices=("auto", "e5", "sentence-transformers", "http", "none"),
    )
    model: str = _option("", "user", "The model's name or folder; empty for the embedder's default.")
    device: str = _option("auto", "user", "Where sentence-transformers runs.", choices=("auto", "cpu", "cuda", "mps"))
    backend: str = _option(
        "torch", "user", "What sentence-transformers runs on.", choices=("torch", "onnx", "openvino")
    )
    query_prefix: str | None = _option(
        cast("str | None", None), "user", "Text put before a question; null for the model's own.", type="string"
    )
    passage_prefix: str | None = _option(
        cast("str | None", None), "user", "Text put before a passage; null for the model's own.", type="string"
    )
    http_url: str = _option("", "user", "Address of the embedding server for the embedder `http`.")
    http_dialect: str = _option(
        "openai", "user", "What the embedding server speaks.", choices=("openai", "ollama", "tei")
    )
    http_api_key_env: str = _option("", "user", "The environment variable that holds the server's key.")
    threads: int = _option(2, "user", "Threads of the embedder.", minimum=1, maximum=64)
    idle_unload_minutes: float = _option(
        10.0, "user", "The model is dropped after so many minutes without use; 0 for never.", minimum=0, maximum=10_080
    )
    cache_dir: str = _option("", "user", "Where vectors are kept; empty for `.ddg/vectors` in the folder.")
    synonyms: str = _option("synonyms.txt", "workspace", "The synonym file, relative to the folder; empty for none.")
    aliases: bool = _option(False, "workspace", "Front-matter aliases of documents are synonyms, too.")
    workspace_symbols: bool = _option(
        False, "user", "Answer the editor's own workspace symbol search with headings, too."
    )
    debounce_ms: int = _option(
        300, "user", "Milliseconds of quiet before an edited document is indexed.", minimum=0, maximum=60_000
    )
    synonym_table: Mapping[str, tuple[str, ...]] = _option(
        _NO_SYNONYMS, "workspace", "Terms and what else is searched for them: the table `[synonyms]` of `ddg.toml`."
    )
    priorities: Mapping[str, int] = _option(
        _NO_PRIORITIES,
        "workspace",
        "Patterns and the priority of what they match, lower first, 100 where nothing matches.",
        minimum=0,
        maximum=1_000_000,
        globs=True,
    )
    llms: Mapping[str, tuple[str, ...]] = _option(
        _NO_PUBLISHING,
        "workspace",
        "How `llms.txt` is published: the table `[llms]` of `ddg.toml`; its keys are in "
        "[Publish llms.txt](../how-to/llms-txt.md).",
    )
    also_include: tuple[str, ...] = _option((), "workspace", "The workspace's own `include`.", internal=True)

    @property
    def policy(self) -> str:
        """16 hex that change exactly when what decides the corpus changes; kept in the cache's manifest."""
        parts = {name: getattr(self, name) for name in _POLICY}
        text = json.dumps([RULES_VERSION, parts], sort_keys=True, ensure_ascii=True)
        return xxhash.xxh3_64_hexdigest(text.encode())


_POLICY = (
    *("include", "also_include", "exclude", "root", "gitignore", "secret_names"),
    *("max_file_bytes", "max_documents"),
)
_TYPES = {bool: "boolean", int: "integer", float: "number", str: "string", tuple: "array", MappingProxyType: "object"}


def camel(name: str) -> str:
    """`max_file_bytes` -> `maxFileBytes`."""
    head, *rest = name.split("_")
    return head + "".join(word.capitalize() for word in rest)


def _describe(one: Field[Any]) -> Option:
    default = one.default_factory() if callable(one.default_factory) else one.default
    more = dict(one.metadata)
    kind = more.pop("type", None) or _TYPES[type(default)]
    return Option(camel(one.name), one.name, kind, default, nullable=default is None, **more)


OPTIONS: tuple[Option, ...] = tuple(option for option in map(_describe, fields(Settings)) if not option.internal)
"""Every option, in the order of the reference page."""

EDITOR_KEYS = frozenset({"trace", "server", "interpreter", "importStrategy"})
"""First parts of keys that belong to an editor's extension alone; the server passes them over in silence."""
