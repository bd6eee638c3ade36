"""A certificate authority for tests and the identities that a real handshake must accept or refuse."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

import trustme
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    load_pem_private_key,
)


@dataclass(frozen=True)
class Identity:
    """Paths of a certificate and its key."""

    certificate: str
    key: str


class Authority:
    """Issues certificates into a folder; `ca` is the path to trust."""

    def __init__(self, folder: Path, *, name: str = "Test CA") -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.folder = folder
        self._authority = trustme.CA(organization_name=name)
        self.ca = str(folder / "ca.pem")
        self._authority.cert_pem.write_to_path(self.ca)

    def issue(
        self,
        name: str,
        *,
        hosts: tuple[str, ...] = ("localhost",),
        begins_in: timedelta = timedelta(days=-1),
        ends_in: timedelta = timedelta(days=30),
    ) -> Identity:
        return self._issue(self._authority, name, hosts=hosts, begins_in=begins_in, ends_in=ends_in)

    def issue_for_subject(self, subject: x509.Name) -> Identity:
        """With these attributes, in this order, and no others."""
        key, now = ec.generate_private_key(ec.SECP256R1()), datetime.now(UTC)
        builder = (
            x509.CertificateBuilder()
            .subject_name(subject)
            .issuer_name(x509.load_pem_x509_certificate(self._authority.cert_pem.bytes()).subject)
            .public_key(key.public_key())
            .serial_number(x509.random_serial_number())
            .not_valid_before(now - timedelta(days=1))
            .not_valid_after(now + timedelta(days=30))
        )
        stem = self.folder / f"subject-{x509.random_serial_number():x}"
        certificate, key_path = stem.with_suffix(".pem"), stem.with_suffix(".key")
        certificate.write_bytes(builder.sign(self._key(), hashes.SHA256()).public_bytes(Encoding.PEM))
        key_path.write_bytes(key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))
        return Identity(str(certificate), str(key_path))

    def issue_below(self, name: str) -> Identity:
        """By an authority that this one has signed; the file holds both, as a caller shows them."""
        return self._issue(self._authority.create_child_ca(), name)

    def revoke(self, *identities: Identity, renewed_in: timedelta = timedelta(days=1)) -> str:
        """The path of a new list of revoked certificates."""
        now = datetime.now(UTC)
        builder = (
            x509.CertificateRevocationListBuilder()
            .issuer_name(x509.load_pem_x509_certificate(self._authority.cert_pem.bytes()).subject)
            .last_update(now - timedelta(days=2))
            .next_update(now + renewed_in)
        )
        for identity in identities:
            certificate = x509.load_pem_x509_certificate(Path(identity.certificate).read_bytes())
            entry = x509.RevokedCertificateBuilder().serial_number(certificate.serial_number)
            builder = builder.add_revoked_certificate(entry.revocation_date(now - timedelta(days=2)).build())
        path = self.folder / f"revoked-{x509.random_serial_number():x}.pem"
        path.write_bytes(builder.sign(self._key(), hashes.SHA256()).public_bytes(Encoding.PEM))
        return str(path)

    def own_identity(self) -> Identity:
        """The authority's own certificate, which nobody else signed."""
        path = Path(self.ca).with_suffix(".key")
        self._authority.private_key_pem.write_to_path(path)
        return Identity(self.ca, str(path))

    def _key(self) -> ec.EllipticCurvePrivateKey:
        key = load_pem_private_key(self._authority.private_key_pem.bytes(), password=None)
        if not isinstance(key, ec.EllipticCurvePrivateKey):
            raise TypeError("the authority has an elliptic curve key")
        return key

    def _issue(
        self,
        authority: trustme.CA,
        name: str,
        *,
        hosts: tuple[str, ...] = ("localhost",),
        begins_in: timedelta = timedelta(days=-1),
        ends_in: timedelta = timedelta(days=30),
    ) -> Identity:
        now = datetime.now(UTC)
        leaf = authority.issue_cert(
            *hosts, common_name=name, not_before=now + begins_in, not_after=now + ends_in
        )
        stem = self.folder / f"{name}-{x509.random_serial_number():x}"
        certificate, key = stem.with_suffix(".pem"), stem.with_suffix(".key")
        for number, pem in enumerate(leaf.cert_chain_pems):
            pem.write_to_path(certificate, append=number > 0)
        leaf.private_key_pem.write_to_path(key)
        return Identity(str(certificate), str(key))
