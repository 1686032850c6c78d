"""ddg-lsp: ask a workspace's documents a question, by meaning, from an editor or a shell."""

__version__ = "0.1.0"
