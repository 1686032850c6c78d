"""The documents of the acceptance cases of publishing, and the file that is to come of them."""

from __future__ import annotations

ACME = {
    "docs/README.md": "---\ntitle: Acme\ndescription: Acme is a tiny build tool.\n---\n# Acme\n",
    "docs/spec/README.md": "# Specs\n\nWhat we promise.\n",
    "docs/spec/QUERY (v2).md": "# Query [v2]\n\nSearches docs. More.\n",
    "docs/guide/설치 안내.md": "# 설치 안내\n",
    "docs/plan/next.md": "# Next\n\nPlans.\n",
    "docs/archive/old.md": "# Old\n\nPast.\n",
}
LLMS = r"""# Acme

> Acme is a tiny build tool.

## Docs

- [Acme](README.md): Acme is a tiny build tool.

## guide

- [설치 안내](guide/%EC%84%A4%EC%B9%98%20%EC%95%88%EB%82%B4.md)

## Specs

- [Specs](spec/README.md): What we promise.
- [Query \[v2\]](spec/QUERY%20%28v2%29.md): Searches docs.
"""
