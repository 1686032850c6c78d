"""ddg-lsp: ask a workspace's documents a question, by meaning, from an editor or a shell."""

import os

# onnxruntime queues a usage event for its makers, with an upload, while it is imported: this has to be said before.
os.environ["ORT_DISABLE_TELEMETRY"] = "1"
# numpy's linear algebra takes every core of the machine unless it is told before it is imported; a question needs two.
for _name in ("OPENBLAS_NUM_THREADS", "VECLIB_MAXIMUM_THREADS"):
    os.environ.setdefault(_name, "2")

__version__ = "0.1.0"
