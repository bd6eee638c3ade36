"""Assign, move, unassign, travel, arrive, scan: one test per exit."""

from datetime import date, timedelta
from functools import partial

import pytest
from django.db import connection

from dispatch import visits
from dispatch.availability import NotBookable
from dispatch.job_events import IllegalEvent
from dispatch.models import Job, Visit
from dispatch.ont_scans import BadScan
from dispatch.problems import Problem
from dispatch.states import EventKind, JobState, JobType
from dispatch.visits import NotYourJob
from engineers.models import Engineer
from tests import make
from tests.together import at_once

pytestmark = pytest.mark.django_db


def kinds(job: Job) -> list[str]:
    return list(job.events.values_list("kind", flat=True))


def codes(refusal: pytest.ExceptionInfo[NotBookable] | pytest.ExceptionInfo[BadScan]) -> list[str]:
    return [problem.code for problem in refusal.value.problems]


def test_assign_gives_the_job_to_the_engineer() -> None:
    job, engineer = make.job(), make.engineer()

    visit = visits.assign(job=job, engineer=engineer, starts_at=make.at("08:30"), by=make.office())

    job.refresh_from_db()
    assert job.state == JobState.ASSIGNED
    assert (visit.planned_start, visit.planned_end) == (make.at("08:30"), make.at("10:30"))
    assert kinds(job) == [EventKind.RECEIVED, EventKind.ENGINEER_ASSIGNED]


def test_assign_another_engineer_takes_the_first_one_off() -> None:
    first, second = make.engineer(), make.engineer(name="Sam Second")
    job = make.job(at_state=JobState.ASSIGNED, to=first)

    visits.assign(job=job, engineer=second, starts_at=make.at("09:00"), by=make.office())

    assert list(job.visits.active().values_list("engineer_id", flat=True)) == [second.pk]
    assert kinds(job)[-1] == EventKind.ENGINEER_ASSIGNED


def test_assign_same_engineer_moves_the_visit_without_telling_the_seller() -> None:
    engineer = make.engineer()
    job = make.job(at_state=JobState.ASSIGNED, to=engineer)

    visit = visits.assign(job=job, engineer=engineer, starts_at=make.at("10:00"), by=make.office())

    assert visit.planned_end == make.at("12:00")
    assert kinds(job)[-1] == EventKind.RESCHEDULED
    assert job.visits.count() == 1


def test_assign_refuses_with_every_reason_at_once() -> None:
    engineer = make.engineer(skills=(), starts="09:00", ends="12:00")
    make.job(at_state=JobState.UNASSIGNED)
    other = make.job(duration_minutes=60, window=("09:00", "12:00"))
    visits.assign(job=other, engineer=engineer, starts_at=make.at("09:00"), by=make.office())
    job = make.job(job_type=JobType.CIVILS, flags=("CHP",), located=False, window=("08:30", "13:00"))

    with pytest.raises(NotBookable) as refusal:
        visits.assign(job=job, engineer=engineer, starts_at=make.at("08:00"), by=make.office())

    assert codes(refusal) == [
        "needs_location",
        "skill_missing",
        "team_missing",
        "outside_window",
        "outside_shift",
        "double_booking",
    ]
    assert kinds(job) == [EventKind.RECEIVED]


def test_visit_longer_than_its_window_may_begin_inside_it() -> None:
    job, engineer = make.job(duration_minutes=360), make.engineer()

    visit = visits.assign(job=job, engineer=engineer, starts_at=make.at("09:00"), by=make.office())

    assert visit.planned_end == make.at("15:00")


def test_visits_may_touch_but_not_overlap() -> None:
    engineer = make.engineer()
    visits.assign(job=make.job(), engineer=engineer, starts_at=make.at("08:00"), by=make.office())

    touching = visits.assign(job=make.job(), engineer=engineer, starts_at=make.at("10:00"), by=make.office())
    with pytest.raises(NotBookable) as refusal:
        visits.assign(job=make.job(), engineer=engineer, starts_at=make.at("09:45"), by=make.office())

    assert touching.planned_start == make.at("10:00")
    assert codes(refusal) == ["double_booking", "double_booking"]


def test_cancelled_job_frees_its_time() -> None:
    engineer = make.engineer()
    gone = make.job(at_state=JobState.ASSIGNED, to=engineer)
    make.walk(gone, at_state=JobState.CANCELLED)

    visit = visits.assign(job=make.job(), engineer=engineer, starts_at=make.at("08:00"), by=make.office())

    assert visit.planned_start == make.at("08:00")


SATURDAY, SUNDAY = (make.DAY + timedelta(days=number) for number in (5, 6))


def assign_overtime(engineer: Engineer, clock: str, *, day: date, minutes: int = 180) -> Visit:
    job = make.job(day=day, window=("00:00", "23:59"), duration_minutes=minutes)
    starts_at = make.at(clock, day=day)
    return visits.assign(
        job=job, engineer=engineer, starts_at=starts_at, by=make.office(), override_reason="Agreed"
    )


@pytest.mark.parametrize(
    ("limit", "booked", "asked"),
    [
        ({"max_hours_per_week": 44}, (SATURDAY, "09:00"), (SUNDAY, "09:00")),
        ({"max_hours_per_day": 4}, (SUNDAY, "06:00"), (SUNDAY, "18:00")),
        ({"min_rest_hours": 11}, (SATURDAY, "19:30"), (SUNDAY, "05:30")),
    ],
)
def test_overtime_that_is_booked_counts_for_the_limits(
    limit: dict[str, int], booked: tuple[date, str], asked: tuple[date, str]
) -> None:
    """Also where nobody would drive from one to the other: works 40 hours, Monday to Friday."""
    engineer = make.engineer(starts="08:00", ends="16:00")
    engineer.shifts.filter(weekday__gte=5).delete()
    Engineer.objects.filter(pk=engineer.pk).update(**limit)
    engineer.refresh_from_db()
    assign_overtime(engineer, booked[1], day=booked[0])

    with pytest.raises(NotBookable) as refusal:
        assign_overtime(engineer, asked[1], day=asked[0])

    assert codes(refusal) == ["outside_shift", "working_time"]


def test_unassign_puts_the_job_back() -> None:
    job = make.job(at_state=JobState.EN_ROUTE)

    visits.unassign(job=job, by=make.office(), reason="Van broke down")

    job.refresh_from_db()
    assert job.state == JobState.UNASSIGNED
    assert visits.current_visit(job) is None


def test_unassign_is_illegal_on_site() -> None:
    job = make.job(at_state=JobState.ON_SITE)

    with pytest.raises(IllegalEvent):
        visits.unassign(job=job, by=make.office())

    assert visits.current_visit(job) is not None


def test_another_engineer_cannot_travel() -> None:
    job, other = make.job(at_state=JobState.ASSIGNED), make.engineer()

    with pytest.raises(NotYourJob):
        make.start_travel(job, engineer=other)

    assert kinds(job)[-1] == EventKind.ENGINEER_ASSIGNED


def test_travel_keeps_position_and_both_times() -> None:
    engineer = make.engineer()
    job = make.job(at_state=JobState.ASSIGNED, to=engineer)
    happened = make.now() - make.minutes(90)

    event = make.start_travel(job, occurred_at=happened)

    assert event.occurred_at == happened
    assert event.recorded_at > happened
    assert (event.facts["latitude"], event.facts["accuracy_metres"]) == (53.8, 8)
    assert engineer.last_position.taken_at == happened


def test_arrive_without_position_says_why() -> None:
    job = make.job(at_state=JobState.ASSIGNED)

    event = make.arrive(job, position=make.Position(missing_because="permission_refused"))

    assert event.facts["position_missing_because"] == "permission_refused"
    assert event.to_state == JobState.ON_SITE


def test_scan_of_a_device_on_another_open_job_asks_first() -> None:
    other = make.job(at_state=JobState.ON_SITE)
    make.scan(other)
    job = make.job(at_state=JobState.ON_SITE)

    with pytest.raises(BadScan) as refusal:
        make.scan(job)

    assert codes(refusal) == ["duplicate_device"]
    assert other.provider_job_id in refusal.value.problems[0].message


def test_confirmed_duplicate_is_sent_on() -> None:
    make.scan(make.job(at_state=JobState.ON_SITE))
    job = make.job(at_state=JobState.ON_SITE)

    make.scan(job, duplicate_confirmed=True)

    assert kinds(job)[-1] == EventKind.ONT_SCANNED


def test_civils_job_has_no_scan() -> None:
    job = make.job(at_state=JobState.ON_SITE, job_type=JobType.CIVILS)

    with pytest.raises(BadScan) as refusal:
        make.scan(job)

    assert refusal.value.problems == [
        Problem("no_scan_here", "scan", "Jobs of type “Civils” have no ONT scan.")
    ]


@pytest.mark.django_db(transaction=True)
def test_two_dispatchers_cannot_fill_the_same_slot() -> None:
    engineer, by = make.engineer(), make.office()
    waiting = [make.job() for _ in range(6)]
    refused: list[str] = []

    def drop(job: Job) -> None:
        try:
            visits.assign(job=job, engineer=engineer, starts_at=make.at("08:00"), by=by)
        except NotBookable as refusal:
            refused.extend(problem.code for problem in refusal.problems)

    at_once(*(partial(drop, job) for job in waiting))

    assert connection.vendor in {"sqlite", "postgresql"}
    assert Visit.objects.active().count() == 1
    assert refused == ["double_booking"] * 5
