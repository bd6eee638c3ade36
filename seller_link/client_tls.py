"""Whom we trust when we call the seller, and with which certificate; and the texts when one side does not trust."""

import re
import socket
import ssl
from dataclasses import dataclass
from pathlib import Path
from time import monotonic

import structlog
from cryptography import x509
from cryptography.x509.oid import NameOID
from django.conf import settings

from monitoring.coded_texts import CodedText, coded_text

log = structlog.get_logger("seller_link.client_tls")
CHECK_INTERVAL_SECONDS = 1.0
# X509_V_ERR_… of OpenSSL
EXPIRED, NOT_YET_VALID, REVOKED = 10, 9, 23
OTHER_NAME = {62, 64}
UNKNOWN_ISSUER = {2, 18, 19, 20, 21, 24}
# a server that does not want our certificate says so with one of these alerts
REFUSED_BY_SELLER = re.compile(
    r"\w+ alert (bad certificate|certificate (expired|revoked|unknown|required)|unsupported certificate"
    r"|unknown ca|access denied)"
)


class CertificateDistrust(OSError):
    """One side does not trust the other's certificate, and a person must look; `reason` says why."""

    def __init__(self, reason: CodedText, *, has_expired: bool = False) -> None:
        super().__init__(reason)
        self.reason = reason
        # whether it is the seller's certificate that has ended
        self.has_expired = has_expired


class OwnCertificateRejected(CertificateDistrust):
    """The seller does not accept our certificate."""


class OwnCertificateUnusable(CertificateDistrust):
    """Our certificate, our key or the authority's file cannot be read, or they do not belong together."""


@dataclass(frozen=True)
class CredentialFiles:
    """Their content, in PEM."""

    authority: bytes
    certificate: bytes
    key: bytes


class Credentials:
    """The three files of SELLER_CA, SELLER_CLIENT_CERT and SELLER_CLIENT_KEY, read again when one has changed."""

    def __init__(self) -> None:
        self._files: CredentialFiles | None = None
        self._read_from: object = None
        self._looked_at = float("-inf")

    def current(self) -> CredentialFiles:
        """The same object while nothing changes. Files in the middle of being exchanged leave the last good ones in
        use.

        Called for each message, so the files are looked at once a second only: each look lets other threads go first.
        """
        if self._files is not None and monotonic() - self._looked_at < CHECK_INTERVAL_SECONDS:
            return self._files
        self._looked_at, found = monotonic(), _fingerprint()
        if self._files is None or found != self._read_from:
            self._renew(found)
        if self._files is None:
            raise OwnCertificateUnusable(coded_text("own_certificate_unusable"))
        return self._files

    def _renew(self, found: object) -> None:
        paths = settings.SELLER_CA, settings.SELLER_CLIENT_CERT, settings.SELLER_CLIENT_KEY
        try:
            ssl.create_default_context(cafile=paths[0]).load_cert_chain(*paths[1:])
            files = CredentialFiles(*(Path(path).read_bytes() for path in paths))
        except (OSError, ValueError) as problem:
            log.warning("certificate files not usable", error=str(problem))
            return
        if _fingerprint() == found:
            self._files, self._read_from = files, found


def own_common_name() -> str:
    """The common name of our client certificate, by which the seller knows us; empty where it has none. Raises
    OwnCertificateUnusable."""
    certificate = x509.load_pem_x509_certificate(Credentials().current().certificate)
    names = certificate.subject.get_attributes_for_oid(NameOID.COMMON_NAME)
    return str(names[0].value) if names else ""


def _fingerprint() -> object:
    paths = (settings.SELLER_CA, settings.SELLER_CLIENT_CERT, settings.SELLER_CLIENT_KEY)
    return [(path, *_stat(path)) for path in paths]


def _stat(path: str) -> tuple[int, ...]:
    try:
        found = Path(path).stat()
    except OSError:
        return ()
    return found.st_ino, found.st_size, found.st_mtime_ns


def certificate_distrust(text: str, *, is_theirs: bool, verified: int) -> CertificateDistrust | None:
    """What libcurl's error means; None when this is another kind of trouble.

    `is_theirs`: we did not accept the seller's certificate, and `verified` is OpenSSL's reason.
    """
    if is_theirs:
        return CertificateDistrust(_reason_for(verified, text), has_expired=verified == EXPIRED)
    if alert := REFUSED_BY_SELLER.search(text):
        name = alert[0].upper().replace(" ", "_")
        return OwnCertificateRejected(coded_text("own_certificate_rejected", alert=name))
    return None


def rejection_alert(address: tuple[str, int], *, host: str, seconds: float) -> CertificateDistrust | None:
    """Whether the seller at `address` hangs up because of our certificate, found out by a connection of its own.

    With TLS 1.3 it says so after the handshake. Whoever sends a request then sees a broken pipe; here nothing is sent,
    and the alert is read.
    """
    end = monotonic() + seconds
    try:
        context = ssl.create_default_context(cafile=settings.SELLER_CA)
        context.load_cert_chain(settings.SELLER_CLIENT_CERT, settings.SELLER_CLIENT_KEY)
        with socket.create_connection(address, timeout=_left(end)) as plain:
            plain.settimeout(_left(end))
            with context.wrap_socket(plain, server_hostname=host) as line:
                line.settimeout(_left(end))
                line.recv(1)
    except (OSError, ValueError) as problem:
        return certificate_distrust(str(problem), is_theirs=False, verified=0)
    return None


def _left(end: float) -> float:
    return max(0.001, end - monotonic())


def _reason_for(code: int, why: str) -> CodedText:
    # libcurl compares the name itself: the certificate's subject "matches" or "does not match target hostname"
    if code in OTHER_NAME or " target " in why:
        return coded_text("untrusted_name")
    if code in UNKNOWN_ISSUER:
        return coded_text("untrusted_issuer")
    named = {
        EXPIRED: "untrusted_expired",
        NOT_YET_VALID: "untrusted_not_yet_valid",
        REVOKED: "untrusted_revoked",
    }
    return coded_text(named[code]) if code in named else coded_text("untrusted_invalid", why=why)
