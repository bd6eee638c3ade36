"""The forecast of today, from live states to the board's risk."""

from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from dispatch.chances.day_forecast import read_spreads, update_forecast
from dispatch.chances.spreads import DEFAULT_TRAVEL, QUANTILES, Spreads
from dispatch.chances.visit_chances import VALID_FOR, read_chances
from dispatch.models import DayForecast, Job, LearnedSpread, RecordedChance, SpreadKind
from dispatch.states import JobState
from engineers.models import Absence, Engineer
from tests import make

pytestmark = pytest.mark.django_db


def chance_of(job: Job, *, clock: str) -> float | None:
    visit = job.visits.active().get()
    found = read_chances(make.DAY, now=make.at(clock)).of_visit(visit)
    return found.chance if found else None


def drive_to(job: Job, *, latitude: float) -> None:
    """Far from the engineer's home."""
    Job.objects.filter(pk=job.pk).update(latitude=latitude, longitude=-1.55)
    Engineer.objects.update(home_latitude=53.8, home_longitude=-1.55)


def test_visit_ahead_has_a_chance() -> None:
    job = make.job(at_state=JobState.ASSIGNED)

    update_forecast(make.at("07:00"))

    assert chance_of(job, clock="07:01") == 1.0


def test_visit_far_too_late_has_none() -> None:
    job = make.job(at_state=JobState.ASSIGNED)

    drive_to(job, latitude=55.9)

    update_forecast(make.at("12:58"))

    assert chance_of(job, clock="12:58") == 0.0
    assert DayForecast.objects.get().misses == 1.0


def test_forecast_that_grew_old_or_a_visit_that_moved_has_no_chance() -> None:
    job = make.job(at_state=JobState.ASSIGNED)
    update_forecast(make.at("07:00"))

    assert read_chances(make.DAY, now=make.at("07:00") + VALID_FOR).chances == {}
    job.visits.update(planned_start=make.at("09:07"))
    assert chance_of(job, clock="07:01") is None


def test_second_run_replaces_the_first_and_records_an_hour_once() -> None:
    make.job(at_state=JobState.ASSIGNED)

    for clock in ("07:00", "07:01", "08:00"):
        update_forecast(make.at(clock))

    assert DayForecast.objects.count() == 1
    hours = RecordedChance.objects.order_by("hour").values_list("hour", flat=True)
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

    assert chance_of(left, clock="07:31") is None
    assert chance_of(ended, clock="07:31") is None


def test_number_of_queries_is_fixed() -> None:
    counts = []
    for clock in ("07:00", "08:00"):
        make.job(at_state=JobState.ASSIGNED)
        make.job(at_state=JobState.ASSIGNED)
        update_forecast(make.at("06:00"))
        with CaptureQueriesContext(connection) as queries:
            update_forecast(make.at(clock))
        counts.append(len(queries))

    assert counts[0] == counts[1] <= 16


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

    assert not RecordedChance.objects.filter(hour=make.at("07:00")).exists()


def test_agreed_start_after_the_window_is_no_missed_window() -> None:
    """It has its chance to begin as agreed, and is no proof of how well windows are forecast."""
    job = make.agreed_job()

    update_forecast(make.at("12:30"))

    assert chance_of(job, clock="12:31") == 1.0
    assert not RecordedChance.objects.exists()
