"""Resolved and no reply: after 48 elapsed hours the supplier takes the resolution for accepted (States, Limits; D9)."""

from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import DateTimeField

from seller_sandbox import clock
from seller_sandbox.compiled_queries import CompiledQuery, Parameter
from seller_sandbox.due_actions import due_action
from seller_sandbox.faults import lifecycle, steps
from seller_sandbox.faults.models import FaultReport
from seller_sandbox.faults.states import FaultEventKind, FaultState

REPLY_HOURS = 48
_RESOLVED = CompiledQuery(
    lambda: (
        FaultReport.objects.filter(
            state=FaultState.RESOLVED, resolved_at__lte=Parameter("until", DateTimeField())
        )
        .order_by("resolved_at")
        .values_list("maintainer_fault_reference")
    )
)
TEXT = "There was no reply for 48 hours: the resolution is treated as accepted by the supplier."


def wait_for_reply(report: FaultReport) -> None:
    """The hours count from the resolution, whenever its notification arrives."""
    steps.schedule(steps.CLOSE_BY_SILENCE, report, at=_end_of_wait(report))


@due_action(steps.CLOSE_BY_SILENCE)
def close_by_silence(subject: str) -> None:
    """Close a report whose 48 hours are over; what was answered or re-opened stays as it is."""
    report = lifecycle.lock(subject)
    if report.state != FaultState.RESOLVED or clock.now() < _end_of_wait(report):
        return
    with clock.at(_end_of_wait(report)):
        steps.stop(report)
        lifecycle.apply(
            report, FaultEventKind.CLOSED_BY_SILENCE, closure={"accepted_by": "Supplier", "text": TEXT}
        )


def close_overdue() -> None:
    """Close what is due and was not closed yet, whoever is late with it."""
    for (reference,) in _RESOLVED.rows(until=clock.now() - timedelta(hours=REPLY_HOURS)):
        with transaction.atomic():
            close_by_silence(reference)


def _end_of_wait(report: FaultReport) -> datetime:
    return report.resolved_at + timedelta(hours=REPLY_HOURS)
