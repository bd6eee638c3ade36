"""The certificate that each of the seller's endpoints shows: looked at regularly, so that its end surprises nobody."""

import http.client
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from queue import SimpleQueue
from time import monotonic
from urllib.parse import urlsplit

import structlog
from cryptography import x509
from django.conf import settings

from seller_link import certificate_expiry
from seller_link.client_tls import Credentials, has_expired
from seller_link.connection import WATCHDOG, Connection

log = structlog.get_logger("seller_link.endpoint_certificates")


@dataclass(frozen=True)
class ServedCertificate:
    """What one handshake said."""

    tls_version: str
    subject: str
    issuer: str
    ends_at: datetime


@contextmanager
def open_connection(url: str, *, end: float) -> Iterator[Connection]:
    """A line to an endpoint with its handshake done; whatever is asked on it is cut at `end` (time.monotonic)."""
    parts = urlsplit(url)
    line = Connection(parts.hostname or "", parts.port or 443, credentials=Credentials())
    line.end = end
    try:
        with WATCHDOG.watch(line, end=end):
            line.connect()
            yield line
    finally:
        line.close()


def read_certificate(line: Connection) -> ServedCertificate:
    """The certificate was verified in the handshake."""
    certificate = x509.load_der_x509_certificate(line.sock.getpeercert(binary_form=True) or b"")
    return ServedCertificate(
        line.sock.version() or "",
        certificate.subject.rfc4514_string(),
        certificate.issuer.rfc4514_string(),
        certificate.not_valid_after_utc,
    )


class CertificateProbe:
    """For the thread that talks to the database: the calls wait for the seller in a thread of their own."""

    def __init__(self) -> None:
        self._found: SimpleQueue[tuple[str, datetime]] = SimpleQueue()
        self._looking: threading.Thread | None = None

    def begin(self) -> None:
        """One handshake for each endpoint; nothing is sent. Returns at once."""
        if self._looking is None or not self._looking.is_alive():
            self._looking = threading.Thread(target=self._look, name="certificates", daemon=True)
            self._looking.start()

    def wait(self, *, seconds: float) -> bool:
        """Whether all endpoints have been looked at by then."""
        if self._looking is not None:
            self._looking.join(seconds)
        return self._looking is None or not self._looking.is_alive()

    def tell(self) -> None:
        """Raise or clear the alarms for what has been found since."""
        while not self._found.empty():
            certificate_expiry.alert_seller_certificate(*self._found.get())

    def _look(self) -> None:
        for url in settings.SELLER_ENDPOINTS:
            try:
                with open_connection(url, end=monotonic() + settings.SELLER_DEADLINE_SECONDS) as line:
                    self._found.put((url, read_certificate(line).ends_at))
            except (OSError, http.client.HTTPException, ValueError) as problem:
                # when it ended is not said; any other trouble is the business of the tries
                if has_expired(problem):
                    self._found.put((url, certificate_expiry.LONG_AGO))
                log.info("certificate not seen", endpoint=url, error=type(problem).__name__)
