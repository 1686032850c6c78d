"""The program `ddg-lsp`, also as `python -m ddg_lsp`. Nothing is imported before an interruption is provided for.

A Python without the packages this one needs gets as far as here: it is told what to do.
"""

import sys


def main() -> int:
    """The command line; its exit code, also where the user interrupts before it has begun."""
    try:
        from ddg_lsp.cli import main as run

        return run()
    except KeyboardInterrupt:
        return 130
    except ModuleNotFoundError as error:
        return _incomplete(error.name or "one")


def _incomplete(package: str) -> int:
    import json

    from ddg_lsp.core.errors import DdgError

    sentence = f"{sys.executable} has no package {package}. Install what is missing: "
    sentence += f'"{sys.executable}" -m pip install --upgrade ddg-lsp'
    trouble = DdgError("PACKAGE_MISSING", sentence)
    if "--json" in sys.argv:
        print(json.dumps({"ok": False, "error": {"code": trouble.code, "message": str(trouble)}}))
    else:
        print(f"ddg-lsp: {trouble}", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main())
