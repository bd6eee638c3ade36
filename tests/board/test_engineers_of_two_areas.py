"""An engineer who works in Leeds and York: a dispatcher who is limited to York learns and changes nothing of Leeds."""

import pytest
import time_machine

from board.jobs.suggestion_lines import fit_of
from dispatch import visits
from dispatch.forecast import forecast_day
from dispatch.models import Job, PlanAction, Visit
from dispatch.on_time_forecast.causes import Cause
from dispatch.on_time_forecast.stored_forecast import OnTimeForecast
from dispatch.plan_changes import plan_actions
from dispatch.risk import assess_risk
from dispatch.states import JobState
from engineers.area_scope import scope_of
from engineers.current_scope import limited_to
from engineers.models import Absence, Area, AreaLimit, Engineer, User
from engineers.shifts import TimeSpan, day_span
from tests import make
from tests.board.busy_day import DAY
from tests.board.office import JSON, version_of
from tests.board.test_people import client_of

pytestmark = pytest.mark.django_db
IN_YORK = {"postcode": "YO1 7HH", "postcode_key": "YO17HH"}


@pytest.fixture
def yara(db: None) -> User:
    Area.objects.create(name="Leeds", postcodes="LS")
    user = make.dispatcher(username="yara")
    AreaLimit.objects.create(user=user, area=Area.objects.create(name="York", postcodes="YO"))
    return user


def of_york(*names: str) -> list[Engineer]:
    people = [make.engineer(name=name) for name in names]
    Engineer.objects.update(area=Area.objects.get(name="York"))
    return people


def in_york(job: Job) -> Job:
    Job.objects.filter(pk=job.pk).update(**IN_YORK)
    job.refresh_from_db()
    return job


@pytest.mark.parametrize("state", [JobState.ASSIGNED, JobState.ON_SITE])
def test_search_for_the_engineer_names_no_job_of_leeds(state: JobState, yara: User) -> None:
    (anna,) = of_york("Anna Fibre")
    with time_machine.travel(make.at("09:00")):
        job = make.job(at_state=state, to=anna)
        for address in ("/board/search?q=anna", "/board/search/suggestions?q=anna"):
            html = client_of(yara).get(address).content.decode()
            assert ("Anna Fibre" in html, "Other area" in html) == (True, state == JobState.ON_SITE)
            assert [text for text in (str(job), job.postcode) if text in html] == [], address


def test_search_names_the_next_job_of_york(yara: User) -> None:
    (anna,) = of_york("Anna Fibre")
    with time_machine.travel(make.at("07:00")):
        make.job(at_state=JobState.ASSIGNED, to=anna, window=("08:00", "10:00"), duration_minutes=60)
        later = in_york(make.job(window=("13:00", "17:00"), duration_minutes=60))
        visits.assign(job=later, engineer=anna, starts_at=make.at("14:00"), by=make.office())

        html = client_of(yara).get("/board/search?q=anna").content.decode()
    assert (str(later) in html, "LS6 3AB" in html) == (True, False)


def begin_late_in_leeds(engineer: Engineer) -> None:
    """An hour's visit, planned for 08:00, at 09:20."""
    with time_machine.travel(make.at("09:20")):
        make.job(at_state=JobState.ON_SITE, to=engineer, window=("08:00", "09:00"), duration_minutes=60)


def test_move_that_makes_a_visit_in_leeds_late_does_not_say_where(yara: User) -> None:
    (erin,) = of_york("Erin Engineer")
    begin_late_in_leeds(erin)
    later = make.job(window=("11:00", "11:30"), duration_minutes=60)
    visits.assign(job=later, engineer=erin, starts_at=make.at("11:00"), by=make.office())
    between = in_york(make.job(window=("09:00", "13:00"), duration_minutes=60))

    with limited_to(scope_of(yara)):
        fit = fit_of(between, erin, starts_at=make.at("09:30"), now=make.at("09:30"))
        assert "but a job of another area at 11:00 would be" in fit.text


def test_visit_in_leeds_that_delays_one_in_york_is_not_named(yara: User) -> None:
    (erin,) = of_york("Erin Engineer")
    begin_late_in_leeds(erin)
    own = in_york(make.job(window=("10:00", "10:45"), duration_minutes=30))
    visits.assign(job=own, engineer=erin, starts_at=make.at("10:00"), by=make.office())
    now, rows = make.at("09:30"), list(Visit.objects.select_related("job", "engineer__user"))
    (visit,) = [row for row in rows if row.job == own]

    with limited_to(scope_of(yara)):
        risk = assess_risk(job=own, visit=visit, forecast=forecast_day(rows, now=now)[visit.pk], now=now)
    assert "The visit at a job of another area takes longer." in risk.reason


def test_likely_cause_in_leeds_is_not_named(yara: User) -> None:
    own, now = in_york(make.job(at_state=JobState.ASSIGNED)), make.at("07:00")
    visit = own.visits.select_related("job", "engineer__user").get()
    forecast, on_time = (
        forecast_day([visit], now=now)[visit.pk],
        OnTimeForecast(0.4, 0, 0, Cause.WORK, "LS6 3AB"),
    )

    with limited_to(scope_of(yara)):
        risk = assess_risk(job=own, visit=visit, forecast=forecast, now=now, on_time=on_time)
    assert "The visit at a job of another area may take longer." in risk.reason


def test_swap_of_days_leaves_visits_in_leeds_alone(yara: User) -> None:
    erin, fred = of_york("Erin Engineer", "Fred Fibre")
    leeds = make.job(at_state=JobState.ASSIGNED, to=erin, window=("08:00", "10:00"), duration_minutes=60)
    york = in_york(make.job(window=("13:00", "17:00"), duration_minutes=60))
    visits.assign(job=york, engineer=erin, starts_at=make.at("14:00"), by=make.office())
    client = client_of(yara)

    panel = client.get(f"/board/?day={DAY}&engineer={erin.staff_number}").context["page"].engineer
    assert panel.swap_rows == [f"{york}|{version_of(york)}"]
    fields = {"job": panel.swap_rows, "other": fred.staff_number, "day": DAY}
    answer = client.post(f"/board/engineers/{erin.staff_number}/swap/", fields, headers=JSON)

    assert answer.json() == {"ok": True}
    assert [visits.current_visit(job).engineer for job in (leeds, york)] == [erin, fred]  # type: ignore[union-attr]


def test_swap_of_days_says_nothing_of_a_job_in_leeds(yara: User) -> None:
    erin, fred = of_york("Erin Engineer", "Fred Fibre")
    leeds = make.job()
    fields = {"job": [f"{leeds}|{version_of(leeds)}"], "other": fred.staff_number, "day": DAY}

    answer = client_of(yara).post(f"/board/engineers/{erin.staff_number}/swap/", fields, headers=JSON)

    assert "LS6 3AB" not in answer.content.decode()


def test_absence_of_an_engineer_of_leeds_is_not_taken_back(yara: User) -> None:
    (erin,) = of_york("Erin Engineer")
    liam = make.engineer(name="Liam Leeds")
    span = TimeSpan(make.at("00:00"), day_span(make.DAY).end)
    plan_actions.mark_absent(liam, span=span, reason="", by=make.office())
    fields = {"action": PlanAction.objects.get().pk, "day": DAY}

    client_of(yara).post(f"/board/engineers/{erin.staff_number}/absent/take-back/", fields)

    assert Absence.objects.filter(engineer=liam).exists()
