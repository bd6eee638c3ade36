"""A team of two on the board: chosen in the panel, displayed in both rows, counted once."""

from datetime import timedelta

import pytest
from django.test import Client
from django.urls import reverse

from board.day.board_presenter import Board, build_board
from board.day.cards import Card
from board.day.engineer_panel import build_engineer_panel
from board.day.week_presenter import build_week
from board.jobs import engineer_status
from board.jobs.job_panel import build_panel
from board.reports.day_sheets import day_sheets_page
from dispatch import visits
from dispatch.attention import watch_day
from dispatch.models import Job, Visit
from dispatch.states import JobState
from engineers.models import Absence, Engineer
from monitoring.models import Alarm
from tests import make
from tests.board.office import press, signed_in, version_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def erin() -> Engineer:
    return make.engineer(name="Erin Engineer", skills=("cherry-picker",))


@pytest.fixture
def sam() -> Engineer:
    return make.engineer(name="Sam Second", skills=())


def team_job(erin: Engineer, sam: Engineer, clock: str = "09:00", **fields: object) -> Job:
    job = make.job(**({"flags": ("CHP",)} | fields))
    start = make.at(clock)
    visits.assign(job=job, engineer=erin, starts_at=start, by=make.office(), second_engineer=sam)
    return job


def board_of_day() -> Board:
    return build_board(make.DAY, now=make.at("07:00"), today=make.DAY)


def cards_of(board: Board, engineer: Engineer) -> list[Card]:
    return next(lane for lane in board.lanes if lane.staff_number == engineer.staff_number).cards


def test_team_is_in_both_rows_and_counted_once(erin: Engineer, sam: Engineer) -> None:
    job = team_job(erin, sam)

    board = board_of_day()

    first, second = cards_of(board, erin)[0], cards_of(board, sam)[0]
    assert [first.job_id, second.job_id] == [job.provider_job_id] * 2
    assert (first.team, first.is_second, first.can_move) == ("with Sam Second", False, True)
    assert (second.team, second.is_second, second.can_move) == ("with Erin Engineer", True, False)
    assert (board.jobs, sum(count.number for count in board.legend)) == (1, 1)
    assert [lane.booked_minutes for lane in board.lanes] == [120, 120]


def test_page_of_the_day_has_each_card_once_by_its_id(erin: Engineer, sam: Engineer) -> None:
    job = team_job(erin, sam)

    page = signed_in().get(f"/board/?day={make.DAY.isoformat()}").content.decode()

    assert page.count(f'id="card-{job.provider_job_id}"') == 1
    assert page.count(f'id="card-{job.provider_job_id}-second"') == 1


@pytest.mark.parametrize("rows", [1, 3])
def test_day_of_teams_costs_the_same_queries(
    rows: int, erin: Engineer, sam: Engineer, django_assert_max_num_queries: object
) -> None:
    for number in range(rows):
        team_job(erin, sam, clock=f"{10 + number}:00", duration_minutes=45)

    with django_assert_max_num_queries(19):  # type: ignore[operator]
        board_of_day()


def test_week_counts_the_load_of_both_and_the_job_once(erin: Engineer, sam: Engineer) -> None:
    team_job(erin, sam)

    week = build_week(make.DAY, now=make.at("07:00"), today=make.DAY)

    assert week.days[0].jobs == 1
    assert [row.cells[0].booked_minutes for group in week.groups for row in group.rows] == [120, 120]


def test_second_engineer_s_absence_marks_the_row_the_card_and_the_list(
    erin: Engineer, sam: Engineer, time_machine: object
) -> None:
    job = team_job(erin, sam)
    Absence.objects.create(engineer=sam, starts_at=make.at("08:30"), ends_at=make.at("17:00"))
    time_machine.move_to(make.at("07:00"))  # type: ignore[attr-defined]
    watch_day()

    board = board_of_day()

    assert cards_of(board, erin)[0].risk.reason == "Sam Second is absent"
    lanes = {lane.name: lane.to_reassign for lane in board.lanes}
    assert lanes == {"Erin Engineer": 0, "Sam Second": 1}
    assert Alarm.objects.get().subject == sam.staff_number
    panel = build_engineer_panel(sam, day=make.DAY, now=make.at("07:00"))
    assert [(line.job_id, line.team) for line in panel.to_move] == [
        (job.provider_job_id, "with Erin Engineer")
    ]


def choice(client: Client, job: Job, **fields: str) -> int:
    return press(client, job, "assign", version=version_of(job), **fields).status_code


def test_second_engineer_is_chosen_kept_and_taken_off_by_the_form(erin: Engineer, sam: Engineer) -> None:
    client, job = signed_in(), make.job(day=make.DAY + timedelta(days=1))
    start = make.at("09:00", day=make.DAY + timedelta(days=1)).isoformat()
    fields = {"engineer": erin.staff_number, "starts_at": start}
    seconds = []
    for added in ({"second_engineer": sam.staff_number}, {}, {"second_engineer": ""}):
        assert choice(client, job, **fields, **added) == 200
        seconds.append(Visit.objects.active().get(job=job).second_engineer)

    assert seconds == [sam, sam, None]


def test_panel_names_pairs_and_who_is_free_to_accompany(
    erin: Engineer, sam: Engineer, time_machine: object
) -> None:
    time_machine.move_to(make.at("07:00"))  # type: ignore[attr-defined]
    busy = make.engineer(name="Bea Busy", skills=())
    make.walk(make.job(), at_state=JobState.ASSIGNED, to=busy)

    options = build_panel(make.job(flags=("CHP",)), now=make.at("07:00")).assignment

    assert [(line.name, line.second_engineer) for line in options.suggestions] == [
        ("Erin Engineer with Sam Second", sam.staff_number)
    ]
    assert options.second_engineer
    assert options.second_engineer.is_needed
    assert [choice.name for choice in options.second_engineer.free] == ["Erin Engineer", "Sam Second"]
    assert [choice.name for choice in options.second_engineer.others] == ["Bea Busy"]


def test_job_page_and_search_name_both(erin: Engineer, sam: Engineer) -> None:
    job = team_job(erin, sam)
    page = signed_in().get(reverse("board:job", args=[job.provider_job_id])).content.decode()

    assert "Erin Engineer with Sam Second, Mon 23 Nov 09:00–11:00" in page
    assert "second engineer" in page
    found = engineer_status.list_attendances([job], now=make.at("08:00"))[job.pk]
    assert (found.engineer, found.second) == ("Erin Engineer", "Sam Second")
    (line,) = engineer_status.engineer_lines([sam], now=make.at("08:00"))
    assert line.next
    assert (line.next.job_id, line.next.team) == (job.provider_job_id, "with Erin Engineer")


def test_day_sheets_of_both_have_the_visit_and_the_first_has_the_kit(erin: Engineer, sam: Engineer) -> None:
    team_job(erin, sam)

    sheets = {sheet.name: sheet for sheet in day_sheets_page(make.DAY).sheets}

    notes = {name: [line.notes for line in sheet.lines] for name, sheet in sheets.items()}
    assert "With Sam Second, 07700 900123" in notes["Erin Engineer"][0]
    assert "You accompany Erin Engineer, 07700 900123" in notes["Sam Second"][0]
    assert [bool(sheet.kit) for sheet in sheets.values()] == [True, False]
