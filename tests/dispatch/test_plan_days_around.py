"""Visits of the days before and after the scope of a plan: none of its business, but where a night shift meets them."""

from dataclasses import replace
from datetime import date, timedelta

import pytest
import time_machine
from django.utils import timezone

from dispatch import jobs, pins, visits
from dispatch.models import ChangeKind, Job, PlanProposal
from dispatch.on_time_forecast.day_forecast import read_spreads
from dispatch.on_time_forecast.plan_misses import expected_misses
from dispatch.planning.engine.routing_problem import Plan
from dispatch.planning.problem.plan_scope import PlanScope
from dispatch.planning.problem.problem_reader import LoadedProblem, read_problem
from dispatch.planning.proposal_making import make_proposal
from dispatch.planning.proposals import request_proposal
from dispatch.states import JobState
from engineers.models import Engineer
from engineers.shifts import TimeSpan, day_span
from tests import make

pytestmark = pytest.mark.django_db
NEXT_DAY = make.DAY + timedelta(days=1)
TODAY, TOMORROW = PlanScope(day_span(make.DAY)), PlanScope(day_span(NEXT_DAY))
# more than half an hour away from `make.HERE`
FAR_AWAY = 54.2


@pytest.fixture(autouse=True)
def morning() -> object:
    with time_machine.travel(make.at("06:00"), tick=True):
        yield


def waiting_job(
    latitude: float = 53.81, *, day: date = NEXT_DAY, window: tuple[str, str] = ("08:00", "13:00")
) -> Job:
    pack = make.pack(duration_minutes=60, day=day, window=window)
    return jobs.create_job(pack=replace(pack, premises=replace(pack.premises, latitude=latitude))).job


def planned_job(
    clock: str, *, to: Engineer, latitude: float = 53.81, day: date = make.DAY, window: tuple[str, str]
) -> Job:
    job = waiting_job(latitude, day=day, window=window)
    visits.assign(job=job, engineer=to, starts_at=make.at(clock, day=day), by=make.office())
    return job


def kinds(scope: PlanScope) -> dict[int, str]:
    requested = request_proposal(scope=scope, by=make.dispatcher(), seconds=15, neighbourhoods=2)
    make_proposal(requested.pk)
    return {change.job_id: change.kind for change in PlanProposal.objects.get(pk=requested.pk).changes.all()}


def read(scope: PlanScope) -> LoadedProblem:
    found = read_problem(scope, now=timezone.now())
    assert found
    return found


def fixed_jobs(scope: PlanScope) -> list[int]:
    return [job.key for job in read(scope).problem.jobs if job.fixed]


def test_most_jobs_of_an_engineer_are_of_the_same_day() -> None:
    ann = make.engineer()
    for clock in ("08:00", "10:00"):
        planned_job(clock, to=ann, window=("08:00", "13:00"))
    tomorrow = [waiting_job(), waiting_job()]

    found = kinds(replace(TOMORROW, max_jobs=2))

    assert found == {job.pk: ChangeKind.ASSIGN for job in tomorrow}


def test_first_visit_stays_though_the_last_one_of_the_day_before_is_far_away() -> None:
    ann = make.engineer()
    planned_job("16:00", to=ann, latitude=FAR_AWAY, window=("13:00", "18:00"))
    planned_job("08:00", to=ann, day=NEXT_DAY, window=("08:00", "13:00"))

    assert kinds(TOMORROW) == {}


def test_day_ends_with_the_shift_though_the_next_one_begins_far_away() -> None:
    ann = make.engineer()
    planned_job("08:00", to=ann, latitude=FAR_AWAY, day=NEXT_DAY, window=("08:00", "13:00"))
    last = waiting_job(day=make.DAY, window=("16:30", "18:00"))

    assert kinds(TODAY) == {last.pk: ChangeKind.ASSIGN}


def test_misses_of_the_next_day_are_not_those_of_the_plan() -> None:
    ann = make.engineer()
    missed = planned_job("08:00", to=ann, day=NEXT_DAY, window=("08:00", "13:00"))
    before = {"window_start": make.at("06:00", day=NEXT_DAY), "window_end": make.at("07:00", day=NEXT_DAY)}
    Job.objects.filter(pk=missed.pk).update(**before)

    assert expected_misses(read(TODAY), Plan(()), read_spreads(), now=timezone.now()) == 0


def test_team_of_a_plan_waits_for_both_and_is_missed_once() -> None:
    """As for the forecast of the day: the second engineer comes from a visit that ends after the window."""
    ann, ben = make.engineer(name="Ann"), make.engineer(name="Ben")
    team = make.job(duration_minutes=30)
    visits.assign(job=team, engineer=ann, starts_at=make.at("12:30"), by=make.office(), second_engineer=ben)
    before = planned_job("08:00", to=ben, latitude=FAR_AWAY, window=("08:00", "13:00"))
    before.visits.update(planned_start=make.at("11:45"), planned_end=make.at("12:45"))
    found = read(TODAY)

    misses = expected_misses(found, Plan(found.problem.present), read_spreads(), now=make.at("07:00"))

    assert 0.5 < misses <= 1


def test_pinned_visits_of_a_day_are_fixed_in_it() -> None:
    """Also before the moment from which the plan is made, in a day of which only the last hour is left."""
    ann = make.engineer()
    pinned = planned_job("08:00", to=ann, window=("08:00", "13:00"))
    pins.pin_visit(job=pinned, is_pinned=True, by=make.office())

    assert fixed_jobs(PlanScope(TimeSpan(make.at("17:00"), make.at("18:00")))) == [pinned.pk]


def test_visit_of_a_night_shift_is_fixed_in_the_plan_of_the_next_day() -> None:
    """That day's plan begins in the middle of the shift."""
    night = make.engineer(starts="22:00", ends="06:00")
    pinned = planned_job("22:30", to=night, window=("22:00", "23:59"))

    assert fixed_jobs(TOMORROW) == [pinned.pk]


def test_visit_under_way_since_the_day_before_holds_its_engineer_up() -> None:
    ann = make.engineer()
    forgotten = planned_job("16:00", to=ann, window=("13:00", "18:00"))
    with time_machine.travel(make.at("16:00")):
        make.start_travel(forgotten)
        make.arrive(forgotten)
    forgotten.refresh_from_db()
    assert forgotten.state == JobState.ON_SITE

    with time_machine.travel(make.at("09:00", day=NEXT_DAY)):
        assert fixed_jobs(TOMORROW) == [forgotten.pk]
