"""Capacity keeps the lead time that the planner keeps."""

from datetime import timedelta

import pytest

from dispatch.capacity.capacity_alarms import list_shortages
from dispatch.capacity.capacity_reader import read_capacity
from dispatch.models import FlagRule, Job
from tests import make

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("day_before")]


@pytest.fixture(autouse=True)
def idle_engineer() -> None:
    FlagRule.objects.create(code="WSD", lead_days=5)
    make.engineer()


def flagged_job(*, days: int = 0) -> Job:
    """Received at noon of the day before make.DAY; its window ends so many days after the first."""
    job = make.job(flags=("WSD",))
    job.window_end += timedelta(days=days)
    job.save(update_fields=["window_end"])
    return job


def test_job_whose_window_ends_before_the_lead_time_is_short_for_that_reason() -> None:
    flagged_job()

    capacity = read_capacity(make.DAY)

    assert capacity.figures.whole()[0].short_jobs == 1
    (shortage,) = list_shortages(capacity)
    assert shortage.is_too_early
    assert "the lead time of 1 job ends after its window" in str(shortage.text)


def test_job_counts_on_a_day_that_the_lead_time_leaves() -> None:
    flagged_job(days=7)

    figures = read_capacity(make.DAY).figures

    assert figures.unfitted == []
    booked = [index for index, half in enumerate(figures.whole()) if half.booked]
    # the fifth day after the order is the fourth after make.DAY
    assert min(booked) >= 8


def test_job_that_may_only_be_done_behind_the_horizon_does_not_count() -> None:
    flagged_job(days=7)

    assert sum(half.jobs for half in read_capacity(make.DAY, days=3).figures.whole()) == 0
