"""Who may call us; who is rejected is logged, counted in memory and written once a second.

A flood costs memory for MAX_CALLERS names and one small write a second; what is more is counted without a name.
"""

import re
import ssl
import threading
from collections import Counter
from dataclasses import dataclass
from datetime import date
from enum import StrEnum
from typing import Any, NamedTuple

import structlog
from cryptography import x509
from django.conf import settings
from django.db import DatabaseError, InterfaceError, transaction
from django.db.models import F
from django.utils import timezone

from seller_link.models import RejectedCaller
from seller_link.wire import refusals

log = structlog.get_logger("seller_link.caller_authorization")
MAX_CALLERS = 200


class RejectionCause(StrEnum):
    """Why; docs/operating.md has a line for each."""

    NO_CERTIFICATE = "no_certificate"
    SUBJECT = "wrong_subject"
    ADDRESS = "wrong_address"
    EXPIRED = "certificate_expired"
    NOT_YET_VALID = "certificate_not_yet_valid"
    REVOKED = "certificate_revoked"
    SELF_SIGNED = "certificate_self_signed"
    UNKNOWN_AUTHORITY = "unknown_authority"
    NO_CURRENT_CRL = "no_current_revocation_list"
    INVALID = "certificate_invalid"
    NOT_TLS = "not_tls"
    OLD_TLS = "old_tls"
    OTHER_ADDRESS = "unknown_operation"
    METHOD = "wrong_method"
    MEDIA_TYPE = "wrong_media_type"
    TOO_LARGE = "too_large"
    CUT_SHORT = "body_cut_short"
    BUSY = "busy"


# what the server itself answers with, before a message is read
STATUSES = {
    400: RejectionCause.CUT_SHORT,
    404: RejectionCause.OTHER_ADDRESS,
    405: RejectionCause.METHOD,
    413: RejectionCause.TOO_LARGE,
    415: RejectionCause.MEDIA_TYPE,
    503: RejectionCause.BUSY,
}


# X509_V_ERR_… of OpenSSL, and nginx's texts for them in $ssl_client_verify
CODES = {
    3: RejectionCause.NO_CURRENT_CRL,
    12: RejectionCause.NO_CURRENT_CRL,
    9: RejectionCause.NOT_YET_VALID,
    10: RejectionCause.EXPIRED,
    18: RejectionCause.SELF_SIGNED,
    19: RejectionCause.UNKNOWN_AUTHORITY,
    20: RejectionCause.UNKNOWN_AUTHORITY,
    21: RejectionCause.UNKNOWN_AUTHORITY,
    23: RejectionCause.REVOKED,
}
NGINX_CAUSES = {
    "unable to get certificate CRL": RejectionCause.NO_CURRENT_CRL,
    "CRL has expired": RejectionCause.NO_CURRENT_CRL,
    "not yet valid": RejectionCause.NOT_YET_VALID,
    "has expired": RejectionCause.EXPIRED,
    "revoked": RejectionCause.REVOKED,
    "in certificate chain": RejectionCause.UNKNOWN_AUTHORITY,
    "self-signed certificate": RejectionCause.SELF_SIGNED,
    "self signed certificate": RejectionCause.SELF_SIGNED,
    "issuer certificate": RejectionCause.UNKNOWN_AUTHORITY,
    "verify the first certificate": RejectionCause.UNKNOWN_AUTHORITY,
}
REASONS = {
    "HTTP_REQUEST": RejectionCause.NOT_TLS,
    "HTTPS_PROXY_REQUEST": RejectionCause.NOT_TLS,
    "WRONG_VERSION_NUMBER": RejectionCause.NOT_TLS,
    "UNSUPPORTED_PROTOCOL": RejectionCause.OLD_TLS,
    "VERSION_TOO_LOW": RejectionCause.OLD_TLS,
}


def rejection_cause(problem: ssl.SSLError) -> RejectionCause | None:
    """Why a handshake failed; None when the caller merely went away."""
    if isinstance(problem, ssl.SSLCertVerificationError):
        return CODES.get(problem.verify_code, RejectionCause.INVALID)
    return REASONS.get(problem.reason or "")


def cause_from_nginx(verdict: str) -> RejectionCause:
    """The same from nginx: `FAILED:certificate has expired`."""
    return next(
        (cause for prefix, cause in NGINX_CAUSES.items() if prefix in verdict), RejectionCause.INVALID
    )


class Caller(NamedTuple):
    cause: RejectionCause
    subject: str
    address: str
    day: date


class RejectionCounter:
    """Counts in memory until `write` is called, from any thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._counts: Counter[Caller] = Counter()

    def record(self, cause: RejectionCause, *, subject: str = "", address: str = "") -> None:
        log.warning("caller refused", cause=cause, subject=subject, address=address)
        day = timezone.now().date()
        # PostgreSQL takes no NUL: the row of one odd certificate would keep all others from being written.
        caller = Caller(cause, subject[:200].replace("\0", "\N{REPLACEMENT CHARACTER}"), address[:64], day)
        with self._lock:
            if caller not in self._counts and len(self._counts) >= MAX_CALLERS:
                caller = Caller(cause, "", "", day)
            self._counts[caller] += 1

    def write(self) -> None:
        """Into the database; what it does not take now is kept for the next time."""
        with self._lock:
            counts, self._counts = self._counts, Counter()
        if not counts:
            return
        try:
            with transaction.atomic():
                for caller, count in counts.items():
                    _add_count(caller, count)
        except (DatabaseError, InterfaceError) as problem:
            log.error("refusals not written", error=type(problem).__name__)
            with self._lock:
                self._counts.update(counts)


def _add_count(caller: Caller, count: int) -> None:
    """Over MAX_CALLERS rows a day the rest is counted without a name."""
    now = timezone.now()
    known = RejectedCaller.objects.filter(**caller._asdict())
    if known.update(count=F("count") + count, last_at=now):
        return
    if RejectedCaller.objects.filter(day=caller.day).count() >= MAX_CALLERS:
        caller = caller._replace(subject="", address="")
    row, is_new = RejectedCaller.objects.get_or_create(
        **caller._asdict(), defaults={"count": count, "last_at": now}
    )
    if not is_new:
        RejectedCaller.objects.filter(pk=row.pk).update(count=F("count") + count, last_at=now)


REJECTIONS = RejectionCounter()


@dataclass(frozen=True)
class Peer:
    """`subject` is the certificate's common name, empty when it has none or cannot be read.

    `rejection_cause`: why the certificate did not verify, when a proxy let the caller pass that far.
    """

    subject: str
    address: str
    has_certificate: bool = True
    rejection_cause: RejectionCause | None = None


def common_name(certificate: dict[str, Any]) -> str:
    """From `ssl.SSLSocket.getpeercert()`; the chain was verified in the handshake. Empty when it has none."""
    for part in certificate.get("subject", ()):
        for name, value in part:
            if name == "commonName":
                return str(value)
    return ""


# OpenSSL escapes each separator in a value, and writes a value that is no text as #0304…
ATTRIBUTE = re.compile(r"(?:\\.|[^\\,+])+")


def common_name_in(distinguished_name: str) -> str:
    """From a name as nginx writes it (RFC 4514, the last part first); empty when it has none or cannot be read.

    Of its attributes the parser gets the common name only: it refuses those that it does not know, as emailAddress.
    """
    names = [part for part in ATTRIBUTE.findall(distinguished_name) if part.startswith("CN=")]
    if not names or names[-1].startswith("CN=#"):
        return ""
    try:
        (attribute,) = x509.Name.from_rfc4514_string(names[-1])
    except ValueError:
        return ""
    return str(attribute.value)


def authorize(peer: Peer) -> None:
    """All three of job-messages.md, Transport (the CA is the handshake's part); raises 401 or 403, counted."""
    cause = _objection(peer)
    if cause is not None:
        REJECTIONS.record(cause, subject=peer.subject, address=peer.address)
        raise (
            refusals.missing_credentials()
            if cause is RejectionCause.NO_CERTIFICATE
            else refusals.access_denied()
        )


def _objection(peer: Peer) -> RejectionCause | None:
    if peer.rejection_cause is not None:
        return peer.rejection_cause
    if not peer.has_certificate:
        return RejectionCause.NO_CERTIFICATE
    if peer.subject not in settings.SELLER_ALLOWED_SUBJECTS:
        return RejectionCause.SUBJECT
    return None if peer.address in settings.SELLER_ALLOWED_ADDRESSES else RejectionCause.ADDRESS
