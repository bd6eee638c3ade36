"""The forecast of today, from live states to the board's risk."""

from datetime import datetime, timedelta

import pytest
import time_machine
from django.db import connection
from django.test.utils import CaptureQueriesContext

from dispatch import visits
from dispatch.models import DayForecast, Job, LearnedSpread, RecordedForecast, SpreadKind
from dispatch.on_time_forecast.day_forecast import read_spreads, update_forecast
from dispatch.on_time_forecast.spreads import DEFAULT_TRAVEL, QUANTILES, Spreads
from dispatch.on_time_forecast.stored_forecast import VALID_FOR, read_on_time_forecast
from dispatch.states import JobState
from engineers.models import Absence, Engineer
from engineers.shifts import local_time
from tests import make
from tests.dispatch.day_comparisons import planned
from tests.dispatch.night_visits import AFTER_MIDNIGHT, BEFORE_MIDNIGHT, at_night, evening_and_night_job

pytestmark = pytest.mark.django_db


def probability_of(job: Job, *, clock: str) -> float | None:
    visit = job.visits.active().get()
    found = read_on_time_forecast(make.DAY, now=make.at(clock)).of_visit(visit)
    return found.probability if found else None


def drive_to(job: Job, *, latitude: float) -> None:
    """Far from the engineer's home."""
    Job.objects.filter(pk=job.pk).update(latitude=latitude, longitude=-1.55)
    Engineer.objects.update(home_latitude=53.8, home_longitude=-1.55)


def test_visit_ahead_has_a_probability() -> None:
    job = make.job(at_state=JobState.ASSIGNED)

    update_forecast(make.at("07:00"))

    assert probability_of(job, clock="07:01") == 1.0


def test_visit_far_too_late_has_none() -> None:
    job = make.job(at_state=JobState.ASSIGNED)

    drive_to(job, latitude=55.9)

    update_forecast(make.at("12:58"))

    assert probability_of(job, clock="12:58") == 0.0
    assert DayForecast.objects.get().misses == 1.0


@pytest.mark.parametrize("now", [BEFORE_MIDNIGHT, AFTER_MIDNIGHT])
def test_visit_that_goes_on_over_midnight_is_in_the_forecast(now: datetime) -> None:
    evening, following = (job.visits.get() for job in evening_and_night_job())

    update_forecast(now)

    found = read_on_time_forecast(local_time(now).date(), now=now)
    on_time, finish = found.of_visit(following), found.finish_of(evening.engineer_id)
    assert on_time and on_time.probability < 0.5
    assert finish and finish > at_night("01:15")


def test_forecast_that_grew_old_or_a_visit_that_moved_has_no_probability() -> None:
    job = make.job(at_state=JobState.ASSIGNED)
    update_forecast(make.at("07:00"))

    assert read_on_time_forecast(make.DAY, now=make.at("07:00") + VALID_FOR).by_visit == {}
    job.visits.update(planned_start=make.at("09:07"))
    assert probability_of(job, clock="07:01") is None


def test_second_run_replaces_the_first_and_records_an_hour_once() -> None:
    make.job(at_state=JobState.ASSIGNED)

    for clock in ("07:00", "07:01", "08:00"):
        update_forecast(make.at(clock))

    assert DayForecast.objects.count() == 1
    hours = RecordedForecast.objects.order_by("hour").values_list("hour", flat=True)
    assert list(hours) == [make.at("07:00"), make.at("08:00")]


def test_absent_engineer_and_ended_visits_are_left_out() -> None:
    left = make.job(at_state=JobState.ASSIGNED)
    engineer = left.visits.get().engineer
    Absence.objects.create(
        engineer=engineer, starts_at=make.at("07:00"), ends_at=make.at("18:00"), reason="sick"
    )
    ended = make.job(at_state=JobState.ON_SITE)
    ended.visits.update(ended_at=make.at("07:20"))

    update_forecast(make.at("07:30"))

    assert probability_of(left, clock="07:31") is None
    assert probability_of(ended, clock="07:31") is None


def test_visit_outside_the_hours_of_its_engineer_is_left_out() -> None:
    left = make.job(at_state=JobState.ASSIGNED)
    left.visits.get().engineer.shifts.update(starts="12:00")

    update_forecast(make.at("07:30"))

    assert probability_of(left, clock="07:31") is None


def test_number_of_queries_is_fixed() -> None:
    counts = []
    for clock in ("07:00", "08:00"):
        make.job(at_state=JobState.ASSIGNED)
        make.job(at_state=JobState.ASSIGNED)
        update_forecast(make.at("06:00"))
        with CaptureQueriesContext(connection) as queries:
            update_forecast(make.at(clock))
        counts.append(len(queries))

    assert counts[0] == counts[1] <= 18


def test_learned_spreads_take_the_place_of_the_defaults() -> None:
    assert read_spreads() == Spreads()
    LearnedSpread.objects.create(
        kind=SpreadKind.TRAVEL, learned_at=make.at("07:00"), learned_from=90, ratios=[2.0] * QUANTILES
    )
    LearnedSpread.objects.create(
        kind=SpreadKind.NO_ACCESS, job_type="PD", learned_at=make.at("07:00"), learned_from=90, share=0.2
    )

    learned = read_spreads()

    assert learned.travel.ratios == (2.0,) * QUANTILES != DEFAULT_TRAVEL.ratios
    assert learned.no_access_share("PD") == 0.2


def test_records_end_after_their_time() -> None:
    make.job(at_state=JobState.ASSIGNED)
    update_forecast(make.at("07:00"))

    update_forecast(make.at("07:00") + timedelta(days=91))

    assert not RecordedForecast.objects.filter(hour=make.at("07:00")).exists()


def test_agreed_start_after_the_window_is_no_missed_window() -> None:
    """It has its probability to begin as agreed, and is no proof of how well windows are forecast."""
    job = make.agreed_job()

    update_forecast(make.at("12:30"))

    assert probability_of(job, clock="12:31") == 1.0
    assert not RecordedForecast.objects.exists()


def test_window_that_was_kept_before_is_no_proof_of_the_forecast() -> None:
    job = make.job(at_state=JobState.ON_SITE)
    visits.assign(job=job, engineer=make.engineer(), starts_at=make.at("11:00"), by=make.office())

    update_forecast(make.at("09:30"))

    assert probability_of(job, clock="09:31") == 1.0
    assert not RecordedForecast.objects.exists()


def begun_late(engineer: Engineer, *, second: Engineer | None = None) -> Job:
    """On site since 10:00 at a visit of four hours."""
    job = planned(engineer, "08:00", second=second, duration_minutes=240)
    make.start_travel(job, occurred_at=make.at("09:50"))
    make.arrive(job, occurred_at=make.at("10:00"))
    return job


def test_engineer_who_accompanies_comes_late_to_the_next_visit() -> None:
    with time_machine.travel(make.at("10:50")):
        ann, ben = make.engineer(name="Ann"), make.engineer(name="Ben")
        begun_late(ann, second=ben)
        own = planned(ben, "12:15", window=("12:00", "13:00"), duration_minutes=30)

        update_forecast(make.at("10:50"))

        finish = read_on_time_forecast(make.DAY, now=make.at("10:50")).finish_of(ben.pk)
    probability = probability_of(own, clock="10:50")
    assert probability is not None and probability < 0.5
    # the team's own visit has begun, and nobody misses it
    assert DayForecast.objects.get().misses == pytest.approx(1 - probability)
    assert finish and finish > make.at("13:30")


def test_team_begins_when_both_are_free_and_is_missed_once() -> None:
    with time_machine.travel(make.at("10:50")):
        ann, ben = make.engineer(name="Ann"), make.engineer(name="Ben")
        begun_late(ben)
        team = planned(ann, "12:15", second=ben, window=("12:00", "13:00"), duration_minutes=30)

        update_forecast(make.at("10:50"))

    probability = probability_of(team, clock="10:50")
    assert probability is not None and probability < 0.5
    assert DayForecast.objects.get().misses == pytest.approx(1 - probability)
