"""The state of both directions at one look: what `manage.py check_link` shows.

Nothing is sent that the seller could take for a message: one handshake for each endpoint and a GET.
"""

import socket
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from datetime import datetime

from django.conf import settings
from django.db.models import QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from monitoring import alarms, heartbeats
from monitoring.coded_texts import reason_text
from monitoring.models import Alarm, AlarmKind
from seller_link import certificate_expiry, seller_clock
from seller_link.certificate_expiry import ServedCertificate, TracedClient
from seller_link.client_tls import (
    CertificateDistrust,
    OwnCertificateRejected,
    OwnCertificateUnusable,
)
from seller_link.models import (
    DeliveryAttempt,
    EndpointHealth,
    InboundMessage,
    OutboundMessage,
    OutboundState,
    RejectedCaller,
)

ALL_OK = range(200, 300)


@dataclass(frozen=True)
class Complaint:
    """What is wrong and what to do; `alarm` (kind, subject) is the one that says the same."""

    text: str
    alarm: tuple[str, str] = ("", "")


@dataclass
class EndpointCheck:
    """One of the seller's, as found just now and as the relays know it."""

    url: str
    addresses: list[str] = field(default_factory=list)
    certificate: ServedCertificate | None = None
    clock_ahead_seconds: float | None = None
    open_until: datetime | None = None
    last_delivered_at: datetime | None = None
    last_error: str = ""
    wrong: list[Complaint] = field(default_factory=list)


@dataclass(frozen=True)
class SellerServerCheck:
    """Our side for the seller's calls."""

    certificates: dict[str, datetime | None]
    last_message_at: datetime | None
    refusals_today: dict[str, int]


@dataclass(frozen=True)
class QueueCheck:
    """`oldest_at`: of both; `oldest_waiting_at`: of those that wait."""

    waiting: int
    held: int
    oldest_at: datetime | None
    oldest_waiting_at: datetime | None


def check_endpoints() -> list[EndpointCheck]:
    """Each endpoint asked for real, within SELLER_DEADLINE_SECONDS each whatever it does; settles CLOCK_DIFFERS."""
    certificate_expiry.forget_unused_endpoints()
    return [_endpoint(url) for url in settings.SELLER_ENDPOINTS]


def _endpoint(url: str) -> EndpointCheck:
    found = EndpointCheck(url)
    _remember(found)
    try:
        _ask(found)
    except (OSError, ValueError) as problem:
        why = _late(url) if isinstance(problem, TimeoutError) else _trouble(url, problem)
        alarm = (AlarmKind.SELLER_UNTRUSTED, url) if isinstance(problem, CertificateDistrust) else ("", "")
        found.wrong.append(Complaint(why, alarm))
    _compare_clock(found)
    if found.certificate is not None and (
        text := certificate_expiry.seller_certificate_complaint(url, found.certificate.ends_at)
    ):
        found.wrong.append(
            Complaint(str(text), (AlarmKind.CERTIFICATE_ENDING, certificate_expiry.SELLER_CERTIFICATE + url))
        )
    return found


def _remember(found: EndpointCheck) -> None:
    """What the relays know."""
    known = EndpointHealth.objects.filter(endpoint=found.url).first()
    if known is not None and known.open_until is not None:
        found.open_until, found.last_error = known.open_until, reason_text(known.last_error)
        text = _(
            "Circuit breaker open for %(url)s (%(why)s). The relays retry automatically. If this "
            "continues, ask the seller's team."
        ) % {"url": found.url, "why": found.last_error}
        found.wrong.append(Complaint(text))
    delivered = DeliveryAttempt.objects.filter(endpoint=found.url, error={}, status__in=ALL_OK)
    found.last_delivered_at = delivered.order_by("-started_at").values_list("started_at", flat=True).first()


def _ask(found: EndpointCheck) -> None:
    asked_at = timezone.now()
    with closing(TracedClient()) as client:
        try:
            answer = client.request(f"{found.url}/", seconds=settings.SELLER_DEADLINE_SECONDS)
        finally:
            found.addresses, found.certificate = client.addresses(), client.served_certificate()
    found.clock_ahead_seconds = seller_clock.seconds_ahead(answer.headers, asked_at=asked_at)


def _trouble(url: str, problem: Exception) -> str:
    """Why it failed, and what to do about that."""
    if isinstance(problem, OwnCertificateUnusable):
        return _(
            "%(why)s. Set SELLER_CLIENT_CERT, SELLER_CLIENT_KEY and SELLER_CA to readable, "
            "matching PEM files."
        ) % {"why": problem}
    if isinstance(problem, OwnCertificateRejected):
        return _(
            "%(url)s: %(why)s. Ask the seller's team which authority they accept and whether they have registered "
            "this certificate for you. Then set SELLER_CLIENT_CERT and SELLER_CLIENT_KEY to a certificate that they "
            "accept."
        ) % {"url": url, "why": problem}
    if isinstance(problem, CertificateDistrust):
        return _(
            "%(url)s: %(why)s. Ask the seller's team which certificates are correct, and compare "
            "them with SELLER_CA, SELLER_CLIENT_CERT and the host name in SELLER_ENDPOINTS. "
            "Never bypass the check."
        ) % {"url": url, "why": problem}
    if isinstance(problem, socket.gaierror):
        return _(
            "%(url)s: the host name can't be resolved (%(why)s). Check SELLER_ENDPOINTS and DNS "
            "on this server."
        ) % {"url": url, "why": problem}
    return _(
        "%(url)s: %(why)s. Check the port in SELLER_ENDPOINTS and any firewalls, then ask "
        "the seller's team whether their server is running."
    ) % {"url": url, "why": f"{type(problem).__name__}: {problem}"}


def _late(url: str) -> str:
    return _(
        "%(url)s: no complete response within %(seconds)g s. Check the network and any "
        "firewalls, then ask the seller's team whether their server is running."
    ) % {"url": url, "seconds": settings.SELLER_DEADLINE_SECONDS}


def _compare_clock(found: EndpointCheck) -> None:
    if found.clock_ahead_seconds is None:
        return
    if text := seller_clock.settle_clock(found.url, found.clock_ahead_seconds):
        found.wrong.append(Complaint(str(text), (AlarmKind.CLOCK_DIFFERS, found.url)))


def check_seller_server() -> SellerServerCheck:
    """From the files and the database; nobody is called."""
    counts: Counter[str] = Counter()
    for cause, count in RejectedCaller.objects.filter(day=timezone.now().date()).values_list(
        "cause", "count"
    ):
        counts[cause] += count
    newest = InboundMessage.objects.order_by("-received_at").values_list("received_at", flat=True).first()
    return SellerServerCheck(certificate_expiry.certificate_expiry_dates(), newest, dict(counts))


def check_queue() -> QueueCheck:
    unsent = OutboundMessage.objects.unsent()
    waiting, held = (unsent.filter(state=state) for state in (OutboundState.READY, OutboundState.HELD))
    return QueueCheck(waiting.count(), held.count(), _oldest_at(unsent), _oldest_at(waiting))


def _oldest_at(messages: QuerySet[OutboundMessage]) -> datetime | None:
    return messages.order_by("created_at").values_list("created_at", flat=True).first()


def complaints(called: Sequence[EndpointCheck], waiting: QueueCheck) -> list[str]:
    """Everything that is wrong, each thing once and with its remedy."""
    complaints_found = [complaint for endpoint in called for complaint in endpoint.wrong] + list(
        queue_and_certificate_complaints(waiting)
    )
    complaints_found += process_complaints()
    return list(dict.fromkeys(complaint.text for complaint in complaints_found)) + list(
        alarm_complaints(alarms.open_alarms(), {complaint.alarm for complaint in complaints_found})
    )


def queue_and_certificate_complaints(waiting: QueueCheck) -> Iterator[Complaint]:
    """What is wrong on our side; nobody is called."""
    for name, complaint in certificate_expiry.certificate_complaints().items():
        if complaint:
            yield Complaint(str(complaint), (AlarmKind.CERTIFICATE_ENDING, name))
    if waiting.held:
        text = _("Messages held because the seller rejected them: %(number)d. See Messages > Stuck.")
        yield Complaint(text % {"number": waiting.held})


def process_complaints() -> list[Complaint]:
    """Processes of ours that are silent or do not run: without a seller server nobody answers the seller."""
    text = _("No heartbeat from %(process)s. Read its log for the reason, then start it again.")
    return [
        Complaint(text % {"process": process}, (AlarmKind.PROCESS_STUCK, process))
        for process in heartbeats.stale_processes()
    ]


def alarm_complaints(found: Iterable[Alarm], complained: set[tuple[str, str]]) -> Iterator[str]:
    """Those not in `complained` (kind, subject), one line for each kind: ten thousand of one are still one screen."""
    kinds: dict[str, list[str]] = {}
    for alarm in found:
        # held messages have been counted
        if (alarm.kind, alarm.subject) not in complained and alarm.kind != AlarmKind.MESSAGE_HELD:
            kinds.setdefault(alarm.kind, []).append(str(alarms.text_of(alarm)))
    for kind, texts in kinds.items():
        yield ngettext(
            "Alarm %(kind)s: %(words)s What to do: docs/operating.md, Alarms.",
            "Alarm %(kind)s, %(number)d times, newest: %(words)s What to do: docs/operating.md, Alarms.",
            len(texts),
        ) % {"kind": kind, "number": len(texts), "words": texts[0]}
