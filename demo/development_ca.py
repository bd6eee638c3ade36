"""A development certificate authority: what a demo, a rehearsal and the tests need for mutual TLS.

Production certificates come from the authority agreed with the seller, never from here.
`python -m demo.development_ca FOLDER` makes them, unless sound ones are there.
"""

import argparse
import os
from datetime import timedelta
from pathlib import Path

import trustme
from cryptography import x509
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    load_pem_private_key,
)
from django.conf import settings
from django.utils import timezone

VALID_FOR = timedelta(days=365)
RENEW_BEFORE = timedelta(days=7)
# clocks of two machines may differ a little
BACKDATED = timedelta(hours=1)
HERE = ("localhost", "127.0.0.1", "::1")
# file name → subject; the seller changes to its next one as operators do before a certificate ends
BUYERS = ("buyer-a", "buyer-b", "buyer-c")
DEMO_SUBJECTS = {
    "seller": "seller",
    "seller-next": "seller",
    "partner": "partner",
    **{name: name for name in BUYERS},
}


def make_authority() -> trustme.CA:
    """A self-signed authority of its own, for end certificates only; no other machine trusts it."""
    return trustme.CA(path_length=0, organization_name="Fibre dispatch demo authority")


def issue(authority: trustme.CA, folder: Path, name: str, *, valid_for: timedelta = VALID_FOR) -> None:
    """Write `name.pem` and `name.key` for use as server and as client on the loopback addresses."""
    now = timezone.now()
    leaf = authority.issue_cert(
        *HERE,
        common_name=DEMO_SUBJECTS.get(name, name),
        not_before=now - BACKDATED,
        not_after=now + valid_for,
    )
    save(folder, name, certificate=leaf.cert_chain_pems[0], key=leaf.private_key_pem)


def ensure_demo_certificates(folder: Path) -> bool:
    """Make ca, seller, the seller's next one, partner and buyers (`.pem` and `.key` each) unless all last.

    Returns whether new ones were made. All are renewed together, so that they always belong together.
    """
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    if _is_sound(folder):
        return False
    authority = make_authority()
    save(folder, "ca", certificate=authority.cert_pem, key=authority.private_key_pem)
    for name in DEMO_SUBJECTS:
        issue(authority, folder, name)
    return True


def _is_sound(folder: Path) -> bool:
    try:
        authority = x509.load_pem_x509_certificate((folder / "ca.pem").read_bytes())
        return all(_lasts(folder, name, authority=authority) for name in ("ca", *DEMO_SUBJECTS))
    except (OSError, ValueError, TypeError, InvalidSignature):
        return False


def _lasts(folder: Path, name: str, *, authority: x509.Certificate) -> bool:
    certificate = x509.load_pem_x509_certificate((folder / f"{name}.pem").read_bytes())
    certificate.verify_directly_issued_by(authority)
    key = load_pem_private_key((folder / f"{name}.key").read_bytes(), password=None)
    belongs = key.public_key() == certificate.public_key()
    return belongs and certificate.not_valid_after_utc > timezone.now() + RENEW_BEFORE


def save(folder: Path, name: str, *, certificate: trustme.Blob, key: trustme.Blob) -> None:
    """Write `name.pem` and `name.key`, for the owner only, and the key in PKCS#8: granian reads no other form."""
    private = load_pem_private_key(key.bytes(), password=None)
    pkcs8 = private.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    for path, content in ((folder / f"{name}.key", pkcs8), (folder / f"{name}.pem", certificate.bytes())):
        path.unlink(missing_ok=True)
        with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
            file.write(content)


def main() -> None:
    parser = argparse.ArgumentParser(description="Make the certificates of a demo.")
    parser.add_argument("folder", type=Path)
    # without an application's own settings: all that its clock needs
    settings.configure(USE_TZ=True)
    ensure_demo_certificates(parser.parse_args().folder)


if __name__ == "__main__":
    main()
