"""Whether a certificate that passed its handshake is still good now.

A connection may have been open, or a TLS session resumed, since before the certificate was revoked or ended: the
handshake looks at it once, this looks at every request.
"""

from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from pathlib import Path

from cryptography import x509
from django.conf import settings
from django.utils import timezone

from seller_link.refusals import Cause

# the seller has a handful; a flood of strangers' ones must not fill the memory
KNOWN_CERTIFICATES = 64


@dataclass(frozen=True)
class Revoked:
    """The authority's list; after `next_update` nobody knows who is on it."""

    serial_numbers: frozenset[int]
    next_update: datetime | None

    @property
    def is_current(self) -> bool:
        return self.next_update is None or timezone.now() < self.next_update


def objection(der: bytes) -> Cause | None:
    """Why this certificate is no longer good, by the clock and by SELLER_CRL as it lies on the disk now."""
    certificate, now = _certificate(der), timezone.now()
    if now >= certificate.not_valid_after_utc:
        return Cause.EXPIRED
    revoked = _revoked_now()
    if revoked is None:
        return None
    if not revoked.is_current:
        return Cause.NO_CURRENT_CRL
    return Cause.REVOKED if certificate.serial_number in revoked.serial_numbers else None


@lru_cache(maxsize=KNOWN_CERTIFICATES)
def _certificate(der: bytes) -> x509.Certificate:
    return x509.load_der_x509_certificate(der)


def _revoked_now() -> Revoked | None:
    if not settings.SELLER_CRL:
        return None
    path = Path(settings.SELLER_CRL)
    try:
        seen = path.stat()
        return _read(path, seen.st_ino, seen.st_size, seen.st_mtime_ns)
    except (OSError, ValueError):
        # a file in the middle of being exchanged: until it is readable nobody knows who is on it
        return Revoked(frozenset(), datetime.min.replace(tzinfo=timezone.get_fixed_timezone(0)))


@lru_cache(maxsize=2)
def _read(path: Path, *_seen: int) -> Revoked:
    found = x509.load_pem_x509_crl(path.read_bytes())
    return Revoked(frozenset(one.serial_number for one in found), found.next_update_utc)
