"""Certificates that cannot work are named by check --deploy and before the seller's server starts."""

from collections.abc import Callable
from io import StringIO
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.serialization import (
    BestAvailableEncryption,
    Encoding,
    PrivateFormat,
    load_pem_private_key,
)
from django.core.management import CommandError, call_command
from django.core.management.base import SystemCheckError
from pytest_django import Settings

from seller_link import certificate_files
from tests.servers.certificates import Authority
from tests.servers.ports import free_port

pytestmark = pytest.mark.usefixtures("our_certificates")


def encrypted(key: str, folder: Path) -> str:
    path = folder / "encrypted.key"
    private = load_pem_private_key(Path(key).read_bytes(), password=None)
    form = (Encoding.PEM, PrivateFormat.PKCS8, BestAvailableEncryption(b"hush"))
    path.write_bytes(private.private_bytes(*form))
    return str(path)


WRONG: dict[str, tuple[Callable[[Settings, Authority, Path], dict[str, str]], str]] = {
    "another key": (
        lambda _settings, authority, _folder: {"SELLER_SERVER_KEY": authority.issue("other").key},
        r"SELLER_SERVER_CERT, SELLER_SERVER_KEY: the key in .* does not belong to the certificate in ",
    ),
    "a key with a password": (
        lambda settings, _authority, folder: {
            "SELLER_SERVER_KEY": encrypted(settings.SELLER_SERVER_KEY, folder)
        },
        r"SELLER_SERVER_CERT, SELLER_SERVER_KEY: .* the key without a password",
    ),
    "a key as the authority": (
        lambda settings, _authority, _folder: {"SELLER_CA": settings.SELLER_SERVER_KEY},
        r"SELLER_CA: .* holds no certificate in PEM",
    ),
    "a certificate as the list": (
        lambda settings, _authority, _folder: {"SELLER_CRL": settings.SELLER_CA},
        r"SELLER_CRL: .* is no list of revoked certificates in PEM",
    ),
}


def test_files_that_belong_together_can_be_used() -> None:
    assert (certificate_files.client_problems(), certificate_files.server_problems()) == ([], [])


@pytest.mark.parametrize("wrong", WRONG)
def test_file_that_cannot_work_is_named_before_the_server_starts(
    wrong: str, settings: Settings, authority: Authority, tmp_path: Path
) -> None:
    change, message = WRONG[wrong]
    for name, value in change(settings, authority, tmp_path).items():
        setattr(settings, name, value)

    with pytest.raises(SystemCheckError, match=message):
        call_command("check", deploy=True, tags=["settings"], stdout=StringIO(), stderr=StringIO())
    with pytest.raises(CommandError, match=message):
        call_command("seller_server", port=free_port())


def test_file_that_is_not_there_is_named_by_the_server(settings: Settings) -> None:
    settings.SELLER_SERVER_CERT = "/nowhere/door.pem"

    with pytest.raises(
        CommandError, match=r"\ASELLER_SERVER_CERT: cannot read the file /nowhere/door\.pem\Z"
    ):
        call_command("seller_server", port=free_port())


def test_key_of_another_client_certificate_is_named(settings: Settings, authority: Authority) -> None:
    settings.SELLER_CLIENT_KEY = authority.issue("other").key

    with pytest.raises(SystemCheckError, match="SELLER_CLIENT_CERT, SELLER_CLIENT_KEY: the key"):
        call_command("check", deploy=True, tags=["settings"], stdout=StringIO(), stderr=StringIO())
