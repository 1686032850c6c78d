"""The manifest of the vector cache: the one file that says which generation counts, and what its files must be.

Owns its fields, its own sum and the names files may have. Touches no disk. A manifest may come from a hostile
repository: a name that is not of the expected form is damage, so none ever leads out of the cache folder.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import xxhash

from ddg_lsp.core.cache_format import Blobs, Damaged

SCHEMA = 1
"""Raised whenever a cache written before can no longer be read."""
MANIFEST = "manifest.json"
LOCK = "writer.lock"
ASIDE = "aside"
MANIFEST_LIMIT = 4 * 1024 * 1024
"""Far more than a manifest with the longest policy; a hostile one must not fill the memory."""
_PARTS = {"chunks": "jsonl", "documents": "jsonl", "embeddings": "f32"}
_GENERATION = re.compile(r"[0-9a-f]{16}")
_OURS = re.compile(r"(?:chunks|documents)-[0-9a-f]{16}\.jsonl|embeddings-[0-9a-f]{16}\.f32|manifest-[0-9a-f]{16}\.tmp")
_TIME = re.compile(r"[0-9TZ:.+-]{0,32}")
_ROWS_LIMIT = 2**24
_BYTES_LIMIT = 2**31


@dataclass(frozen=True, slots=True)
class CacheKey:
    """What vectors and layouts depend on besides the documents.

    `embedder_key`, `model` and `dimensions` decide whether vectors can be used, `passage_format` whether documents
    can; `policy` (which files belong) is recorded for people and changes neither.
    """

    embedder_key: str
    model: str
    dimensions: int
    policy: str
    passage_format: int


class DataFile(NamedTuple):
    """A data file as the manifest promises it."""

    name: str
    size: int
    sum: str


@dataclass(frozen=True, slots=True)
class Manifest:
    """The manifest's fields; see `encode` for their names on disk."""

    key: CacheKey
    generation: str
    rows: int
    documents: int
    files: Mapping[str, DataFile]
    """By part: chunks, documents, embeddings."""
    indexed_at: str

    def same_content(self, other: Manifest) -> bool:
        """Whether two generations hold the same, whenever they were written; that a build was completed counts."""
        if self.key != other.key or bool(self.indexed_at) != bool(other.indexed_at):
            return False
        pairs = ((self.files[part], other.files[part]) for part in _PARTS)
        return all(a.size == b.size and a.sum == b.sum for a, b in pairs)


class OtherSchema(Exception):  # noqa: N818 - internal: not damage, another version's cache
    """The manifest is of a schema this version does not know."""


def data_name(part: str, generation: str) -> str:
    """The file name of a part of a generation."""
    return f"{part}-{generation}.{_PARTS[part]}"


def temporary_name(generation: str) -> str:
    """The name a manifest is written under before it replaces the old one."""
    return f"manifest-{generation}.tmp"


def is_ours(name: str) -> bool:
    """Whether a name is one the cache gives to data files and temporary files: only such files are removed."""
    return _OURS.fullmatch(name) is not None


def describe(key: CacheKey, generation: str, blobs: Blobs, documents: int, indexed_at: str) -> Manifest:
    """The manifest of data files that are about to be written."""
    files = {
        part: DataFile(data_name(part, generation), len(blob), xxhash.xxh3_128_hexdigest(blob))
        for part, blob in blobs._asdict().items()
    }
    return Manifest(key, generation, len(blobs.embeddings) // (4 * key.dimensions), documents, files, indexed_at)


def encode(manifest: Manifest) -> bytes:
    """The manifest's bytes, its own sum included."""
    key = manifest.key
    fields: dict[str, Any] = {
        "schema": SCHEMA,
        "embedder": key.embedder_key,
        "model": key.model,
        "dimensions": key.dimensions,
        "policy": key.policy,
        "passageFormat": key.passage_format,
        "generation": manifest.generation,
        "rows": manifest.rows,
        "documents": manifest.documents,
        "files": {part: {"name": f.name, "bytes": f.size, "sum": f.sum} for part, f in manifest.files.items()},
        "indexedAt": manifest.indexed_at,
    }
    fields["sum"] = _sum(fields)
    return json.dumps(fields, indent=1).encode() + b"\n"


def decode(data: bytes) -> Manifest:
    """The manifest; `OtherSchema` for another version's, `Damaged` for anything that `encode` does not write."""
    try:
        fields = json.loads(data.decode("ascii"))
    except (ValueError, RecursionError):
        raise Damaged("the manifest is not JSON") from None
    if not isinstance(fields, dict):
        raise Damaged("the manifest is not an object")
    if _count(fields, "schema", _BYTES_LIMIT) != SCHEMA:
        raise OtherSchema
    if fields.pop("sum", None) != _sum(fields):
        raise Damaged("the manifest's sum is wrong")
    generation = fields.get("generation")
    if not isinstance(generation, str) or not _GENERATION.fullmatch(generation):
        raise Damaged("the manifest's generation is wrong")
    key = CacheKey(
        _text(fields, "embedder"),
        _text(fields, "model"),
        _count(fields, "dimensions", _BYTES_LIMIT),
        _text(fields, "policy"),
        _count(fields, "passageFormat", _BYTES_LIMIT),
    )
    files = _files(fields.get("files"), generation)
    indexed_at = _text(fields, "indexedAt")
    if not _TIME.fullmatch(indexed_at):  # it is shown
        raise Damaged("the manifest's time is none")
    rows, documents = _count(fields, "rows", _ROWS_LIMIT), _count(fields, "documents", _ROWS_LIMIT)
    if files["embeddings"].size != rows * key.dimensions * 4:
        raise Damaged("the manifest's counts and sizes differ")
    return Manifest(key, generation, rows, documents, files, indexed_at)


def _files(value: object, generation: str) -> dict[str, DataFile]:
    if not isinstance(value, dict) or value.keys() != _PARTS.keys():
        raise Damaged("the manifest names no files")
    files = {}
    for part in _PARTS:
        entry = value[part]
        if not isinstance(entry, dict) or entry.get("name") != data_name(part, generation):
            raise Damaged("the manifest names a file that is none of ours")
        limit = _ROWS_LIMIT * 4 * 4096 if part == "embeddings" else _BYTES_LIMIT
        files[part] = DataFile(entry["name"], _count(entry, "bytes", limit), _text(entry, "sum"))
    return files


def _text(fields: dict[str, Any], name: str) -> str:
    value = fields.get(name)
    if not isinstance(value, str):
        raise Damaged(f"the manifest's {name} is no text")
    return value


def _count(fields: dict[str, Any], name: str, limit: int) -> int:
    value = fields.get(name)
    if type(value) is not int or not 0 <= value < limit:
        raise Damaged(f"the manifest's {name} is no count")
    return value


def _sum(fields: dict[str, Any]) -> str:
    return xxhash.xxh3_128_hexdigest(json.dumps(fields, sort_keys=True).encode())
