"""The settings of a backup: no secret stands among those that anybody can read."""

import re
from pathlib import Path

import pytest

from operations import backup_secrets
from tests.conventions.sources import ROOT

SECRET = re.compile(r'\benv_(?:secret|database|vapid_key)\(\s*"([A-Z_]+)"')
READ = {name for path in (ROOT / "config").rglob("*.py") for name in SECRET.findall(path.read_text())}
# it opens all backups and is in none
PASSPHRASE = "BACKUP_PASSPHRASE"


def test_readers_of_secrets_are_found() -> None:
    assert {"SECRET_KEY", "DATABASE_URL", "VAPID_PRIVATE_KEY", "OIDC_CLIENT_SECRET", PASSPHRASE} <= READ


@pytest.mark.parametrize("name", sorted(READ))
def test_every_setting_that_is_read_as_a_secret_is_encrypted(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(name, "hidden-value")

    assert "hidden-value" not in backup_secrets.open_settings()
    encrypted = backup_secrets.secret_settings()["environment"]
    assert encrypted.get(name) == (None if name == PASSPHRASE else "hidden-value")


@pytest.mark.parametrize("upper", [False, True])
def test_proxy_that_only_libraries_read_is_in_the_backup(
    monkeypatch: pytest.MonkeyPatch, *, upper: bool
) -> None:
    """The handbook has it put into the environment file (Install, step 4). One without a scheme is hidden, too."""
    values = {
        "https_proxy": "http://proxy.example.org:3128",
        "http_proxy": "user:hidden-value@proxy.example.org:3128",
        "no_proxy": "localhost,192.0.2.0/24",
    }
    names = {name: name.upper() if upper else name for name in values}
    for name, value in values.items():
        monkeypatch.setenv(names[name], value)

    encrypted = backup_secrets.secret_settings()["environment"]
    proxies = {names[name]: values[name] for name in ("http_proxy", "https_proxy")}
    assert {name: encrypted.get(name) for name in proxies} == proxies
    in_clear = backup_secrets.open_settings()
    assert f'{names["no_proxy"]}="localhost,192.0.2.0/24"\n' in in_clear
    assert "hidden-value" not in in_clear


@pytest.mark.parametrize("look", ["is_file", "read_bytes"])
def test_file_that_the_service_may_not_read_is_left_out(
    look: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Its folder, or itself, is root's; our tests may run as root."""
    certificate, matrix = tmp_path / "people.pem", tmp_path / "matrix.json"
    for path, name in ((certificate, "PUBLIC_CERT"), (matrix, "QUESTION_MATRIX")):
        path.write_text("content")
        monkeypatch.setenv(name, str(path))
    usual = getattr(Path, look)

    def refuse(path: Path) -> object:
        if path == certificate:
            raise PermissionError(13, "Permission denied", str(path))
        return usual(path)

    monkeypatch.setattr(Path, look, refuse)

    assert [*backup_secrets.secret_settings()["files"]] == [str(matrix)]
