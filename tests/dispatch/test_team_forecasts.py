"""A team begins when both are there: who is held up elsewhere holds the other one up too, wherever it is shown."""

import pytest
import time_machine

from board.day.board_presenter import build_board
from board.jobs.engineer_status import engineer_lines, list_attendances
from board.jobs.job_panel import risk_of
from customer_messages.arrival import expected_arrival
from dispatch.attention import watch_day
from dispatch.forecast import forecast_day, visits_by_engineer
from dispatch.models import Job, Visit
from dispatch.move_effects import effect_of_move
from dispatch.requirements import job_requirements
from dispatch.risk import Level
from dispatch.team_forecasts import forecast_days, read_team_days
from engineers.models import Engineer
from monitoring.models import Alarm, AlarmKind
from tests import make
from tests.dispatch.day_comparisons import planned

pytestmark = pytest.mark.django_db
ALL_DAY = ("08:00", "18:00")


@pytest.fixture
def first() -> Engineer:
    return make.engineer(name="Ann First")


@pytest.fixture
def second() -> Engineer:
    """On site since 09:45, where the work takes until 11:45."""
    engineer = make.engineer(name="Sam Second")
    held_up = planned(engineer, "08:00", window=ALL_DAY, duration_minutes=120)
    make.start_travel(held_up, occurred_at=make.at("09:20"))
    make.arrive(held_up, occurred_at=make.at("09:45"))
    return engineer


@pytest.fixture
def team(first: Engineer, second: Engineer) -> Job:
    return planned(first, "10:30", window=("10:00", "11:30"), duration_minutes=60, second=second)


def read_days(*people: Engineer) -> dict[int, list[Visit]]:
    keys = [person.pk for person in people]
    return read_team_days(keys, Visit.objects.active().of_working_day(make.at("10:00")))


def test_visit_of_a_team_begins_when_both_are_there(first: Engineer, second: Engineer, team: Job) -> None:
    after = planned(first, "11:45", window=ALL_DAY)
    forecasts = forecast_days(read_days(first), now=make.at("10:00"))

    visit, following = team.visits.get(), after.visits.get()
    assert forecasts.of_visits[visit.pk].starts_at == make.at("11:45")
    assert forecasts.of_visits[visit.pk].delayed_by is not None
    assert forecasts.of_people[visit.pk, first.pk].starts_at == make.at("11:45")
    assert forecasts.of_visits[following.pk].starts_at >= make.at("12:45")


def test_first_engineer_who_has_set_off_waits_for_the_second(first: Engineer, team: Job) -> None:
    make.start_travel(team, occurred_at=make.at("10:10"))

    forecasts = forecast_days(read_days(first), now=make.at("10:15"))

    assert forecasts.of_visits[team.visits.get().pk].starts_at == make.at("11:45")


def test_team_on_site_waits_for_nobody(first: Engineer, team: Job) -> None:
    make.start_travel(team, occurred_at=make.at("10:10"))
    make.arrive(team, occurred_at=make.at("10:30"))

    forecasts = forecast_days(read_days(first), now=make.at("10:35"))

    assert forecasts.of_visits[team.visits.get().pk].starts_at == make.at("10:30")


def test_card_row_heads_panel_search_and_alarm_say_the_same(
    first: Engineer, second: Engineer, team: Job
) -> None:
    with time_machine.travel(make.at("10:00")):
        now = make.at("10:00")
        board = build_board(make.DAY, now=now, today=make.DAY)
        lanes = {lane.name: lane for lane in board.lanes}
        cards = [
            card for lane in lanes.values() for card in lane.cards if card.job_id == team.provider_job_id
        ]
        visit = team.visits.get()
        risk = risk_of(team, visit, job_requirements(team), now=now)
        attendance = list_attendances([team], now=now)[team.pk]
        (line,) = engineer_lines([first], now=now)
        watch_day()

    assert {card.risk.slug for card in cards} == {"late"}
    assert [lanes[name].status.text for name in ("Ann First", "Sam Second")] == ["1 h 15 late"] * 2
    assert risk.level == Level.LATE
    assert risk.reason.startswith("Predicted 11:45, after the window")
    assert (attendance.expected, attendance.is_late) == ("expected 11:45", True)
    assert line.next and line.next.expected == "expected 11:45"
    late = Alarm.objects.filter(kind=AlarmKind.JOB_LATE, cleared_at=None).values_list("subject", flat=True)
    assert team.provider_job_id in late


def test_customer_is_notified_of_the_first_engineer_alone(first: Engineer, team: Job) -> None:
    make.start_travel(team, occurred_at=make.at("10:10"))
    team.refresh_from_db()

    arrival = expected_arrival(team, now=make.at("10:15"))

    assert arrival and arrival.end < make.at("11:00")


def test_first_drive_of_each_begins_at_their_own_home(first: Engineer) -> None:
    far = make.engineer(name="Far")
    Engineer.objects.filter(pk=far.pk).update(home_latitude=54.5)
    job = planned(first, "10:30", window=ALL_DAY, second=far)
    days, visit = read_days(first, far), job.visits.get()

    forecasts = forecast_days(days, now=make.at("07:00"))

    own, other = (forecasts.of_people[visit.pk, person.pk].travel for person in (first, far))
    assert other > 10 * own
    assert forecast_day(days[far.pk], now=make.at("07:00"))[visit.pk].travel < other


def test_moved_team_is_as_late_as_whoever_is_held_up(first: Engineer, team: Job) -> None:
    with time_machine.travel(make.at("10:00")):
        effect = effect_of_move(team, first, starts_at=make.at("10:45"), now=make.at("10:00"))

    assert effect.starts_at == make.at("11:45")


def test_days_are_those_of_everybody_in_a_team(first: Engineer, second: Engineer, team: Job) -> None:
    apart = planned(make.engineer(), "10:30", window=ALL_DAY)

    days = read_days(first)

    assert set(days) == {first.pk, second.pk}
    assert days == visits_by_engineer(Visit.objects.exclude(job=apart).order_by("planned_start", "pk"))
