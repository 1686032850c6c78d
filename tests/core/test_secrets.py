"""What looks like a secret and what is documentation about secrets."""

from __future__ import annotations

from pathlib import Path

import pytest

from ddg_lsp.core.corpus import read, scan
from ddg_lsp.core.model import Skip
from ddg_lsp.core.secrets import holds_private_key, secret_path
from ddg_lsp.core.settings import Settings
from tests.helpers.trees import empty, write


@pytest.mark.parametrize(
    "path",
    [
        ".env",
        ".env.md",
        ".env.local.md",
        "prod.env",
        "secrets/token.md",
        "docs/secrets/readme.md",
        "Secrets/a.md",
        "my-credentials/a.md",
        "api_keys/a.md",
        "secret.md",
        "secrets.md",
        "SECRETS.md",
        "secrets.prod.md",
        "prod-secrets-2024.md",
        "credentials.md",
        "aws_credentials.json.md",
        "creds.md",
        "passwords.md",
        "password.mdx",
        "myPasswords.md",
        "api-keys.md",
        "apikeys.md",
        "APIKey.markdown",
        "private-key.md",
        "secret-key.md",
        "access_token.md",
        "api-tokens.md",
        "secret tokens.md",
        "id_rsa.md",
        "id_ed25519",
        "id_rsa.pub",
        "server.pem",
        "server.pem.md",
        "store.p12",
        "vault.kdbx",
    ],
)
def test_these_names_look_like_places_for_secrets(path: str) -> None:
    assert secret_path(path)


@pytest.mark.parametrize(
    "path",
    [
        "docs/security/oauth2-scopes.md",
        "docs/tutorial/secrets-management.md",
        "docs/security/index.md",
        "docs/tokens.md",
        "docs/token.md",
        "tokens/color.md",
        "docs/tokenizer.md",
        "docs/keys.md",
        "docs/api.md",
        "docs/api-reference.md",
        "docs/private/a.md",
        "docs/environment.md",
        "docs/env.md",
        "docs/config/environment-variables.md",
        "docs/how-to/reset-a-password.md",
        "docs/password-hashing.md",
        "docs/password/index.md",
        "docs/secret/index.md",
        "docs/distribute-credentials-secure.md",
        "docs/managing-your-personal-access-tokens.md",
        "docs/using-secrets-in-actions.md",
        "docs/oauth2-jwt.md",
        "docs/simple-oauth2.md",
        "docs/keyboard-shortcuts.md",
        "docs/monkey.md",
        "docs/passport.md",
        "docs/secretary.md",
        "docs/2024.md",
        "docs/prod.md",
        "docs/秘密.md",
        "docs/비밀번호-재설정.md",
    ],
)
def test_these_names_are_documentation(path: str) -> None:
    assert not secret_path(path)


KEY = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7"


@pytest.mark.parametrize(
    "text",
    [
        f"-----BEGIN PRIVATE KEY-----\n{KEY}\n-----END PRIVATE KEY-----\n",
        f"# Notes\r\n\r\n```\r\n-----BEGIN RSA PRIVATE KEY-----\r\n{KEY}\r\n-----END RSA PRIVATE KEY-----\r\n```\r\n",
        "-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1rZXktdjEAAAAA\n",
        "-----BEGIN EC PRIVATE KEY-----\nabc\n-----END EC PRIVATE KEY-----",
        f"-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,3F17\n\n{KEY}\n",
        f"-----BEGIN PGP PRIVATE KEY BLOCK-----\nVersion: GnuPG v2\n\n{KEY}\n",
        f"> -----BEGIN PRIVATE KEY-----\n> {KEY}\n",
        f'{{"private_key": "-----BEGIN PRIVATE KEY-----\\n{KEY}\\n-----END PRIVATE KEY-----\\n"}}',
        f"KEY=-----BEGIN PRIVATE KEY----- {KEY} -----END PRIVATE KEY-----",
        f'"-----BEGIN PRIVATE KEY-----\\r\\n{KEY}\\r\\n-----END PRIVATE KEY-----"',
        f'{{"a": "{{\\"k\\": \\"-----BEGIN PRIVATE KEY-----\\\\n{KEY}\\\\n\\"}}"}}',
        f'"-----BEGIN EC PRIVATE KEY-----\\n" \\\n"{KEY[:20]}\\n" \\\n',
        f"echo '-----BEGIN RSA PRIVATE KEY-----\\\n{KEY}\\\n'",
        f"<pre>-----BEGIN PRIVATE KEY-----<br>{KEY}<br/>-----END PRIVATE KEY-----</pre>",
        f"------BEGIN PRIVATE KEY-----\n-{KEY}\n------END PRIVATE KEY-----\n",
        f"- -----BEGIN PRIVATE KEY-----\n- {KEY}\n",
        f"1 -----BEGIN PRIVATE KEY-----\n2 {KEY}{KEY}\n",
        f"<i>-----BEGIN PRIVATE KEY-----</i>\n<i>{KEY}{KEY}</i>\n",
        f"\u00a0-----BEGIN PRIVATE KEY-----\n\u00a0{KEY}\n",
        f"---- BEGIN SSH2 ENCRYPTED PRIVATE KEY ----\nComment: x\n{KEY}\n",
        f"PuTTY-User-Key-File-3: ssh-ed25519\nEncryption: none\nComment: x\nPrivate-Lines: 1\n{KEY}\n",
        "AGE-SECRET-KEY-1QQPQXQZP0QYSLQGYQ2Q3Q4Q5Q6Q7Q8Q9QAQCQDQEQFQGQHQJQKQL",
        f"-----BEGIN PRIVATE KEY-----\n...\n-----END PRIVATE KEY-----\n-----BEGIN PRIVATE KEY-----\n{KEY}\n",
    ],
)
def test_a_private_key_is_found(text: str) -> None:
    assert holds_private_key(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "The PRIVATE KEY is yours.",
        "The file begins with `-----BEGIN PRIVATE KEY-----`.\n\nKeep it.\n",
        "-----BEGIN PRIVATE KEY-----\n...\n-----END PRIVATE KEY-----\n",
        "-----BEGIN PRIVATE KEY-----\n<your key>\n-----END PRIVATE KEY-----\n",
        "-----BEGIN PRIVATE KEY-----\n\n-----END PRIVATE KEY-----\n",
        "-----BEGIN RSA PRIVATE KEY-----\n[the key goes here]\n-----END RSA PRIVATE KEY-----\n",
        "Between `-----BEGIN PRIVATE KEY-----` and `-----END PRIVATE KEY-----`\n\n- one\n- two\n",
        f"First `-----BEGIN PRIVATE KEY-----`, then the certificate:\n-----BEGIN CERTIFICATE-----\n{KEY}{KEY}\n",
        "An age key begins with `AGE-SECRET-KEY-1`, PuTTY's with `PuTTY-User-Key-File-3`.",
        f"-----BEGIN CERTIFICATE-----\n{KEY}\n-----END CERTIFICATE-----\n",
        f"-----BEGIN PUBLIC KEY-----\n{KEY}\n-----END PUBLIC KEY-----\n",
    ],
)
def test_writing_about_private_keys_is_documentation(text: str) -> None:
    assert not holds_private_key(text)


def test_row76_secrets_are_not_listed_and_are_refused_again_when_read(tmp_path: Path) -> None:
    empty(tmp_path, ".env.md", "secrets/token.md", "docs/secrets/a.md", "guide.md")
    write(tmp_path, {"key.md": f"# Key\n\n-----BEGIN PRIVATE KEY-----\n{KEY}\n-----END PRIVATE KEY-----\n"})
    assert [entry.path for entry in scan(tmp_path, Settings()).files] == ["guide.md", "key.md"]
    for path in (".env.md", "secrets/token.md", "docs/secrets/a.md"):
        assert read(tmp_path, path, Settings()) == Skip(path, "secret-name")
    assert read(tmp_path, "key.md", Settings()) == Skip("key.md", "secret-content")


def test_the_user_may_search_names_that_look_secret_but_never_private_keys(tmp_path: Path) -> None:
    empty(tmp_path, "secrets/token.md")
    write(tmp_path, {"key.md": f"-----BEGIN PRIVATE KEY-----\n{KEY}\n"})
    trusting = Settings(secret_names=False)
    assert [entry.path for entry in scan(tmp_path, trusting).files] == ["key.md", "secrets/token.md"]
    assert read(tmp_path, "secrets/token.md", trusting) == "# Heading\n"
    assert read(tmp_path, "key.md", trusting) == Skip("key.md", "secret-content")


def test_a_root_the_user_named_is_searched_whatever_its_name(tmp_path: Path) -> None:
    empty(tmp_path, "secrets/guide.md", "secrets/credentials.md", ".notes/a.md")
    settings = Settings(root="secrets")
    assert [entry.path for entry in scan(tmp_path, settings).files] == ["secrets/guide.md"]
    assert read(tmp_path, "secrets/guide.md", settings) == "# Heading\n"
    assert [entry.path for entry in scan(tmp_path, Settings(root=".notes")).files] == [".notes/a.md"]
