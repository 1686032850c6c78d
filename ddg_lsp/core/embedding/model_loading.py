"""Opening a model with the model libraries, seconds of work, and their settings that last as long as the process.

Owns every import of torch, sentence-transformers and tokenizers on the way to an open model. Knows no text.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from ddg_lsp.core.embedding.errors import EmbedderUnavailable


def open_model(folder: Path, device: str, backend: str, threads: int) -> Any:
    """The loaded model, in float32, which depends least on what shares a batch; slow: seconds.

    Raises `EmbedderUnavailable` for a device that is not there, and whatever the libraries raise.
    """
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
    os.environ.setdefault("HF_HUB_DISABLE_TELEMETRY", "1")
    # Threads that wait by spinning take the processor from everyone, themselves included: on a busy machine with two
    # cores a batch took ten times as long and five times the processor time.
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
    import torch
    from sentence_transformers import SentenceTransformer
    from transformers.utils import logging as transformers_logging

    there = {"cuda": torch.cuda.is_available, "mps": torch.backends.mps.is_available}.get(device)
    if there is not None and not there():
        raise EmbedderUnavailable(f"There is no {device} device that PyTorch can use; set ddg.device to auto or cpu.")
    torch.set_num_threads(threads)
    transformers_logging.disable_progress_bar()
    model: Any = SentenceTransformer(
        str(folder),
        device=None if device == "auto" else device,
        backend=backend,
        local_files_only=True,
        trust_remote_code=False,
        model_kwargs=_session(threads) if backend == "onnx" else {},
    )
    model.default_prompt_name = None  # texts come with their prefix
    if backend == "torch":
        model.float()
    return model


def _session(threads: int) -> dict[str, Any]:
    """ONNX Runtime takes every core unless it is told otherwise."""
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.enable_cpu_mem_arena = False
    return {"session_options": options, "provider": "CPUExecutionProvider"}


def open_tokenizer(path: Path) -> Any:
    """The tokenizer of a `tokenizer.json`, which neither cuts nor fills up; tenths of a second, no torch."""
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
    from tokenizers import Tokenizer

    tokenizer: Any = Tokenizer.from_file(str(path))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return tokenizer
