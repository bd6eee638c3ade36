"""On the present day a visit must be reached from where its engineer will really be: at home, or held up elsewhere."""

from datetime import datetime, timedelta

import pytest
import time_machine

from dispatch import jobs, reassignment, visits
from dispatch.availability import NotBookable
from dispatch.models import Job, Visit
from dispatch.plan_changes import plan_actions
from dispatch.plan_changes.assignment_changes import AssignmentChange
from dispatch.plan_changes.plan_versions import plan_version
from dispatch.problems import Problem
from dispatch.slots.slot_suggestions import suggest_slots
from engineers.models import Engineer
from tests import make
from tests.dispatch.day_comparisons import job_at, planned

pytestmark = pytest.mark.django_db
# more than two hours, and about half an hour, from 53.82
FAR, NEAR = 54.4, 53.93
WINDOW = ("08:00", "18:00")


def live_at(latitude: float, **fields: str) -> Engineer:
    engineer = make.engineer(**fields)
    Engineer.objects.filter(pk=engineer.pk).update(home_latitude=latitude)
    return Engineer.objects.get(pk=engineer.pk)


def problems(job: Job, engineer: Engineer, clock: str, *, now: str) -> list[Problem]:
    with time_machine.travel(make.at(now)):
        return visits.assignment_problems(job, engineer, starts_at=make.at(clock), not_before=make.at(now))


def codes(job: Job, engineer: Engineer, clock: str, *, now: str) -> list[tuple[str, bool]]:
    return [(problem.code, problem.can_override) for problem in problems(job, engineer, clock, now=now)]


def arrived(engineer: Engineer, clock: str, *, at: str, **fields: object) -> Job:
    job = planned(engineer, clock, window=WINDOW, **fields)
    make.start_travel(job, occurred_at=make.at(at) - timedelta(minutes=20))
    make.arrive(job, occurred_at=make.at(at))
    return job


def assign(job: Job, engineer: Engineer, clock: str, *, now: str, reason: str = "") -> Visit:
    with time_machine.travel(make.at(now)):
        return visits.assign(
            job=job,
            engineer=engineer,
            starts_at=make.at(clock),
            by=make.office(),
            not_before=make.at(now),
            override_reason=reason,
        )


def test_whoever_is_still_at_home_cannot_be_there_in_five_minutes() -> None:
    engineer, job = live_at(FAR), job_at(53.82, window=WINDOW)

    (problem,) = problems(job, engineer, "10:15", now="10:10")

    assert (problem.code, problem.can_override) == ("travel_today", True)
    beginning = "Erin Engineer has not reported setting off from home, and the drive takes "
    assert problem.message.startswith(beginning)
    assert problem.message.endswith(" min. Choose a start from 13:00 on.")
    with pytest.raises(NotBookable):
        assign(job, engineer, "10:15", now="10:10")
    assert codes(job, engineer, "13:00", now="10:10") == []


def test_short_lack_is_overridden_with_a_reason() -> None:
    engineer, job = live_at(NEAR), job_at(53.82, window=WINDOW)

    assert codes(job, engineer, "10:30", now="10:00") == []  # late by less than the board calls late
    assert codes(job, engineer, "10:15", now="10:00") == [("travel_today", True)]
    assign(job, engineer, "10:15", now="10:00", reason="The customer waits")

    assert job.events.last().facts["overridden"] == ["travel_today"]


def test_forecast_of_whoever_reports_nothing_is_a_guess_that_a_reason_overrides() -> None:
    """Without signal, three visits look as if nobody had begun them: the afternoon would begin hours late."""
    engineer, job = make.engineer(), job_at(53.82, window=WINDOW)
    for clock in ("08:00", "09:15", "10:30"):
        planned(engineer, clock, window=WINDOW)

    assert codes(job, engineer, "14:00", now="12:00") == [("travel_today", True)]
    assign(job, engineer, "14:00", now="12:00", reason="Rang: is at the third one")


def test_first_visit_is_moved_for_whoever_forgot_to_tap() -> None:
    engineer = live_at(54.05)
    job = planned(engineer, "08:00", window=WINDOW)

    assert codes(job, engineer, "08:15", now="08:05") == [("travel_today", True)]
    assign(job, engineer, "08:15", now="08:05", reason="Rang: is nearly there")

    assert job.visits.active().get().planned_start == make.at("08:15")


@pytest.mark.parametrize(("latitude", "can_override"), [(53.93, True), (54.01, False)])
def test_drive_for_which_the_plan_leaves_no_time_is_judged_by_the_plan(
    latitude: float, *, can_override: bool
) -> None:
    """On site until 10:50; by the plan until 10:00, so that 19 or 40 of the minutes for the drive lack."""
    engineer, job = make.engineer(), job_at(53.82, window=WINDOW)
    arrived(engineer, "09:00", at="09:50", latitude=latitude)

    assert codes(job, engineer, "10:15", now="10:00") == [("travel", can_override)]


@pytest.mark.parametrize(("clock", "now"), [("08:00", "07:50"), ("10:15", "07:50")])
def test_before_the_shift_the_first_drive_is_nobodys_working_time(clock: str, now: str) -> None:
    assert codes(job_at(53.82, window=WINDOW), live_at(FAR), clock, now=now) == []


def test_first_drive_of_another_day_is_nobodys_working_time() -> None:
    engineer, tomorrow = live_at(FAR), make.at("08:00") + timedelta(days=1)
    job = job_at(53.82, day=tomorrow.date())

    assert visits.assignment_problems(job, engineer, starts_at=tomorrow, not_before=make.at("10:10")) == []


def test_first_drive_counts_for_whoever_accompanies() -> None:
    first, second = make.engineer(name="Ann"), live_at(FAR, name="Sam Second")
    job = job_at(53.82, window=WINDOW)
    visits.assign(
        job=job, engineer=first, second_engineer=second, starts_at=make.at("14:00"), by=make.office()
    )

    (problem,) = problems(job, first, "11:00", now="10:10")

    assert problem.message.startswith("Sam Second (with Ann): Sam Second has not reported")


@pytest.mark.parametrize("has_arrived", [False, True])
def test_whoever_has_set_off_is_no_longer_at_home(*, has_arrived: bool) -> None:
    """Also earlier than planned: suggestions say the same."""
    engineer = live_at(FAR)
    begun = planned(engineer, "10:15", window=WINDOW, duration_minutes=15)
    make.start_travel(begun, occurred_at=make.at("08:20"))
    if has_arrived:
        make.arrive(begun, occurred_at=make.at("10:05"))
    job = job_at(53.821, window=WINDOW)

    with time_machine.travel(make.at("10:10")):
        (slot,) = suggest_slots(job, not_before=make.at("10:10"))

    assert slot.starts_at == make.at("10:45")
    assert codes(job, engineer, "10:45", now="10:10") == []


def test_visit_that_the_engineer_is_on_the_way_to_can_be_moved() -> None:
    engineer = live_at(FAR)
    job = planned(engineer, "10:15", window=WINDOW)
    make.start_travel(job, occurred_at=make.at("08:20"))

    assert codes(job, engineer, "10:30", now="10:10") == []


def test_visit_that_runs_over_leaves_no_time_now() -> None:
    """On site since 09:50 with an hour's work that was planned for 08:00."""
    engineer, job = make.engineer(), job_at(53.82, window=WINDOW)
    arrived(engineer, "08:00", at="09:50")

    (problem,) = problems(job, engineer, "10:00", now="10:00")

    assert (problem.code, problem.can_override) == ("travel_today", True)
    assert problem.message == (
        "According to the last report, the visit at LS6 3AB (08:00–09:00) will end at 10:50, and the drive from there "
        "takes 0 min. Choose a start from 11:00 on."
    )
    assert codes(job, engineer, "10:30", now="10:00") == [("travel_today", True)]
    assert codes(job, engineer, "11:00", now="10:00") == []


def test_visit_that_will_be_late_pushes_those_after_it() -> None:
    engineer, job = make.engineer(), job_at(53.82, window=WINDOW)
    arrived(engineer, "08:00", at="09:50")
    planned(engineer, "09:15", window=WINDOW)

    assert codes(job, engineer, "10:30", now="10:00") == [("travel_today", True)]


def test_colleague_who_is_late_holds_up_the_visit_of_both() -> None:
    engineer, late, job = make.engineer(), make.engineer(name="Late"), job_at(53.82, window=WINDOW)
    arrived(late, "08:00", at="09:50", duration_minutes=90)
    planned(late, "09:45", window=WINDOW, second=engineer)

    assert codes(job, engineer, "11:00", now="10:50") == [("travel_today", True)]


def test_visit_that_was_late_before_it_ended_holds_nobody_up() -> None:
    engineer, job = make.engineer(), job_at(53.82, window=WINDOW)
    over = arrived(engineer, "08:00", at="09:50")
    over.visits.update(ended_at=make.at("09:55"))

    assert codes(job, engineer, "10:00", now="10:00") == []


def test_whoever_has_been_free_for_a_while_leaves_only_now() -> None:
    engineer, job = make.engineer(), job_at(53.82, window=WINDOW)
    over = arrived(engineer, "08:00", at="08:00", latitude=54.01)
    over.visits.update(ended_at=make.at("08:30"))

    (problem,) = problems(job, engineer, "09:45", now="09:40")

    assert (problem.code, problem.can_override, problem.other_job) == (
        "travel_today",
        True,
        over.provider_job_id,
    )
    assert problem.message == (
        "According to the last report, Erin Engineer comes from LS6 3AB, and the drive takes 55 min. "
        "Choose a start from 10:45 on."
    )
    assert codes(job, engineer, "10:45", now="09:40") == []
    with time_machine.travel(make.at("09:40")):
        assert next_free(job, make.at("09:40")) == make.at("10:45")


def test_what_was_planned_before_counts_again() -> None:
    engineer, job, by = live_at(FAR), job_at(53.82, window=WINDOW), make.office()
    assign(job, engineer, "10:15", now="07:00")
    with time_machine.travel(make.at("10:10")):
        action = plan_actions.change_plan([AssignmentChange(job)], by=by, not_before=make.at("10:10"))
        assert action
        plan_actions.undo(action, by=by)

    assert job.visits.active().get().planned_start == make.at("10:15")


def test_swap_passes_whoever_would_be_late_only_now() -> None:
    """It has no field for a reason, and moves no times: the board shows what will be late."""
    near, far = make.engineer(name="Near"), live_at(FAR, name="Far")
    job = planned(near, "10:30", window=WINDOW)
    seen = {job.provider_job_id: plan_version(job.visits.get())}

    with time_machine.travel(make.at("10:10")):
        assert reassignment.swap_days(near, far, day=make.DAY, seen=seen, by=make.office())

    assert job.visits.active().get().engineer == far


def next_free(job: Job, now: datetime) -> datetime:
    (slot,) = suggest_slots(job, most=1, not_before=now)
    return slot.starts_at


@pytest.mark.parametrize("is_late", [False, True])
def test_what_is_suggested_can_be_booked_a_little_later(*, is_late: bool) -> None:
    engineer, job = live_at(FAR), job_at(53.82, window=WINDOW)
    if is_late:
        arrived(engineer, "08:00", at="09:50")
    with time_machine.travel(make.at("10:01")):
        starts_at = next_free(job, make.at("10:01"))

    with time_machine.travel(make.at("10:14")):
        found = visits.assignment_problems(job, engineer, starts_at=starts_at, not_before=make.at("10:14"))

    assert found == []


def test_visit_that_is_late_may_get_another_second_engineer_at_its_time() -> None:
    engineer, second, far = live_at(FAR), make.engineer(name="Sam Second"), live_at(FAR, name="Fay Far")
    job = planned(engineer, "10:15", window=WINDOW)

    def accompany(person: Engineer) -> None:
        with time_machine.travel(make.at("10:10")):
            visits.assign(
                job=job,
                engineer=engineer,
                second_engineer=person,
                starts_at=make.at("10:15"),
                by=make.office(),
                not_before=make.at("10:10"),
            )

    with pytest.raises(NotBookable, match="Fay Far has not reported"):
        accompany(far)
    accompany(second)

    assert job.visits.active().get().second_engineer == second


def test_late_visit_is_assigned_unchanged() -> None:
    engineer = live_at(FAR)
    job = planned(engineer, "10:15", window=WINDOW)
    visit = job.visits.get()

    assert codes(job, engineer, "10:15", now="10:10") == []
    assert assign(job, engineer, "10:15", now="10:10") == visit
    assert assign(job, engineer, "10:15", now="10:40") == visit  # in the past by then


@pytest.mark.parametrize(
    ("end", "has_arrived"),
    [("cancelled", False), ("reassigned", False), ("reassigned", True), ("unassigned", False)],
)
def test_whoever_loses_a_visit_under_way_is_not_at_home(end: str, *, has_arrived: bool) -> None:
    engineer, job = live_at(FAR), job_at(53.82, window=WINDOW)
    lost = planned(engineer, "09:00", window=WINDOW, latitude=53.93)
    make.start_travel(lost, occurred_at=make.at("08:10"))
    if has_arrived:
        make.arrive(lost, occurred_at=make.at("09:00"))

    with time_machine.travel(make.at("10:00")):
        end_visit(lost, end)

    (problem,) = problems(job, engineer, "10:15", now="10:10")
    assert problem.message == (
        "According to the last report, Erin Engineer comes from LS6 3AB, and the drive takes 34 min. "
        "Choose a start from 10:45 on."
    )
    with time_machine.travel(make.at("10:10")):
        (slot,) = [
            slot for slot in suggest_slots(job, not_before=make.at("10:10")) if slot.engineer == engineer
        ]
    assert slot.starts_at == make.at("10:45")


def end_visit(job: Job, end: str) -> None:
    if end == "cancelled":
        jobs.cancel_job(job=job, reason_code="", reason="", occurred_at=make.at("10:00"))
    elif end == "reassigned":
        visits.assign(
            job=job, engineer=make.engineer(name="Other"), starts_at=make.at("14:00"), by=make.office()
        )
    else:
        visits.unassign(job=job, by=make.office())


def test_visit_of_an_earlier_day_has_taken_nobody_from_home() -> None:
    engineer, job = live_at(NEAR), job_at(53.82, window=WINDOW, day=make.DAY + timedelta(days=1))
    lost = planned(engineer, "16:00", window=WINDOW)
    make.start_travel(lost, occurred_at=make.at("15:40"))
    with time_machine.travel(make.at("16:30")):
        visits.unassign(job=lost, by=make.office())

    tomorrow = make.at("10:10") + timedelta(days=1)
    with time_machine.travel(tomorrow):
        (problem,) = visits.assignment_problems(
            job, engineer, starts_at=tomorrow + timedelta(minutes=5), not_before=tomorrow
        )

    assert "from home" in problem.message
