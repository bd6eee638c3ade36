"""Who is calling: a client certificate's subject and a source address, both on the agreed lists."""

from dataclasses import dataclass
from typing import Any

import structlog
from django.conf import settings

from seller_link.wire import faults

log = structlog.get_logger("seller_link.peers")


@dataclass(frozen=True)
class Peer:
    """`subject` is the certificate's common name, empty when the caller showed no certificate."""

    subject: str
    address: str


def common_name(certificate: dict[str, Any] | None) -> str:
    """From `ssl.SSLSocket.getpeercert()`; the chain was verified in the handshake."""
    for part in (certificate or {}).get("subject", ()):
        for name, value in part:
            if name == "commonName":
                return str(value)
    return ""


def admit(peer: Peer) -> None:
    """All three of job-messages.md, Transport (the CA is the handshake's part); raises 401 or 403, logged."""
    refusal = _refusal(peer)
    if refusal:
        log.warning("peer refused", reason=refusal.faultcode, subject=peer.subject, address=peer.address)
        raise refusal


def _refusal(peer: Peer) -> faults.Refusal | None:
    if not peer.subject:
        return faults.missing_credentials()
    known = (
        peer.subject in settings.SELLER_ALLOWED_SUBJECTS and peer.address in settings.SELLER_ALLOWED_ADDRESSES
    )
    return None if known else faults.access_denied()
