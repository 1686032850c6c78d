"""Whether a document that may exist only in an editor would belong to the corpus once it is saved.

Owns nothing new: it walks the names of one path with the rules of `judge.py`. Must not know whether there is a file.
"""

from __future__ import annotations

from pathlib import Path

from ddg_lsp.core.disk import real
from ddg_lsp.core.ignore import Chain, RuleFiles
from ddg_lsp.core.judge import MAYBE_OUTPUT, Judge
from ddg_lsp.core.options import Settings
from ddg_lsp.core.secrets import holds_private_key


def belongs(root: Path, path: str, settings: Settings, text: str) -> bool:
    """Whether a scan would list `path` (folder-relative, `/`) if it held this text. Opens ignore files only."""
    judge = Judge(settings)
    if not judge.document(path) or (settings.root and not path.startswith(f"{settings.root}/")):
        return False
    if len(text.encode("utf-8", "surrogatepass")) > settings.max_file_bytes:
        return False
    if "\0" in text or holds_private_key(text):
        return False
    try:
        rule_files = RuleFiles(real(root), None)
    except OSError:
        return False
    chain: Chain | None = None
    if settings.gitignore:
        chain, _ = rule_files.enter("", None, ".git/info/exclude")
        chain, _ = rule_files.enter("", chain)
    parts = path.split("/")
    for depth in range(settings.root.count("/") + 1 if settings.root else 0, len(parts) - 1):
        folder = "/".join(parts[: depth + 1])
        if judge.folder(folder, folder, parts[depth], chain) not in ("", MAYBE_OUTPUT):
            return False
        if settings.gitignore:
            chain, _ = rule_files.enter(folder, chain)
    return judge.file(path, path, parts[-1], chain) == ""
