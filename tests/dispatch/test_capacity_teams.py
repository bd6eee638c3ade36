"""Capacity for jobs that need two people: of one engineer who comes with a second person, or of two engineers."""

import pytest
from pytest_django import Settings

from dispatch import visits
from dispatch.capacity.capacity_reader import read_capacity
from tests import make

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("day_before")]


@pytest.fixture(autouse=True)
def without_drives(settings: Settings) -> None:
    settings.CAPACITY_TRAVEL_MINUTES = 0


def test_job_for_two_takes_the_time_of_two_engineers() -> None:
    """Nobody comes with a second person: the first of the two has the skill."""
    make.engineer(skills=("cherry-picker",))
    make.engineer(skills=())
    make.job(flags=("CHP",), duration_minutes=120)

    figures = read_capacity(make.DAY).figures

    assert figures.unfitted == []
    morning = figures.whole()[0]
    assert (morning.booked, morning.spare, morning.jobs, morning.short_jobs) == (240, 360, 1, 0)
    assert figures.whole("cherry-picker")[0].booked == 120
    assert "team-of-two" not in figures.skills_of(None)


def test_whoever_comes_with_a_second_person_goes_alone() -> None:
    for skills in (("cherry-picker",), (), ("cherry-picker", "team-of-two")):
        make.engineer(skills=skills)
    make.job(flags=("CHP",), duration_minutes=120)

    assert read_capacity(make.DAY).figures.whole()[0].booked == 120


def test_job_for_two_lacks_time_where_two_are_never_free_together() -> None:
    first, second = make.engineer(skills=("cherry-picker",)), make.engineer(skills=())
    for engineer, start in ((first, "08:00"), (second, "11:00")):
        job = make.job(duration_minutes=120)
        visits.assign(job=job, engineer=engineer, starts_at=make.at(start), by=make.office())
    make.job(flags=("CHP",), duration_minutes=120)

    assert [job.lacking for job in read_capacity(make.DAY).figures.unfitted] == [""]
