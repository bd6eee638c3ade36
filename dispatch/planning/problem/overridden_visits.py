"""Visits that break a rule because a dispatcher said so, with a reason: a plan leaves them where they are."""

from collections.abc import Collection, Iterable
from typing import Any

from dispatch.models import JobEvent, Visit
from dispatch.states import EventKind
from dispatch.visit_proposals import VisitProposal
from dispatch.visits import proposal_problems
from engineers.shifts import TimeSpan

BOOKINGS = (EventKind.ENGINEER_ASSIGNED, EventKind.RESCHEDULED, EventKind.SECOND_ENGINEER_CHANGED)


def find_overridden(visits: Iterable[Visit], *, begun: Collection[int]) -> frozenset[int]:
    """Of these visits (keys) those that break nothing but what was overridden when they were booked. `begun`: jobs
    (keys) at which somebody was on site. One query, and a few for each that was booked with a reason."""
    visits = list(visits)
    overridden = _overridden_codes(visit.job_id for visit in visits)
    return frozenset(
        visit.pk
        for visit in visits
        if (codes := overridden.get(visit.job_id)) and set() < broken_rules(visit, begun=begun) <= codes
    )


def broken_rules(visit: Visit, *, begun: Collection[int]) -> set[str]:
    """The codes of availability, as if the visit were asked for now; that its time has come is no breach, nor that a
    job of `begun` (keys) does not fit its window any more: somebody kept the appointment. A few queries."""
    span = TimeSpan(visit.planned_start, visit.planned_end)
    is_begun = visit.job_id in begun
    proposal = VisitProposal(
        visit.job, visit.engineer, span, is_begun, visit.planned_start, visit.second_engineer
    )
    return {problem.code for problem in proposal_problems(proposal)}


def _overridden_codes(jobs: Iterable[int]) -> dict[int, set[str]]:
    """By job (key), of the last booking."""
    bookings = JobEvent.objects.filter(job__in=list(jobs), kind__in=BOOKINGS).order_by("job", "seq")
    last: dict[int, dict[str, Any]] = dict(bookings.values_list("job_id", "facts"))
    return {job: {*facts["overridden"]} for job, facts in last.items() if facts.get("overridden")}
