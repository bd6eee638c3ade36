"""Travel between visits: part of availability and suggestions; overridden within limits and with a reason."""

from dataclasses import replace
from datetime import timedelta

import pytest
from pytest_django import Settings

from dispatch import jobs, visits
from dispatch.availability import NotBookable
from dispatch.drive_times import ESTIMATES
from dispatch.models import Job, Visit
from dispatch.slot_suggestions import suggest_slots
from dispatch.states import EventKind
from engineers.models import Engineer
from tests import make

pytestmark = pytest.mark.django_db
EARLY = make.at("07:00")


def job_at(latitude: float, *, minutes: int = 60) -> Job:
    pack = make.pack(duration_minutes=minutes)
    return jobs.create_job(pack=replace(pack, premises=replace(pack.premises, latitude=latitude))).job


def assign(job: Job, engineer: Engineer, clock: str, *, override_reason: str = "") -> Visit:
    return visits.assign(
        job=job,
        engineer=engineer,
        starts_at=make.at(clock),
        by=make.office(),
        not_before=EARLY,
        override_reason=override_reason,
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
