"""How many windows a plan that is only proposed would miss: the same simulation over a planning problem."""

from collections.abc import Iterator
from datetime import datetime

from dispatch.agreed_starts import latest_of
from dispatch.chances.day_forecast import job_kind
from dispatch.chances.day_simulation import VisitAhead, simulate_day
from dispatch.chances.spreads import Spreads
from dispatch.planning.plan_problem import Plan, TimeSpan
from dispatch.planning.problem_reader import ReadProblem
from dispatch.states import BEFORE_ARRIVAL, UNDER_WAY


def expected_misses(read: ReadProblem, plan: Plan, spreads: Spreads, *, now: datetime) -> float:
    """Of the planned visits and the fixed ones together; unassigned jobs do not count."""
    seconds = round((now - read.origin).total_seconds())
    return simulate_day(list(_visits_ahead(read, plan, now=seconds)), spreads, now=seconds).misses


def _visits_ahead(read: ReadProblem, plan: Plan, *, now: int) -> Iterator[VisitAhead]:
    """Each engineer's day together, in the order of the plan."""
    spans = [
        (
            visit.engineer,
            TimeSpan(visit.start, visit.start + read.problem.jobs[visit.job].length_seconds),
            visit.job,
        )
        for visit in plan.visits
    ]
    spans += [
        (job.fixed.engineer, job.fixed.span, number)
        for number, job in enumerate(read.problem.jobs)
        if job.fixed is not None
    ]
    engineer_before, location = -1, 0
    for engineer, span, number in sorted(spans):
        location = location if engineer == engineer_before else read.problem.engineers[engineer].home
        if span.end > now:
            yield _visit_ahead(read, engineer, span, number, location=location)
        engineer_before, location = engineer, read.problem.jobs[number].location


def _visit_ahead(
    read: ReadProblem, engineer: int, span: TimeSpan, number: int, *, location: int
) -> VisitAhead:
    job, planned = read.jobs[number], read.problem.jobs[number]
    # a team's visit begins, or is missed, once
    agreed = read.moment(span.start) if planned.fixed and job.pk in read.agreed else None
    is_ahead = job.state in BEFORE_ARRIVAL - UNDER_WAY and not planned.is_second
    return VisitAhead(
        key=job.pk,
        engineer=engineer,
        kind=job_kind(job),
        planned_start=span.start,
        length_seconds=span.end - span.start,
        travel_seconds=int(read.problem.travel_seconds[location, planned.location]),
        window_end=round((latest_of(job, agreed) - read.origin).total_seconds()),
        # what has begun is the same in every plan
        arrived=None if is_ahead else span.start,
    )
