"""Whoever looks for free time sees engineers who are late as the board does."""

from datetime import datetime, timedelta

import pytest
import time_machine

from dispatch import visits
from dispatch.expected_visits import expected_spans
from dispatch.models import Job
from dispatch.slots.slot_suggestions import suggest_slots
from dispatch.states import JobState
from engineers.models import Engineer
from engineers.shifts import TimeSpan
from tests import make
from tests.dispatch.night_visits import AFTER_MIDNIGHT, BEFORE_MIDNIGHT, at_night, evening_and_night_job

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


def test_time_of_a_visit_that_began_late_is_not_given_away(engineer: Engineer) -> None:
    """Half past eight was planned: it takes two hours from ten o'clock."""
    late = visit_at(engineer, "08:30")
    with time_machine.travel(make.at("10:00")):
        make.arrive(late)

    assert first_start(make.job(duration_minutes=30), now="10:10") >= make.at("12:00")


def test_late_day_is_as_planned_without_the_job_itself(engineer: Engineer) -> None:
    late = visit_at(engineer, "08:30")
    span, now = TimeSpan(make.at("08:00"), make.at("18:00")), make.at("09:30")

    assert list(expected_spans(span, without=[make.job().pk], now=now)) == [late.visits.get().pk]
    assert expected_spans(span, without=[late.pk], now=now) == {}


def test_nobody_is_late_on_another_day(engineer: Engineer) -> None:
    visit_at(engineer, "08:30")
    tomorrow = TimeSpan(make.at("08:00") + timedelta(days=1), make.at("18:00") + timedelta(days=1))

    assert expected_spans(tomorrow, without=[make.job().pk], now=make.at("09:30")) == {}


@pytest.mark.parametrize("now", [BEFORE_MIDNIGHT, AFTER_MIDNIGHT])
def test_night_shift_goes_on_over_midnight(now: datetime) -> None:
    evening, following = (job.visits.get() for job in evening_and_night_job())

    expected = expected_spans(TimeSpan(make.at("22:00"), at_night("06:00")), without=[make.job().pk], now=now)

    assert expected[evening.pk].end == at_night("01:15")
    assert expected[following.pk].start >= at_night("01:15")


def test_visit_under_way_since_the_afternoon_before_is_still_to_end(engineer: Engineer) -> None:
    job = make.job(window=("13:00", "18:00"))
    visits.assign(job=job, engineer=engineer, starts_at=make.at("16:00"), by=make.office())
    with time_machine.travel(make.at("16:00")):
        make.arrive(job)
    span, now = TimeSpan(at_night("08:00"), at_night("18:00")), at_night("09:00")

    assert expected_spans(span, without=[make.job().pk], now=now)[job.visits.get().pk].end == now


def test_visit_that_was_forgotten_days_ago_holds_nobody_up(engineer: Engineer) -> None:
    forgotten = visit_at(engineer, "08:30")
    with time_machine.travel(make.at("08:30")):
        make.start_travel(forgotten)
    now = make.at("08:30") + timedelta(days=3)

    assert expected_spans(TimeSpan(now, now + timedelta(hours=9)), without=[make.job().pk], now=now) == {}


def test_visit_under_way_ends_as_expected(engineer: Engineer) -> None:
    job = make.job(at_state=JobState.ON_SITE, to=engineer)
    visit = job.visits.get()
    now = visit.planned_end + timedelta(minutes=30)

    (window,) = expected_spans(
        TimeSpan(visit.planned_start, now + timedelta(hours=1)), without=[make.job().pk], now=now
    ).values()
    assert window.end >= now
