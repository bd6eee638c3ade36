"""Who is calling: a client certificate's subject and a source address, both on the agreed lists."""

from dataclasses import dataclass
from typing import Any

from cryptography import x509
from cryptography.x509.oid import NameOID
from django.conf import settings

from seller_link.rejected_callers import TALLY, Cause
from seller_link.wire import faults


@dataclass(frozen=True)
class Peer:
    """`subject` is the certificate's common name, empty when the caller showed no certificate.

    `trouble`: why the certificate did not verify, when a proxy let the caller pass that far.
    """

    subject: str
    address: str
    trouble: Cause | None = None


def common_name(certificate: dict[str, Any] | None) -> str:
    """From `ssl.SSLSocket.getpeercert()`; the chain was verified in the handshake."""
    for part in (certificate or {}).get("subject", ()):
        for name, value in part:
            if name == "commonName":
                return str(value)
    return ""


def common_name_in(distinguished_name: str) -> str:
    """From a name as nginx writes it (RFC 4514); empty when it has none or is not readable."""
    try:
        names = x509.Name.from_rfc4514_string(distinguished_name).get_attributes_for_oid(NameOID.COMMON_NAME)
    except ValueError:
        return ""
    return str(names[0].value) if names else ""


def admit(peer: Peer) -> None:
    """All three of job-messages.md, Transport (the CA is the handshake's part); raises 401 or 403, counted."""
    cause = _objection(peer)
    if cause is not None:
        TALLY.note(cause, subject=peer.subject, address=peer.address)
        raise faults.missing_credentials() if cause is Cause.NO_CERTIFICATE else faults.access_denied()


def _objection(peer: Peer) -> Cause | None:
    if peer.trouble is not None:
        return peer.trouble
    if not peer.subject:
        return Cause.NO_CERTIFICATE
    if peer.subject not in settings.SELLER_ALLOWED_SUBJECTS:
        return Cause.SUBJECT
    return None if peer.address in settings.SELLER_ALLOWED_ADDRESSES else Cause.ADDRESS
