"""Small planning problems of every kind, possible or not, for properties of the planner."""

from dataclasses import replace

import numpy as np
from hypothesis import strategies as st

from dispatch.planning.engine.routing_problem import (
    EngineerDay,
    FixedVisit,
    PlanBreak,
    PlanJob,
    PlanSpan,
    PlanVisit,
    RoutingProblem,
)
from dispatch.planning.engine.team_jobs import find_seconds

HOUR = 3600
LAST = 30 * HOUR
SKILLS = ("civils", "mdu")
quarters = st.integers(0, LAST // 900).map(lambda number: number * 900)


@st.composite
def spans(draw: st.DrawFn, *, shortest: int = 0) -> PlanSpan:
    start, end = sorted((draw(quarters), draw(quarters)))
    return PlanSpan(start, max(end, start + shortest))


@st.composite
def breaks(draw: st.DrawFn) -> PlanBreak:
    earliest = draw(quarters)
    return PlanBreak(
        earliest, earliest + draw(st.sampled_from([0, HOUR])), draw(st.sampled_from([900, 1800]))
    )


@st.composite
def engineer_days(draw: st.DrawFn, number: int, locations: int) -> EngineerDay:
    return EngineerDay(
        key=str(number),
        home=draw(st.integers(0, locations - 1)),
        shift=draw(st.one_of(st.just(PlanSpan(8 * HOUR, 18 * HOUR)), spans())),
        breaks=tuple(draw(st.lists(breaks(), max_size=2))),
        skills=draw(st.frozensets(st.sampled_from(SKILLS))),
        max_jobs=draw(st.sampled_from([None, 0, 1, 3])),
    )


@st.composite
def plan_jobs(draw: st.DrawFn, number: int, locations: int, engineers: int) -> PlanJob:
    indices = st.integers(0, max(engineers - 1, 0))
    fixed = st.builds(FixedVisit, indices, spans(shortest=900)) if engineers else st.none()
    windows = sorted(draw(st.lists(spans(), max_size=2)))
    is_ordered = len(windows) < 2 or windows[0].end <= windows[1].start
    return PlanJob(
        key=number,
        location=draw(st.integers(0, locations - 1)),
        length_seconds=draw(st.sampled_from([900, 3600, 5 * HOUR])),
        start_windows=tuple((start, end) for start, end in (windows if is_ordered else windows[:1])),
        skills=draw(st.frozensets(st.sampled_from(SKILLS), max_size=1)),
        priority=draw(st.sampled_from([1, 10, 100])),
        engineers=draw(st.one_of(st.none(), st.frozensets(indices) if engineers else st.just(frozenset()))),
        fixed=draw(st.one_of(st.none(), st.none(), fixed)),
    )


@st.composite
def team_parts(draw: st.DrawFn, job: PlanJob) -> tuple[PlanJob, ...]:
    """The job as it is, or as one for two engineers."""
    if job.fixed or draw(st.booleans()):
        return (job,)
    second = replace(job, key=-job.key, skills=frozenset(), engineers=None)
    return replace(job, alone_skills=draw(st.sampled_from([None, frozenset({"mdu"})]))), second


@st.composite
def plan_problems(draw: st.DrawFn) -> RoutingProblem:
    locations = draw(st.integers(1, 4))
    drives = draw(st.lists(st.sampled_from([0, 600, 1800, 3 * HOUR]), min_size=16, max_size=16))
    matrix = np.array(drives, dtype=np.uint32).reshape(4, 4)[:locations, :locations].copy()
    np.fill_diagonal(matrix, 0)
    engineers = draw(st.integers(0, 3))
    jobs = [draw(plan_jobs(number, locations, engineers)) for number in range(1, draw(st.integers(1, 8)))]
    problem = RoutingProblem(
        jobs=tuple(part for job in jobs for part in draw(team_parts(job))),
        engineers=tuple(draw(engineer_days(number, locations)) for number in range(engineers)),
        travel_seconds=matrix,
        is_commute_in_shift=draw(st.booleans()),
    )
    return replace(problem, present=draw(present_visits(problem)))


@st.composite
def present_visits(draw: st.DrawFn, problem: RoutingProblem) -> tuple[PlanVisit, ...]:
    """Today's visits of some jobs, wherever they lie; those of two engineers often together."""
    if not problem.engineers:
        return ()
    free = [number for number, job in enumerate(problem.jobs) if job.fixed is None]
    indices = st.integers(0, len(problem.engineers) - 1)
    starts = {number: draw(quarters) for number in free}
    starts |= {
        second: starts[first] for first, second in find_seconds(problem).items() if draw(st.booleans())
    }
    return tuple(PlanVisit(number, draw(indices), starts[number]) for number in free if draw(st.booleans()))
