"""How one client reaches us: over our standard input and output, or over one TCP connection.

Owns the descriptors: what the protocol reads and writes is its alone, whatever a library prints. Must not know what is
said.
"""

from __future__ import annotations

import os
import socket
import sys
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from functools import partial

from ddg_lsp.core.errors import DdgError


@dataclass(frozen=True)
class Channel:
    """Bytes both ways. `read` waits for at most so many bytes of `descriptor`; none is the end.

    `write` waits until the client has room for all of it; OSError where it does not read any more.
    """

    descriptor: int
    read: Callable[[int], bytes]
    write: Callable[[bytes | memoryview], object]


def over_stdio() -> Channel:
    """The client's pipes for the protocol alone: what anything else prints goes to stderr, and nothing reads stdin."""
    descriptor, out = os.dup(0), os.dup(1)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    sys.stdout = sys.stderr
    return Channel(descriptor, partial(os.read, descriptor), partial(write_all, out))


def write_all(descriptor: int, data: bytes | memoryview) -> None:
    """Write all of it, however little is taken at a time; OSError where nobody reads any more."""
    left = memoryview(data)
    while left:
        left = left[os.write(descriptor, left) :]


def over_tcp(host: str, port: int) -> Channel:
    """Wait for the one client that is served. Raises `DdgError` CANNOT_LISTEN where nobody can come."""
    try:
        family, kind, number, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        door = socket.socket(family, kind, number)
    except (OSError, UnicodeError) as error:  # a label of a name that is too long is a UnicodeError
        raise _deaf(host, port, error) from error
    with closing(door):
        try:
            if os.name == "posix":
                door.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            door.bind(address)
            door.listen(1)
        except OSError as error:
            raise _deaf(host, port, error) from error
        print(f"ddg-lsp: Listening on {host}:{door.getsockname()[1]}.", file=sys.stderr, flush=True)
        client, _ = door.accept()
    return Channel(client.fileno(), client.recv, client.sendall)


def _deaf(host: str, port: int, error: Exception) -> DdgError:
    why = error.strerror if isinstance(error, OSError) and error.strerror else "it is no address"
    return DdgError("CANNOT_LISTEN", f"Nobody can be listened to at {host}:{port}: {why}.")
