"""Whom we trust when we call the seller, and with which certificate: TLS, and words for when it fails."""

import ssl
from pathlib import Path
from time import monotonic

import structlog
from django.conf import settings
from django.utils.translation import gettext as _

log = structlog.get_logger("seller_link.client_tls")
CHECK_INTERVAL_SECONDS = 1.0
# X509_V_ERR_… of OpenSSL
EXPIRED, NOT_YET_VALID, REVOKED = 10, 9, 23
OTHER_NAME = {62, 64}
UNKNOWN_ISSUER = {2, 18, 19, 20, 21, 24}
# a server that does not want our certificate says so with one of these alerts
REFUSED_BY_SELLER = (
    "ALERT_BAD_CERTIFICATE",
    "ALERT_CERTIFICATE_EXPIRED",
    "ALERT_CERTIFICATE_REVOKED",
    "ALERT_CERTIFICATE_UNKNOWN",
    "ALERT_UNSUPPORTED_CERTIFICATE",
    "ALERT_CERTIFICATE_REQUIRED",
    "ALERT_UNKNOWN_CA",
    "ALERT_ACCESS_DENIED",
)


class OwnCertificateUnusable(OSError):
    """Our certificate, our key or the authority's file cannot be read, or they do not belong together."""


class Credentials:
    """The TLS context, made anew when one of its three files has changed on the disk."""

    def __init__(self) -> None:
        self._context: ssl.SSLContext | None = None
        self._made_of: object = None
        self._looked_at = float("-inf")

    def context(self) -> ssl.SSLContext:
        """For one new connection. Files in the middle of being exchanged leave the last good ones in use."""
        self._looked_at, found = monotonic(), _fingerprint()
        if self._context is None or found != self._made_of:
            self._renew(found)
        if self._context is None:
            raise OwnCertificateUnusable(_("our client certificate, its key or the CA file can't be used"))
        return self._context

    def is_current(self, context: ssl.SSLContext) -> bool:
        """For each message on a kept line, so the files are looked at once a second only."""
        if monotonic() - self._looked_at >= CHECK_INTERVAL_SECONDS:
            self.context()
        return context is self._context

    def _renew(self, found: object) -> None:
        try:
            self._context, self._made_of = tls_context(), found
        except (OSError, ValueError) as problem:
            log.warning("certificate files not usable", error=str(problem))


def _fingerprint() -> object:
    paths = (settings.SELLER_CA, settings.SELLER_CLIENT_CERT, settings.SELLER_CLIENT_KEY)
    return [(path, *_seen(Path(path))) for path in paths]


def _seen(path: Path) -> tuple[int, ...]:
    try:
        found = path.stat()
    except OSError:
        return ()
    return found.st_ino, found.st_size, found.st_mtime_ns


def tls_context() -> ssl.SSLContext:
    """TLS 1.2 or newer, our certificate shown, the seller's chain and name verified, nothing else trusted."""
    context = ssl.create_default_context(ssl.Purpose.SERVER_AUTH, cafile=settings.SELLER_CA)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    context.load_cert_chain(settings.SELLER_CLIENT_CERT, settings.SELLER_CLIENT_KEY)
    return context


def certificate_error_message(problem: Exception) -> str:
    """Why two parties do not trust each other, in words; empty when this is another kind of trouble."""
    if isinstance(problem, ssl.SSLCertVerificationError):
        return _of_theirs(problem)
    if isinstance(problem, OwnCertificateUnusable):
        return str(problem)
    if isinstance(problem, ssl.SSLError) and any(alert in str(problem) for alert in REFUSED_BY_SELLER):
        return _("the seller rejected our certificate (%(alert)s)") % {"alert": problem.reason}
    return ""


def has_expired(problem: Exception) -> bool:
    """Whether the handshake failed because the seller's certificate has ended."""
    return isinstance(problem, ssl.SSLCertVerificationError) and problem.verify_code == EXPIRED


def _of_theirs(problem: ssl.SSLCertVerificationError) -> str:
    code = problem.verify_code
    if code in OTHER_NAME:
        return _("the seller's certificate is for a different host name")
    if code in UNKNOWN_ISSUER:
        return _("the seller's certificate was issued by an untrusted authority")
    named = {
        EXPIRED: _("the seller's certificate has expired"),
        NOT_YET_VALID: _("the seller's certificate is not valid yet"),
        REVOKED: _("the seller's certificate has been revoked"),
    }
    return named.get(code) or _("the seller's certificate is not valid: %(why)s") % {
        "why": problem.verify_message
    }
