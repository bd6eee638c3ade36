"""Visits that are held up stay with their engineers while they are still reached inside their windows."""

from dataclasses import replace

import numpy as np
import pytest
import time_machine

from dispatch.models import ChangeKind, Occasion, PlanOption
from dispatch.planning.engine.routing_problem import (
    EngineerDay,
    FixedVisit,
    Plan,
    PlanBreak,
    PlanJob,
    PlanLimits,
    PlanSpan,
    PlanVisit,
    RoutingProblem,
)
from dispatch.planning.plan_runner import run_engine
from dispatch.planning.problem.late_visits import hold_late_days, keep_late_visits
from dispatch.planning.problem.plan_scope import PlanScope
from dispatch.planning.problem.problem_reader import read_problem
from engineers import rota
from engineers.shifts import day_span
from tests import make
from tests.dispatch.day_comparisons import compared, kinds, planned, proposal_of

HOUR = 3600
QUARTER = HOUR // 4
SHIFT = PlanSpan(8 * HOUR, 13 * HOUR)
# in a window from eight to one: with its hour, and without
WHOLE, BEGUN = ((8 * HOUR, 12 * HOUR),), ((8 * HOUR, 13 * HOUR - 300),)
NOON = PlanBreak(12 * HOUR, 12 * HOUR, HOUR // 2)


def held_up(until: int, *starts: int, **day: object) -> RoutingProblem:
    """One engineer on site until then, with a visit of an hour at each of these times; no drives."""
    fixed = PlanJob(99, 0, HOUR, (), fixed=FixedVisit(0, PlanSpan(8 * HOUR, until)))
    jobs = (*(PlanJob(key, 0, HOUR, WHOLE, late_windows=BEGUN) for key in range(len(starts))), fixed)
    present = tuple(PlanVisit(number, 0, start) for number, start in enumerate(starts))
    engineer = EngineerDay("anna", 0, SHIFT, **day)  # type: ignore[arg-type]
    return RoutingProblem(jobs, (engineer,), np.zeros((1, 1), dtype=np.uint32), present=present)


def late_visits(problem: RoutingProblem, *assigned: PlanVisit) -> list[tuple[int, int]]:
    """Job and start of the visits of a plan that assigned only these."""
    return [(visit.job, visit.start) for visit in keep_late_visits(problem, Plan(assigned)).plan.visits]


def test_visit_that_ends_after_the_window_stays_with_its_time() -> None:
    problem = held_up(11 * HOUR + QUARTER, 10 * HOUR, 12 * HOUR - QUARTER, latest_end=14 * HOUR)

    found = keep_late_visits(problem, Plan((PlanVisit(0, 0, 11 * HOUR + QUARTER),)))

    assert found.plan.visits == problem.present
    assert found.late == (PlanVisit(0, 0, 11 * HOUR + QUARTER), PlanVisit(1, 0, 12 * HOUR + QUARTER))


def test_visit_that_would_begin_after_the_window_is_called_off() -> None:
    problem = held_up(12 * HOUR, 10 * HOUR, 12 * HOUR, latest_end=15 * HOUR)

    assert late_visits(problem, PlanVisit(0, 0, 12 * HOUR)) == [(0, 12 * HOUR)]


@pytest.mark.parametrize(("latest_end", "stays"), [(None, []), (13 * HOUR + QUARTER, []), (14 * HOUR, [0])])
def test_visit_ends_no_later_than_the_engineer_may_be_kept(latest_end: int | None, stays: list[int]) -> None:
    problem = held_up(12 * HOUR + 2 * QUARTER, 12 * HOUR, latest_end=latest_end)

    assert [job for job, _start in late_visits(problem)] == stays


@pytest.mark.parametrize(("breaks", "stays"), [((), [0, 1]), ((NOON,), [0])])
def test_break_comes_later_and_what_follows_it_too(breaks: tuple[PlanBreak, ...], stays: list[int]) -> None:
    """With the break, the second visit would begin at a quarter past one."""
    problem = held_up(12 * HOUR - QUARTER, 11 * HOUR, 12 * HOUR, breaks=breaks, latest_end=15 * HOUR)

    assert [job for job, _start in late_visits(problem)] == stays


def test_visit_after_a_break_that_comes_later_stays_too() -> None:
    """On site until a quarter to twelve, a visit, the break, and a visit in the afternoon."""
    problem = held_up(12 * HOUR - QUARTER, 11 * HOUR, 13 * HOUR, breaks=(NOON,), latest_end=17 * HOUR)
    afternoon = replace(problem.jobs[1], start_windows=((13 * HOUR, 15 * HOUR),), late_windows=())
    problem = replace(problem, jobs=(problem.jobs[0], afternoon, problem.jobs[2]))

    found = keep_late_visits(problem, Plan((PlanVisit(1, 0, 13 * HOUR),)))

    assert found.plan.visits == problem.present
    assert [visit.start for visit in found.late] == [12 * HOUR - QUARTER, 13 * HOUR + QUARTER]


@pytest.mark.parametrize(
    ("absences", "stays"), [((), [0]), ((PlanSpan(12 * HOUR, 12 * HOUR + HOUR // 2),), [])]
)
def test_nobody_is_kept_through_an_absence(absences: tuple[PlanSpan, ...], stays: list[int]) -> None:
    problem = held_up(11 * HOUR + QUARTER, 11 * HOUR, breaks=(NOON,), absences=absences, latest_end=13 * HOUR)

    assert [job for job, _start in late_visits(problem)] == stays


def test_two_visits_that_are_held_up_keep_their_order() -> None:
    """The first is assigned anew, a quarter to twelve; the second, planned for half past eleven, comes after it."""
    problem = held_up(12 * HOUR - QUARTER, 11 * HOUR, 11 * HOUR + 2 * QUARTER, latest_end=14 * HOUR)
    shorter = tuple(replace(job, length_seconds=2 * QUARTER) for job in problem.jobs[:2])
    problem = replace(problem, jobs=(*shorter, problem.jobs[2]))

    found = keep_late_visits(problem, Plan((PlanVisit(0, 0, 12 * HOUR - QUARTER),)))

    assert [visit.start for visit in found.late] == [12 * HOUR - QUARTER, 12 * HOUR + QUARTER]


def test_engineer_who_gets_another_job_keeps_no_late_visit() -> None:
    problem = held_up(11 * HOUR, 12 * HOUR, latest_end=14 * HOUR)
    problem = replace(problem, jobs=(*problem.jobs, PlanJob(5, 0, HOUR, WHOLE)))

    assert late_visits(problem, PlanVisit(2, 0, 11 * HOUR)) == [(2, 11 * HOUR)]


def test_visit_for_which_the_skill_is_missing_is_called_off() -> None:
    problem = held_up(9 * HOUR, 10 * HOUR, latest_end=14 * HOUR)
    needs_skill = replace(problem.jobs[0], skills=frozenset({"mdu"}))

    assert late_visits(problem) == [(0, 10 * HOUR)]
    assert late_visits(replace(problem, jobs=(needs_skill, *problem.jobs[1:]))) == []


@pytest.mark.parametrize(("other_is_free", "stays"), [(True, [0, 1]), (False, [])])
def test_team_stays_together_or_is_called_off(other_is_free: bool, stays: list[int]) -> None:
    problem = held_up(11 * HOUR + 2 * QUARTER, 12 * HOUR - QUARTER, latest_end=14 * HOUR)
    first, fixed = replace(problem.jobs[0], key=1, alone_skills=None), problem.jobs[1]
    until = 9 * HOUR if other_is_free else 13 * HOUR
    other_fixed = replace(fixed, key=98, fixed=FixedVisit(1, PlanSpan(8 * HOUR, until)))
    problem = replace(
        problem,
        jobs=(first, replace(first, key=-1), fixed, other_fixed),
        engineers=(problem.engineers[0], replace(problem.engineers[0], key="ben")),
        present=tuple(PlanVisit(part, part, 12 * HOUR - QUARTER) for part in (0, 1)),
    )

    assert [job for job, _start in late_visits(problem)] == stays


@pytest.mark.django_db
@pytest.mark.parametrize(("longer_minutes", "called_off"), [(60, False), (150, True)])
def test_longer_visit_calls_nobody_off_who_is_reached_in_time(longer_minutes: int, called_off: bool) -> None:
    """The next visit, planned for noon, has a window until one."""
    with time_machine.travel(make.at("10:30"), tick=True):
        ann = make.engineer(name="Ann")
        long, following = planned(ann, "10:30"), planned(ann, "12:00")
        make.start_travel(long)
        make.arrive(long)

        comparison = compared(Occasion.VISIT_LONGER, job=long, longer_minutes=longer_minutes)

        expected = {following.pk: ChangeKind.UNASSIGN if called_off else ChangeKind.STAY_LATE}
        assert [kinds(proposal_of(comparison, option)) for option in PlanOption] == [expected] * len(
            PlanOption
        )


@pytest.mark.django_db
def test_nobody_is_kept_beyond_the_beginning_of_an_absence() -> None:
    with time_machine.travel(make.at("06:00"), tick=True):
        engineer, leaves_at = make.engineer(ends="16:00"), make.at("16:15")
        assert latest_end() == make.at("17:00")
        rota.add_absence(
            engineer=engineer, starts_at=leaves_at, ends_at=make.at("18:00"), reason="", by=make.dispatcher()
        )
        assert latest_end() == leaves_at


def latest_end() -> object:
    found = read_problem(PlanScope(day_span(make.DAY)), now=make.now())
    assert found
    (day,) = found.problem.engineers
    return found.moment(day.latest_end or 0)


def test_day_that_is_late_is_fixed_and_gets_nothing_new() -> None:
    """The visit ends after the window; another job, which would fit, waits."""
    problem = held_up(12 * HOUR + QUARTER, 12 * HOUR - QUARTER, latest_end=14 * HOUR)
    problem = replace(problem, jobs=(*problem.jobs, PlanJob(5, 0, HOUR // 4, BEGUN)))

    held = hold_late_days(problem)
    plan = held.completed(run_engine(held.problem, PlanLimits(60, neighbourhoods=3)))

    assert plan.visits == problem.present


def test_day_of_somebody_for_whom_another_engineer_is_looked_for_is_not_fixed() -> None:
    problem = held_up(12 * HOUR + QUARTER, 12 * HOUR - QUARTER, latest_end=14 * HOUR)

    assert hold_late_days(problem).problem.jobs[0].fixed == FixedVisit(
        0, PlanSpan(12 * HOUR + QUARTER, 13 * HOUR + QUARTER)
    )
    assert hold_late_days(problem, free=[0]).problem == problem


def test_job_for_two_that_somebody_does_alone_is_held_whole() -> None:
    """Its second part, for nobody, would have no first one that is to be planned."""
    problem = held_up(12 * HOUR + QUARTER, 12 * HOUR - QUARTER, latest_end=14 * HOUR)
    first = replace(problem.jobs[0], key=7)
    problem = replace(problem, jobs=(first, problem.jobs[1], replace(first, key=-7)))

    held = hold_late_days(problem)

    held.problem.validate()
    assert [job.fixed is not None for job in held.problem.jobs] == [True, True, True]


def test_break_that_fits_before_a_fixed_visit_is_had_there() -> None:
    """Held up until half past ten, a visit, the break at one, a fixed one at two, and one after it that is not late."""
    problem = held_up(10 * HOUR + 2 * QUARTER, 10 * HOUR, 16 * HOUR, latest_end=18 * HOUR)
    long, last, running = problem.jobs
    long = replace(long, length_seconds=2 * HOUR, start_windows=((8 * HOUR, 10 * HOUR),))
    last = replace(last, start_windows=((13 * HOUR, 17 * HOUR),), late_windows=())
    fixed = PlanJob(98, 0, 2 * HOUR, (), fixed=FixedVisit(0, PlanSpan(14 * HOUR, 16 * HOUR)))
    day = replace(
        problem.engineers[0],
        shift=PlanSpan(8 * HOUR, 18 * HOUR),
        breaks=(PlanBreak(13 * HOUR, 13 * HOUR, HOUR // 2),),
    )
    problem = replace(problem, jobs=(long, last, running, fixed), engineers=(day,))

    found = keep_late_visits(problem, Plan())

    assert found.plan.visits == problem.present
    assert found.late == (PlanVisit(0, 0, 10 * HOUR + 2 * QUARTER),)


def test_break_is_had_before_a_visit_that_would_leave_no_time_for_it() -> None:
    """From a quarter to twelve it would end at a quarter past one; after the break it begins at half past twelve."""
    problem = held_up(12 * HOUR - QUARTER, 11 * HOUR, 14 * HOUR, breaks=(NOON,), latest_end=17 * HOUR)
    long = replace(problem.jobs[0], length_seconds=6 * QUARTER)
    last = replace(problem.jobs[1], start_windows=((13 * HOUR, 15 * HOUR),), late_windows=())
    problem = replace(problem, jobs=(long, last, problem.jobs[2]))

    found = keep_late_visits(problem, Plan())

    assert found.plan.visits == problem.present
    assert found.late == (PlanVisit(0, 0, 12 * HOUR + 2 * QUARTER),)


def test_day_of_which_a_visit_is_lost_all_the_same_is_not_held() -> None:
    """The second one would begin after its window."""
    problem = held_up(12 * HOUR + QUARTER, 11 * HOUR, 12 * HOUR, latest_end=16 * HOUR)

    held = hold_late_days(problem)

    assert (held.problem, held.visits) == (problem, ())
    assert late_visits(problem) == [(0, 11 * HOUR)]
