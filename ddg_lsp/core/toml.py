"""TOML reading under one name: `tomllib` where Python has it, the same parser from `tomli` on Python 3.10."""

import sys

if sys.version_info >= (3, 11):
    from tomllib import TOMLDecodeError, loads
else:
    from tomli import TOMLDecodeError, loads

__all__ = ["TOMLDecodeError", "loads"]
