"""An engineer who works in several areas: once on the board, found in each of them, and the same in a file."""

import re

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.http import QueryDict
from django.test import Client

from board.people.engineer_import import export_csv, plan_import
from board.reports.figures import figure_rows
from board.reports.report_filter import report_form
from board.spreadsheets import decode
from dispatch.planning.problem.plan_scope import PlanScope
from dispatch.slots.slot_suggestions import suggest_slots
from dispatch.states import JobState
from engineers.engineer_records import read_record
from engineers.models import Area, AreaLimit, Engineer, Role
from engineers.shifts import day_span
from tests import make
from tests.board.test_people import client_of, edit_form, form

pytestmark = pytest.mark.django_db
BOARD = f"/board/?day={make.DAY.isoformat()}"


@pytest.fixture
def areas() -> dict[str, Area]:
    return {name: Area.objects.create(name=name) for name in ("North", "South", "West")}


@pytest.fixture
def ruth(areas: dict[str, Area]) -> Client:
    return client_of(make.dispatcher(username="ruth", role=Role.SUPERVISOR))


@pytest.fixture
def kasia(areas: dict[str, Area]) -> Engineer:
    """Of the North first, also of the West."""
    engineer = make.engineer(name="Kasia Nowak")
    engineer.area = areas["North"]
    engineer.save()
    engineer.further_areas.add(areas["West"])
    return engineer


def names_in(client: Client, area: str) -> list[str]:
    return [line.name for line in client.get("/board/people/", {"area": area}).context["page"].lines]


def test_form_gives_a_main_area_and_further_ones(ruth: Client) -> None:
    ruth.post("/board/people/new/", form(area="South", further_areas=["West", "South", "North"]))

    engineer = Engineer.objects.get(staff_number="E900")
    assert read_record(engineer).areas == ("South", "North", "West")
    page = ruth.get(f"/board/people/{engineer.pk}/").content.decode()
    assert "South (main area), North, West" in page
    ruth.post(
        f"/board/people/{engineer.pk}/edit/", edit_form(ruth, engineer, area="West", further_areas=["North"])
    )
    assert read_record(Engineer.objects.get(pk=engineer.pk)).areas == ("West", "North")


@pytest.mark.parametrize(
    ("sent", "sentence"),
    [
        ({"further_areas": ["West"]}, "Choose the main area too."),
        ({"area": "North", "further_areas": ["Atlantis"]}, "Atlantis is not one of the available choices."),
        ({"area": "Atlantis", "further_areas": ["West"]}, "Select a valid choice."),
    ],
)
def test_form_refuses_areas_that_cannot_be(ruth: Client, sent: dict[str, object], sentence: str) -> None:
    answer = ruth.post("/board/people/new/", form(**sent))

    assert (answer.status_code, sentence in answer.content.decode()) == (400, True)
    assert not Engineer.objects.exists()


def test_whoever_is_limited_gives_engineers_one_of_the_own_areas(areas: dict[str, Area]) -> None:
    """In no other would they see the engineer again."""
    supervisor = make.dispatcher(role=Role.SUPERVISOR)
    AreaLimit.objects.create(user=supervisor, area=areas["North"])
    client = client_of(supervisor)

    for chosen in ({}, {"area": "South"}, {"area": "South", "further_areas": ["West"]}):
        answer = client.post("/board/people/new/", form(**chosen))
        assert (answer.status_code, Engineer.objects.exists()) == (400, False)
        assert "Choose one of your areas (North)" in answer.content.decode()
    answer = client.post("/board/people/new/", form(area="South", further_areas=["North"]), follow=True)
    assert answer.status_code == 200
    engineer = Engineer.objects.get()
    sent = edit_form(client, engineer, area="South", further_areas=[])
    assert client.post(f"/board/people/{engineer.pk}/edit/", sent).status_code == 400


def test_looking_up_the_home_keeps_the_chosen_areas(ruth: Client) -> None:
    sent = form(area="North", further_areas=["South", "West"], find="1")

    page = ruth.post("/board/people/new/", sent).content.decode()

    assert re.findall(r'value="(\w+)" id="id_further_areas_\d" checked', page) == ["South", "West"]


def test_engineer_is_listed_in_each_area_and_once_on_the_board(ruth: Client, kasia: Engineer) -> None:
    assert [names_in(ruth, area) for area in ("North", "West", "South", "nowhere")] == [
        ["Kasia Nowak"],
        ["Kasia Nowak"],
        [],
        [],
    ]
    page = ruth.get(BOARD).content.decode()
    assert page.count('data-name="Kasia Nowak"') == 1
    assert re.findall(r'class="area-toggle"[^>]*>(\w+)<', page) == ["North"]


def test_planner_counts_an_engineer_in_every_area(areas: dict[str, Area], kasia: Engineer) -> None:
    def planned(area: str) -> list[Engineer]:
        return PlanScope(day_span(make.DAY), area=areas[area].pk).select_engineers()

    assert (planned("North"), planned("West"), planned("South")) == ([kasia], [kasia], [])


def test_report_counts_each_visit_once_in_the_main_area(areas: dict[str, Area], kasia: Engineer) -> None:
    make.job(at_state=JobState.ASSIGNED, to=kasia)

    def rows(**asked: object) -> list[tuple[str, int]]:
        filled = report_form(query(first=make.DAY, last=make.DAY, by="area", **asked))
        assert filled.is_valid()
        return [(row.label, row.visits) for row in figure_rows(filled.cleaned_data)]

    assert rows() == [("North", 1)]
    assert rows(area=areas["North"].pk) == [("North", 1)]
    assert rows(area=areas["West"].pk) == []


def query(**values: object) -> QueryDict:
    found = QueryDict(mutable=True)
    found.update({name: str(value) for name, value in values.items()})
    return found


def test_file_names_several_areas_in_one_cell(ruth: Client, kasia: Engineer) -> None:
    text = f"staff_number,areas\r\n{kasia.staff_number},west; NORTH ;South;\r\n"
    preview = ruth.post(
        "/board/people/import/", {"file": SimpleUploadedFile("engineers.csv", text.encode())}
    ).context["page"]
    assert [(row.kind, [(cell.column, cell.after) for cell in row.changes]) for row in preview.plan.rows] == [
        ("changed", [("Areas", "West; North; South")])
    ]

    ruth.post("/board/people/import/", {"content": text, "digest": preview.plan.digest})

    assert read_record(Engineer.objects.get(pk=kasia.pk)).areas == ("West", "North", "South")
    assert [row.kind for row in plan_import(text, make.dispatcher()).rows] == ["unchanged"]
    assert "West; North; South" in decode(export_csv())
    assert [row.kind for row in plan_import(decode(export_csv()), make.dispatcher()).rows] == ["unchanged"]


def test_areas_of_a_file_that_do_not_exist_stop_it(ruth: Client, kasia: Engineer) -> None:
    plan = plan_import(f'staff_number;areas\n{kasia.staff_number};"West; Atlantis"', make.dispatcher())

    assert [row.problems for row in plan.rows] == [
        ["Further areas: Select a valid choice. Atlantis is not one of the available choices."]
    ]


def test_empty_cell_takes_every_area_away(ruth: Client, kasia: Engineer) -> None:
    plan = plan_import(f"staff_number;areas\n{kasia.staff_number};", make.dispatcher())

    assert [row.record.areas for row in plan.rows if row.record] == [()]


def test_suggestion_says_who_would_leave_their_areas(areas: dict[str, Area], kasia: Engineer) -> None:
    Area.objects.filter(name="West").update(postcodes="LS6")
    south, nowhere = make.engineer(name="Sam South"), make.engineer(name="Noor Nowhere")
    south.area = areas["South"]
    south.save()
    job = make.job()

    offers = {offer.engineer: offer.is_other_area for offer in suggest_slots(job)}

    assert offers == {kasia: False, south: True, nowhere: False}
    page = client_of(make.dispatcher()).get(f"/board/jobs/{job.provider_job_id}/").content.decode()
    assert page.count("outside their areas") == 1
    Area.objects.all().update(postcodes="")
    assert not any(offer.is_other_area for offer in suggest_slots(job))
