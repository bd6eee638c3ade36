"""Who could take a job that needs two people: pairs who are free at the same time."""

import pytest

from dispatch import reassignment, visits
from dispatch.models import Job
from dispatch.reassignment import SeenJob
from dispatch.slots.slot_suggestions import explain_unfit, free_companions, suggest_slots
from dispatch.states import JobState
from engineers.models import Absence, Engineer
from tests import make

pytestmark = pytest.mark.django_db
PICKER = ("cherry-picker",)


def book(job: Job, engineer: Engineer, clock: str, second: Engineer | None = None) -> Job:
    starts_at = make.at(clock)
    visits.assign(job=job, engineer=engineer, starts_at=starts_at, by=make.office(), second_engineer=second)
    return job


def pairs(job: Job) -> list[tuple[str, str, str]]:
    return [
        (
            offer.engineer.name,
            offer.second_engineer.name if offer.second_engineer else "",
            f"{offer.starts_at.astimezone(make.LONDON):%H:%M}",
        )
        for offer in suggest_slots(job)
    ]


def test_pair_begins_when_both_are_free() -> None:
    make.engineer(name="Erin", skills=PICKER)
    sam = make.engineer(name="Sam", skills=())
    make.walk(make.job(), at_state=JobState.ASSIGNED, to=sam)

    assert pairs(make.job(flags=("CHP",))) == [("Erin", "Sam", "10:00")]


def test_whoever_is_free_first_accompanies() -> None:
    make.engineer(name="Erin", skills=PICKER)
    make.engineer(name="Later", skills=(), starts="09:00")
    make.engineer(name="Sooner", skills=())

    assert pairs(make.job(flags=("CHP",))) == [("Erin", "Sooner", "08:00")]


def test_engineer_who_always_comes_with_a_second_person_is_offered_alone() -> None:
    make.engineer(name="Terry Team", skills=("cherry-picker", "team-of-two"))
    make.engineer(name="Sam", skills=())

    assert pairs(make.job(flags=("CHP",))) == [("Terry Team", "", "08:00")]


def test_offered_pairs_pass_the_booking_check() -> None:
    for number in range(3):
        make.engineer(name=f"Number {number}", skills=PICKER, starts=f"08:{number}5", ends="12:10")
    job = make.job(flags=("CHP",))

    for offer in suggest_slots(job):
        assert visits.assign(
            job=job,
            engineer=offer.engineer,
            starts_at=offer.starts_at,
            by=make.office(),
            not_before=make.at("07:00"),
            second_engineer=offer.second_engineer,
        )


def test_engineer_is_busy_with_a_visit_that_they_accompany() -> None:
    erin, sam = make.engineer(name="Erin"), make.engineer(name="Sam")
    book(make.job(), erin, "08:00", sam)

    assert pairs(make.job()) == [("Erin", "", "10:00"), ("Sam", "", "10:00")]


def test_only_the_second_engineer_is_replaced_where_the_first_one_can_stay() -> None:
    erin, sam = make.engineer(name="Erin", skills=PICKER), make.engineer(name="Sam", skills=())
    make.engineer(name="Alma", skills=())
    job = book(make.job(flags=("CHP",)), erin, "09:30", sam)
    Absence.objects.create(engineer=sam, starts_at=make.at("09:00"), ends_at=make.at("17:00"))

    assert pairs(job)[0] == ("Erin", "Alma", "09:30")
    (row,) = reassignment.reassign_each([SeenJob(job)], by=make.office(), now=make.at("07:00"))
    assert row.visit
    assert [person.name for person in row.visit.people] == ["Erin", "Alma"]


def test_first_engineer_is_replaced_and_the_second_one_stays() -> None:
    erin, sam = make.engineer(name="Erin", skills=PICKER), make.engineer(name="Sam", skills=())
    make.engineer(name="Alma", skills=())
    make.engineer(name="Fred", skills=PICKER)
    job = book(make.job(flags=("CHP",)), erin, "09:30", sam)
    Absence.objects.create(engineer=erin, starts_at=make.at("07:00"), ends_at=make.at("17:00"))

    assert pairs(job) == [("Fred", "Sam", "08:00")]


def test_reason_says_that_nobody_can_accompany() -> None:
    make.engineer(name="Erin", skills=PICKER)
    sam = make.engineer(name="Sam", skills=())
    book(make.job(duration_minutes=300), sam, "08:00")

    reasons = {person.engineer.name: person.reason for person in explain_unfit(make.job(flags=("CHP",)))}

    assert reasons == {
        "Erin": "Nobody is free at the same time to accompany",
        "Sam": "Skill missing: Cherry picker",
    }


def test_who_is_free_to_accompany_at_a_time() -> None:
    erin, sam = make.engineer(name="Erin"), make.engineer(name="Sam")
    make.engineer(name="Late", starts="10:00")
    book(make.job(), sam, "08:00")

    assert free_companions(make.job(), starts_at=make.at("09:00")) == [erin]


@pytest.mark.parametrize("people", [2, 6])
def test_pairs_cost_fifteen_queries(people: int, django_assert_num_queries: object) -> None:
    for _ in range(people):
        make.engineer(skills=PICKER)
    job = make.job(flags=("CHP",))

    with django_assert_num_queries(15):  # type: ignore[operator]
        assert suggest_slots(job)


@pytest.mark.parametrize("people", [2, 6])
def test_pairs_of_a_job_that_has_a_team_cost_22_queries(
    people: int, django_assert_num_queries: object
) -> None:
    first, second, *_others = [make.engineer(skills=PICKER) for _ in range(people)]
    job = book(make.job(flags=("CHP",)), first, "09:30", second)

    with django_assert_num_queries(22):  # type: ignore[operator]
        assert suggest_slots(job)
