"""Each rule of a plan, broken and kept; reasons of unassigned jobs; drives between many locations at once."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dispatch.driving.drive_times import ESTIMATES
from dispatch.planning.engine.plan_check import BreachKind, list_breaches
from dispatch.planning.engine.routing_problem import (
    EngineerDay,
    FixedVisit,
    Plan,
    PlanBreak,
    PlanJob,
    PlanSpan,
    PlanVisit,
    RoutingProblem,
)
from dispatch.planning.engine.travel_matrix import travel_matrix
from dispatch.planning.reason_codes import UnassignedCode
from dispatch.planning.unassigned_reasons import explain_unassigned
from tests import make

HOUR = 3600
SHIFT = PlanSpan(8 * HOUR, 16 * HOUR)
NOON = PlanBreak(12 * HOUR, 12 * HOUR, HOUR // 2)
DRIVE = 600


def problem_of(*jobs: PlanJob, **engineer: object) -> RoutingProblem:
    """One engineer at location 0; every drive between two locations takes ten minutes."""
    locations = 4
    matrix = np.full((locations, locations), DRIVE, dtype=np.uint32)
    np.fill_diagonal(matrix, 0)
    return RoutingProblem(jobs, (EngineerDay("anna", 0, SHIFT, **engineer),), matrix)  # type: ignore[arg-type]


def job(number: int, **fields: object) -> PlanJob:
    return PlanJob(number, number + 1, HOUR, ((8 * HOUR, 15 * HOUR),), **fields)  # type: ignore[arg-type]


def kinds(problem: RoutingProblem, *starts: int | None) -> list[BreachKind]:
    """Of the plan in which each job begins then, with the one engineer."""
    visits = [PlanVisit(number, 0, start) for number, start in enumerate(starts) if start is not None]
    return [breach.kind for breach in list_breaches(problem, Plan(tuple(visits)))]


def test_good_plan_has_no_breach() -> None:
    problem = problem_of(job(0), job(1), breaks=(NOON,), max_jobs=2)

    assert kinds(problem, 9 * HOUR, 10 * HOUR + DRIVE) == []


@pytest.mark.parametrize(
    ("problem", "starts", "kind"),
    [
        (problem_of(job(0, skills=frozenset({"mdu"}))), [9 * HOUR], BreachKind.SKILL),
        (problem_of(job(0, engineers=frozenset())), [9 * HOUR], BreachKind.ENGINEER),
        (
            problem_of(job(0, fixed=FixedVisit(0, PlanSpan(9 * HOUR, 10 * HOUR)))),
            [11 * HOUR],
            BreachKind.FIXED,
        ),
        (problem_of(replace(job(0), start_windows=((9 * HOUR, 10 * HOUR),))), [11 * HOUR], BreachKind.WINDOW),
        (
            problem_of(replace(job(0), start_windows=((9 * HOUR, 16 * HOUR),))),
            [15 * HOUR + 1],
            BreachKind.SHIFT,
        ),
        (problem_of(job(0)), [8 * HOUR + DRIVE - 1], BreachKind.TRAVEL),
        (problem_of(job(0)), [15 * HOUR - DRIVE + 1], BreachKind.TRAVEL),
        (problem_of(job(0), job(1)), [9 * HOUR, 10 * HOUR + DRIVE - 1], BreachKind.TRAVEL),
        (problem_of(job(0), job(1)), [9 * HOUR, 10 * HOUR - 1], BreachKind.OVERLAP),
        (problem_of(job(0), max_jobs=0), [9 * HOUR], BreachKind.MOST_JOBS),
        (problem_of(job(0), breaks=(NOON,)), [11 * HOUR + 1], BreachKind.BREAK),
        (
            problem_of(job(0), job(1), breaks=(PlanBreak(11 * HOUR, 12 * HOUR, HOUR),)),
            [10 * HOUR, 11 * HOUR + DRIVE],
            BreachKind.BREAK,
        ),
    ],
)
def test_rule_that_is_broken_is_found(problem: RoutingProblem, starts: list[int], kind: BreachKind) -> None:
    assert kind in kinds(problem, *starts)


@pytest.mark.parametrize(
    ("starts", "broken"),
    [
        ((9 * HOUR, 9 * HOUR), []),
        ((9 * HOUR, 10 * HOUR), [0, 1]),
        ((9 * HOUR, None), [0]),
        ((None, 9 * HOUR), [1]),
    ],
)
def test_team_that_does_not_begin_together_is_found(starts: list[int | None], broken: list[int]) -> None:
    first = replace(job(0), key=1, alone_skills=frozenset({"team"}))
    problem = problem_of(first, replace(first, key=-1))
    problem = replace(problem, engineers=(problem.engineers[0], replace(problem.engineers[0], key="ben")))
    visits = tuple(PlanVisit(who, who, start) for who, start in enumerate(starts) if start is not None)

    breaches = list_breaches(problem, Plan(visits))

    assert [(breach.kind, breach.job) for breach in breaches] == [(BreachKind.TEAM, who) for who in broken]


def test_job_twice_is_found() -> None:
    visits = (PlanVisit(0, 0, 9 * HOUR), PlanVisit(0, 0, 13 * HOUR))

    assert BreachKind.TWICE in [breach.kind for breach in list_breaches(problem_of(job(0)), Plan(visits))]


def test_what_fixed_visits_break_is_no_breach_of_the_plan() -> None:
    """Pinned ones that overlap, lie over the break and end after the shift; a free job before them is good."""
    pinned = [FixedVisit(0, PlanSpan(12 * HOUR, 13 * HOUR)), FixedVisit(0, PlanSpan(12 * HOUR, 17 * HOUR))]
    problem = problem_of(job(0), job(1, fixed=pinned[0]), job(2, fixed=pinned[1]), breaks=(NOON,))

    assert kinds(problem, 9 * HOUR, None, None) == []


def until(end: int, *, start: int = 8, hours: int = 1) -> PlanJob:
    """A job that begins and ends within these hours, or begins at the first of them where that is impossible."""
    windows = ((start * HOUR, max(end - hours, start) * HOUR),)
    return replace(job(0), start_windows=windows, length_seconds=hours * HOUR)


def gap(start: int, end: int) -> PlanBreak:
    return PlanBreak(start * HOUR, start * HOUR, (end - start) * HOUR)


def with_reserve_of(problem: RoutingProblem, *, minutes: int) -> RoutingProblem:
    """The drives from and to home take no time of the shift."""
    (day,) = problem.engineers
    shift = PlanSpan(day.shift.start, day.shift.end - minutes * 60)
    return replace(
        problem, engineers=(replace(day, shift=shift, work_end=day.shift.end),), is_commute_in_shift=False
    )


@pytest.mark.parametrize(
    ("problem", "code"),
    [
        (replace(problem_of(job(0)), engineers=()), UnassignedCode.NO_ENGINEERS),
        (problem_of(replace(job(0), start_windows=())), UnassignedCode.NO_WINDOW),
        (problem_of(job(0, skills=frozenset({"mdu"}))), UnassignedCode.SKILL),
        (problem_of(replace(job(0), start_windows=((18 * HOUR, 19 * HOUR),))), UnassignedCode.SHIFT),
        (problem_of(replace(job(0), start_windows=((8 * HOUR, 8 * HOUR + 60),))), UnassignedCode.REACH),
        (problem_of(job(0)), UnassignedCode.CAPACITY),
        # away for as long as the window
        (problem_of(until(13, start=10), breaks=(gap(10, 13),)), UnassignedCode.SHIFT),
        (problem_of(until(18, hours=6), breaks=(gap(12, 13),)), UnassignedCode.TOO_LONG),
        (problem_of(until(18, hours=11)), UnassignedCode.TOO_LONG),
        (with_reserve_of(problem_of(until(16, start=15)), minutes=20), UnassignedCode.RESERVE),
        (with_reserve_of(problem_of(until(16, start=14)), minutes=20), UnassignedCode.CAPACITY),
    ],
)
def test_reason_of_an_unassigned_job(problem: RoutingProblem, code: UnassignedCode) -> None:
    assert [reason.code for reason in explain_unassigned(problem, Plan()).values()] == [code]


def test_engineer_who_has_the_most_jobs_is_the_reason() -> None:
    problem = problem_of(job(0), job(1), job(2, fixed=FixedVisit(0, PlanSpan(14 * HOUR, 15 * HOUR))))
    limited = replace(problem, engineers=(replace(problem.engineers[0], max_jobs=2),))
    plan = Plan((PlanVisit(0, 0, 9 * HOUR),))

    assert explain_unassigned(limited, plan)[1].code == UnassignedCode.MOST_JOBS
    assert explain_unassigned(problem, plan)[1].code == UnassignedCode.CAPACITY


AT_NOON = make.at("12:00")
degrees = st.floats(-1, 1)
coordinates = st.one_of(st.none(), st.tuples(degrees.map(lambda x: 53.8 + x), degrees), st.just((99.0, 0.0)))


@settings(max_examples=50)
@given(st.lists(coordinates, max_size=5))
def test_matrix_has_the_drives_of_the_single_rule(locations: list[tuple[float, float] | None]) -> None:
    expected = [[ESTIMATES.seconds(start, end, at=AT_NOON) for end in locations] for start in locations]

    found = travel_matrix(locations).tolist()

    assert np.allclose(np.array(found), np.array(expected), atol=1)


def test_drives_are_rounded_up_to_minutes() -> None:
    found = travel_matrix([(53.8, -1.5), (53.81, -1.5)], round_up_to_seconds=60)

    single = ESTIMATES.seconds((53.8, -1.5), (53.81, -1.5), at=AT_NOON)
    assert found[0, 1] == -(-single // 60) * 60
