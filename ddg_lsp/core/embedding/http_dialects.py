"""The three ways embedding servers are asked and answer: OpenAI's, Ollama's, Text Embeddings Inference's.

Owns addresses, request bodies and where the numbers stand in an answer. Sends nothing, and judges no number.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from ipaddress import ip_address
from urllib.parse import SplitResult, urlsplit

from ddg_lsp.core.embedding.errors import EmbedderUnavailable


@dataclass(frozen=True, slots=True)
class Dialect:
    """How one kind of server is spoken to. `rows` raises KeyError, TypeError, IndexError or ValueError at nonsense."""

    name: str
    path: str
    """What is appended to a base address; an address that ends with it is taken as it is."""
    needs_model: bool
    body: Callable[[str, Sequence[str]], dict[str, object]]
    """The JSON to send, from the model's name and the texts."""
    rows: Callable[[object], list[object]]
    """The vectors in the order of the texts, from the answer's JSON."""


@dataclass(frozen=True, slots=True)
class Address:
    """Where text goes. `url` is called; `shown` and `host` carry no secret and may be printed."""

    url: str
    shown: str
    host: str
    loopback: bool
    tls: bool


def _openai_rows(answer: object) -> list[object]:
    items = answer["data"]  # type: ignore[index] # not a mapping: TypeError, as promised
    places = [item.get("index", place) for place, item in enumerate(items)]
    if sorted(places) != list(range(len(items))):
        raise ValueError("an index is missing or stands twice")
    rows: list[object] = [None] * len(items)
    for place, item in zip(places, items, strict=True):
        rows[place] = item["embedding"]
    return rows


def _ollama_rows(answer: object) -> list[object]:
    return list(answer["embeddings"])  # type: ignore[index]


def _tei_rows(answer: object) -> list[object]:
    if not isinstance(answer, list):
        raise TypeError("not a list")
    return answer


DIALECTS: dict[str, Dialect] = {
    d.name: d
    for d in (
        Dialect(
            "openai",
            "/v1/embeddings",
            True,
            lambda model, texts: {"model": model, "input": list(texts), "encoding_format": "float"},
            _openai_rows,
        ),
        Dialect(
            "ollama",
            "/api/embed",
            True,
            lambda model, texts: {"model": model, "input": list(texts), "truncate": True},
            _ollama_rows,
        ),
        Dialect(
            "tei",
            "/embed",
            False,
            lambda _model, texts: {"inputs": list(texts), "normalize": True, "truncate": True},
            _tei_rows,
        ),
    )
}


def dialect_named(name: str) -> Dialect:
    """The dialect of that name; raises `EmbedderUnavailable` for another."""
    dialect = DIALECTS.get(name)
    if dialect is None:
        raise EmbedderUnavailable(f"There is no HTTP dialect called {name!r}; there are {', '.join(DIALECTS)}.")
    return dialect


def address(url: str, dialect: Dialect) -> Address:
    """The dialect's endpoint at the user's address; raises `EmbedderUnavailable` where the address cannot be used.

    An address is never repeated in an error: people paste keys into them.
    """
    if any(sign <= " " or sign == "\x7f" for sign in url):
        raise EmbedderUnavailable("The embedding server's URL has a blank or a control character in it.")
    try:
        parts = urlsplit(url)
        host, port = parts.hostname, parts.port
    except ValueError:
        raise EmbedderUnavailable("The embedding server's URL is not a valid one.") from None
    if parts.scheme not in ("http", "https") or not host:
        raise EmbedderUnavailable("The embedding server's URL must begin with http:// or https:// and name a host.")
    if parts.username is not None or parts.password is not None:
        raise EmbedderUnavailable(f"The embedding server's URL has a name or password in it; {_KEYS_GO_ELSEWHERE}.")
    if parts.fragment or (parts.query and not _harmless(parts.query)):
        raise EmbedderUnavailable(f"The embedding server's URL has a query in it; {_KEYS_GO_ELSEWHERE}.")
    name = f"[{host}]" if ":" in host else host
    shown_host = f"{name}:{port}" if port is not None else name
    path = _endpoint(parts, dialect)
    shown = f"{parts.scheme}://{shown_host}{path}"
    return Address(
        f"{shown}?{parts.query}" if parts.query else shown,
        shown,
        shown_host,
        _is_loopback(host),
        parts.scheme == "https",
    )


_KEYS_GO_ELSEWHERE = "keys belong in an environment variable, whose name is a setting of its own"


def _harmless(query: str) -> bool:
    """Azure's API version is the one query a server is known to need, and no secret."""
    return query.startswith("api-version=") and "&" not in query


def _endpoint(parts: SplitResult, dialect: Dialect) -> str:
    """`/v1` or a gateway's prefix is completed, a whole endpoint left alone."""
    base = parts.path.rstrip("/")
    last = dialect.path.rsplit("/", 1)[1]
    if base.endswith(f"/{last}"):
        return base
    head = dialect.path.rsplit("/", 1)[0]
    if head and base.endswith(head):
        return f"{base}/{last}"
    return base + dialect.path


def _is_loopback(host: str) -> bool:
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False
