"""A half-done job goes to a colleague with everything found; both names stay, and the seller learns who comes."""

from datetime import timedelta

import pytest
import time_machine

from dispatch import jobs, visits
from dispatch.models import Job
from dispatch.slots.slot_suggestions import suggest_slots
from dispatch.states import EventKind, JobState
from engineers.models import Engineer
from seller_link.models import OutboundMessage
from tests import make

pytestmark = pytest.mark.django_db


def begun() -> tuple[Job, Engineer, Engineer]:
    first, second = make.engineer(name="Erin First"), make.engineer(name="Sam Second")
    return make.job(at_state=JobState.ON_SITE, to=first), first, second


def hand_over(job: Job, colleague: Engineer, clock: str = "09:00") -> None:
    visits.assign(job=job, engineer=colleague, starts_at=make.at(clock), by=make.office())
    job.refresh_from_db()


def reported(job: Job) -> list[tuple[str, str]]:
    """What the seller receives: event, and the engineer's number."""
    rows = OutboundMessage.objects.filter(job=job).order_by("seq")
    return [(row.body["event"], row.body.get("engineer", {}).get("id", "")) for row in rows]


def test_colleague_sets_off_and_arrives_in_turn() -> None:
    job, first, second = begun()
    hand_over(job, second)

    assert job.state == JobState.ASSIGNED
    make.start_travel(job, engineer=second)
    make.arrive(job, engineer=second)

    names = [first.staff_number, second.staff_number]
    assert reported(job) == [
        (event, name) for name in names for event in ("engineerAssigned", "enRoute", "onSite")
    ]


def test_history_says_who_handed_it_over() -> None:
    job, first, second = begun()
    hand_over(job, second)

    facts = job.events.filter(kind=EventKind.ENGINEER_ASSIGNED).last().facts
    assert (facts["engineer_name"], facts["instead_of"], facts["state_then"]) == (
        second.name,
        first.name,
        "on_site",
    )


def test_begun_job_can_not_be_cancelled_while_the_colleague_is_on_the_way() -> None:
    job, _first, second = begun()
    hand_over(job, second)

    with pytest.raises(jobs.JobAlreadyStarted):
        jobs.cancel_job(job=job)


def test_answer_to_the_first_one_s_scan_counts_while_the_colleague_is_on_the_way() -> None:
    job, _first, second = begun()
    make.scan(job)
    hand_over(job, second)
    make.result(job, 1)

    assert job.events.last().kind == EventKind.ONT_PROVISIONED
    assert visits.ont_scans.is_provisioned(job)


def test_answer_for_a_job_that_nobody_began_is_still_late() -> None:
    job = make.job(at_state=JobState.ASSIGNED)
    make.result(job, 1)

    assert job.events.last().kind == EventKind.REPORTED_LATE


def test_begun_job_need_not_fit_its_window_any_more() -> None:
    job, _first, second = begun()
    hand_over(job, second, "14:00")

    assert job.visits.current().get().engineer == second


def test_begun_job_is_offered_after_its_window_too() -> None:
    job, _first, second = begun()
    with time_machine.travel(make.at("13:20")):
        found = [
            (suggestion.engineer, suggestion.starts_at)
            for suggestion in suggest_slots(job, not_before=make.now())
        ]

    assert (second, make.at("13:30")) in found


def test_next_day_begun_job_is_offered_that_day() -> None:
    job, _first, second = begun()
    tomorrow = make.DAY + timedelta(days=1)
    with time_machine.travel(make.at("09:00", day=tomorrow), tick=False):
        found = [
            (suggestion.engineer, suggestion.starts_at)
            for suggestion in suggest_slots(job, not_before=make.now())
        ]

    # the shift has begun, and the drive from home takes of it
    assert (second, make.at("09:15", day=tomorrow)) in found
