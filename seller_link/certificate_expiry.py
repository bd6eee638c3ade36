"""When our certificates and those of the seller's endpoints expire: alarms before that, and a probe of each."""

import re
import threading
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from queue import SimpleQueue

import pycurl
import structlog
from cryptography import x509
from django.conf import settings
from django.utils import timezone
from django.utils.translation import gettext_lazy

from monitoring import alarms, heartbeats
from monitoring.coded_texts import CodedText, coded_text
from monitoring.health_checks import NotReady
from monitoring.models import AlarmKind
from seller_link.certificate_files import load_revocation_lists
from seller_link.client_tls import CertificateDistrust
from seller_link.http_client import HttpClient

log = structlog.get_logger("seller_link.certificate_expiry")
# at each of these the alarm gets a new text; above the first there is none
WARN_DAYS = (30, 14, 7, 1)
FILES = {
    "our client certificate": "SELLER_CLIENT_CERT",
    "our server's certificate": "SELLER_SERVER_CERT",
    "the seller's authority": "SELLER_CA",
}
CRL_FILE = "the list of revoked certificates"
# what browsers and phones see; the seller, too, when it fetches photos
PUBLIC_CERTIFICATE = "the certificate of board and phone"
OPTIONAL_FILES = {CRL_FILE: "SELLER_CRL", PUBLIC_CERTIFICATE: "PUBLIC_CERT"}
# as people read them
LABELS = {
    "our client certificate": gettext_lazy("Our client certificate"),
    "our server's certificate": gettext_lazy("Our server certificate"),
    "the seller's authority": gettext_lazy("The seller's certificate authority"),
    CRL_FILE: gettext_lazy("List of revoked certificates"),
    PUBLIC_CERTIFICATE: gettext_lazy("Certificate of board and phone"),
}
NEVER, LONG_AGO = datetime(9999, 1, 1, tzinfo=UTC), datetime(1970, 1, 1, tzinfo=UTC)
SELLER_CERTIFICATE = "the seller's certificate at "


def certificate_expiry_dates() -> dict[str, datetime | None]:
    """Name of each certificate that we present or trust → when it ends; None when its file cannot be read.

    Of several in one file the first to end counts. The list of revoked certificates is among them, if there is one:
    after its end it lets nobody in.
    """
    found = {name: _end_of(Path(getattr(settings, setting))) for name, setting in FILES.items()}
    if settings.PUBLIC_CERT:
        found[PUBLIC_CERTIFICATE] = _end_of(Path(settings.PUBLIC_CERT))
    if settings.SELLER_CRL:
        found[CRL_FILE] = _end_of_list(Path(settings.SELLER_CRL))
    return found


def certificate_days() -> dict[str, int]:
    """Name → whole days left, negative once it has ended; a file that cannot be read is left out."""
    now = timezone.now()
    return {name: (end - now).days for name, end in certificate_expiry_dates().items() if end is not None}


def unusable_certificates() -> list[str]:
    """Names of those between us and the seller that have ended or cannot be read."""
    now, dates = timezone.now(), certificate_expiry_dates()
    dates.pop(PUBLIC_CERTIFICATE, None)
    return [name for name, end in dates.items() if end is None or end <= now]


def watch_certificates() -> None:
    """Raise or clear CERTIFICATE_ENDING for each; its text changes at 30, 14, 7 and 1 days. What is no longer set
    alarms no more."""
    for name, text in {**dict.fromkeys(OPTIONAL_FILES), **certificate_complaints()}.items():
        _alert(name, text)


def certificate_complaints() -> dict[str, CodedText | None]:
    """Name → what is wrong with it and what to do, None for a good one."""
    return {name: _complaint(name, end) for name, end in certificate_expiry_dates().items()}


def alert_seller_certificate(url: str, end: datetime) -> None:
    """The same alarm for the certificate that an endpoint of the seller's showed."""
    _alert(SELLER_CERTIFICATE + url, seller_certificate_complaint(url, end))


def seller_certificate_complaint(url: str, end: datetime) -> CodedText | None:
    """None for one that is good for long; `end` is LONG_AGO for one that has ended nobody knows when."""
    days = (end - timezone.now()).days
    reached = _threshold(days)
    if reached is None:
        return None
    if days < 0:
        return coded_text("seller_certificate_expired", url=url)
    return coded_text("seller_certificate_expiring", url=url, end_at=end, days=reached)


def forget_unused_endpoints() -> None:
    """Alarms about endpoints that are no longer in SELLER_ENDPOINTS are over: nobody calls there."""
    used, found = settings.SELLER_ENDPOINTS, alarms.open_alarms()
    ending = found.filter(kind=AlarmKind.CERTIFICATE_ENDING, subject__startswith=SELLER_CERTIFICATE)
    others = found.filter(
        kind__in=(AlarmKind.CLOCK_DIFFERS, AlarmKind.SELLER_UNTRUSTED), subject__startswith="https:"
    )
    gone = [
        *ending.exclude(subject__in=[SELLER_CERTIFICATE + url for url in used]),
        *others.exclude(subject__in=used),
    ]
    for alarm in gone:
        alarms.clear_alarm(AlarmKind(alarm.kind), alarm.subject)


def _alert(name: str, complaint: CodedText | None) -> None:
    if complaint:
        alarms.raise_alarm(AlarmKind.CERTIFICATE_ENDING, name, complaint)
    else:
        alarms.clear_alarm(AlarmKind.CERTIFICATE_ENDING, name)


def _end_of(path: Path) -> datetime | None:
    try:
        found = x509.load_pem_x509_certificates(path.read_bytes())
    except (OSError, ValueError) as problem:
        log.warning("certificate not readable", file=path.name, error=type(problem).__name__)
        return None
    return min(certificate.not_valid_after_utc for certificate in found)


def _end_of_list(path: Path) -> datetime | None:
    try:
        lists = load_revocation_lists(path.read_bytes())
    except (OSError, ValueError) as problem:
        log.warning("list of revoked certificates not readable", file=path.name, error=type(problem).__name__)
        return None
    # the newest list of an authority counts
    ends: dict[str, datetime] = {}
    for found in lists:
        issuer = found.issuer.rfc4514_string()
        ends[issuer] = max(ends.get(issuer, LONG_AGO), found.next_update_utc or NEVER)
    return min(ends.values())


def _complaint(name: str, end: datetime | None) -> CodedText | None:
    setting = (FILES | OPTIONAL_FILES)[name]
    if end is None:
        return coded_text("certificate_unreadable", certificate=name, setting=setting)
    days = (end - timezone.now()).days
    # such a list is renewed every few days: that it soon ends is normal
    reached = (1 if days < 0 else None) if name == CRL_FILE else _threshold(days)
    if reached is None:
        return None
    text = "public_certificate" if name == PUBLIC_CERTIFICATE else "certificate"
    if days < 0:
        return coded_text(f"{text}_expired", certificate=name, setting=setting, end_at=end)
    return coded_text(f"{text}_expiring", certificate=name, setting=setting, end_at=end, days=reached)


def _threshold(days: int) -> int | None:
    """The narrowest of the limits that these days are within."""
    return min((limit for limit in WARN_DAYS if days < limit), default=None)


def label_of(name: str) -> str:
    """Of a certificate that certificate_expiry_dates names, in the reader's language."""
    return str(LABELS.get(name, name))


def check_relay() -> None:
    heartbeats.check_heartbeat(heartbeats.RELAY)


def check_seller_server() -> None:
    heartbeats.check_heartbeat(heartbeats.SERVER)


def check_certificates() -> None:
    ended = unusable_certificates()
    if ended:
        raise NotReady(f"ended or not readable: {', '.join(ended)}")


log = structlog.get_logger("seller_link.certificate_expiry")
# lines of libcurl's trace
TRIED = re.compile(r"\s*Trying \[?([^\]]+?)\]?:\d+\.\.\.")
AGREED = re.compile(r"SSL connection using (\S+)")


@dataclass(frozen=True)
class ServedCertificate:
    """What one handshake showed."""

    tls_version: str
    subject: str
    issuer: str
    ends_at: datetime


class TracedClient(HttpClient):
    """For one call: keeps what libcurl says of it, whether it succeeds or not."""

    def __init__(self) -> None:
        super().__init__()
        self._trace: list[str] = []

    def handle(self) -> pycurl.Curl:
        curl = super().handle()
        curl.setopt(pycurl.OPT_CERTINFO, 1)
        curl.setopt(pycurl.VERBOSE, 1)
        curl.setopt(pycurl.DEBUGFUNCTION, self._take_trace)
        return curl

    def addresses(self) -> list[str]:
        """Those that were called."""
        return [found[1] for line in self._trace if (found := TRIED.match(line))]

    def served_certificate(self) -> ServedCertificate | None:
        """The seller's, if the handshake came to its end."""
        versions = [found[1] for line in self._trace if (found := AGREED.match(line))]
        if not versions:
            return None
        first, *_issuers = self.handle().getinfo(pycurl.INFO_CERTINFO)
        certificate = x509.load_pem_x509_certificate(dict(first)["Cert"].encode())
        return ServedCertificate(
            versions[-1],
            certificate.subject.rfc4514_string(),
            certificate.issuer.rfc4514_string(),
            certificate.not_valid_after_utc,
        )

    def _take_trace(self, kind: int, text: bytes) -> None:
        if kind == pycurl.INFOTYPE_TEXT:
            self._trace.append(text.decode(errors="replace"))


class CertificateProbe:
    """For the thread that talks to the database: the calls wait for the seller in a thread of their own."""

    def __init__(self) -> None:
        self._found: SimpleQueue[tuple[str, datetime]] = SimpleQueue()
        self._looking: threading.Thread | None = None

    def begin(self) -> None:
        """One handshake for each endpoint; nothing is sent. Returns at once."""
        if self._looking is None or not self._looking.is_alive():
            self._looking = threading.Thread(
                target=self._fetch_certificates, name="certificates", daemon=True
            )
            self._looking.start()

    def wait(self, *, seconds: float) -> bool:
        """Whether all endpoints have been looked at by then."""
        if self._looking is not None:
            self._looking.join(seconds)
        return self._looking is None or not self._looking.is_alive()

    def update_alarms(self) -> None:
        """Raise or clear the alarms for what has been found since."""
        while not self._found.empty():
            alert_seller_certificate(*self._found.get())

    def _fetch_certificates(self) -> None:
        for url in settings.SELLER_ENDPOINTS:
            with closing(TracedClient()) as client:
                try:
                    client.handshake(url, seconds=settings.SELLER_DEADLINE_SECONDS)
                    if served := client.served_certificate():
                        self._found.put((url, served.ends_at))
                except (OSError, ValueError) as problem:
                    # when it ended is not said; any other trouble is the business of the tries
                    if isinstance(problem, CertificateDistrust) and problem.has_expired:
                        self._found.put((url, LONG_AGO))
                    log.info("certificate not seen", endpoint=url, error=type(problem).__name__)
