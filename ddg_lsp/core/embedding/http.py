"""Embeddings from a server the user named: their own machine's, or their team's.

Owns the asking: batches, time limits, retries, and the key, which is read from an environment variable for each
request and kept nowhere. Must not know what the texts are. Text goes to the one configured address, no redirect is
followed, and no word of an answer is repeated in an error.

`info` and `embed` raise `EmbedderUnavailable`; `info` asks the server once, for the number of dimensions.
"""

from __future__ import annotations

import os
import random
import re
import socket
import ssl
import time
from collections.abc import Iterator, Sequence

import httpx
import numpy as np

from ddg_lsp.core.embedding import EmbedderInfo, Matrix
from ddg_lsp.core.embedding.errors import EmbedderUnavailable
from ddg_lsp.core.embedding.http_dialects import address, dialect_named
from ddg_lsp.core.embedding.http_reply import BadAnswer, check_status, read_bounded, vectors
from ddg_lsp.core.embedding.prefixes import prefixes_for
from ddg_lsp.core.embedding.token_estimate import cut_to_estimate, estimate_tokens

BATCH = 16
"""Texts a request; Text Embeddings Inference refuses more than 32 unless told otherwise."""
ATTEMPTS = 4
LONGEST_WAIT_S = 5.0
"""What is slept between two attempts at most; a server that asks for more is a state, not a stuck thread."""
QUIET_S = 5.0
"""After a failure the server is left alone this long, so that each of many queries does not pay for it anew."""
LONGEST_QUIET_S = 900.0
CONNECT_S = 5.0

_PROBE = "documentation"
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\Z")


class HttpEmbedder:
    """See `Embedder`. Opens no connection before its first use; raises `EmbedderUnavailable` for impossible settings.

    `dialect` is `openai`, `ollama` or `tei`; `max_tokens` what the model holds, as the server does not say;
    `timeout_s` the time one request may take in all, in seconds; `pause_s` the first pause between two attempts.
    """

    def __init__(
        self,
        url: str,
        model: str = "",
        *,
        dialect: str = "openai",
        api_key_env: str = "",
        query_prefix: str | None = None,
        passage_prefix: str | None = None,
        max_tokens: int = 512,
        timeout_s: float = 30.0,
        pause_s: float = 0.5,
    ) -> None:
        self._dialect = dialect_named(dialect)
        self._address = address(url, self._dialect)
        if self._dialect.needs_model and not model:
            raise EmbedderUnavailable(f"Name the model the {dialect} server at {self._address.host} shall use.")
        if api_key_env and not _VARIABLE.match(api_key_env):
            # Not repeated: it may be the key itself, put into the wrong field.
            raise EmbedderUnavailable("The key's setting must be the name of an environment variable, not a key.")
        query, passage = prefixes_for([model])
        self._prefixes = (
            query if query_prefix is None else query_prefix,
            passage if passage_prefix is None else passage_prefix,
        )
        self._model = model
        self._key_name = api_key_env
        self._max_tokens = max_tokens
        self._timeout_s = timeout_s
        self._pause_s = pause_s
        self._dimensions: int | None = None
        self._client: httpx.Client | None = None
        self._quiet_until = 0.0
        self._failure = ""

    def __repr__(self) -> str:
        return f"HttpEmbedder({self._address.shown!r}, {self._model!r}, dialect={self._dialect.name!r})"

    @property
    def info(self) -> EmbedderInfo:
        """See `Embedder.info`; the first time, one request finds out the dimensions. Raises `EmbedderUnavailable`."""
        if self._dimensions is None:
            self._ask([_PROBE])
        name = self._model or self._dialect.name
        return EmbedderInfo(
            "http",
            f"{name}@{self._address.host}",
            self._dimensions or 0,
            self._max_tokens,
            f"{self._address.shown}|{self._model}",
            *self._prefixes,
        )

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        """An estimate that is rather too high than too low, see `token_estimate`; asks nobody."""
        return [estimate_tokens(text) for text in texts]

    def embed(self, texts: Sequence[str], max_tokens: int | None = None) -> Matrix:
        """See `Embedder.embed`. Raises `EmbedderUnavailable`."""
        limit = min(max_tokens or self._max_tokens, self._max_tokens)
        cut = [_clean(cut_to_estimate(text, limit)) for text in texts]
        parts = [self._ask(cut[start : start + BATCH]) for start in range(0, len(cut), BATCH)]
        return np.concatenate(parts) if parts else np.empty((0, self.info.dimensions), np.float32)

    def unload(self) -> None:
        """Closes the connection and forgets a failure, so that the next call asks again at once."""
        if self._client is not None:
            self._client.close()
        self._client = None
        self._quiet_until = 0.0

    def _ask(self, texts: Sequence[str]) -> Matrix:
        """One batch's vectors, with as many attempts as the trouble deserves."""
        if (left := self._quiet_until - time.monotonic()) > 0:
            raise EmbedderUnavailable(self._failure, retryAfterSeconds=left)
        key = self._key()
        for pause in self._pauses():
            try:
                matrix = self._request(texts, key)
            except BadAnswer as bad:
                wait = pause if bad.after is None else bad.after
                if pause is None or wait is None or not bad.again or wait > LONGEST_WAIT_S:
                    raise self._failed(bad, key) from None
                time.sleep(wait)
            else:
                self._dimensions = matrix.shape[1]
                return matrix
        raise AssertionError("the last attempt returns or raises")

    def _pauses(self) -> Iterator[float | None]:
        """What to sleep after each attempt, in seconds; None after the last. Doubled each time, with a random part
        so that a team's machines do not come back in step."""
        for attempt in range(ATTEMPTS - 1):
            yield self._pause_s * 2**attempt * random.uniform(0.75, 1.25)  # noqa: S311 - no secret
        yield None

    def _request(self, texts: Sequence[str], key: str) -> Matrix:
        headers = {"Accept": "application/json", "Accept-Encoding": "identity"}
        if key:
            headers["Authorization"] = f"Bearer {key}"
        deadline = time.monotonic() + self._timeout_s
        body = self._dialect.body(self._model, texts)
        try:
            with self._opened().stream("POST", self._address.url, json=body, headers=headers) as response:
                answer = read_bounded(response, deadline)
        except httpx.TimeoutException:
            raise BadAnswer(f"did not answer within {self._timeout_s:g} seconds") from None
        except httpx.HTTPError as error:
            raise _unreachable(error) from None
        check_status(response, answer, self._key_name, self._dialect, self._model)
        return vectors(response, answer, self._dialect, len(texts), self._dimensions)

    def _opened(self) -> httpx.Client:
        if self._client is None:
            place = self._address
            # The authorities' certificates take a tenth of a second to read; over plain HTTP nobody asks for them.
            verify: ssl.SSLContext | bool = place.tls or ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
            # This machine's own server is never looked for behind the proxy the environment names.
            direct = dict.fromkeys(("all://", "http://", "https://")) if place.loopback else None
            limits = httpx.Timeout(self._timeout_s, connect=min(CONNECT_S, self._timeout_s))
            self._client = httpx.Client(timeout=limits, follow_redirects=False, verify=verify, mounts=direct)
        return self._client

    def _key(self) -> str:
        """The key, read anew each time so that it is never kept; what it is, no message tells."""
        if not self._key_name:
            return ""
        key = os.environ.get(self._key_name, "").strip()
        if not key:
            raise EmbedderUnavailable(
                "The environment variable that shall hold the embedding server's key is not set where ddg-lsp runs; "
                "set it for the editor or the shell that starts it."
            )
        if not key.isascii() or not key.isprintable() or " " in key:
            # A header with such a sign is refused by the HTTP library in a message that repeats it.
            raise EmbedderUnavailable(f"What {self._key_name} holds cannot be a key: it has a blank or a control sign.")
        return key

    def _failed(self, bad: BadAnswer, key: str) -> EmbedderUnavailable:
        sentence = f"The embedding server at {self._address.shown} {bad}".removesuffix("?")
        sentence += "?" if str(bad).endswith("?") else "."
        if bad.after is not None:
            sentence += f" It asks to be left alone for {bad.after:.0f} seconds."
        if key:
            sentence = sentence.replace(key, "***")
        self._failure = sentence
        self._quiet_until = time.monotonic() + min(max(bad.after or 0.0, QUIET_S), LONGEST_QUIET_S)
        return EmbedderUnavailable(sentence, retryAfterSeconds=max(bad.after or 0.0, QUIET_S))


def _clean(text: str) -> str:
    """Lone surrogates cannot be sent as UTF-8."""
    return text.encode("utf-8", "replace").decode("utf-8")


def _unreachable(error: httpx.HTTPError) -> BadAnswer:
    """Why no answer came, from the operating system's error underneath; the HTTP library's words may hold headers."""
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, ssl.SSLCertVerificationError):
            return BadAnswer(
                f"has a certificate that is not trusted ({cause.verify_message}); SSL_CERT_FILE may name another "
                "authority's"
            )
        if isinstance(cause, socket.gaierror):
            return BadAnswer("cannot be found: its name is not known here")
        if isinstance(cause, ConnectionRefusedError):
            return BadAnswer("refuses connections; is it running?", again=True)
        cause = cause.__cause__ or cause.__context__
    if isinstance(error, httpx.ConnectError):
        return BadAnswer("cannot be reached", again=True)
    if isinstance(error, httpx.DecodingError):
        return BadAnswer("sent an answer that cannot be unpacked")
    return BadAnswer("broke off its answer", again=True)
