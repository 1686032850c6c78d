"""A connection to one checked IP address, under the name that was asked for, that can be given up at any moment.

Owns pinning and time: no name is looked up here, and no single wait is long. Must not know HTTP.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import httpcore

from ddg_lsp.core.errors import Cancelled

SLICE_S = 0.2
"""The longest wait after which it is looked whether anybody still waits."""


@dataclass(frozen=True, slots=True)
class Limits:
    """Seconds: to connect (and again for TLS), for any one wait, for one request in all."""

    connect_s: float = 5.0
    read_s: float = 10.0
    total_s: float = 30.0


class Clock:
    """When a request must be through, and whether it is still wanted."""

    def __init__(self, limits: Limits, stop: threading.Event) -> None:
        self.limits = limits
        self.stop = stop
        self._end = time.monotonic() + limits.total_s

    def left(self) -> float:
        """Seconds left, more than 0. Raises `httpcore.ReadTimeout` when there are none, `Cancelled`."""
        if self.stop.is_set():
            raise Cancelled
        left = self._end - time.monotonic()
        if left <= 0:
            raise httpcore.ReadTimeout
        return left


class Pinned(httpcore.NetworkBackend):
    """Connects to `ip`, whatever host is named: the name was checked when it was resolved, and is not resolved again.

    Name and certificate are httpcore's matter, and those of the host that was asked for.
    """

    def __init__(self, ip: str, clock: Clock) -> None:
        self._ip = ip
        self._clock = clock
        self._real = httpcore.SyncBackend()

    def connect_tcp(
        self,
        host: str,  # noqa: ARG002
        port: int,
        timeout: float | None = None,  # noqa: ARG002
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore.NetworkStream:
        """See httpcore; `host` is not looked at."""
        seconds = min(self._clock.limits.connect_s, self._clock.left())
        return _Stream(self._real.connect_tcp(self._ip, port, seconds, local_address, socket_options), self._clock)

    def sleep(self, seconds: float) -> None:
        """See httpcore."""
        self._clock.stop.wait(seconds)


class _Stream(httpcore.NetworkStream):
    def __init__(self, real: httpcore.NetworkStream, clock: Clock) -> None:
        self._real = real
        self._clock = clock

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:  # noqa: ARG002
        waited_until = time.monotonic() + self._clock.limits.read_s
        while True:
            left = min(self._clock.left(), waited_until - time.monotonic())
            if left <= 0:
                raise httpcore.ReadTimeout
            try:
                return self._real.read(max_bytes, min(SLICE_S, left))
            except httpcore.ReadTimeout:
                continue  # reading from TLS may be taken up again where it was left

    def write(self, buffer: bytes, timeout: float | None = None) -> None:  # noqa: ARG002
        self._real.write(buffer, min(self._clock.limits.read_s, self._clock.left()))

    def close(self) -> None:
        self._real.close()

    def start_tls(
        self,
        ssl_context: Any,
        server_hostname: str | None = None,
        timeout: float | None = None,  # noqa: ARG002
    ) -> httpcore.NetworkStream:
        seconds = min(self._clock.limits.connect_s, self._clock.left())
        return _Stream(self._real.start_tls(ssl_context, server_hostname, seconds), self._clock)

    def get_extra_info(self, info: str) -> Any:
        return self._real.get_extra_info(info)
