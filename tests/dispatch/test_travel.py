"""Travel between visits: part of availability and suggestions; overridden within limits and with a reason."""

from dataclasses import replace
from datetime import timedelta

import pytest
import time_machine
from pytest_django import Settings

from dispatch import jobs, reassignment, visits
from dispatch.availability import NotBookable
from dispatch.driving.drive_times import ESTIMATES
from dispatch.driving.travel import home_coordinates
from dispatch.forecast import forecast_day
from dispatch.models import Job, PlanAction, Visit
from dispatch.plan_changes.plan_refusals import PlanRefused
from dispatch.plan_changes.plan_versions import plan_version
from dispatch.slots.slot_suggestions import suggest_slots, travel_before
from dispatch.states import EventKind
from engineers.models import Engineer
from tests import make

pytestmark = pytest.mark.django_db
EARLY = make.at("07:00")


def job_at(latitude: float, *, minutes: int = 60) -> Job:
    pack = make.pack(duration_minutes=minutes)
    return jobs.create_job(pack=replace(pack, premises=replace(pack.premises, latitude=latitude))).job


def assign(
    job: Job,
    engineer: Engineer,
    clock: str,
    *,
    second: Engineer | None = None,
    override_reason: str = "",
) -> Visit:
    return visits.assign(
        job=job,
        engineer=engineer,
        starts_at=make.at(clock),
        by=make.office(),
        not_before=EARLY,
        override_reason=override_reason,
        second_engineer=second,
    )


@pytest.fixture
def busy() -> Engineer:
    """At 53.81 from 10:00 to 11:00."""
    engineer = make.engineer()
    assign(job_at(53.81), engineer, "10:00")
    return engineer


def test_drive_that_fits_is_accepted(busy: Engineer) -> None:
    # 22 km north: 58 minutes with parking
    far = job_at(54.01)
    assert ESTIMATES.time((53.81, -1.56), (54.01, -1.56), at=make.at("11:00")) == timedelta(
        minutes=57, seconds=32
    )

    assert assign(far, busy, "12:00").planned_start == make.at("12:00")


@pytest.mark.parametrize(
    ("clock", "message"),
    [
        ("11:30", "The drive from LS6 3AB (10:00–11:00) takes 58 min, but there are only 30 min."),
        ("08:15", "The drive to LS6 3AB (10:00–11:00) takes 58 min, but there are only 45 min."),
    ],
)
def test_drive_that_is_too_long_is_refused_unless_overridden_with_a_reason(
    busy: Engineer, clock: str, message: str
) -> None:
    far = job_at(54.01)
    with pytest.raises(NotBookable) as refusal:
        assign(far, busy, clock)
    assert [(problem.code, problem.message, problem.can_override) for problem in refusal.value.problems] == [
        ("travel", message, True)
    ]

    assign(far, busy, clock, override_reason="Colleague brings the ladder")

    facts = far.events.get(kind=EventKind.ENGINEER_ASSIGNED).facts
    assert (facts["overridden"], facts["override_reason"]) == (["travel"], "Colleague brings the ladder")


def test_shortfall_above_the_setting_is_refused_despite_a_reason(busy: Engineer, settings: Settings) -> None:
    far = job_at(54.01)
    settings.TRAVEL_SHORTFALL_MINUTES = 27

    with pytest.raises(NotBookable):
        assign(far, busy, "11:30", override_reason="Drives fast")

    assert not far.visits.exists()


def test_double_booking_and_missing_skill_are_never_overridden(busy: Engineer) -> None:
    busy.skills.clear()
    needs_skill = jobs.create_job(pack=make.pack(flags=("CHP",), duration_minutes=60)).job

    for job, clock in ((job_at(53.81), "10:30"), (needs_skill, "11:00")):
        with pytest.raises(NotBookable):
            assign(job, busy, clock, override_reason="Please")
        assert not job.visits.exists()


def test_customer_can_agree_to_a_later_time_of_the_same_day() -> None:
    engineer, long = make.engineer(starts="06:00", ends="22:00"), job_at(53.81, minutes=120)

    for clock, day in (("07:00", make.DAY), ("13:15", make.DAY + timedelta(days=1))):
        with pytest.raises(NotBookable):
            visits.assign(
                job=long,
                engineer=engineer,
                starts_at=make.at(clock, day=day),
                by=make.office(),
                not_before=EARLY,
                override_reason="The customer agreed",
            )
    with pytest.raises(NotBookable):
        assign(long, engineer, "13:15")
    for clock, ends_at in (("13:15", "15:15"), ("12:15", "14:15")):
        assign(long, engineer, clock, override_reason="The customer agreed")
        assert long.visits.current().get().planned_end == make.at(ends_at)

    facts = [event.facts for event in long.events.filter(facts__has_key="override_reason")]
    assert [(fact["overridden"], fact["override_reason"]) for fact in facts] == [
        (["outside_window"], "The customer agreed")
    ] * 2


def test_suggestion_can_always_be_assigned() -> None:
    """Also next to visits just outside the window, and in the rush hour, when the drive takes 66 minutes."""
    engineer, far = make.engineer(), job_at(54.01)
    before = jobs.create_job(pack=make.pack(window=("06:00", "08:00"), duration_minutes=60)).job
    engineer.shifts.update(starts="06:00")
    visits.assign(job=before, engineer=engineer, starts_at=make.at("07:00"), by=make.office())

    (suggestion,) = suggest_slots(far, not_before=EARLY)

    assert suggestion.starts_at == make.at("09:15")
    assign(far, engineer, "09:15")


def test_suggested_start_leaves_time_for_both_drives(busy: Engineer) -> None:
    far = job_at(54.01)
    assign(job_at(53.81), busy, "12:00")

    # neither before the first visit nor between both, and the window ends before a drive after the second
    assert suggest_slots(far, not_before=make.at("09:00")) == []
    Visit.objects.filter(planned_start=make.at("12:00")).delete()
    (suggestion,) = suggest_slots(far, not_before=make.at("09:00"))
    assert suggestion.starts_at == make.at("12:00")


def visits_of(engineer: Engineer) -> list[Visit]:
    return list(engineer.visits.select_related("job", "engineer"))


def test_job_closed_without_a_visit_is_where_nobody_comes_from() -> None:
    engineer, near, far = make.engineer(), job_at(53.82), job_at(54.01)
    assign(far, engineer, "12:00")
    visit = assign(near, engineer, "10:00")
    from_home = ESTIMATES.time(home_coordinates(engineer), (53.82, -1.56), at=make.at("10:00"))
    with time_machine.travel(make.at("09:30")):
        make.close_without_visit(far)

    assert forecast_day(visits_of(engineer), now=make.at("09:40"))[visit.pk].travel == from_home
    (suggestion,) = suggest_slots(job_at(53.82), not_before=make.at("12:00"))
    assert suggestion.travel_seconds == ESTIMATES.seconds((53.82, -1.56), (53.82, -1.56), at=EARLY)
    before = travel_before(job_at(53.83), engineer, starts_at=make.at("12:30"))
    assert before == ESTIMATES.seconds((53.82, -1.56), (53.83, -1.56), at=make.at("11:00"))


def test_drive_begins_where_the_engineer_was_last_and_not_by_the_plan() -> None:
    """The second visit of the plan was made first."""
    engineer = make.engineer()
    assign(job_at(53.82), engineer, "08:00")
    assign(job_at(54.01), engineer, "10:30")
    for planned, arrived, ended in (("10:30", "08:30", "09:00"), ("08:00", "10:00", "10:45")):
        engineer.visits.filter(planned_start=make.at(planned)).update(
            arrived_at=make.at(arrived), ended_at=make.at(ended)
        )
    last = assign(job_at(53.83), engineer, "12:00")
    expected = ESTIMATES.seconds((53.82, -1.56), (53.83, -1.56), at=make.at("11:00"))

    forecast = forecast_day(visits_of(engineer), now=make.at("11:00"))[last.pk]
    assert forecast.travel == timedelta(seconds=expected)
    assert travel_before(job_at(53.83), engineer, starts_at=make.at("11:30")) == ESTIMATES.seconds(
        (53.82, -1.56), (53.83, -1.56), at=make.at("10:45")
    )


def swap(first: Engineer, second: Engineer) -> PlanAction | None:
    seen = {
        visit.job.provider_job_id: plan_version(visit)
        for visit in reassignment.movable_visits([first, second], day=make.DAY)
    }
    return reassignment.swap_days(first, second, day=make.DAY, seen=seen, by=make.office())


@pytest.fixture
def other() -> Engineer:
    return make.engineer()


@pytest.fixture
def begun() -> Engineer:
    """En route to 53.81, where the visit is from 08:00 to 09:00."""
    engineer, job = make.engineer(), job_at(53.81)
    assign(job, engineer, "08:00")
    make.start_travel(job)
    return engineer


def test_swap_needs_time_for_the_drive_from_a_visit_that_stays(begun: Engineer, other: Engineer) -> None:
    far = job_at(54.01)
    assign(far, other, "09:30")

    with pytest.raises(PlanRefused) as refusal:
        swap(begun, other)

    (refused,) = refusal.value.refusals
    assert (refused.job, refused.problems[0].message) == (
        far,
        "The drive from LS6 3AB (08:00–09:00) takes 58 min, but there are only 30 min.",
    )
    assert far.visits.active().get().engineer == other


def test_swap_keeps_a_drive_between_two_visits_as_somebody_planned_it(
    begun: Engineer, other: Engineer
) -> None:
    near, far = job_at(53.82), job_at(54.01)
    assign(near, other, "10:00")
    assign(far, other, "11:30", override_reason="Colleague brings the ladder")

    assert swap(begun, other)

    assert [job.visits.active().get().engineer for job in (near, far)] == [begun, begun]


def test_swap_keeps_the_drive_of_whoever_accompanies_before_and_after_it(
    begun: Engineer, other: Engineer
) -> None:
    team, near = job_at(54.01), job_at(53.82)
    first = make.engineer()
    assign(team, first, "09:30", second=begun, override_reason="Colleague brings the ladder")
    assign(near, other, "12:00")

    assert swap(first, other)

    visit = team.visits.active().get()
    assert (visit.engineer, visit.second_engineer) == (other, begun)


def test_swap_needs_time_for_the_drive_of_whoever_is_to_accompany(begun: Engineer, other: Engineer) -> None:
    team = job_at(54.01)
    assign(team, make.engineer(), "09:30", second=other)

    with pytest.raises(PlanRefused) as refusal:
        swap(begun, other)

    assert [problem.code for problem in refusal.value.refusals[0].problems] == ["travel"]
