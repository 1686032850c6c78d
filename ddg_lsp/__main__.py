"""`python -m ddg_lsp` is the command line."""

import sys

from ddg_lsp.cli import main

sys.exit(main())
