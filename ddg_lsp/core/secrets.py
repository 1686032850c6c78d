"""What looks like a secret: names of files and folders, and private keys in text.

Owns the two rules and nothing else; must not read the disk. A name is judged by its whole words: a name that says
nothing but "secret" is one (`secrets.md`, `prod-api-keys.md`, `credentials/`), a name that says what is done with
secrets is documentation (`secrets-management.md`, `reset-a-password.md`).
"""

from __future__ import annotations

import re
from functools import lru_cache

from ddg_lsp.core.corpus_rules import words

_ALONE = words(
    "secret secrets credential credentials creds password passwords passwd passphrase passphrases apikey "
    "apikeys htpasswd"
)
"""Words that make a name secret when nothing else is said."""
_KEY_OWNERS = words("api access private secret")
_TOKEN_OWNERS = words("api access auth bearer")
_KEYS = words("key keys")
_TOKENS = words("token tokens")
"""Not secret alone: tokens are also a lexer's, a designer's and a model's."""
_ANY_KIND = words(
    "prod production staging stage dev development local my our team shared backup old new root admin aws "
    "gcp azure db md json yaml yml toml txt env ini csv"
)
"""Words that say whose or which, and leave a secret a secret."""
_SECTIONS = words("secret credential password passphrase")
"""In the singular a concept: a folder of that name is a chapter about it, a folder `secrets/` is where they lie."""

_KEY_FILES = re.compile(
    r"\.env(?:rc)?(?:\..*)?|.*\.env|id_(?:rsa|dsa|ecdsa|ed25519)(?:[._-].*)?|.*\.(?:pem|key|p12|pfx|kdbx|jks|keystore|ppk)",
    re.DOTALL,
)
_WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+|[^\W\d_a-zA-Z]+")
_DOCUMENT = re.compile(r"\.(?:md|markdown|mdx)\Z", re.IGNORECASE)


@lru_cache(maxsize=16_384)
def secret_name(name: str, folder: bool = False) -> bool:
    """Whether one name (not a path) looks like a place for secrets."""
    stem = _DOCUMENT.sub("", name)
    if not folder and (_KEY_FILES.fullmatch(stem.lower()) or name.startswith(".env.")):
        return True
    found = [word.lower() for word in _WORDS.findall(stem)]
    telling = [word for word in found if word not in _ANY_KIND and not (word.isdigit() and len(found) > 1)]
    # `api` is in no list of its own: it counts only in front of a key or a token.
    return _all_secret(telling) and not (folder and len(telling) == 1 and telling[0] in _SECTIONS)


def secret_path(path: str) -> bool:
    """Whether any folder of a `/`-path, or the file itself, looks like a place for secrets."""
    *folders, name = path.split("/")
    return secret_name(name) or any(secret_name(one, folder=True) for one in folders)


def _all_secret(said: list[str]) -> bool:
    """Whether the words, in order, are secret ones and nothing else."""
    at = 0
    found = False
    while at < len(said):
        word, following = said[at], said[at + 1] if at + 1 < len(said) else ""
        if (word in _KEY_OWNERS and following in _KEYS) or (word in _TOKEN_OWNERS and following in _TOKENS):
            at += 2
        elif word in _ALONE or (found and word in _KEYS | _TOKENS):
            at += 1
        else:
            return False
        found = True
    return found


_KEY_BLOCK = re.compile(
    r"-{4,5} ?BEGIN (?:[A-Z0-9]+ ){0,4}PRIVATE KEY(?: BLOCK)? ?-{4,5}(?=(?P<body>.{0,1000}))", re.DOTALL
)
"""RFC 7468's form, PGP's, and the one of SSH2, which has four hyphens and a blank."""
_BREAK = re.compile(r"\\+[rn]|<br ?/?>|&#(?:1[03]|x0?[AaDd]);", re.IGNORECASE)
"""Line ends as they are written in strings and in HTML."""
_KEY_LINE = re.compile(r"[A-Za-z0-9+/=]+(?:\.\.\.|…)?")
_HEADER = re.compile(r"[A-Za-z-]+: ")
_LONG_KEY = re.compile(r"[A-Za-z0-9+/=]{40}")
_WHOLE_LINE = re.compile(r"[A-Za-z0-9+/=]{60}")
"""A line of a key as every tool writes it; no path or word is as long."""
_NEAR = 300
"""Characters in which such a line makes a key of a marker, whatever stands around it: line numbers, tags, a diff."""
_DECORATION = " \t\r\n>#|*-+\"',;\\`()\u00a0\u200b\ufeff"
_ONE_LINE = re.compile(
    r"\bAGE-SECRET-KEY-1[02-9AC-HJ-NP-Z]{40}|PuTTY-User-Key-File-[0-9]: .{1,2000}?Private-Lines: ", re.DOTALL
)


def holds_private_key(text: str) -> bool:
    """Whether a private key block with something in it stands in the text.

    `-----BEGIN PRIVATE KEY-----` within a sentence, or around `...` or `<your key>`, is documentation.
    """
    if "PRIVATE KEY" in text and any(_key_material(found["body"]) for found in _KEY_BLOCK.finditer(text)):
        return True
    return ("AGE-SECRET-KEY-1" in text or "PuTTY-User-Key-File" in text) and _ONE_LINE.search(text) is not None


def _key_material(body: str) -> bool:
    body = _BREAK.sub("\n", body.partition("-----")[0])
    lines = body.split("\n")
    first = lines[0].strip(_DECORATION)
    if _WHOLE_LINE.search(body[:_NEAR]):
        return True
    if first:  # the marker is not alone on its line: a sentence about it, or a key with its line breaks lost
        return _LONG_KEY.match(first) is not None
    for line in lines[1:]:
        bare = line.strip(_DECORATION)
        if bare and not _HEADER.match(bare):
            return _KEY_LINE.fullmatch(bare) is not None
    return False
