"""Headers that lie, bytes in odd pieces, what is no UTF-8, no JSON or no message: the next message is served."""

from __future__ import annotations

import json
import random
import time
from typing import Any

from ddg_lsp.server import protocol
from tests.attacks.protocol_target import ANSWER_SECONDS, GOOD, SECRET, Target, serving
from tests.attacks.run import Run

PARSE, INVALID = -32700, -32600


def framed(body: bytes, header: bytes = b"Content-Length: %d\r\n\r\n") -> bytes:
    """A message as it is sent."""
    return (header % len(body) if b"%d" in header else header) + body


def encoded(**message: Any) -> bytes:
    return json.dumps({"jsonrpc": "2.0", **message}).encode()


def question(one: Target) -> tuple[str, bytes]:
    """A good question under a fresh id, entered in the books; its key and the bytes of its body."""
    identity = one.fresh()
    return one.expect(identity), encoded(id=identity, method=protocol.QUERY, params=GOOD)


def lengths_that_lie(run: Run) -> None:
    """Too small, too big, negative, missing, twice, huge; the messages that follow are found again."""
    with serving(run) as one:
        for rng in run.rounds(at_least=2):
            for kind, data in _lies(rng):
                with run.attempt(f"length {kind}", data[:60]):
                    one.raw(data)
                    _found_again(one)
            one.holds()


def _lies(rng: random.Random) -> list[tuple[str, bytes]]:
    body = encoded(method=f"$/{SECRET}", params={"x": SECRET * rng.randrange(1, 40)})
    size, off = len(body), rng.randrange(1, 60)
    lengths = {
        "too small": b"%d" % max(0, size - off),
        "too big": b"%d" % (size + off),
        "nothing": b"0",
        "negative": b"-%d" % size,
        "huge": b"%d" % (10 ** rng.randrange(9, 18)),
        "absurd": b"9" * rng.randrange(19, 5000),
        "a fraction": b"%d.5" % size,
        "hexadecimal": b"0x%x" % size,
        "words": SECRET.encode(),
        "empty": b"",
        "two in one": b"%d, %d" % (size, size + 1),
    }
    lies = [(kind, b"Content-Length: " + told + b"\r\n\r\n" + body) for kind, told in lengths.items()]
    double = b"Content-Length: %d\r\nContent-Length: %d\r\n\r\n" % (size + off, size)
    return [
        *lies,
        ("twice, not the same", double + body),
        ("missing", b"Content-Type: x\r\n\r\n" + body),
        ("no header at all", body + b"\r\n\r\n"),
        ("lines without returns", framed(body, b"Content-Length: %d\n\n")),
        ("a header line without end", b"X-" + b"y" * rng.randrange(1, 70_000) + b"\r\n\r\n"),
        ("many headers", b"".join(b"X-%d: y\r\n" % n for n in range(2000)) + framed(body)),
        ("noise", rng.randbytes(rng.randrange(1, 400)).replace(b"\n", b"") + b"\n\n"),
    ]


def _found_again(one: Target) -> None:
    """A length that was too big swallows the beginning of what follows, so one of several questions has to be heard."""
    give_up = time.monotonic() + ANSWER_SECONDS
    while time.monotonic() < give_up:
        name = _ask_raw(one)
        for seconds in (5.0, 0.3):  # after a complaint it is lost, or comes in a moment
            patience = time.monotonic() + seconds
            one.nameless.clear()
            one.collect(lambda name=name, patience=patience: _heard(one, name) or time.monotonic() > patience)
        if name in one.answers:
            return
        one.lost.add(name)
    raise AssertionError("No message is found any more.")


def _heard(one: Target, name: str) -> bool:
    return name in one.answers or bool(one.nameless)


def odd_pieces(run: Run) -> None:
    """One byte after another, pieces of every size, many messages in one write, other lines in the header."""
    headers = [
        b"Content-Length: %d\r\n\r\n",
        b"content-LENGTH:%d\r\nX: y\r\n\r\n",
        b"Content-Type: x\r\nContent-Length: %d\r\n\r\n",
    ]
    with serving(run) as one:
        for rng in run.rounds(at_least=1):
            for kind, size in (
                ("byte by byte", 1),
                ("small pieces", rng.randrange(2, 9)),
                ("pieces", rng.randrange(9, 900)),
            ):
                with run.attempt(f"bytes {kind}", size):
                    names, data = zip(*(question(one) for _ in range(3)), strict=True)
                    sent = b"".join(framed(body, rng.choice(headers)) for body in data)
                    for start in range(0, len(sent), size):
                        one.raw(sent[start : start + size])
                    assert all("result" in one.answer_to(name) for name in names)
            with run.attempt("bytes many messages in one write"):
                names, data = zip(*(question(one) for _ in range(50)), strict=True)
                one.raw(b"".join(framed(body) for body in data))
                assert all("result" in one.answer_to(name) for name in names)
        one.holds()


def no_json(run: Run) -> None:
    """Bodies that are no UTF-8 or no JSON, or JSON of another kind; each is answered and the next one heard."""
    with serving(run) as one:
        for rng in run.rounds(at_least=1):
            for kind, body in _bodies(rng):
                with run.attempt(f"body {kind}", body[:60]):
                    one.raw(framed(body))
                    one.answer_to(_ask_raw(one))
                    assert len(one.nameless) == 1, one.nameless
                    assert one.nameless.pop()["error"]["code"] in (PARSE, INVALID)
        one.holds()


def _ask_raw(one: Target) -> str:
    name, body = question(one)
    one.raw(framed(body))
    return name


def _bodies(rng: random.Random) -> list[tuple[str, bytes]]:
    valid = encoded(id="x", method=protocol.QUERY, params=GOOD)
    deep = rng.choice([2_000, 100_000])
    cut = rng.randrange(1, len(valid) - 1)
    flipped = bytearray(valid)
    flipped[rng.randrange(len(valid))] = rng.choice([0x00, 0x1F, 0x80, 0xFF])
    return [
        ("no UTF-8", valid.replace(b"nightly", b"\xff\xfe\xc3")),
        ("UTF-16", json.dumps(GOOD).encode("utf-16")),
        ("a byte that cannot be there", bytes(flipped)),
        ("cut off", valid[:cut]),
        ("two values", valid + valid),
        ("NaN", valid.replace(b'"x"', b"NaN")),
        ("Infinity", valid.replace(b'"x"', b"-Infinity")),
        ("a number beyond all", valid.replace(b'"x"', b"1e99999")),
        ("a number of many digits", valid.replace(b'"x"', b"9" * 5_000)),
        ("nested arrays", b"[" * deep + b"]" * deep),
        ("nested objects", b'{"a":' * deep + b"1" + b"}" * deep),
        ("nested, without end", b"[" * deep),
        ("a batch", b"[" + valid + b"," + valid + b"]"),
        ("an empty batch", b"[]"),
        ("a scalar", rng.choice([b"7", b"null", b"true", b'"x"', b"1.5", b'""'])),
        ("nothing", b""),
        ("spaces", b" \t\r\n" * 5),
        ("an object of nothing", b"{}"),
        ("text of the user", f"{SECRET} ".encode() * rng.randrange(1, 5_000)),
    ]
