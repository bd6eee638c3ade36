"""The demo's day: shifts with now in their middle at every hour, and a plan with visits at every stage."""

from collections import Counter
from datetime import datetime, timedelta
from itertools import pairwise
from random import Random
from threading import Event

import pytest

from demo.living_day.day_plan import HOUR, appointment_windows, plan_visits, shift_patterns
from demo.living_day.day_stages import Stage, scenario_of, stage_visits
from demo.management.commands.demo_day import lay_shifts
from demo.management.commands.demo_people import ENGINEERS, more_engineers
from demo.rehearsal.app_client import SessionError
from demo.rehearsal.visit_clock import DayOver, LiveTime, PastTime
from dispatch import jobs
from dispatch.models import Job
from dispatch.states import JobType
from engineers.models import Engineer, Shift
from engineers.shifts import working_spans
from tests import make

NOW = make.at("11:40")


@pytest.mark.parametrize("hour", range(24))
def test_now_is_mid_shift_at_every_hour(hour: int) -> None:
    now = make.at(f"{hour:02}:40")
    for turn in range(4):
        shifts = [
            Shift(weekday=weekday, starts=pattern.starts, ends=pattern.ends)
            for pattern in shift_patterns(now, turn=turn)
            for weekday in pattern.weekdays
        ]

        def is_at_work(moment: datetime, shifts: list[Shift] = shifts) -> bool:
            found = working_spans(shifts=shifts, absences=[], day=moment.date())
            return any(span.start <= moment < span.end for span in found)

        assert [is_at_work(now + hours * HOUR) for hours in (-2, -1, 0, 1, 2, 3, 4)] == [True] * 7


def test_every_job_has_a_window_round_now() -> None:
    windows = appointment_windows(NOW, jobs=70)

    assert sum(count for _window, count in windows) == 70
    assert windows[0][0].start < NOW < windows[0][0].end < windows[-1][0].end


def a_day(*, engineers: int, packs: int) -> list[Job]:
    for _ in range(engineers):
        make.engineer()
    lay_shifts(NOW)
    windows = [window for window, count in appointment_windows(NOW, jobs=packs) for _ in range(count)]
    return [
        jobs.create_job(
            pack=make.pack(
                window=(f"{window.start:%H:%M}", f"{window.end:%H:%M}"),
                uprn=f"{10**11 + number}",
                duration_minutes=90,
                located=number != 5,
            )
        ).job
        for number, window in enumerate(windows)
    ]


def people() -> list[Engineer]:
    return list(Engineer.objects.select_related("user").prefetch_related("skills", "shifts", "absences"))


@pytest.mark.django_db
def test_plan_keeps_windows_shifts_and_drives() -> None:
    packs = a_day(engineers=4, packs=20)

    planned = plan_visits(packs, people(), now=NOW)

    assert len({visit.job.pk for visit in planned}) == len(planned)
    assert all(visit.job.window.contains(visit.span) for visit in planned)
    assert not any(visit.job.needs_location for visit in planned)
    for engineer in people():
        own = sorted(
            (visit for visit in planned if visit.engineer == engineer), key=lambda visit: visit.span.start
        )
        assert all(after.span.start >= before.span.end + after.travel for before, after in pairwise(own))


@pytest.mark.django_db
def test_day_has_visits_at_every_stage_and_jobs_to_assign() -> None:
    packs = a_day(engineers=14, packs=70)

    planned = plan_visits(packs, people(), now=NOW)
    stages = Counter(found.stage for found in stage_visits(planned, now=NOW))

    assert set(stages) == set(Stage)
    assert stages[Stage.EN_ROUTE] == 3
    assert 5 <= len(packs) - len(planned) <= 20
    # of the windows that end first, only what has no location
    first, done = min(job.window_end for job in packs), {visit.job.pk for visit in planned}
    assert all(job.needs_location for job in packs if job.window_end == first and job.pk not in done)


@pytest.mark.django_db
def test_no_engineer_is_at_two_premises_at_once() -> None:
    packs = a_day(engineers=14, packs=70)

    staged = stage_visits(plan_visits(packs, people(), now=NOW), now=NOW)

    under_way = Counter(
        found.visit.engineer.pk for found in staged if found.stage not in {Stage.CLOSED, Stage.ASSIGNED}
    )
    assert set(under_way.values()) == {1}


def test_sixty_engineers_have_names_of_their_own() -> None:
    everybody = [*ENGINEERS, *more_engineers(60 - len(ENGINEERS))]

    assert len({engineer.username for engineer in everybody}) == 60


@pytest.mark.parametrize("job_type", JobType)
def test_visits_mostly_succeed(job_type: JobType) -> None:
    chance = Random(1)

    outcomes = [scenario_of(job_type, number=number, chance=chance).outcome.succeeds for number in range(100)]

    assert 70 <= sum(outcomes) <= 90


def test_past_visit_ends_at_the_latest_now() -> None:
    clock = PastTime(NOW - timedelta(hours=1), latest=NOW)
    clock.spend(40)
    assert clock.now() == NOW - timedelta(minutes=20)
    clock.spend(40)
    assert clock.now() == NOW


def test_whoever_is_at_work_stops_when_the_day_is_over() -> None:
    over = Event()
    over.set()

    with pytest.raises(DayOver) as stopped:
        LiveTime(1, over).spend(60)

    assert isinstance(stopped.value, SessionError)
