"""Who could take a job, and when."""

import pytest

from dispatch import visits
from dispatch.slots.slot_suggestions import suggest_slots
from dispatch.states import JobState, JobType
from engineers.models import Absence
from tests import make

pytestmark = pytest.mark.django_db


def starts(job: object) -> list[tuple[str, str]]:
    return [
        (offer.engineer.name, f"{offer.starts_at.astimezone(make.LONDON):%H:%M}")
        for offer in suggest_slots(job)
    ]


def test_free_engineer_can_begin_with_the_window() -> None:
    make.engineer(name="Ann Early", starts="07:00")
    make.engineer(name="Lee Late", starts="09:10")

    assert sorted(starts(make.job())) == [("Ann Early", "08:00"), ("Lee Late", "09:15")]


def test_busy_engineer_begins_after_the_visit_before() -> None:
    engineer = make.engineer(name="Ann Early")
    make.job(at_state=JobState.ASSIGNED, to=engineer)

    assert starts(make.job()) == [("Ann Early", "10:00")]


def test_engineer_without_the_skill_or_the_time_is_left_out() -> None:
    make.engineer(name="No Skill", skills=())
    away = make.engineer(name="Away Today")
    Absence.objects.create(engineer=away, starts_at=make.at("07:00"), ends_at=make.at("17:00"))
    full = make.engineer(name="Full Day")
    visits.assign(
        job=make.job(duration_minutes=240), engineer=full, starts_at=make.at("08:30"), by=make.office()
    )

    assert starts(make.job(job_type=JobType.CIVILS)) == []


def test_suspended_engineer_is_left_out() -> None:
    engineer = make.engineer()
    engineer.user.is_active = False
    engineer.user.save()

    assert starts(make.job()) == []


def test_job_without_a_location_has_no_offers() -> None:
    make.engineer()

    assert starts(make.job(located=False)) == []


def test_offers_pass_the_booking_check() -> None:
    for number in range(3):
        make.engineer(name=f"Number {number}", starts="08:20", ends="11:10")
    job = make.job(flags=("CHP", "MDU"))

    offer = suggest_slots(job)[0]
    visit = visits.assign(job=job, engineer=offer.engineer, starts_at=offer.starts_at, by=make.office())

    assert visit.planned_start == make.at("08:30")


def test_offers_cost_the_same_queries_for_one_and_for_many(django_assert_num_queries: object) -> None:
    job = make.job()
    make.engineer()
    with django_assert_num_queries(11):
        suggest_slots(job)
    for _ in range(5):
        make.engineer()

    with django_assert_num_queries(11):
        suggest_slots(job)
