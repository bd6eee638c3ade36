"""Whoever looks for free time sees engineers who are late as the board does."""

from datetime import datetime, timedelta

import pytest
import time_machine

from dispatch import visits
from dispatch.expected_visits import expected_windows
from dispatch.models import Job
from dispatch.slot_suggestions import suggest_slots
from dispatch.states import JobState
from engineers.models import Engineer
from engineers.shifts import Window
from tests import make

pytestmark = pytest.mark.django_db


@pytest.fixture
def engineer() -> Engineer:
    return make.engineer()


def visit_at(engineer: Engineer, start: str) -> Job:
    job = make.job()
    visits.assign(
        job=job,
        engineer=engineer,
        starts_at=make.at(start),
        by=make.office(),
        override_reason="Agreed by phone",
    )
    return job


def first_start(job: Job, *, now: str) -> datetime:
    with time_machine.travel(make.at(now)):
        (slot,) = suggest_slots(job, most=1, not_before=make.at(now))
    return slot.starts_at


def test_time_of_a_late_visit_is_not_given_away(engineer: Engineer) -> None:
    late = visit_at(engineer, "08:30")
    job = make.job(duration_minutes=30)
    ends_at = make.at("08:30") + late.duration

    # as planned, the engineer is free right after it; an hour late, an hour later
    assert ends_at <= first_start(job, now="08:30") < ends_at + timedelta(hours=1)
    assert first_start(job, now="09:30") >= make.at("09:30") + late.duration


def test_late_day_is_as_planned_without_the_job_itself(engineer: Engineer) -> None:
    late = visit_at(engineer, "08:30")
    span, now = Window(make.at("08:00"), make.at("18:00")), make.at("09:30")

    assert list(expected_windows(span, without=make.job(), now=now)) == [late.visits.get().pk]
    assert expected_windows(span, without=late, now=now) == {}


def test_nobody_is_late_on_another_day(engineer: Engineer) -> None:
    visit_at(engineer, "08:30")
    tomorrow = Window(make.at("08:00") + timedelta(days=1), make.at("18:00") + timedelta(days=1))

    assert expected_windows(tomorrow, without=make.job(), now=make.at("09:30")) == {}


def test_visit_under_way_ends_as_expected(engineer: Engineer) -> None:
    job = make.job(at_state=JobState.ON_SITE, to=engineer)
    visit = job.visits.get()
    now = visit.planned_end + timedelta(minutes=30)

    (window,) = expected_windows(
        Window(visit.planned_start, now + timedelta(hours=1)), without=make.job(), now=now
    ).values()
    assert window.end >= now
