"""What has been fetched of one site: its indexes, its pages, what gave nothing. In the user's cache, with bounds.

Owns the folder's layout. Files are named by the hash of an address, never by the address. Several processes may use
one folder: each change is made under a lock on what the disk says then. Must not know how anything is fetched.
"""

from __future__ import annotations

import hashlib
import json
import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from datetime import datetime, timezone
from pathlib import Path
from urllib.parse import urldefrag

import filelock
import platformdirs

from ddg_lsp.core.errors import DdgError
from ddg_lsp.core.sites import files
from ddg_lsp.core.sites.fetch import FULL_BYTES, Fetched
from ddg_lsp.core.sites.model import Miss

SCHEMA = 1
MAX_PAGES = 2_000
MAX_BYTES = 64 * 1024 * 1024
"""Of all pages of a site together."""
MAX_MISSES = 1_000
MAX_RECORDS = 32 * 1024 * 1024
LOCK_S = 10.0
_FILE = re.compile(r"[0-9a-f]{16}\.(?:md|txt)")


@dataclass(frozen=True, slots=True)
class Record:
    """What is known of a fetched address. `sha256` is of the bytes as they came, 64 hex; times are ISO 8601."""

    url: str
    """Where it came from, redirects followed."""
    file: str
    title: str
    size: int
    sha256: str
    fetched_at: str
    etag: str = ""
    modified: str = ""


@dataclass(slots=True)
class Contents:
    """All records, by the address that was asked for."""

    site: str = ""
    """The address the user added: what was fetched for another one is of no use."""
    indexes: dict[str, Record] = field(default_factory=dict)
    """The site's own index first."""
    pages: dict[str, Record] = field(default_factory=dict)
    misses: dict[str, str] = field(default_factory=dict)


class Store:
    """See the module. `contents` is what the disk said last."""

    def __init__(self, name: str, url: str, cache: Path | None = None) -> None:
        base = cache or platformdirs.user_cache_path("ddg-lsp", appauthor=False)
        self.folder = base / "sites" / _hash(name)
        self.pages = self.folder / "pages"
        self.links = self.folder / "links"
        self._url = url
        self._records = self.folder / "records.json"
        self.contents = Contents(url)
        self.load()

    def load(self) -> None:
        """Read what the disk says; what is damaged or another site's is nothing."""
        try:
            data = files.read(self._records, MAX_RECORDS)
            self.contents = _contents(data, self._url) if data is not None else Contents(self._url)
        except (OSError, ValueError, TypeError, KeyError, AttributeError, RecursionError):
            self.contents = Contents(self._url)

    @contextmanager
    def changing(self) -> Iterator[Contents]:
        """The records, to be changed; written at the end. Raises `DdgError` NOT_WRITTEN."""
        try:
            files.make(self.folder)
            with filelock.FileLock(self.folder / "lock", timeout=LOCK_S):
                self.load()
                for folder in (self.pages, self.links):
                    files.make(folder)
                yield self.contents
                self._sweep()
                files.write(self._records, json.dumps({"schema": SCHEMA, **asdict(self.contents)}).encode())
        except (OSError, filelock.Timeout) as error:
            raise DdgError("NOT_WRITTEN", f"Pages cannot be kept in {self.folder}.") from error

    def put_page(self, key: str, title: str, answer: Fetched, text: str) -> None:
        """Keep a page, inside `changing`; what there is no room for is a miss."""
        pages = self.contents.pages
        before = pages.get(key)
        size = len(text.encode("utf-8", "replace"))
        others = sum(one.size for one in pages.values()) - (before.size if before else 0)
        if (before is None and len(pages) >= MAX_PAGES) or others + size > MAX_BYTES:
            self.put_miss(Miss(key, "full"))
            return
        record = _record(key, title, answer, size, ".md")
        path = self.pages / record.file
        if before is None or before.sha256 != record.sha256 or not path.exists():
            files.write(path, text.encode("utf-8", "replace"))
        pages[key] = record
        self.contents.misses.pop(key, None)

    def put_index(self, key: str, title: str, answer: Fetched, links: str) -> None:
        """Keep an index as it came and `links`, the document that is searched for its links; inside `changing`."""
        record = _record(key, title, answer, len(answer.data), ".txt")
        files.write(self.folder / record.file, answer.data)
        files.write(self.links / f"{_hash(key)}.md", links.encode("utf-8", "replace"))
        self.contents.indexes[key] = record
        self.contents.misses.pop(key, None)

    def put_miss(self, miss: Miss) -> None:
        """Keep why an address gave nothing; inside `changing`."""
        known = self.contents.misses
        known.pop(miss.url, None)
        known[miss.url] = miss.reason
        while len(known) > MAX_MISSES:
            del known[next(iter(known))]

    def seen(self, records: dict[str, Record], key: str) -> None:
        """What is there still holds as of now; inside `changing`."""
        if key in records:
            records[key] = replace(records[key], fetched_at=_now())

    def index_data(self, key: str) -> bytes:
        """An index as it came; empty where it is gone."""
        try:
            return files.read(self.folder / self.contents.indexes[key].file, FULL_BYTES) or b""
        except (OSError, KeyError):
            return b""

    def by_file(self) -> dict[str, Record]:
        """Pages by the name of their file."""
        return {record.file: record for record in self.contents.pages.values()}

    def links_file(self, key: str) -> str:
        """The name of the document that is searched for the links of an index."""
        return f"{_hash(key)}.md"

    def remove(self) -> None:
        """Delete everything. Raises `DdgError` NOT_WRITTEN."""
        try:
            shutil.rmtree(self.folder)
        except FileNotFoundError:
            return
        except OSError as error:
            raise DdgError("NOT_WRITTEN", f"{self.folder} cannot be removed: {error.strerror}.") from error

    def _sweep(self) -> None:
        """Away with files nobody knows any more: a process was killed, or a page has gone."""
        known = {self.pages: set(self.by_file()), self.links: {self.links_file(key) for key in self.contents.indexes}}
        for folder, names in known.items():
            for path in folder.glob("*.md"):
                if path.name not in names:
                    path.unlink(missing_ok=True)


def key_of(url: str) -> str:
    """What two links to one page have in common."""
    return urldefrag(url).url


def _record(key: str, title: str, answer: Fetched, size: int, ending: str) -> Record:
    digest = hashlib.sha256(answer.data).hexdigest()
    return Record(answer.url, _hash(key) + ending, title, size, digest, _now(), answer.etag, answer.modified)


def _contents(data: bytes, url: str) -> Contents:
    plain = json.loads(data)
    if plain["schema"] != SCHEMA or plain["site"] != url:
        return Contents(url)
    indexes, pages = ({str(k): _checked(v) for k, v in plain[name].items()} for name in ("indexes", "pages"))
    return Contents(url, indexes, pages, {str(k): str(v) for k, v in plain["misses"].items()})


def _checked(plain: dict[str, object]) -> Record:
    """A record as it was written; `TypeError` and `ValueError` for anything else."""
    record = Record(**plain)  # type: ignore[arg-type] # which is what is found out here
    texts = [value for name, value in asdict(record).items() if name != "size"]
    if not all(isinstance(value, str) for value in texts) or type(record.size) is not int:
        raise TypeError
    if not _FILE.fullmatch(record.file):
        raise ValueError(record.file)
    return record


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def _now() -> str:
    return datetime.now(timezone.utc).isoformat(timespec="seconds")
