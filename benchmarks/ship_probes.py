"""Makes the probe vectors that travel with the package: `python -m benchmarks.ship_probes`.

They are what `centring.compute` makes of the probe questions with the built-in model, in 8 bits: each vector so scaled
that its largest number is 127, which is undone when they are read, since vectors of norm 1 are made of them then. No
cosine to the vector as computed is below 0.9999, a hundredth of what two machines differ by, and the package is 280 KB
smaller than with float16. To be run again when the questions, the model or the way it is run change;
`tests/core/test_centring.py` says when that was forgotten.
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
    vectors = centring.compute(embedder)
    np.save(path, np.round(vectors * (127 / np.abs(vectors).max(axis=2, keepdims=True))).astype(np.int8))
    print(f"{path.name}: {path.stat().st_size:,} bytes")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
