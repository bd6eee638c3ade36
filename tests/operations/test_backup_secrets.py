"""The settings of a backup: no secret stands among those that anybody can read."""

import re

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
