"""Whether a certificate that passed its handshake is still good now.

A connection may have been open, or a TLS session resumed, since before the certificate was revoked or ended or its
authority was taken out of SELLER_CA: the handshake looks at it once, this looks at every request.
"""

from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from pathlib import Path

import structlog
from cryptography import x509
from cryptography.exceptions import InvalidSignature
from django.conf import settings
from django.utils import timezone

from seller_link.caller_authorization import RejectionCause
from seller_link.certificate_files import load_revocation_lists

log = structlog.get_logger("seller_link.certificate_status")
# the seller has a handful; a flood of unknown callers' certificates must not fill the memory
KNOWN_CERTIFICATES = 64


@dataclass(frozen=True)
class RevocationList:
    """An authority's list; after `next_update` nobody knows who is on it. `issuer`: the authority, by _comparable."""

    issuer: str
    serial_numbers: frozenset[int]
    next_update: datetime | None

    @property
    def is_current(self) -> bool:
        return self.next_update is None or timezone.now() < self.next_update


Authorities = tuple[x509.Certificate, ...]


class TrustedCertificates:
    """The authorities in SELLER_CA as it lies on the disk."""

    def __init__(self) -> None:
        self._made_of: object = None
        self._found: Authorities = ()

    def load(self) -> Authorities:
        """The same object as long as the file is the same; one that is being exchanged counts as it last was."""
        path = Path(settings.SELLER_CA)
        try:
            seen = path.stat()
            made_of = (path, seen.st_ino, seen.st_size, seen.st_mtime_ns)
            if made_of != self._made_of:
                self._found, self._made_of = (
                    tuple(x509.load_pem_x509_certificates(path.read_bytes())),
                    made_of,
                )
        except (OSError, ValueError) as problem:
            log.error("authorities not readable", error=type(problem).__name__)
        return self._found


TRUSTED = TrustedCertificates()


class PeerCertificate:
    """Of the certificate that one line showed in its handshake, when `trusted` were the authorities."""

    def __init__(self, der: bytes, trusted: Authorities) -> None:
        self._der, self._trusted = der, trusted
        self._was_direct = self._is_direct = _is_issued_by(der, trusted)

    def rejection_cause(self) -> RejectionCause | None:
        """Why no request on this connection is accepted any more."""
        self._look_at_authorities()
        if self._was_direct and not self._is_direct:
            return RejectionCause.UNKNOWN_AUTHORITY
        return find_rejection_cause(self._der)

    @property
    def is_unknown(self) -> bool:
        """Other authorities count now, and others stood between them and this one: a new handshake must decide."""
        self._look_at_authorities()
        return not self._was_direct and self._trusted is not TRUSTED.load()

    def _look_at_authorities(self) -> None:
        trusted = TRUSTED.load()
        if trusted is not self._trusted and self._was_direct:
            self._trusted, self._is_direct = trusted, _is_issued_by(self._der, trusted)


def _is_issued_by(der: bytes, authorities: Authorities) -> bool:
    """Directly. The rest of what makes a chain was looked at by the handshake."""
    return any(_has_signed(authority, _certificate(der)) for authority in authorities)


def _has_signed(authority: x509.Certificate, certificate: x509.Certificate) -> bool:
    try:
        certificate.verify_directly_issued_by(authority)
    except (InvalidSignature, ValueError, TypeError):
        return False
    return True


def find_rejection_cause(der: bytes) -> RejectionCause | None:
    """Why this certificate is no longer good, by the clock and by SELLER_CRL as it lies on the disk now."""
    certificate, now = _certificate(der), timezone.now()
    if now >= certificate.not_valid_after_utc:
        return RejectionCause.EXPIRED
    lists = _lists_now()
    if lists is None:
        return None
    # as in the handshake: only the lists of the authority that issued it say something about it
    current = [each for each in lists if each.is_current and each.issuer == _issuer(der)]
    if not current:
        return RejectionCause.NO_CURRENT_CRL
    is_revoked = any(certificate.serial_number in each.serial_numbers for each in current)
    return RejectionCause.REVOKED if is_revoked else None


@lru_cache(maxsize=KNOWN_CERTIFICATES)
def _certificate(der: bytes) -> x509.Certificate:
    return x509.load_der_x509_certificate(der)


@lru_cache(maxsize=KNOWN_CERTIFICATES)
def _issuer(der: bytes) -> str:
    return _comparable(_certificate(der).issuer)


def _comparable(name: x509.Name) -> str:
    """Neither case nor blanks make another authority (RFC 5280, 7.1)."""
    return " ".join(name.rfc4514_string().casefold().split())


def _lists_now() -> tuple[RevocationList, ...] | None:
    """None without SELLER_CRL."""
    if not settings.SELLER_CRL:
        return None
    path = Path(settings.SELLER_CRL)
    try:
        seen = path.stat()
        return _read(path, seen.st_ino, seen.st_size, seen.st_mtime_ns)
    except (OSError, ValueError):
        # a file in the middle of being exchanged: until it is readable nobody knows who is on it
        return ()


@lru_cache(maxsize=2)
def _read(path: Path, *_seen: int) -> tuple[RevocationList, ...]:
    return tuple(
        RevocationList(
            _comparable(found.issuer),
            frozenset(entry.serial_number for entry in found),
            found.next_update_utc,
        )
        for found in load_revocation_lists(path.read_bytes())
    )
