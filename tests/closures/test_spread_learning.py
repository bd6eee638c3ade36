"""What is learned from ended visits: times on site, drives, and how often nobody opens."""

from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.db.models import F

from closures.models import Closure
from closures.spread_learning import learn_spreads
from dispatch.models import (
    DriveCorrection,
    DriveSource,
    Job,
    JobEvent,
    LearnedLength,
    LearnedSpread,
    SpreadKind,
    Visit,
)
from dispatch.on_time_forecast.day_forecast import job_kind, read_spreads
from dispatch.on_time_forecast.spreads import DEFAULT_LENGTH, FEWEST_SAMPLES, JobKind
from dispatch.states import Actor, EventKind, JobState
from engineers.models import Engineer
from tests import make

pytestmark = pytest.mark.django_db


def end_visits(number: int, *, minutes: int, code: str, flags: tuple[str, ...] = ()) -> None:
    """Visits of an hour each that took so long, on days of their own; the rows as a closing leaves them."""
    engineer = make.engineer()
    Engineer.objects.filter(pk=engineer.pk).update(home_latitude=53.7, home_longitude=-1.55)
    for day in range(number):
        job = make.job(at_state=JobState.ASSIGNED, to=engineer, duration_minutes=60, flags=flags)
        starts_at = make.at("09:00") - timedelta(days=day + 1)
        job.visits.update(
            planned_start=starts_at,
            planned_end=starts_at + timedelta(hours=1),
            travel_started_at=starts_at - timedelta(minutes=40),
            arrived_at=starts_at,
            ended_at=starts_at + timedelta(minutes=minutes),
            unassigned_at=None,
        )
        Job.objects.filter(pk=job.pk).update(state=JobState.CLOSED)
        ended_at = starts_at + timedelta(minutes=minutes)
        Closure.objects.create(
            job=job, code=code, closed_at=ended_at, recorded_at=ended_at, engineer=engineer, by_name="E"
        )


def test_times_are_learned_by_job_type() -> None:
    end_visits(30, minutes=90, code="SP")
    end_visits(20, minutes=15, code="RNA/NA")

    assert learn_spreads(make.at("20:00")) == 50

    job_type = Job.objects.first().job_type  # type: ignore[union-attr]
    share = LearnedSpread.objects.get(kind=SpreadKind.NO_ACCESS, job_type=job_type)
    assert (share.share, share.learned_from) == (0.4, 50)
    # 30 visits with access are too few for a spread of their length, 50 drives are enough
    assert not LearnedSpread.objects.filter(kind=SpreadKind.LENGTH).exists()
    travel = LearnedSpread.objects.get(kind=SpreadKind.TRAVEL)
    assert travel.learned_from == 50
    assert travel.ratios == sorted(travel.ratios)


def test_drives_correct_what_is_expected_of_the_next_ones() -> None:
    end_visits(FEWEST_SAMPLES, minutes=60, code="SP")

    learn_spreads(make.at("20:00"))

    # 40 minutes, begun at 08:20, instead of 38 over the 12.2 km from home in the rush hour
    rows = set(DriveCorrection.objects.values_list("source", "hour", "learned_from"))
    assert rows == {(DriveSource.ESTIMATE, None, FEWEST_SAMPLES), (DriveSource.ESTIMATE, 8, FEWEST_SAMPLES)}
    assert {round(row.factor, 2) for row in DriveCorrection.objects.all()} == {1.04}
    # compared with that, drives no longer lie off
    travel = LearnedSpread.objects.get(kind=SpreadKind.TRAVEL)
    assert set(travel.ratios) == {1.0}


def test_second_night_replaces_the_first() -> None:
    end_visits(FEWEST_SAMPLES, minutes=90, code="SP")

    learn_spreads(make.at("20:00"))
    learn_spreads(make.at("20:00"))

    length = LearnedSpread.objects.get(kind=SpreadKind.LENGTH, product="")
    assert length.ratios[0] == length.ratios[-1] == 1.5


@pytest.mark.django_db(transaction=True)
def test_nothing_is_read_of_the_visits_while_the_transaction_is_open() -> None:
    """SQLite has one writer, and ninety days take many seconds to read and to compute."""
    end_visits(FEWEST_SAMPLES, minutes=60, code="SP")
    inside: list[str] = []

    def collect(execute: Any, sql: str, *rest: Any) -> Any:
        if connection.in_atomic_block:
            inside.append(sql)
        return execute(sql, *rest)

    with connection.execute_wrapper(collect):
        learn_spreads(make.at("20:00"))

    assert [sql for sql in inside if sql.startswith("INSERT")]
    assert [sql for sql in inside if sql.startswith("SELECT") and "dispatch_visit" in sql] == []


def test_lengths_are_learned_by_flag_and_by_product() -> None:
    """Jobs with a flag take twice as long as planned; those of the same product without one take as long."""
    end_visits(FEWEST_SAMPLES, minutes=120, code="SP", flags=("MDU",))
    end_visits(FEWEST_SAMPLES, minutes=60, code="SP")

    learn_spreads(make.at("20:00"))

    job = Job.objects.exclude(flags=[])[0]
    rows = LearnedSpread.objects.filter(kind=SpreadKind.LENGTH)
    assert {(row.product, row.flag): row.learned_from for row in rows} == {
        ("", ""): 2 * FEWEST_SAMPLES,
        ("", "MDU"): FEWEST_SAMPLES,
        (job.product_name, ""): FEWEST_SAMPLES,
    }
    spreads, kind = read_spreads(), job_kind(job)
    assert spreads.length(kind).median() == 2.0
    assert spreads.length(kind._replace(flags=frozenset())).median() == 1.0
    assert spreads.length(JobKind(job.job_type, "Another product")).median() == 1.5
    assert spreads.length(kind._replace(job_type="civils")) == DEFAULT_LENGTH


def test_length_ends_when_the_phone_closed_and_not_at_its_receipt() -> None:
    end_visits(FEWEST_SAMPLES, minutes=60, code="SP")
    Visit.objects.update(ended_at=F("ended_at") + timedelta(hours=7))

    learn_spreads(make.at("20:00"))

    length = LearnedSpread.objects.get(kind=SpreadKind.LENGTH, product="")
    assert set(length.ratios) == {1.0}
    assert set(LearnedLength.objects.get(product="").minutes) == {60}


def test_length_of_a_closure_that_was_sent_back_is_not_learned() -> None:
    """The night before the second one is no work; the drive was one all the same."""
    end_visits(FEWEST_SAMPLES, minutes=24 * 60, code="SP")
    for job in Job.objects.all():
        JobEvent.objects.create(
            **{"job": job, "seq": 99, "kind": EventKind.SENT_BACK, "actor": Actor.DISPATCHER},
            **{"occurred_at": make.now(), "recorded_at": make.now()},
        )

    assert learn_spreads(make.at("20:00") + timedelta(days=1)) == FEWEST_SAMPLES

    assert not LearnedSpread.objects.filter(kind=SpreadKind.LENGTH).exists()
    assert not LearnedLength.objects.exists()
    assert LearnedSpread.objects.get(kind=SpreadKind.TRAVEL).learned_from == FEWEST_SAMPLES


def test_nothing_is_learned_of_a_flag_or_product_that_no_column_holds() -> None:
    """SQLite would take it, PostgreSQL ends the whole night's learning."""
    end_visits(FEWEST_SAMPLES, minutes=60, code="SP")
    Job.objects.update(flags=["F" * 41, "G" * 40])
    end_visits(FEWEST_SAMPLES, minutes=60, code="SP")
    Job.objects.filter(flags=[]).update(product_name="P" * 201)

    learn_spreads(make.at("20:00"))

    lengths = LearnedSpread.objects.filter(kind=SpreadKind.LENGTH)
    assert set(lengths.values_list("product", "flag")) == {("", ""), ("", "G" * 40)}
    assert set(LearnedLength.objects.values_list("product", "flag")) == {("", ""), ("", "G" * 40)}


def test_nothing_is_learned_from_nothing() -> None:
    assert learn_spreads(make.at("20:00")) == 0
    assert not LearnedSpread.objects.exists()
