"""The state of both directions at one look: what `manage.py check_link` shows.

Nothing is sent that the seller could take for a message: one handshake for each endpoint and a GET.
"""

import http.client
import socket
import ssl
from collections import Counter
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from urllib.parse import urlsplit

from cryptography import x509
from django.conf import settings
from django.utils import timezone
from django.utils.translation import gettext as _

from seller_link import alarms, expiry
from seller_link.alarms import AlarmKind
from seller_link.models import DeliveryAttempt, EndpointHealth, InboundMessage, OutboundMessage, PeerRefusal
from seller_link.trust import distrust, tls_context

# a Date header counts whole seconds and the answer travels; a phone's clock differs more than this unnoticed
CLOCK_DIFFERS_SECONDS = 30
WELL = range(200, 300)


@dataclass
class Endpoint:
    """One of the seller's, as found just now and as the relays know it; `wrong` says what to do."""

    url: str
    addresses: list[str] = field(default_factory=list)
    tls_version: str = ""
    subject: str = ""
    issuer: str = ""
    ends_at: datetime | None = None
    clock_ahead_seconds: float | None = None
    rests_until: datetime | None = None
    last_delivered_at: datetime | None = None
    last_error: str = ""
    wrong: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Door:
    """Our side for the seller's calls."""

    certificates: dict[str, datetime | None]
    last_message_at: datetime | None
    refusals_today: dict[str, int]


@dataclass(frozen=True)
class Queue:
    waiting: int
    held: int
    oldest_at: datetime | None


def endpoints() -> list[Endpoint]:
    """Each endpoint asked for real, within SELLER_DEADLINE_SECONDS each; raises or clears CLOCK_DIFFERS."""
    return [_endpoint(url) for url in settings.SELLER_ENDPOINTS]


def _endpoint(url: str) -> Endpoint:
    found = Endpoint(url)
    _remember(found)
    try:
        _shake_hands(found)
    except (OSError, http.client.HTTPException, ValueError) as problem:
        why = distrust(problem) or f"{type(problem).__name__}: {problem}"
        found.wrong.append(_("%(url)s: %(why)s") % {"url": url, "why": why})
    _judge_clock(found)
    if found.ends_at is not None and found.ends_at - timezone.now() < timedelta(days=expiry.WARN_DAYS[0]):
        ends = timezone.localtime(found.ends_at).strftime("%d %b %Y %H:%M")
        found.wrong.append(
            _("%(url)s: the seller's certificate ends on %(ends)s. Ask the seller's team for the new one.")
            % {"url": url, "ends": ends}
        )
    return found


def _remember(found: Endpoint) -> None:
    """What the relays know."""
    known = EndpointHealth.objects.filter(endpoint=found.url).first()
    if known is not None and known.rests_until is not None:
        found.rests_until, found.last_error = known.rests_until, known.last_error
    delivered = DeliveryAttempt.objects.filter(endpoint=found.url, error="", status__in=WELL)
    found.last_delivered_at = delivered.order_by("-started_at").values_list("started_at", flat=True).first()


def _shake_hands(found: Endpoint) -> None:
    parts = urlsplit(found.url)
    host, port = parts.hostname or "", parts.port or 443
    found.addresses = sorted(
        {str(one[4][0]) for one in socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)}
    )
    line = http.client.HTTPSConnection(
        host, port, context=tls_context(), timeout=settings.SELLER_DEADLINE_SECONDS
    )
    try:
        line.connect()
        _look_at(line.sock, found)
        line.request("GET", "/")
        said = line.getresponse().getheader("Date")
        if said:
            found.clock_ahead_seconds = (_instant(said) - timezone.now()).total_seconds()
    finally:
        line.close()


def _look_at(line: ssl.SSLSocket, found: Endpoint) -> None:
    certificate = x509.load_der_x509_certificate(line.getpeercert(binary_form=True) or b"")
    found.tls_version = line.version() or ""
    found.subject = certificate.subject.rfc4514_string()
    found.issuer = certificate.issuer.rfc4514_string()
    found.ends_at = certificate.not_valid_after_utc


def _instant(said: str) -> datetime:
    found = parsedate_to_datetime(said)
    return found if found.tzinfo else found.replace(tzinfo=UTC)


def _judge_clock(found: Endpoint) -> None:
    if found.clock_ahead_seconds is None:
        return
    if abs(found.clock_ahead_seconds) <= CLOCK_DIFFERS_SECONDS:
        alarms.clear(AlarmKind.CLOCK_DIFFERS, found.url)
        return
    words = _("The seller's clock at %(url)s is %(seconds)d s away from ours.") % {
        "url": found.url,
        "seconds": round(found.clock_ahead_seconds),
    }
    alarms.raise_alarm(AlarmKind.CLOCK_DIFFERS, found.url, words)
    found.wrong.append(words)


def door() -> Door:
    """From the files and the database; nobody is called."""
    counts: Counter[str] = Counter()
    for cause, count in PeerRefusal.objects.filter(day=timezone.now().date()).values_list("cause", "count"):
        counts[cause] += count
    newest = InboundMessage.objects.order_by("-received_at").values_list("received_at", flat=True).first()
    return Door(expiry.certificate_ends(), newest, dict(counts))


def queue() -> Queue:
    unsent = OutboundMessage.objects.unsent()
    return Queue(
        unsent.filter(state="ready").count(),
        unsent.filter(state="held").count(),
        unsent.order_by("created_at").values_list("created_at", flat=True).first(),
    )


def wrong_here(found: Queue) -> list[str]:
    """What is wrong on our side, each with its remedy."""
    said = [
        _("%(name)s has ended or cannot be read. Put the new one in its place.") % {"name": name}
        for name in expiry.unusable_certificates()
    ]
    if found.held:
        said.append(
            _("Messages are held by the seller's refusal: %(number)d. See Messages, In trouble.")
            % {"number": found.held}
        )
    said += [f"{alarm.kind}: {alarm.words}" for alarm in alarms.open_alarms()]
    return said
