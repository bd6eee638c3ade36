"""A certificate authority for tests and the identities that a real handshake must accept or refuse."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID


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
        self._key = ec.generate_private_key(ec.SECP256R1())
        self._name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
        decade = timedelta(days=3650)
        self._certificate = self._sign(subject=self._name, key=self._key, authority=True, ends_in=decade)
        self.ca = str(folder / "ca.pem")
        Path(self.ca).write_bytes(self._certificate.public_bytes(serialization.Encoding.PEM))

    def issue(
        self,
        name: str,
        *,
        hosts: tuple[str, ...] = ("localhost",),
        begins_in: timedelta = timedelta(days=-1),
        ends_in: timedelta = timedelta(days=30),
    ) -> Identity:
        key = ec.generate_private_key(ec.SECP256R1())
        subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
        certificate = self._sign(subject=subject, key=key, hosts=hosts, begins_in=begins_in, ends_in=ends_in)
        stem = self.folder / f"{name}-{certificate.serial_number:x}"
        stem.with_suffix(".pem").write_bytes(certificate.public_bytes(serialization.Encoding.PEM))
        stem.with_suffix(".key").write_bytes(
            key.private_bytes(
                serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
            )
        )
        return Identity(str(stem.with_suffix(".pem")), str(stem.with_suffix(".key")))

    def issue_below(self, name: str) -> Identity:
        """By an authority that this one has signed; the file holds both, as a caller shows them."""
        between = Authority(self.folder / f"below-{x509.random_serial_number():x}", name="Between")
        between._certificate = self._sign(subject=between._name, key=between._key, authority=True)
        found = between.issue(name)
        with Path(found.certificate).open("ab") as file:
            file.write(between._certificate.public_bytes(serialization.Encoding.PEM))
        return found

    def revoke(self, *identities: Identity, renewed_in: timedelta = timedelta(days=1)) -> str:
        """The path of a new list of revoked certificates."""
        now = datetime.now(UTC)
        builder = (
            x509.CertificateRevocationListBuilder()
            .issuer_name(self._name)
            .last_update(now - timedelta(days=2))
            .next_update(now + renewed_in)
        )
        for identity in identities:
            certificate = x509.load_pem_x509_certificate(Path(identity.certificate).read_bytes())
            entry = x509.RevokedCertificateBuilder().serial_number(certificate.serial_number)
            builder = builder.add_revoked_certificate(entry.revocation_date(now - timedelta(days=2)).build())
        path = self.folder / f"revoked-{x509.random_serial_number():x}.pem"
        crl = builder.sign(self._key, hashes.SHA256())
        path.write_bytes(crl.public_bytes(serialization.Encoding.PEM))
        return str(path)

    def own_identity(self) -> Identity:
        """The authority's own certificate, which nobody else signed."""
        path = Path(self.ca).with_suffix(".key")
        path.write_bytes(
            self._key.private_bytes(
                serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
            )
        )
        return Identity(self.ca, str(path))

    def _sign(
        self,
        *,
        subject: x509.Name,
        key: ec.EllipticCurvePrivateKey,
        hosts: tuple[str, ...] = (),
        authority: bool = False,
        begins_in: timedelta = timedelta(days=-1),
        ends_in: timedelta = timedelta(days=30),
    ) -> x509.Certificate:
        now = datetime.now(UTC)
        builder = (
            x509.CertificateBuilder()
            .subject_name(subject)
            .issuer_name(self._name)
            .public_key(key.public_key())
            .serial_number(x509.random_serial_number())
            .not_valid_before(now + begins_in)
            .not_valid_after(now + ends_in)
            .add_extension(x509.BasicConstraints(ca=authority, path_length=None), critical=True)
            .add_extension(
                x509.AuthorityKeyIdentifier.from_issuer_public_key(self._key.public_key()), critical=False
            )
            .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
        )
        if hosts:
            names = x509.SubjectAlternativeName([x509.DNSName(host) for host in hosts])
            builder = builder.add_extension(names, critical=False)
        if authority:
            usage = x509.KeyUsage(
                digital_signature=True,
                key_cert_sign=True,
                crl_sign=True,
                content_commitment=False,
                key_encipherment=False,
                data_encipherment=False,
                key_agreement=False,
                encipher_only=False,
                decipher_only=False,
            )
            builder = builder.add_extension(usage, critical=True)
        return builder.sign(self._key, hashes.SHA256())
