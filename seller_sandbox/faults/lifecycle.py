"""The one writer of a fault report's state: state, event, SLA interval and notification row commit together."""

from typing import Any

import structlog
from django.db import models, transaction
from django.db.models import Exists, OuterRef

from seller_sandbox import clock
from seller_sandbox.compiled_queries import CompiledQuery, Parameter
from seller_sandbox.faults import notification_members
from seller_sandbox.faults.models import (
    ContactAttempt,
    FaultEvent,
    FaultFile,
    FaultReport,
    FaultUpdate,
    TicketVisit,
)
from seller_sandbox.faults.signals import fault_changed
from seller_sandbox.faults.states import ON_THE_CLOCK, TRANSITIONS, FaultEventKind, FaultState
from seller_sandbox.messages import outbox

# when a report reached a state
REACHED_AT = {
    FaultState.ACCEPTED: "accepted_at",
    FaultState.RESOLVED: "resolved_at",
    FaultState.REJECTED: "ended_at",
    FaultState.CLOSED: "ended_at",
    FaultState.CANCELLED: "ended_at",
}

RELATED = (
    *("buyer", "thread", "appointment"),
    *("service__location__cabinet", "service__product", "service__buyer", "service__ont__ont_model"),
)

log = structlog.get_logger("sandbox.faults")
_LOCKED = CompiledQuery(
    lambda: (
        FaultReport.objects.select_for_update()
        .filter(maintainer_fault_reference=Parameter("reference"))
        .values_list("pk")
    )
)


def _has(model: type[models.Model]) -> Exists:
    return Exists(model._default_manager.filter(report=OuterRef("pk")))


_WITH_RELATED = CompiledQuery(
    lambda: (
        FaultReport.objects.select_related(*RELATED)
        .filter(maintainer_fault_reference=Parameter("reference"))
        .annotate(
            has_additions=_has(FaultUpdate) | _has(FaultFile) | _has(ContactAttempt),
            has_visits=_has(TicketVisit),
        )
    )
)
_EVENTS = CompiledQuery(lambda: FaultEvent.objects.filter(report=Parameter("report")))


class FaultEventNotPossible(Exception):
    """The table of faults/states.py has no such event in the report's state; the text names both."""


def lock(reference: str) -> FaultReport:
    """The report with this maintainerFaultReference, locked until the transaction ends: every change begins here."""
    _LOCKED.row(reference=reference)
    # read when it is locked: a row that had to be waited for would come with what was related to it before
    return _WITH_RELATED.get(reference=reference)


def list_events(report: FaultReport) -> list[FaultEvent]:
    """All that has happened to a locked report, in order."""
    if report.known_events is None:
        report.known_events = _EVENTS.all(report=report.pk)
    return [*report.known_events]


def is_possible(report: FaultReport, kind: FaultEventKind) -> bool:
    sources = TRANSITIONS[kind].sources
    return report.state in sources if report.pk else not sources


@transaction.atomic(savepoint=False)
def apply(
    report: FaultReport, kind: FaultEventKind, *, details: dict[str, Any] | None = None, **members: Any
) -> FaultEvent:
    """Record that something happened to a locked report; saves the report's other fields, too.

    `members` go into the notification beside what every one carries (notification_members.py); `details` stay with us.
    Raises FaultEventNotPossible.
    """
    if not is_possible(report, kind):
        raise FaultEventNotPossible(
            f"{kind.label} is not possible while a ticket is {report.get_state_display()}"
        )
    transition, now, had_running_clock = TRANSITIONS[kind], clock.now(), report.state in ON_THE_CLOCK
    if transition.target:
        report.state = transition.target
        if name := REACHED_AT.get(transition.target):
            setattr(report, name, now)
    report.save_changes()
    if had_running_clock != (report.state in ON_THE_CLOCK):
        _turn_sla_clock(report)
    filled = {name: value for name, value in members.items() if value is not None}
    event = report.events.create(kind=kind, state=report.state, at=now, details={**(details or {}), **filled})
    if report.known_events is not None:
        report.known_events.append(event)
    if transition.notification:
        outbox.enqueue(
            thread=report.thread,
            operation=transition.notification.value,
            members={**notification_members.of(report), **filled},
        )
    fault_changed.send(sender=FaultReport, report=report, event=event)
    log.info("fault event", report=report.maintainer_fault_reference, kind=kind, state=report.state)
    return event


def _turn_sla_clock(report: FaultReport) -> None:
    """Start or stop the clock as the new state says; it goes on from where it stood (D8)."""
    if report.state in ON_THE_CLOCK:
        report.sla_intervals.create(started_at=clock.now())
    else:
        report.sla_intervals.filter(ended_at=None).update(ended_at=clock.now())
