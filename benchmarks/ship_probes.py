"""Makes the probe vectors that travel with the package: `python -m benchmarks.ship_probes`.

They are what `centring.compute` makes of the probe questions with the built-in model, in float16. To be run again when
the questions, the model or the way it is run change; `tests/core/test_centring.py` says when that was forgotten.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from ddg_lsp.core import centring, probes
from ddg_lsp.core.embedding.e5 import E5Embedder


def main() -> int:
    """Compute, remove what is out of date, write."""
    embedder = E5Embedder()
    folder = Path(probes.__file__).parent
    for old in folder.glob("*.npy"):
        old.unlink()
    path = folder / f"{centring.key_of(embedder.info)}.npy"
    np.save(path, centring.compute(embedder).astype(np.float16))
    print(f"{path.name}: {path.stat().st_size:,} bytes")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
