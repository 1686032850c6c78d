"""The program `ddg-lsp`, also as `python -m ddg_lsp`. Nothing is imported before an interruption is provided for."""


def main() -> int:
    """The command line; its exit code, also where the user interrupts before it has begun."""
    try:
        from ddg_lsp.cli import main as run

        return run()
    except KeyboardInterrupt:
        return 130


if __name__ == "__main__":
    import sys

    sys.exit(main())
