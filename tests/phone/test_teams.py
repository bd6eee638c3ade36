"""A visit of two on both phones: the first engineer works through the job, the second one reads it."""

from datetime import date, timedelta
from typing import Any

import pytest
import time_machine
from django.utils import timezone
from icalendar import Calendar
from pytest_django import DjangoAssertNumQueries

from board.jobs.job_presenter import build_job_page
from dispatch import jobs, visits
from dispatch.models import Job, JobEvent
from dispatch.states import EventKind, JobState
from engineers.models import Engineer
from phone.calendar_feed import build_calendar
from phone.notifications import titles
from tests import make
from tests.phone.phone import POSITION, Phone


@pytest.fixture
def sam(db: None) -> Engineer:
    return make.engineer(name="Sam Second", skills=())


def assign(job: Job, engineer: Engineer, second: Engineer | None, clock: str = "09:00") -> Job:
    starts_at = make.at(clock, day=timezone.localdate(job.window_start))
    visits.assign(job=job, engineer=engineer, starts_at=starts_at, by=make.office(), second_engineer=second)
    return job


def team_job(engineer: Engineer, second: Engineer, *, day: date | None = None, **fields: object) -> Job:
    return assign(make.job(day=day or make.today(), **fields), engineer, second)


def jobs_of(engineer: Engineer) -> list[dict[str, Any]]:
    jobs: list[dict[str, Any]] = Phone(engineer).json("/phone/day.json")["jobs"]
    return jobs


def test_both_phones_have_the_job_and_say_who_works_through_it(engineer: Engineer, sam: Engineer) -> None:
    job = team_job(engineer, sam)

    (first,), (second,) = jobs_of(engineer), jobs_of(sam)

    assert [first["id"], second["id"]] == [str(job), str(job)]
    assert first["team"] == {"is_second": False, "name": "Sam Second", "call_url": "tel:07700900123"}
    assert second["team"] == {"is_second": True, "name": "Erin Engineer", "call_url": "tel:07700900123"}


def test_job_of_one_has_no_team(engineer: Engineer) -> None:
    make.job(at_state=JobState.ASSIGNED, to=engineer, day=make.today())

    assert jobs_of(engineer)[0]["team"] is None


def test_kit_is_the_first_engineer_s(engineer: Engineer, sam: Engineer) -> None:
    team_job(engineer, sam, flags=("CHP",))

    kits = [Phone(person).json("/phone/day.json")["kit"] for person in (engineer, sam)]

    assert [bool(kit) for kit in kits] == [True, False]


def test_second_engineer_moves_nothing(engineer: Engineer, sam: Engineer) -> None:
    job = team_job(engineer, sam)

    outcome = Phone(sam).say("en_route", job, {"position": POSITION})

    job.refresh_from_db()
    assert (outcome["outcome"], job.state) == ("late", JobState.ASSIGNED)
    (problem,) = outcome["problems"]
    assert (problem["code"], problem["message"]) == (
        "second_engineer",
        "You accompany Erin Engineer at this job. Only Erin Engineer reports its steps and answers. "
        "Your update is kept and the office can see it.",
    )
    history = " ".join(entry.event.sentence for entry in build_job_page(job, now=make.now()).history)
    assert "The engineer accompanies Erin Engineer, who reports this job's steps" in history
    assert Phone(engineer).say("en_route", job, {"position": POSITION})["outcome"] == "applied"


def test_second_engineer_reads_that_the_job_was_cancelled(engineer: Engineer, sam: Engineer) -> None:
    job = team_job(engineer, sam)
    jobs.cancel_job(job=job, reason="Customer moved")

    (problem,) = Phone(sam).say("en_route", job, {"position": POSITION})["problems"]

    assert problem["code"] == "cancelled"


def test_second_engineer_sets_a_lone_worker_timer_of_their_own(engineer: Engineer, sam: Engineer) -> None:
    job = make.job(day=make.today())
    assign(job, engineer, sam)
    make.start_travel(job)
    make.arrive(job)

    assert Phone(sam).say("check_in", job, {"minutes": 30})["outcome"] == "applied"
    assert sam.check_ins.count() == 1


def test_second_engineer_who_is_replaced_reads_why_the_job_left(engineer: Engineer, sam: Engineer) -> None:
    job = team_job(engineer, sam)
    assign(job, engineer, make.engineer(name="Alma Also"))

    day = Phone(sam).json("/phone/day.json")

    assert day["jobs"] == []
    assert [(gone["id"], gone["words"]) for gone in day["gone"]] == [
        (
            str(job),
            "You no longer accompany Erin Engineer at this job. If you're already there, call the office.",
        )
    ]
    assert Phone(engineer).json("/phone/day.json")["gone"] == []


def test_job_reassigned_to_the_second_engineer_stays_on_both_phones(
    engineer: Engineer, sam: Engineer
) -> None:
    job = team_job(engineer, sam)
    visits.assign(
        job=job,
        engineer=sam,
        starts_at=make.at("09:00", day=make.today()),
        by=make.office(),
        override_reason="Ill",
    )

    assert [jobs_of(person)[0]["team"]["is_second"] for person in (sam, engineer)] == [False, True]
    assert Phone(engineer).json("/phone/day.json")["gone"] == []


@pytest.mark.parametrize("rows", [1, 3])
def test_day_of_a_second_engineer_costs_the_same_queries(
    rows: int, engineer: Engineer, sam: Engineer, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    for hour in range(rows):
        assign(make.job(day=make.today(), duration_minutes=45), engineer, sam, f"{10 + hour}:00")
    phone = Phone(sam)
    phone.json("/phone/day.json")

    with django_assert_num_queries(19):
        assert len(phone.json("/phone/day.json")["jobs"]) == rows


def notified(job: Job, kind: EventKind) -> dict[str, str]:
    names = dict(Engineer.objects.values_list("staff_number", "user__first_name"))
    event = JobEvent.objects.filter(job=job, kind=kind).latest("seq")
    return {names[number]: title for number, title in titles(event).items()}


def test_notifications_say_who_leads_and_who_accompanies(engineer: Engineer, sam: Engineer) -> None:
    alma, job = make.engineer(name="Alma Also"), make.job(day=make.today())
    assign(job, engineer, sam)
    assert notified(job, EventKind.ENGINEER_ASSIGNED) == {"Sam": "New job: you accompany", "Erin": "New job"}

    assign(job, engineer, sam, "10:00")
    assert notified(job, EventKind.RESCHEDULED) == dict.fromkeys(["Erin", "Sam"], "Visit rescheduled")

    assign(job, engineer, alma, "10:00")
    assert notified(job, EventKind.SECOND_ENGINEER_CHANGED) == {
        "Sam": "You no longer accompany this job",
        "Alma": "New job: you accompany",
    }
    assign(job, alma, engineer, "10:00")
    assert notified(job, EventKind.ENGINEER_ASSIGNED) == {"Erin": "New job: you accompany", "Alma": "New job"}

    visits.unassign(job=job, by=make.office())
    assert notified(job, EventKind.UNASSIGNED) == dict.fromkeys(["Alma", "Erin"], "Job unassigned")


def test_calendars_of_both_have_the_visit(engineer: Engineer, sam: Engineer) -> None:
    team_job(engineer, sam, day=make.DAY + timedelta(days=1))

    with time_machine.travel(make.at("06:00"), tick=False):
        calendars = [Calendar.from_ical(build_calendar(person, now=make.now())) for person in (engineer, sam)]

    texts = [
        str(event["description"]).partition(". ")[2].partition(". ")[2]
        for calendar in calendars
        for event in calendar.walk("VEVENT")
        if str(event["uid"]).startswith("visit")
    ]
    assert texts == ["Sam Second accompanies you.", "You accompany Erin Engineer."]
