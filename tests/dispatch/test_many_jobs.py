"""Many jobs in one press: what is the same for each is read once, and what changes meanwhile is found all the same."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from dispatch import reassignment, visits
from dispatch.models import Job
from dispatch.plan_changes import plan_actions
from dispatch.plan_changes.assignment_changes import AssignmentChange
from dispatch.plan_changes.plan_refusals import PlanRefused
from dispatch.reassignment import SeenJob
from dispatch.slots.slot_data import read_for_jobs
from dispatch.slots.slot_suggestions import suggest_slots
from dispatch.states import JobState
from engineers.models import Absence, Area, Engineer
from tests import make

pytestmark = pytest.mark.django_db
EARLY = make.at("06:30")


def queries_for(number: int) -> int:
    """Of placing so many jobs."""
    rows = [SeenJob(make.job(uprn=f"{10**11 + each}", duration_minutes=30)) for each in range(number)]
    with CaptureQueriesContext(connection) as found:
        results = reassignment.reassign_each(rows, by=make.office(), now=EARLY)
    assert [result.problems for result in results] == [[]] * number
    return len(found.captured_queries)


def test_one_more_job_costs_the_reading_of_its_visits_and_its_own_change() -> None:
    for _ in range(3):
        make.engineer()
    queries_for(1)
    for_one, for_four = queries_for(1), queries_for(4)

    # one for its visits, one for the accounts of its people, read after the lock; the rest checks and writes the
    # change, in a transaction of its own. PostgreSQL wakes the relay by a statement of its own
    most = 26 if connection.vendor == "sqlite" else 27
    assert (for_four - for_one) / 3 <= most


def odd_jobs() -> list[Job]:
    """A team's, one of a known address, one that was begun, one with a second engineer, one of another area."""
    Engineer.objects.update(area=Area.objects.create(name="Leeds", postcodes="LS"))
    Area.objects.create(name="York", postcodes="YO")
    first, second, *_others = Engineer.objects.order_by("pk")
    begun = make.job(at_state=JobState.ON_SITE, to=first, uprn="200000000001")
    accompanied = make.job(uprn="200000000002", window=("13:00", "18:00"))
    visits.assign(
        job=accompanied,
        engineer=first,
        starts_at=make.at("14:00"),
        by=make.office(),
        second_engineer=second,
    )
    elsewhere = make.job(uprn="200000000003")
    Job.objects.filter(pk=elsewhere.pk).update(postcode="YO1 7HH", postcode_key="YO17HH", latitude=53.96)
    elsewhere.refresh_from_db()
    known = make.job(uprn="200000000001", window=("13:00", "18:00"))
    return [make.job(flags=("CHP",)), known, begun, accompanied, elsewhere, make.job(flags=("MDU",))]


def test_each_job_is_offered_the_same_as_when_it_is_looked_for_alone() -> None:
    for number in range(4):
        make.engineer(skills=("cherry-picker", "mdu") if number % 2 else ("cherry-picker",))
    jobs = odd_jobs()
    reading = read_for_jobs(jobs, now=EARLY)

    for job in jobs:
        together = suggest_slots(job, not_before=EARLY, reading=reading)

        assert together == suggest_slots(job, not_before=EARLY)
        assert together


def test_jobs_of_one_press_are_in_each_other_s_way() -> None:
    make.engineer()
    rows = [SeenJob(make.job(uprn=f"{10**11 + number}")) for number in range(3)]

    results = reassignment.reassign_each(rows, by=make.office(), now=EARLY)

    starts = [result.visit and result.visit.planned_start for result in results]
    assert starts[:2] == [make.at("08:00"), make.at("10:00")]
    assert [problem.code for problem in results[2].problems] == ["nobody_free"]


def test_absence_entered_after_the_reading_is_found_by_the_change() -> None:
    engineer, jobs = make.engineer(), [make.job(), make.job(window=("13:00", "18:00"))]
    reading = read_for_jobs(jobs, now=EARLY)
    suggest_slots(jobs[0], not_before=EARLY, reading=reading)
    Absence.objects.create(engineer=engineer, starts_at=make.at("00:00"), ends_at=make.at("23:00"))

    (slot,) = suggest_slots(jobs[1], not_before=EARLY, reading=reading)
    change = AssignmentChange(jobs[1], slot.engineer, slot.starts_at)
    with pytest.raises(PlanRefused):
        plan_actions.change_plan([change], by=make.office(), not_before=EARLY)

    assert not jobs[1].visits.exists()
