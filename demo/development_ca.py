"""A development certificate authority: what a demo, a rehearsal and the tests need for mutual TLS.

Production certificates come from the authority agreed with the seller, never from here.
"""

import os
from dataclasses import dataclass
from datetime import timedelta
from ipaddress import ip_address
from pathlib import Path

from cryptography import x509
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    load_pem_private_key,
)
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID
from django.utils import timezone

VALID_FOR = timedelta(days=365)
RENEW_BEFORE = timedelta(days=7)
# clocks of two machines may differ a little
BACKDATED = timedelta(hours=1)
HERE = [x509.DNSName("localhost"), *(x509.IPAddress(ip_address(here)) for here in ("127.0.0.1", "::1"))]
# file name → subject; the seller changes to its next one as operators do before a certificate ends
DEMO_SUBJECTS = {"seller": "seller", "seller-next": "seller", "partner": "partner"}


@dataclass(frozen=True)
class Identity:
    """A certificate with its private key."""

    certificate: x509.Certificate
    key: ec.EllipticCurvePrivateKey

    def save(self, folder: Path, name: str) -> None:
        """Write `name.pem` and `name.key` (PKCS#8: granian reads no other form), for the owner only."""
        key = self.key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
        _write_private(folder / f"{name}.key", key)
        _write_private(folder / f"{name}.pem", self.certificate.public_bytes(Encoding.PEM))


@dataclass(frozen=True)
class Authority(Identity):
    """Issues certificates that serve as server and as client."""

    def issue(self, common_name: str, *, valid_for: timedelta = VALID_FOR) -> Identity:
        """A leaf for this subject on the loopback addresses."""
        key = _new_key()
        authority_key = x509.AuthorityKeyIdentifier.from_issuer_public_key(self.key.public_key())
        usage = [ExtendedKeyUsageOID.SERVER_AUTH, ExtendedKeyUsageOID.CLIENT_AUTH]
        certificate = (
            _begin(common_name, issuer=self.certificate.subject, key=key, valid_for=valid_for)
            .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
            .add_extension(_key_usage(signs_certificates=False), critical=True)
            .add_extension(x509.ExtendedKeyUsage(usage), critical=False)
            .add_extension(x509.SubjectAlternativeName(HERE), critical=False)
            .add_extension(authority_key, critical=False)
            .sign(self.key, SHA256())
        )
        return Identity(certificate, key)


def make_authority(
    common_name: str = "Fibre dispatch demo authority", *, valid_for: timedelta = VALID_FOR
) -> Authority:
    """A self-signed authority of its own; no other machine trusts it."""
    key = _new_key()
    certificate = (
        _begin(common_name, issuer=_name(common_name), key=key, valid_for=valid_for)
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .add_extension(_key_usage(signs_certificates=True), critical=True)
        .sign(key, SHA256())
    )
    return Authority(certificate, key)


def ensure_demo_certificates(folder: Path) -> bool:
    """Make ca, seller, the seller's next one and partner (`.pem` and `.key` each) unless all are there and last.

    Returns whether new ones were made. All are renewed together, so that they always belong together.
    """
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    if _is_sound(folder):
        return False
    authority = make_authority()
    authority.save(folder, "ca")
    for name, subject in DEMO_SUBJECTS.items():
        authority.issue(subject).save(folder, name)
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


def _new_key() -> ec.EllipticCurvePrivateKey:
    return ec.generate_private_key(ec.SECP256R1())


def _name(common_name: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, common_name)])


def _begin(
    common_name: str, *, issuer: x509.Name, key: ec.EllipticCurvePrivateKey, valid_for: timedelta
) -> x509.CertificateBuilder:
    now = timezone.now()
    return (
        x509.CertificateBuilder()
        .subject_name(_name(common_name))
        .issuer_name(issuer)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - BACKDATED)
        .not_valid_after(now + valid_for)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
    )


def _key_usage(*, signs_certificates: bool) -> x509.KeyUsage:
    unused = ("content_commitment", "key_encipherment", "data_encipherment", "key_agreement")
    return x509.KeyUsage(
        digital_signature=not signs_certificates,
        key_cert_sign=signs_certificates,
        crl_sign=signs_certificates,
        **dict.fromkeys([*unused, "encipher_only", "decipher_only"], False),
    )


def _write_private(path: Path, content: bytes) -> None:
    path.unlink(missing_ok=True)
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
        file.write(content)
