"""The page of the capacity ahead, its file, and the way from a half day that is short to its jobs."""

import csv
import io
from datetime import date, timedelta

import pytest
from django.test import Client
from django.utils import translation
from pytest_django import DjangoAssertNumQueries

from board.plans.capacity_presenter import CapacityPage, capacity_page
from dispatch.models import Job
from dispatch.states import JobState
from engineers.models import Area, Engineer
from tests import make
from tests.board.office import signed_in

pytestmark = pytest.mark.django_db
PATH = "/board/plans/capacity/"
AFTERNOON = ("13:00", "18:00")


def leeds_north() -> Area:
    return Area.objects.create(name="Leeds North", postcodes="LS6")


def of_area(area: Area, *, skills: tuple[str, ...] = make.ALL_SKILLS) -> Engineer:
    engineer = make.engineer(skills=skills)
    engineer.area = area
    engineer.save(update_fields=["area"])
    return engineer


def page_of(first: date = make.DAY) -> CapacityPage:
    return capacity_page(first)


def test_two_weeks_from_tomorrow_at_the_earliest() -> None:
    make.engineer()
    page = page_of(date(2026, 1, 1))

    assert (page.first, page.previous, page.next) == (make.DAY, None, make.DAY + timedelta(days=7))
    assert [day.name for day in page.days][::13] == ["Mon 23 Nov", "Sun 6 Dec"]
    assert page.title == "Capacity Mon 23 Nov – Sun 6 Dec"
    later = page_of(make.DAY + timedelta(days=10))
    assert (later.first, later.previous) == (date(2026, 12, 3), date(2026, 11, 26))


@pytest.mark.parametrize("day", ["x", "2926-02-01"])
def test_day_that_is_none_shows_the_next_two_weeks_and_says_so(day: str) -> None:
    html = signed_in().get(f"/board/plans/capacity/?day={day}").content.decode()

    assert (html.count("Showing the next two weeks instead."), "Showing today" in html) == (1, False)


def test_cell_says_what_is_offered_booked_and_spare() -> None:
    make.job(at_state=JobState.ASSIGNED, to=of_area(leeds_north()))

    whole, north = page_of().groups

    assert (whole.name, north.name) == ("All areas", "Leeds North")
    assert whole.cells == north.cells
    cell = north.cells[0]
    assert (cell.booked, cell.offered, cell.time, cell.jobs, cell.url) == ("2", "5", "3 h", "1 job", "")
    assert cell.sentence == "Mon 23 Nov, Morning: 2 h booked, 5 h offered; spare: 3 h (1 job)."
    assert [row.name for row in north.skills][:2] == ["Cherry picker", "Civils"]


def test_short_half_day_is_marked_and_leads_to_its_jobs() -> None:
    of_area(leeds_north(), skills=("team-of-two",))
    make.job(flags=("CHP",), window=AFTERNOON)
    client = signed_in()

    _whole, north = page_of().groups
    picker = next(row for row in north.skills if row.name == "Cherry picker")
    short = picker.cells[1]
    answer = client.get(short.url)
    html = client.get(PATH).content.decode()

    assert (short.is_short, short.time, short.jobs) == (True, "2 h 20", "1 job")
    assert [cell.is_short for cell in picker.cells] == [False, True, *[False] * 26]
    assert short.sentence == "Mon 23 Nov, Afternoon: 2 h 20 booked, 0 min offered; short: 2 h 20 (1 job)."
    area = "area=Leeds+North&skill=cherry-picker"
    assert answer.headers["Location"] == f"/board/?day={make.DAY}&{area}#middle"
    board = client.get(answer.headers["Location"]).context["page"].board
    assert board.options.span == "afternoon"
    assert "1 half day is short" in html


def test_job_outside_all_areas_has_a_row_of_its_own() -> None:
    of_area(leeds_north())
    Job.objects.filter(pk=make.job().pk).update(postcode="HG1 1AA")

    _whole, _north, without = page_of().groups

    assert (without.name, without.cells[0].is_short) == ("No area", True)
    assert without.cells[0].url.endswith("&area=-")


def test_page_without_anybody_says_so() -> None:
    assert "There are no engineers and no jobs on these days." in signed_in().get(PATH).content.decode()


def test_file_has_a_line_for_each_area_day_half_day_and_skill() -> None:
    area = Area.objects.create(name="=Leeds", postcodes="LS6")
    of_area(area, skills=("mdu",))
    make.job(flags=("MDU",))

    answer = signed_in().get(f"{PATH}capacity.csv?day={make.DAY}")
    head, *rows = csv.reader(io.StringIO(answer.content.decode("utf-8-sig")))

    assert answer.headers["Content-Disposition"] == 'attachment; filename="capacity_2026-11-23.csv"'
    assert head[:6] == ["Area", "Day", "Half day", "Skill", "Offered (min)", "Booked (min)"]
    assert len(rows) == 2 * 28
    # no formula for a spreadsheet
    assert rows[0] == [
        "'=Leeds",
        "2026-11-23",
        "Morning",
        "All work",
        *["300", "170", "130", "0", "1", "1", "0", "0"],
    ]
    assert rows[28][:4] == ["'=Leeds", "2026-11-23", "Morning", "Multi-dwelling units"]


def test_page_and_file_are_in_the_reader_s_language() -> None:
    make.engineer()
    with translation.override("de"):
        page = page_of()

    assert (page.groups[0].name, page.days[0].halves[0][:2]) == ("Alle Gebiete", ("VM", "Vormittag"))


def test_engineers_do_not_see_it() -> None:
    client = Client()
    client.force_login(make.engineer().user)

    assert {client.get(path).status_code for path in (PATH, f"{PATH}capacity.csv")} == {403}


@pytest.mark.parametrize("rows", [1, 3])
def test_number_of_queries_does_not_grow(
    rows: int, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    client = signed_in()
    for number in range(rows):
        day = make.DAY + timedelta(days=number)
        make.job(at_state=JobState.ASSIGNED, to=make.engineer(), day=day, flags=("CHP",))
        make.job(day=day)

    # ten of the figures, and those of every page
    with django_assert_num_queries(15):
        client.get(PATH)
