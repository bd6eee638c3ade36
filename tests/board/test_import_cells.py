"""Single cells of a file of engineers: what each is read as, and written so that it is read again."""

from datetime import time

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from board.people.engineer_import import (
    WEEKDAYS,
    WEEKDAYS_B,
    ImportRow,
    apply_import,
    export_csv,
    plan_import,
)
from board.spreadsheets import decode
from engineers.models import Engineer, Role, RotaWeek, Skill, User
from engineers.rota import write_pattern
from engineers.working_hours import PlannedShift
from tests import make
from tests.board.test_people import client_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def ruth() -> User:
    return make.dispatcher(username="ruth", role=Role.SUPERVISOR)


def row_of(text: str, by: User) -> ImportRow:
    (row,) = plan_import(text, by).rows
    return row


def weeks_of(engineer: Engineer) -> list[tuple[int, int]]:
    return [(shift.week, shift.weekday) for shift in engineer.shifts.filter(ends_on=None)]


@pytest.mark.parametrize("week", [RotaWeek.A, RotaWeek.B])
def test_week_without_work_is_written_and_read_back(ruth: User, week: RotaWeek) -> None:
    erin = make.engineer()
    erin.shifts.all().delete()
    write_pattern(erin, [PlannedShift(week, day, time(8), time(17)) for day in range(5)])

    plan = plan_import(decode(export_csv()), ruth)

    assert [row.kind for row in plan.rows] == ["unchanged"]


@pytest.mark.parametrize(
    ("week_b", "weeks"), [("off", [RotaWeek.A]), ("OFF", [RotaWeek.A]), ("", [RotaWeek.EVERY])]
)
def test_week_b_is_free_or_the_same_as_week_a(ruth: User, week_b: str, weeks: list[RotaWeek]) -> None:
    erin = make.engineer()
    header = ";".join(["staff_number", *WEEKDAYS, *WEEKDAYS_B])
    cells = [erin.staff_number, "08-16", *["off"] * 6, *[week_b] * 7]

    apply_import(plan_import(f"{header}\n{';'.join(cells)}", ruth), ruth)

    assert weeks_of(erin) == [(week, 0) for week in weeks]


@pytest.mark.parametrize("cell", ["mdu 2027-12-31, civils, mdu", "mdu, MDU 2027-12-31", "mdu, mdu"])
def test_skill_that_is_named_twice_is_a_problem_of_its_row(ruth: User, cell: str) -> None:
    erin = make.engineer()
    for code in ("mdu", "civils"):
        Skill.objects.get_or_create(code=code, defaults={"name": code})

    row = row_of(f"staff_number;skills\n{erin.staff_number};{cell}", ruth)

    assert row.problems == ["The skill mdu is named twice. Name it once, with its last day if it has one."]


def test_home_on_the_meridian_stays_there(ruth: User) -> None:
    erin = make.engineer()
    Engineer.objects.update(home_latitude=51.478, home_longitude=0.0)

    row = row_of(f"staff_number;phone\n{erin.staff_number};07700 900999", ruth)

    assert row.record and (row.problems, row.record.home_longitude) == ([], 0.0)
    assert row_of(decode(export_csv()), ruth).kind == "unchanged"
    page = client_of(ruth).get(f"/board/people/{erin.pk}/edit/").context["page"]
    assert (page.latitude, page.longitude) == ("51.478", "0.0")


def test_preview_shows_each_changed_cell_before_and_after(ruth: User) -> None:
    erin = make.engineer(skills=("mdu",))
    Engineer.objects.update(phone="07700900123", home_latitude=51.5, home_longitude=-0.1)
    header = ";".join(["staff_number", "phone", "skills", "latitude", "longitude", *WEEKDAYS, *WEEKDAYS_B])
    cells = [erin.staff_number, "7700900123", "mdu 31.03.2027", "51.5", "-0.2", "09-17", *["08-17"] * 4]
    text = f"{header}\n{';'.join([*cells, '', '', *['off'] * 7])}"

    preview = client_of(ruth).post(
        "/board/people/import/", {"file": SimpleUploadedFile("e.csv", text.encode())}
    )

    (row,) = preview.context["page"].plan.rows
    lines = [change.text for change in row.changes]
    assert lines[:3] == [
        "Phone number: 07700900123 → 7700900123",
        "Longitude: -0.1 → -0.2",
        "Skills: mdu → mdu 2027-03-31",
    ]
    assert "Monday, Week B: – → off" in lines
    html = preview.content.decode()
    assert [line for line in lines if f"<li>{line}</li>" not in html] == []
