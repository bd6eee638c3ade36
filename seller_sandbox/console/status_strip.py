"""The strip above every page: what is under way, and what is in trouble."""

from dataclasses import dataclass
from typing import Any

from django.http import HttpRequest
from django.utils.functional import SimpleLazyObject

from seller_sandbox.faults.models import FaultReport
from seller_sandbox.jobs import strictness
from seller_sandbox.jobs.models import EvidenceFile, Job, ProvisioningTry
from seller_sandbox.messages import worker
from seller_sandbox.messages.models import MessageLogEntry, OutboundMessage, ThreadKind
from seller_sandbox.models import DueAction
from seller_sandbox.orders.models import Order

# a worker beats every two seconds
WORKER_MISSED_SECONDS = 15
FINDINGS = "/messages?breaches=1"


@dataclass(frozen=True)
class Figure:
    """One count in the strip; `is_trouble` makes it red."""

    label: str
    value: int
    is_trouble: bool = False
    link: str = ""


@dataclass(frozen=True)
class Status:
    """What the strip says."""

    figures: list[Figure]
    worker_missing: bool
    is_strict: bool


def put_in_context(_: HttpRequest) -> dict[str, Any]:
    """A context processor: every page has the strip, that of an error too."""
    return {"status": SimpleLazyObject(make_status)}


def make_status() -> Status:
    seen = worker.seconds_since_beat()
    return Status(
        figures=[*_counts(), *_troubles()],
        worker_missing=seen is None or seen > WORKER_MISSED_SECONDS,
        is_strict=strictness.current().is_strict,
    )


def _counts() -> list[Figure]:
    waiting = OutboundMessage.objects.waiting()
    return [
        Figure("Jobs", Job.objects.count(), link="/"),
        Figure("Orders in flight", Order.objects.in_flight().count(), link="/orders"),
        Figure("Tickets open", FaultReport.objects.open().count(), link="/tickets"),
        Figure("Waiting to send", waiting.count()),
        Figure("Trying again", waiting.filter(attempts__gt=0).count()),
        Figure("Results to come", ProvisioningTry.objects.waiting().count()),
        Figure("Files to compare", EvidenceFile.objects.waiting().count()),
    ]


def _troubles() -> list[Figure]:
    refused = OutboundMessage.objects.refused_unexpectedly()
    by_partner = refused.filter(thread__kind=ThreadKind.JOB).count()
    by_buyers = refused.filter(thread__kind__in=[ThreadKind.ORDER, ThreadKind.TICKET]).count()
    failing = DueAction.objects.open().exclude(error="").count()
    breaches = MessageLogEntry.objects.filter(is_breach=True).count()
    return [
        Figure("Refused by the partner", by_partner, is_trouble=by_partner > 0),
        Figure("Refused by buyers", by_buyers, is_trouble=by_buyers > 0),
        Figure("Failing actions", failing, is_trouble=failing > 0, link="/clock"),
        Figure("Messages with findings", breaches, is_trouble=breaches > 0, link=FINDINGS),
    ]
