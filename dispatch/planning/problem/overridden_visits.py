"""Visits that break a rule because a dispatcher said so, with a reason: a plan leaves them where they are."""

from collections.abc import Collection, Iterable
from datetime import datetime

from dispatch.drive_problems import PRESENT
from dispatch.models import Visit
from dispatch.overridden_rules import read_overridden_codes
from dispatch.visit_proposals import VisitProposal
from dispatch.visits import proposal_problems
from engineers.shifts import TimeSpan


def find_overridden(visits: Iterable[Visit], *, begun: Collection[int], now: datetime) -> frozenset[int]:
    """Of these visits (keys) those that break nothing but what was overridden when they were booked, and what became
    late since. `begun`: jobs (keys) at which somebody was on site. One query, and a few for each that was booked with a
    reason."""
    visits = list(visits)
    overridden = read_overridden_codes(visit.job_id for visit in visits)
    return frozenset(
        visit.pk
        for visit in visits
        if (codes := overridden.get(visit.job_id))
        and (broken := broken_rules(visit, begun=begun, now=now)) & codes
        and broken <= codes | {PRESENT}
    )


def broken_rules(visit: Visit, *, begun: Collection[int], now: datetime | None = None) -> set[str]:
    """The codes of availability, as if the visit were asked for now; that its time has come is no breach, nor that a
    job of `begun` (keys) does not fit its window any more: somebody kept the appointment. `now`: with what is late by
    then; without, as it is planned. A few queries."""
    span = TimeSpan(visit.planned_start, visit.planned_end)
    is_begun = visit.job_id in begun
    proposal = VisitProposal(
        visit.job, visit.engineer, span, is_begun, visit.planned_start, visit.second_engineer, as_of=now
    )
    return {problem.code for problem in proposal_problems(proposal)}
