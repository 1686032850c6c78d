"""File names are UTF-8, whatever the locale says: the process starts again in Python's UTF-8 mode where it must.

Under `LC_ALL=C` with `PYTHONUTF8=0`, or a Latin-1 locale, Python reads names, arguments and addresses by the locale's
rules, while editors write UTF-8 into addresses and the corpus is read as UTF-8. How Python does it is fixed when it
starts, so one text for one file under every locale needs a start of its own. Must not know anything else.
"""

from __future__ import annotations

import os
import sys


def ensure() -> None:
    """Return where names are UTF-8 already, else start this very command again; descriptors and process stay."""
    utf8 = sys.flags.utf8_mode or sys.getfilesystemencoding().lower().replace("-", "") == "utf8"
    if utf8 or os.name == "nt" or not sys.executable:
        return
    try:
        os.execv(sys.executable, [sys.executable, "-X", "utf8", *sys.orig_argv[1:]])  # noqa: S606 - ourselves
    except OSError:
        return  # names that are not ASCII will look odd; everything else works
