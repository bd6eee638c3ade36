"""A level and a reason for each danger."""

from datetime import date, timedelta

import pytest
import time_machine

from dispatch import visits
from dispatch.agreed_starts import jobs_attended_in_window
from dispatch.forecast import forecast_day
from dispatch.models import Job, Visit
from dispatch.on_time_forecast.causes import Cause
from dispatch.on_time_forecast.stored_forecast import OnTimeForecast
from dispatch.requirements import list_requirements
from dispatch.risk import ON_TIME, Level, Risk, assess_risk
from dispatch.risk_concerns import list_concerns
from dispatch.states import JobState
from engineers.models import Engineer, HeldSkill
from tests import make

pytestmark = pytest.mark.django_db
LATE, AT_RISK = Level.LATE, Level.AT_RISK
OPEN_WINDOW = "after the window 08:00–13:00."


def risk_of(job: Job, *, clock: str, is_absent: bool = False, days: int = 0) -> Risk:
    now = make.at(clock) + timedelta(days=days)
    visit = job.visits.active().select_related("engineer__user").first()
    forecasts = {}
    if visit:
        own = visit.engineer.visits.active().select_related("job", "engineer__user")
        forecasts = dict(forecast_day(own, now=now))
    # a sentence names the year of a date that is not in this one
    with time_machine.travel(now):
        return assess_risk(
            job=job,
            visit=visit,
            forecast=forecasts.get(visit.pk) if visit else None,
            now=now,
            absent=job.visits.get().engineer if is_absent else None,
        )


@pytest.mark.parametrize(
    ("clock", "days", "expected"),
    [
        ("12:59", -1, ON_TIME),
        ("13:00", -1, Risk(AT_RISK, "Window starts on Mon 23 Nov at 08:00, unassigned")),
        ("06:30", 0, Risk(AT_RISK, "Window starts at 08:00, unassigned")),
        ("08:30", 0, Risk(AT_RISK, "Window started at 08:00, unassigned")),
        # its two hours of work and one to get there
        ("10:00", 0, Risk(AT_RISK, "Window started at 08:00, unassigned")),
        ("10:01", 0, Risk(LATE, "Window ends at 13:00, unassigned")),
        ("13:30", 0, Risk(LATE, "Window ended at 13:00, nobody on site")),
    ],
)
def test_unassigned_job(clock: str, days: int, expected: Risk) -> None:
    assert risk_of(make.job(), clock=clock, days=days) == expected


@pytest.mark.parametrize(
    ("clock", "days", "expected"),
    [
        ("13:00", -1, Risk(AT_RISK, "Window starts on Mon 23 Nov at 08:00, unassigned")),
        ("08:30", 0, Risk(AT_RISK, "Window started at 08:00, unassigned")),
        ("08:30", 1, Risk(AT_RISK, "Window started on Mon 23 Nov at 08:00, unassigned")),
        ("08:30", 2, Risk(AT_RISK, "Window started on Mon 23 Nov at 08:00, unassigned")),
        ("10:30", 2, Risk(LATE, "Window ends at 13:00, unassigned")),
        ("13:30", 2, Risk(LATE, "Window ended at 13:00, nobody on site")),
        ("08:30", 3, Risk(LATE, "Window ended on Wed 25 Nov at 13:00, nobody on site")),
    ],
)
def test_unassigned_job_whose_window_has_several_days(clock: str, days: int, expected: Risk) -> None:
    job = make.job()
    job.window_end = make.at("13:00", day=make.DAY + timedelta(days=2))
    job.save(update_fields=["window_end"])

    assert risk_of(job, clock=clock, days=days) == expected


@pytest.mark.parametrize(
    ("state", "clock", "expected"),
    [
        (JobState.ASSIGNED, "07:00", ON_TIME),
        (JobState.EN_ROUTE, "13:00", Risk(LATE, "Window ended at 13:00, nobody on site")),
        (JobState.ON_SITE, "14:00", ON_TIME),
        (JobState.CANCELLED, "14:00", ON_TIME),
    ],
)
def test_job_of_an_engineer(state: JobState, clock: str, expected: Risk) -> None:
    assert risk_of(make.job(at_state=state), clock=clock) == expected


@pytest.mark.parametrize(
    ("clock", "level", "reason"),
    [
        ("07:50", ON_TIME.level, ""),
        (
            "08:20",
            AT_RISK,
            "28 min late: predicted 08:28, planned 08:00. Not started travelling.",
        ),
        ("12:55", LATE, f"Predicted 13:02, {OPEN_WINDOW} Not started travelling."),
    ],
)
def test_engineer_who_has_not_started(clock: str, level: Level, reason: str) -> None:
    assert risk_of(make.job(at_state=JobState.ASSIGNED), clock=clock) == Risk(level, reason)


def two_visits() -> tuple[Engineer, Job, Job]:
    """One begun at 08:00 for two hours, the next planned from 10:30 at the same place."""
    engineer = make.engineer()
    first = make.job(at_state=JobState.ON_SITE, to=engineer)
    Visit.objects.filter(job=first).update(travel_started_at=make.at("07:45"), arrived_at=make.at("08:00"))
    second = make.job(window=("10:00", "13:00"))
    Visit.objects.create(
        job=second, engineer=engineer, planned_start=make.at("10:30"), planned_end=make.at("12:30")
    )
    Job.objects.filter(pk=second.pk).update(state=JobState.ASSIGNED)
    second.refresh_from_db()
    return engineer, first, second


def test_visit_that_takes_longer_puts_the_next_one_at_risk() -> None:
    _engineer, _first, second = two_visits()

    assert risk_of(second, clock="09:00") == ON_TIME
    found = risk_of(second, clock="10:45")
    assert found.level == AT_RISK
    assert found.reason.startswith("15 min late: predicted 10:45, planned 10:30.")


def test_predicted_start_close_to_the_end_of_the_window_is_at_risk() -> None:
    job = make.job(window=("08:00", "13:00"), duration_minutes=30)
    Visit.objects.create(
        job=job, engineer=make.engineer(), planned_start=make.at("12:50"), planned_end=make.at("13:20")
    )
    Job.objects.filter(pk=job.pk).update(state=JobState.ASSIGNED)
    job.refresh_from_db()

    assert risk_of(job, clock="09:00") == Risk(
        AT_RISK, "Predicted 12:50, close to the end of the window 08:00–13:00."
    )


def test_absent_engineer_makes_an_assigned_job_late_and_puts_one_under_way_at_risk() -> None:
    assigned, on_the_way = make.job(at_state=JobState.ASSIGNED), make.job(at_state=JobState.EN_ROUTE)
    Visit.objects.filter(job=on_the_way).update(travel_started_at=make.at("07:50"))

    assert risk_of(assigned, clock="07:00", is_absent=True) == Risk(LATE, "Erin Engineer is absent")
    assert risk_of(on_the_way, clock="08:00", is_absent=True) == Risk(AT_RISK, "Erin Engineer is absent.")
    # as loud as it was, and why nobody may come at all
    assert risk_of(on_the_way, clock="13:30", is_absent=True) == Risk(
        LATE, "Window ended at 13:00, nobody on site. Erin Engineer is absent."
    )


def test_concerns_make_an_open_job_at_risk_and_nothing_else() -> None:
    job, closed = make.job(), make.job(at_state=JobState.CLOSED)
    early = make.at("07:00", day=make.DAY - timedelta(days=3))

    risks = [
        assess_risk(job=each, visit=None, forecast=None, now=early, concerns=["No survey."])
        for each in (job, closed)
    ]

    assert risks == [Risk(AT_RISK, "No survey."), ON_TIME]


@pytest.mark.parametrize(
    ("arrived", "hours_later", "expected"),
    [
        ("12:59", 24, ON_TIME),
        ("14:10", 8, ON_TIME),
        ("14:10", 24, Risk(LATE, "On site at 14:10, after the window 08:00–13:00")),
    ],
)
def test_job_that_was_begun_counts_as_late_when_its_day_is_over(
    arrived: str, hours_later: int, expected: Risk
) -> None:
    job = make.job(at_state=JobState.ON_SITE)
    Job.objects.filter(pk=job.pk).update(state=JobState.CLOSED)
    Visit.objects.filter(job=job).update(arrived_at=make.at(arrived), ended_at=make.at("14:40"))
    job.refresh_from_db()

    assert risk_of(job, clock="15:00" if hours_later < 12 else "06:00", days=hours_later // 24) == expected


def test_job_closed_after_its_window_without_anybody_on_site_was_missed() -> None:
    job, taken_back = make.job(at_state=JobState.ASSIGNED), make.job(at_state=JobState.CANCELLED)
    with time_machine.travel(make.at("18:00")):
        make.close_without_visit(job)
    job.refresh_from_db()

    assert risk_of(job, clock="19:00") == ON_TIME
    assert risk_of(job, clock="06:00", days=1) == Risk(LATE, "Nobody was on site in the window 08:00–13:00")
    assert risk_of(taken_back, clock="06:00", days=1) == ON_TIME


def test_day_of_a_window_until_midnight_is_over_then() -> None:
    job, midnight = make.job(at_state=JobState.ASSIGNED), make.at("00:00") + timedelta(days=1)
    Job.objects.filter(pk=job.pk).update(window_end=midnight, state=JobState.CLOSED)
    Visit.objects.filter(job=job).update(ended_at=midnight + timedelta(minutes=5))
    job.refresh_from_db()

    assert risk_of(job, clock="00:10", days=1).level == LATE


def test_late_colleague_is_no_missed_window_where_somebody_was_in_time() -> None:
    olga, times = make.engineer(name="Olga Other"), {"in time": "12:50", "late": "13:10"}
    jobs = {name: make.job(at_state=JobState.ON_SITE) for name in times}
    for name, clock in times.items():
        jobs[name].visits.update(arrived_at=make.at(clock))
        visits.assign(job=jobs[name], engineer=olga, starts_at=make.at("14:00"), by=make.office())
        make.arrive(jobs[name], occurred_at=make.at("14:10"))
        olga = make.engineer(name="Owen Other")

    assert jobs_attended_in_window(Visit.objects.select_related("job")) == {jobs["in time"].pk}


@pytest.mark.parametrize(
    ("expires_on", "concerns"),
    [
        (
            make.DAY - timedelta(days=1),
            ["Erin Engineer's skills for this job have expired by then: Cherry picker."],
        ),
        (make.DAY, []),
    ],
)
def test_skill_that_expires_before_a_planned_visit_is_a_concern(
    expires_on: date, concerns: list[str]
) -> None:
    job = make.job(at_state=JobState.ASSIGNED, flags=("CHP",))
    visit = job.visits.get()
    HeldSkill.objects.filter(engineer=visit.engineer, skill__code="cherry-picker").update(
        expires_on=expires_on
    )

    found = list_concerns(
        [job],
        visits={job.pk: visit},
        requirements=list_requirements([job]),
        begun=frozenset(),
        now=make.at("06:00"),
    )

    assert found.get(job.pk, []) == concerns


@pytest.mark.parametrize(
    ("share", "expected"),
    [
        (0.97, ON_TIME),
        (
            0.62,
            Risk(
                AT_RISK, "62 % chance to begin in the window 08:00–13:00. The visit at LS2 may take longer."
            ),
        ),
        (
            0.31,
            Risk(LATE, "31 % chance to begin in the window 08:00–13:00. The visit at LS2 may take longer."),
        ),
    ],
)
def test_probability_decides_whether_the_window_is_in_danger(share: float, expected: Risk) -> None:
    job = make.job(at_state=JobState.ASSIGNED)
    visit = job.visits.select_related("job", "engineer__user").get()
    now = make.at("07:00")
    on_time = OnTimeForecast(share, 0, 0, Cause.WORK.value, "LS2")

    risk = assess_risk(
        job=job,
        visit=visit,
        forecast=forecast_day([visit], now=now)[visit.pk],
        now=now,
        on_time=on_time,
    )

    assert risk == expected


def test_no_probability_makes_a_visit_punctual_that_is_predicted_after_the_window() -> None:
    job = make.job(at_state=JobState.ASSIGNED)
    visit = job.visits.select_related("job", "engineer__user").get()
    now = make.at("12:55")

    risk = assess_risk(
        job=job,
        visit=visit,
        forecast=forecast_day([visit], now=now)[visit.pk],
        now=now,
        on_time=OnTimeForecast(1.0, 0, 0),
    )

    assert risk == Risk(LATE, f"Predicted 13:02, {OPEN_WINDOW} Not started travelling.")


@pytest.mark.parametrize(
    ("clock", "expected"),
    [
        ("12:30", Risk(Level.NONE, "instead of the window 08:00–13:00", make.at("15:00"))),
        ("14:30", Risk(Level.NONE, "instead of the window 08:00–13:00", make.at("15:00"))),
        ("15:05", Risk(LATE, "Predicted 15:12, after the agreed start 15:00. Not started travelling.")),
        ("15:10", Risk(LATE, "Agreed start was 15:00, nobody on site")),
    ],
)
def test_agreed_start_is_late_only_against_what_was_agreed(clock: str, expected: Risk) -> None:
    assert risk_of(make.agreed_job(), clock=clock) == expected


@pytest.mark.parametrize(
    ("arrived", "expected"),
    [
        ("15:05", ON_TIME),
        ("15:30", Risk(LATE, "On site at 15:30, after the agreed start 15:00")),
    ],
)
def test_past_day_judges_an_agreed_visit_by_what_was_agreed(arrived: str, expected: Risk) -> None:
    job = make.agreed_job()
    make.start_travel(job)
    make.arrive(job)
    job.refresh_from_db()
    job.visits.update(arrived_at=make.at(arrived))

    assert risk_of(job, clock="09:00", days=1) == expected


def test_agreement_ends_with_a_move_back_into_the_window() -> None:
    job = make.agreed_job()
    engineer = job.visits.get().engineer

    visits.assign(job=job, engineer=engineer, starts_at=make.at("11:00"), by=make.office())

    assert job.visits.active().get().is_start_agreed is False
    assert risk_of(job, clock="13:05") == Risk(LATE, "Window ended at 13:00, nobody on site")


def test_handover_after_a_late_begin_is_no_agreement() -> None:
    """Nobody asked the customer: the first engineer came too late."""
    job = make.job(at_state=JobState.ON_SITE, duration_minutes=60)
    visits.assign(job=job, engineer=make.engineer(), starts_at=make.at("15:00"), by=make.office())

    assert job.visits.active().get().is_start_agreed is False


def test_probability_of_an_agreed_visit_is_about_the_agreed_time() -> None:
    job = make.agreed_job()
    visit = job.visits.select_related("job", "engineer__user").get()
    now = make.at("14:00")

    risk = assess_risk(
        job=job,
        visit=visit,
        forecast=forecast_day([visit], now=now)[visit.pk],
        now=now,
        on_time=OnTimeForecast(0.31, 0, 0),
    )

    assert risk == Risk(LATE, "31 % chance to begin at the agreed time, 15:00.")
