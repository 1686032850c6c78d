"""One process of the fuzzer led by coverage: `python -m tests.attacks.documents_guided TARGET[,TARGET…] [OPTIONS…]`.

A process of its own, because what is measured must be instrumented while it is imported, and because the fuzzer ends
the process; the options are libFuzzer's. Of several targets the first byte of an input chooses one. Needs `atheris`;
knows nothing of attempts.
"""

from __future__ import annotations

import sys

import atheris

with atheris.instrument_imports(include=["ddg_lsp", "markdown_it"]):
    from tests.attacks.documents_targets import TARGETS, feed


def main() -> None:
    """Hand the targets to the fuzzer; what one raises ends the process with the input written down."""
    names = sys.argv[1].split(",")
    assert set(names) <= TARGETS.keys()

    def one(data: bytes) -> None:
        if len(names) == 1:
            feed(names[0], data)
        elif data:
            feed(names[data[0] % len(names)], data[1:])

    atheris.Setup([sys.argv[0], *sys.argv[2:]], one)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
