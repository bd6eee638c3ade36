"""The settings of a backup: what is no secret as an environment file, the rest encrypted with a passphrase.

Secret are keys, passwords and addresses that carry one; with them go the files that settings point to (TLS keys and
certificates, the question matrix), so that another machine can be started from the backup alone.
"""

import base64
import json
import os
from pathlib import Path
from urllib.parse import urlsplit

import structlog
from cryptography.fernet import Fernet, InvalidToken
from cryptography.hazmat.primitives.kdf.scrypt import Scrypt

from config.environment import secret_names, variables_set

# read by libraries alone, in either spelling
PROXIES = ("http_proxy", "https_proxy", "all_proxy", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY")
READ_BY_LIBRARIES = ("no_proxy", "NO_PROXY", *PROXIES)
# in addition to what env_secret reads: they may hold a password, and boto3 reads a bucket's keys itself
MORE_SECRETS = {
    *("REDIS_URL", "SMS_GATEWAY_FIELDS", *PROXIES),
    *("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN"),
}
# never in a backup, encrypted or not: it opens all of them
EXCLUDED = {"BACKUP_PASSPHRASE", "BACKUP_PASSPHRASE_FILE"}
# 128 MB and about half a second for each passphrase that somebody tries
SCRYPT_N, SCRYPT_R, SCRYPT_P = 2**17, 8, 1


MOST_BYTES = 1 << 20
log = structlog.get_logger("operations.backup_secrets")


class WrongPassphrase(Exception):
    """It does not open these secrets."""


def open_settings() -> str:
    """An environment file with every setting that is set and no secret."""
    return "".join(
        environment_line(name, value)
        for name, value in sorted(_variables().items())
        if not _is_secret(name, value)
    )


def environment_line(name: str, value: str) -> str:
    """As systemd reads it, and deploy/quoting.sh."""
    return f"{name}={json.dumps(value, ensure_ascii=False)}\n"


def secret_settings() -> dict[str, dict[str, str]]:
    """`environment`: the secret settings; `files`: each file that a setting points to, by its path, in base64."""
    variables = _variables()
    secret = {name: value for name, value in sorted(variables.items()) if _is_secret(name, value)}
    paths = sorted({value for value in variables.values() if value.startswith("/")})
    contents = {path: content for path in paths if (content := _content(Path(path))) is not None}
    files = {path: base64.b64encode(content).decode() for path, content in contents.items()}
    return {"environment": secret, "files": files}


def encrypt(secrets: dict[str, dict[str, str]], passphrase: str) -> str:
    """As JSON with what scrypt needs beside the passphrase."""
    salt = os.urandom(16)
    token = Fernet(_key(passphrase, salt)).encrypt(json.dumps(secrets).encode())
    return json.dumps({"scrypt_salt": base64.b64encode(salt).decode(), "fernet": token.decode()}) + "\n"


def decrypt(text: str, passphrase: str) -> dict[str, dict[str, str]]:
    """What was encrypted. Raises WrongPassphrase."""
    stored = json.loads(text)
    key = _key(passphrase, base64.b64decode(stored["scrypt_salt"]))
    try:
        found: dict[str, dict[str, str]] = json.loads(Fernet(key).decrypt(stored["fernet"]))
    except InvalidToken as problem:
        raise WrongPassphrase from problem
    return found


def _is_secret(name: str, value: str) -> bool:
    """A key or password, also one in an address: before its host, or behind a question mark. Those of a bucket stand in
    variables of their own."""
    address = urlsplit(value)
    has_key = "@" in address.netloc or (bool(address.query) and name != "EVIDENCE_STORAGE_URL")
    return name in secret_names() | MORE_SECRETS or (bool(address.scheme) and has_key)


def _variables() -> dict[str, str]:
    found = variables_set(*MORE_SECRETS, *READ_BY_LIBRARIES)
    return {name: value for name, value in found.items() if name not in EXCLUDED}


def _key(passphrase: str, salt: bytes) -> bytes:
    derived = Scrypt(salt=salt, length=32, n=SCRYPT_N, r=SCRYPT_R, p=SCRYPT_P).derive(passphrase.encode())
    return base64.urlsafe_b64encode(derived)


def _content(path: Path) -> bytes | None:
    """Of a key or a list; None for a database that a setting names by its path, and for what this user may not read:
    nginx, which runs as root, has a certificate that PUBLIC_CERT only names."""
    try:
        return path.read_bytes() if path.is_file() and path.stat().st_size <= MOST_BYTES else None
    except PermissionError:
        log.warning("left out of the backup: not readable", file=str(path))
        return None
