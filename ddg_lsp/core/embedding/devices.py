"""Whether this machine has a GPU that PyTorch can use, asked as cheaply as it can be known.

Owns the look at the machine; torch, seconds to import, is imported only where the machine has such a device and an
installed torch may be built for it.
"""

from __future__ import annotations

import importlib.util
import os
import platform
import sys
from importlib import metadata
from pathlib import Path


def find_gpu() -> str:
    """`cuda`, `mps` or, without a usable GPU, an empty string. AMD's count as `cuda`, as in torch itself."""
    if importlib.util.find_spec("torch") is None:
        return ""
    if sys.platform == "darwin":
        return "mps" if platform.machine() == "arm64" and _torch_says("mps") else ""
    if not _has_device() or _built_for_cpu():
        return ""
    return "cuda" if _torch_says("cuda") else ""


def _has_device() -> bool:
    """A driver's device file or library; without one torch would find nothing either."""
    if sys.platform == "win32":
        system = Path(os.environ.get("SYSTEMROOT", r"C:\Windows")) / "System32"
        return any((system / name).exists() for name in ("nvcuda.dll", "amdhip64.dll", "amdhip64_6.dll"))
    return any(Path(name).exists() for name in ("/dev/nvidiactl", "/dev/kfd", "/dev/dxg", "/dev/nvhost-gpu"))


def _built_for_cpu() -> bool:
    try:
        return metadata.version("torch").endswith("+cpu")
    except metadata.PackageNotFoundError:
        return False


def _torch_says(kind: str) -> bool:
    try:
        import torch
    except (ImportError, OSError):  # a torch without its CUDA libraries fails with the latter
        return False
    backend = torch.backends.mps if kind == "mps" else torch.cuda
    return bool(backend.is_available())
