"""How many windows a plan that is only proposed would miss: the same simulation over a planning problem."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from dispatch.on_time_forecast.day_forecast import job_kind, missed_from
from dispatch.on_time_forecast.day_simulation import VisitAhead, simulate_day
from dispatch.on_time_forecast.spreads import Spreads
from dispatch.planning.engine.routing_problem import Plan, PlanSpan, RoutingProblem
from dispatch.planning.problem.problem_reader import LoadedProblem
from dispatch.states import BEFORE_ARRIVAL, UNDER_WAY


def expected_misses(read: LoadedProblem, plan: Plan, spreads: Spreads, *, now: datetime) -> float:
    """Of the planned visits and the fixed ones together; unassigned jobs do not count."""
    seconds = round((now - read.origin).total_seconds())
    return simulate_day(list(_visits_ahead(read, plan, now=seconds)), spreads, now=seconds).misses


@dataclass(frozen=True)
class _Part:
    """One engineer's part of a visit; `job` and `engineer` are indices into the problem."""

    job: int
    engineer: int
    span: PlanSpan
    travel_seconds: int


def _visits_ahead(read: LoadedProblem, plan: Plan, *, now: int) -> Iterator[VisitAhead]:
    """In the order of the plan, a team's once."""
    parts = {read.problem.jobs[part.job].key: part for part in _parts(read.problem, plan)}
    for key, part in parts.items():
        if part.span.end > now and (key > 0 or -key not in parts):
            yield _visit_ahead(read, part, parts.get(-key))


def _parts(problem: RoutingProblem, plan: Plan) -> Iterator[_Part]:
    spans = [
        (
            PlanSpan(visit.start, visit.start + problem.jobs[visit.job].length_seconds),
            visit.job,
            visit.engineer,
        )
        for visit in plan.visits
    ]
    spans += [
        (job.fixed.span, number, job.fixed.engineer) for number, job in enumerate(problem.jobs) if job.fixed
    ]
    locations = [engineer.home for engineer in problem.engineers]
    for span, number, engineer in sorted(spans):
        location = problem.jobs[number].location
        yield _Part(number, engineer, span, int(problem.travel_seconds[locations[engineer], location]))
        locations[engineer] = location


def _visit_ahead(read: LoadedProblem, part: _Part, second: _Part | None) -> VisitAhead:
    job, span = read.jobs[part.job], part.span
    # not when it will begin: a visit that is held up misses it
    agreed = read.agreed.get(job.pk)
    missed = missed_from(job, read.moment(span.start), agreed=agreed, is_begun=job.pk in read.begun)
    return VisitAhead(
        key=job.pk,
        engineer=part.engineer,
        kind=job_kind(job),
        planned_start=span.start,
        length_seconds=span.end - span.start,
        travel_seconds=part.travel_seconds,
        window_end=round((missed - read.origin).total_seconds()),
        # what has begun is the same in every plan
        arrived=None if job.state in BEFORE_ARRIVAL - UNDER_WAY else span.start,
        second_engineer=second.engineer if second else None,
        second_travel_seconds=second.travel_seconds if second else 0,
    )
