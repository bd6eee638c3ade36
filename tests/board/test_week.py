"""The week: load, absences and danger of each engineer's days, what is unassigned, and the way to a day."""

from datetime import date, datetime, time, timedelta

import pytest
import time_machine
from django.db.models import F

from board.day.board_presenter import build_board
from board.day.view_options import ViewOptions
from board.day.week_presenter import RiskCount, Week, build_week
from dispatch import jobs, visits
from dispatch.models import DayForecast, Job, JobEvent, Visit
from dispatch.on_time_forecast.stored_forecast import OnTimeForecast
from dispatch.states import EventKind, JobState
from engineers.models import Absence
from tests import make
from tests.board.office import signed_in
from tests.dispatch.night_visits import AFTER_MIDNIGHT, BEFORE_MIDNIGHT, NEXT_DAY, evening_and_night_job

pytestmark = pytest.mark.django_db
TUESDAY = make.DAY + timedelta(days=1)
WEDNESDAY = make.DAY + timedelta(days=2)


def week(day: date = WEDNESDAY, *, clock: str = "06:30", **options: str) -> Week:
    return build_week(day, now=make.at(clock), today=make.DAY, options=ViewOptions(**options))


def test_week_goes_from_monday_to_sunday() -> None:
    page = week()

    assert page.day_words == "Week 48"
    assert week(date(2027, 1, 2)).day_words == "Week 53"
    assert week(date(2027, 1, 5)).day_words == "Week 1, 2027"
    assert [day.name for day in page.days][::6] == ["Mon 23 Nov", "Sun 29 Nov"]
    assert (page.previous, page.next) == (date(2026, 11, 18), date(2026, 12, 2))
    assert [day.is_today for day in page.days] == [True, *[False] * 6]


def test_cell_says_jobs_and_load() -> None:
    engineer = make.give_break(make.engineer())
    make.job(at_state=JobState.ASSIGNED, to=engineer)

    monday, tuesday, *_rest = week().groups[0].rows[0].cells

    assert (monday.jobs, monday.load, monday.is_full) == (1, "2 h of 9 h 30", False)
    assert (tuesday.jobs, tuesday.load) == (0, "0 min of 9 h 30")


def test_cancelled_job_is_neither_a_job_nor_time_of_its_day() -> None:
    engineer = make.engineer()
    jobs.cancel_job(job=make.job(at_state=JobState.ASSIGNED, to=engineer))
    make.job(at_state=JobState.ASSIGNED, to=engineer)

    page = week()

    cell = page.groups[0].rows[0].cells[0]
    assert (cell.jobs, cell.booked_minutes, page.days[0].jobs) == (1, 120, 1)


def test_absences_and_days_off_are_named() -> None:
    engineer = make.engineer()
    engineer.shifts.filter(weekday=6).delete()
    for start, end in (("00:00", "23:59"), ("08:00", "12:00")):
        day = make.DAY if start == "00:00" else TUESDAY
        Absence.objects.create(
            engineer=engineer, starts_at=make.at(start, day=day), ends_at=make.at(end, day=day)
        )

    cells = week().groups[0].rows[0].cells

    assert [cell.absence for cell in cells] == ["Absent", "Partly absent", "", "", "", "", "Not working"]
    assert [cell.load for cell in cells][-1] == ""


def test_late_and_at_risk_are_counted_where_they_are() -> None:
    engineer = make.engineer()
    make.job(at_state=JobState.ASSIGNED, to=engineer)
    make.job(day=TUESDAY)

    page = week(clock="08:30")
    evening = week(clock="13:30")

    assert page.groups[0].rows[0].cells[0].risk == RiskCount(at_risk=1, late=0)
    assert evening.groups[0].rows[0].cells[0].risk == RiskCount(at_risk=0, late=1)
    assert [(day.unassigned, day.risk.at_risk) for day in evening.days][:3] == [(0, 0), (1, 1), (0, 0)]


def test_job_on_hold_is_at_risk_in_the_week_as_on_its_day() -> None:
    job = make.job(at_state=JobState.ASSIGNED, day=TUESDAY)
    Job.objects.filter(pk=job.pk).update(on_hold_since=make.at("06:00"))

    assert week().groups[0].rows[0].cells[1].risk == RiskCount(at_risk=1, late=0)


def test_unassigned_job_without_survey_is_counted_on_its_day() -> None:
    make.job(day=WEDNESDAY, flags=("SUR",))
    engineer = make.engineer()
    make.job(at_state=JobState.ASSIGNED, to=engineer, day=WEDNESDAY)
    Absence.objects.create(
        engineer=engineer, starts_at=make.at("00:00", day=WEDNESDAY), ends_at=make.at("23:59", day=WEDNESDAY)
    )

    day = week().days[2]

    assert (day.risk, day.total_risk) == (RiskCount(at_risk=1, late=0), RiskCount(at_risk=1, late=1))


def test_probability_of_today_decides_about_the_risk() -> None:
    """As on the board of the day; without the forecast the visit would be on time."""
    job = make.job(at_state=JobState.ASSIGNED, to=make.engineer())
    visit = job.visits.get()
    assert week().days[0].risk == RiskCount(at_risk=0, late=0)
    on_time = OnTimeForecast(
        0.3, round(visit.planned_start.timestamp()), round(visit.planned_start.timestamp())
    )
    DayForecast.objects.create(
        day=make.DAY,
        made_at=make.at("06:29"),
        misses=0.7,
        most_misses=1,
        by_visit={str(visit.pk): on_time.as_json()},
    )

    counts = week().days[0].total_risk

    board = build_board(make.DAY, now=make.at("06:30"), today=make.DAY)
    assert counts == RiskCount(at_risk=board.at_risk, late=board.late)
    assert counts.at_risk + counts.late == 1


@pytest.mark.parametrize("rows", [1, 3])
def test_past_day_counts_who_came_too_late(rows: int, django_assert_num_queries: object) -> None:
    for _ in range(rows):
        make.job(at_state=JobState.ON_SITE, to=make.engineer())
        make.job(at_state=JobState.ASSIGNED, to=make.engineer())
    Visit.objects.filter(job__state=JobState.ON_SITE).update(arrived_at=make.at("14:10"))
    JobEvent.objects.filter(kind=EventKind.ON_SITE).update(occurred_at=make.at("14:10"))
    tuesday_morning = make.at("06:30", day=TUESDAY)

    with django_assert_num_queries(12):
        page = build_week(make.DAY, now=tuesday_morning, today=TUESDAY)
    board = build_board(make.DAY, now=tuesday_morning, today=TUESDAY)

    assert page.days[0].total_risk == RiskCount(at_risk=0, late=2 * rows)
    assert (board.late, board.at_risk) == (2 * rows, 0)


@pytest.mark.parametrize("now", [BEFORE_MIDNIGHT, AFTER_MIDNIGHT])
@pytest.mark.parametrize("days_earlier", [0, 1], ids=["in the week", "from Sunday to Monday"])
def test_visit_held_up_by_the_evening_before_counts_as_on_its_board(now: datetime, days_earlier: int) -> None:
    evening_and_night_job()
    earlier = timedelta(days=days_earlier)
    Job.objects.update(window_start=F("window_start") - earlier, window_end=F("window_end") - earlier)
    Visit.objects.update(
        planned_start=F("planned_start") - earlier,
        planned_end=F("planned_end") - earlier,
        arrived_at=F("arrived_at") - earlier,
    )
    day, now, today = NEXT_DAY - earlier, now - earlier, (now - earlier).date()

    page = build_week(day, now=now, today=today)
    board = build_board(day, now=now, today=today)

    (counts,) = [each.total_risk for each in page.days if each.day == day]
    assert counts == RiskCount(at_risk=board.at_risk, late=board.late) == RiskCount(at_risk=0, late=1)


def test_probability_of_today_is_none_of_the_day_after_midnight() -> None:
    job = make.job(at_state=JobState.ASSIGNED, to=make.engineer())
    visit = job.visits.get()
    visit.planned_end = make.at("02:00", day=TUESDAY)
    visit.save(update_fields=["planned_end"])
    on_time = OnTimeForecast(
        0.3, round(visit.planned_start.timestamp()), round(visit.planned_start.timestamp())
    )
    forecast = {"misses": 0.7, "most_misses": 1, "by_visit": {str(visit.pk): on_time.as_json()}}
    DayForecast.objects.create(day=make.DAY, made_at=make.at("06:29"), **forecast)

    monday, tuesday, *_rest = week().days

    board = build_board(TUESDAY, now=make.at("06:30"), today=make.DAY)
    assert monday.total_risk == RiskCount(at_risk=0, late=1)
    assert tuesday.total_risk == RiskCount(at_risk=board.at_risk, late=board.late)


def test_count_of_a_day_leads_to_its_board_and_filters() -> None:
    make.job(day=WEDNESDAY, flags=("SUR",))
    client = signed_in()
    client.post(f"/board/view/?day={make.DAY}", {"span": "week"})
    address = f"/board/open-day/?day={WEDNESDAY}&amp;risk=at-risk"

    with time_machine.travel(make.at("06:30")):
        page = client.get(f"/board/?day={make.DAY}").content.decode()
    locations = [
        client.get(f"/board/open-day/?day={WEDNESDAY}&risk={risk}").headers["Location"]
        for risk in ("at-risk", "none", "x")
    ]

    assert page.count(f'href="{address}"') == 1
    plain = f"/board/?day={WEDNESDAY}"
    assert locations == [f"{plain}&risk=at-risk#middle", f"{plain}#middle", f"{plain}#middle"]


def test_visit_over_midnight_counts_on_both_days_with_its_part() -> None:
    engineer = make.engineer()
    engineer.shifts.update(starts=time(20), ends=time(4))
    job = make.job(duration_minutes=180)
    Job.objects.update(window_start=make.at("22:00"), window_end=make.at("04:00", day=TUESDAY))
    visits.assign(job=job, engineer=engineer, starts_at=make.at("22:00"), by=make.office())

    cells = week().groups[0].rows[0].cells

    assert [(cell.jobs, cell.booked_minutes) for cell in cells][:3] == [(1, 120), (1, 60), (0, 0)]


@pytest.mark.parametrize(("sunday", "hours"), [(date(2026, 3, 29), 7), (date(2026, 10, 25), 9)])
def test_night_of_a_clock_change_has_its_real_hours(sunday: date, hours: int) -> None:
    make.engineer(starts="00:00", ends="08:00")

    cells = week(sunday).groups[0].rows[0].cells

    assert [cell.at_work_minutes for cell in cells][-2:] == [8 * 60, hours * 60]


@pytest.mark.parametrize(("sort", "first"), [("name", "Ada"), ("load", "Bea"), ("lateness", "Bea")])
def test_rows_are_sorted_as_chosen(sort: str, first: str) -> None:
    make.engineer(name="Ada")
    make.job(at_state=JobState.ASSIGNED, to=make.engineer(name="Bea"))

    assert week(clock="08:30", sort=sort).groups[0].rows[0].name == first


@pytest.mark.parametrize("rows", [1, 3])
def test_number_of_queries_does_not_grow(rows: int, django_assert_num_queries: object) -> None:
    for offset in range(rows):
        day = make.DAY + timedelta(days=offset)
        make.job(at_state=JobState.ASSIGNED, to=make.engineer(), day=day)
        make.job(at_state=JobState.ON_SITE, to=make.engineer(), day=day)
        make.job(day=day)

    with django_assert_num_queries(12):
        page = week()

    assert sum(day.jobs for day in page.days) == 2 * rows


def test_week_is_chosen_and_each_cell_leads_to_its_day() -> None:
    client, engineer = signed_in(), make.engineer()
    client.post(f"/board/view/?day={make.DAY}", {"span": "week"})
    address = f"/board/open-day/?day={TUESDAY}&amp;engineer={engineer.staff_number}"

    page = client.get(f"/board/?day={make.DAY}").content.decode()
    answer = client.get(address.replace("&amp;", "&"))

    assert address in page
    assert answer.headers["Location"] == f"/board/?day={TUESDAY}#lane-{engineer.staff_number}"
    assert 'class="week"' not in client.get(f"/board/?day={TUESDAY}").content.decode()
