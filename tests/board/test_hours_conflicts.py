"""A visit outside the hours of its engineer, whose day or shift pattern was changed after it was booked: everybody who
looks at the board reads it, until the visit is moved."""

from dataclasses import replace

import pytest
import time_machine
from django.utils.html import strip_tags

from board.board_version import read_version
from board.day.board_presenter import build_board
from board.day.cards import Card
from board.day.engineer_panel import build_engineer_panel
from board.day.lanes import Lane
from board.day.week_presenter import RiskCount, build_week
from board.jobs.job_panel import risk_of
from dispatch import attention, visits
from dispatch.hours_conflicts import list_hours_conflicts
from dispatch.models import Job, Visit
from dispatch.plan_changes import plan_actions
from dispatch.plan_changes.assignment_changes import AssignmentChange
from dispatch.requirements import job_requirements
from dispatch.second_engineers import change_second_engineer
from dispatch.states import JobState
from engineers import rota
from engineers.models import Absence, Engineer, ShiftException
from engineers.working_hours import parse_hours
from monitoring import alarms
from monitoring.models import Alarm
from tests import make
from tests.board.office import signed_in

pytestmark = pytest.mark.django_db
PATH = f"/board/?day={make.DAY.isoformat()}"
OUTSIDE = "Outside the hours of Erin Engineer, who works 12:00–18:00 that day"
OFF = "Erin Engineer is not working that day"
NOW = make.at("06:30")


@pytest.fixture
def engineer() -> Engineer:
    return make.engineer()


@pytest.fixture
def job(engineer: Engineer) -> Job:
    return make.job(at_state=JobState.ASSIGNED, to=engineer)


def set_hours(engineer: Engineer, hours: str) -> None:
    ShiftException.objects.filter(engineer=engineer).delete()
    spans = parse_hours(hours)
    starts, ends = spans[0] if spans else (None, None)
    ShiftException.objects.create(engineer=engineer, day=make.DAY, starts=starts, ends=ends)


def lane() -> Lane:
    (found,) = build_board(make.DAY, now=NOW, today=make.DAY).lanes
    return found


def card() -> Card:
    (found,) = lane().cards
    return found


def conflict_reasons() -> list[str]:
    found = list_hours_conflicts(Visit.objects.active())
    return [conflict.reason for conflicts in found.values() for conflict in conflicts]


@pytest.mark.parametrize(
    ("hours", "reason", "head"),
    [
        ("12-18", OUTSIDE, "Hours changed · 1 job to reassign"),
        ("", OFF, "Not working · 1 job to reassign"),
        ("07-10", "", "On time"),
    ],
)
def test_card_and_row_head_say_that_the_hours_changed(
    engineer: Engineer, job: Job, hours: str, reason: str, head: str
) -> None:
    set_hours(engineer, hours)

    found = lane()

    assert (found.cards[0].risk.reason, found.status.text) == (reason, head)
    assert found.cards[0].risk.slug == ("late" if reason else "none")
    assert found.status.reason == (f"{job.title}: {reason}" if reason else "")
    assert found.to_reassign == bool(reason)


def test_week_job_panel_and_engineer_panel_agree(engineer: Engineer, job: Job) -> None:
    set_hours(engineer, "12-18")

    week = build_week(make.DAY, now=NOW, today=make.DAY)
    risk = risk_of(job, job.visits.get(), job_requirements(job), now=NOW)
    panel = build_engineer_panel(engineer, day=make.DAY, now=NOW)

    assert week.days[0].total_risk == RiskCount(at_risk=0, late=1)
    assert risk.reason == OUTSIDE
    assert [line.job_id for line in panel.to_reassign] == [job.provider_job_id]


def test_attention_names_the_engineer_until_the_job_is_reassigned(engineer: Engineer, job: Job) -> None:
    set_hours(engineer, "12-18")
    with time_machine.travel(NOW):
        attention.watch_day()
        page = strip_tags(signed_in().get(PATH).content.decode())

    assert "Erin Engineer has 1 job today outside the hours of the day." in page

    visits.assign(job=job, engineer=make.engineer(name="Olu"), starts_at=make.at("08:00"), by=make.office())
    with time_machine.travel(make.at("06:31")):
        attention.watch_day()

    assert not alarms.open_alarms().exists()


def test_absent_engineer_whose_hours_changed_is_absent_and_counted_once(engineer: Engineer, job: Job) -> None:
    set_hours(engineer, "")
    Absence.objects.create(engineer=engineer, starts_at=make.at("00:00"), ends_at=make.at("23:59"))
    with time_machine.travel(NOW):
        attention.watch_day()

    assert str(alarms.text_of(Alarm.objects.get())) == "Erin Engineer is absent and still has 1 job today."
    assert card().risk.reason == "Erin Engineer is absent"


def booked_with_a_reason(engineer: Engineer) -> Job:
    job = make.job()
    visits.assign(
        job=job, engineer=engineer, starts_at=make.at("08:00"), by=make.office(), override_reason="Agreed"
    )
    return job


def move_and_undo(job: Job, to: Engineer) -> None:
    by = make.office()
    action = plan_actions.change_plan([AssignmentChange(job, to, make.at("08:00"))], by=by)
    assert action
    plan_actions.undo(action, by=by)


def test_visit_booked_outside_the_hours_with_a_reason_is_no_conflict(engineer: Engineer) -> None:
    set_hours(engineer, "12-18")
    booked_with_a_reason(engineer)

    assert (card().risk.slug, lane().to_reassign) == ("none", 0)


def test_undo_decides_nothing_about_the_hours(engineer: Engineer, job: Job) -> None:
    """Given to Ben since Erin is off, and put back: she is off as before."""
    set_hours(engineer, "")
    move_and_undo(job, make.engineer(name="Ben"))

    assert conflict_reasons() == [OFF]


def test_undo_brings_back_what_was_decided(engineer: Engineer) -> None:
    set_hours(engineer, "12-18")
    move_and_undo(booked_with_a_reason(engineer), make.engineer(name="Ben"))

    assert conflict_reasons() == []


def test_decision_about_the_visit_outlasts_a_change_of_the_second_engineer(engineer: Engineer) -> None:
    set_hours(engineer, "12-18")
    job = booked_with_a_reason(engineer)
    make.start_travel(job, occurred_at=make.at("07:40"))
    for second in (make.engineer(name="Sam"), None):
        with time_machine.travel(make.at("07:45")):
            change_second_engineer(job=job, second=second, by=make.office())

        assert conflict_reasons() == []


def test_decision_about_a_second_engineer_ends_with_the_next_booking(engineer: Engineer) -> None:
    """Sam, who is off, was to come along with a reason, and no longer is: Erin's own hours change after that."""
    sam = make.engineer(name="Sam")
    set_hours(sam, "")
    job = make.job()
    for second, reason in ((sam, "Agreed"), (None, "")):
        visits.assign(
            job=job,
            engineer=engineer,
            starts_at=make.at("08:00"),
            by=make.office(),
            second_engineer=second,
            override_reason=reason,
        )
    set_hours(engineer, "")

    assert conflict_reasons() == [OFF]


def test_changed_pattern_marks_a_visit_too(engineer: Engineer, job: Job) -> None:
    engineer.shifts.update(starts="12:00")

    assert card().risk.reason == OUTSIDE


def test_second_engineer_whose_hours_changed_leaves_the_visit_too(engineer: Engineer, job: Job) -> None:
    sam = make.engineer(name="Sam Second")
    starts_at = make.at("08:00")
    visits.assign(job=job, engineer=engineer, starts_at=starts_at, by=make.office(), second_engineer=sam)
    set_hours(sam, "")

    lanes = build_board(make.DAY, now=NOW, today=make.DAY).lanes

    assert [(found.name, found.to_reassign) for found in lanes] == [("Erin Engineer", 0), ("Sam Second", 1)]
    assert {found.cards[0].risk.reason for found in lanes} == {"Sam Second is not working that day"}


def test_visit_that_has_begun_is_left_alone(engineer: Engineer) -> None:
    make.job(at_state=JobState.ON_SITE, to=engineer)
    set_hours(engineer, "12-18")

    assert (card().risk.slug, lane().to_reassign) == ("none", 0)


def test_open_boards_follow_changed_hours(engineer: Engineer) -> None:
    by = make.dispatcher()
    seen = []
    with time_machine.travel(NOW, tick=False):
        for hours, before in (("12-18", ""), ("13-18", "12:00–18:00")):
            seen.append(read_version())
            rota.set_exception(engineer=engineer, day=make.DAY, hours=parse_hours(hours), seen=before, by=by)
        seen.append(read_version())
        rota.remove_exception(engineer=engineer, day=make.DAY, seen="13:00–18:00", by=by)
        seen.append(read_version())

    assert len(set(map(str, seen[:3]))) == 3
    assert str(seen[3]) != str(seen[2])
    assert not replace(seen[1], last_event=0).has_only_newer_events(seen[0])


@pytest.mark.parametrize("rows", [1, 3])
def test_number_of_queries_does_not_grow(rows: int, django_assert_num_queries: object) -> None:
    for _ in range(rows):
        engineer = make.engineer()
        make.job(at_state=JobState.ASSIGNED, to=engineer)
        set_hours(engineer, "")

    with django_assert_num_queries(18):  # type: ignore[operator]
        build_board(make.DAY, now=NOW, today=make.DAY)
