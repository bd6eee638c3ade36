"""Areas from a file: the plan first, then all rows or none."""

import re

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from board.people.area_import import plan_area_import
from engineers.models import Area, AuditEntry, Role
from tests import make

pytestmark = pytest.mark.django_db
PATH = "/board/people/areas/import/"


@pytest.fixture
def supervisor() -> Client:
    client = Client()
    client.force_login(make.dispatcher(role=Role.SUPERVISOR))
    return client


def areas() -> dict[str, str]:
    return dict(Area.objects.values_list("name", "postcodes"))


def kinds(text: str) -> list[str]:
    return [row.kind for row in plan_area_import(text).rows]


def check(client: Client, text: str) -> str:
    answer = client.post(PATH, {"file": SimpleUploadedFile("areas.csv", text.encode())})
    return answer.content.decode()


def confirm(client: Client, text: str) -> int:
    found = re.search(r'name="digest" value="(\w+)"', check(client, text))
    assert found, "the plan cannot be applied"
    return client.post(PATH, {"content": text, "digest": found[1]}).status_code


def test_file_adds_and_changes_areas(supervisor: Client) -> None:
    Area.objects.create(name="Leeds", postcodes="LS")
    text = "name;postcodes\nleeds;LS1, LS2\nYork;yo\n"

    assert kinds(text) == ["changed", "new"]
    page = check(supervisor, text)
    lines = ["Name: Leeds → leeds", "Postcodes: LS → LS1 LS2", "Postcodes: – → YO"]
    assert [line for line in lines if f"<li>{line}</li>" not in page] == []
    assert areas() == {"Leeds": "LS"}
    assert confirm(supervisor, text) == 302
    assert areas() == {"leeds": "LS1 LS2", "York": "YO"}
    assert kinds(text) == ["unchanged", "unchanged"]
    assert set(AuditEntry.objects.filter(action__startswith="area_").values_list("action", "subject")) == {
        ("area_changed", "leeds"),
        ("area_added", "York"),
    }


def test_codes_may_change_places(supervisor: Client) -> None:
    Area.objects.create(name="North", postcodes="LS1 LS3")
    Area.objects.create(name="South", postcodes="LS2")

    assert confirm(supervisor, "name,postcodes\nNorth,LS2\nSouth,LS1 LS3\n") == 302
    assert areas() == {"North": "LS2", "South": "LS1 LS3"}


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("name;postcodes\nYork;YO\nyork;DL\n", "An earlier row has the same name."),
        ("name;postcodes\nYork;LS\n", "LS already belongs to Leeds."),
        ("name;postcodes\nYork;YO\nSelby;YO\n", "YO already belongs to York."),
        ("name;postcodes\nYork;YO1 6AB!\n", "Enter a valid value."),
        ("name;postcodes\n;YO\n", "This field is required."),
        ('name,postcodes\n"York; East",YO\n', "Leave out the semicolon."),
        ("name;colour\nYork;red\n", "Unknown columns: colour."),
    ],
)
def test_wrong_rows_are_named_and_nothing_is_saved(supervisor: Client, text: str, problem: str) -> None:
    Area.objects.create(name="Leeds", postcodes="LS")
    html = check(supervisor, text)

    assert problem in html
    assert 'name="digest"' not in html
    assert areas() == {"Leeds": "LS"}


def test_plan_that_was_overtaken_is_checked_again(supervisor: Client) -> None:
    text = "name;postcodes\nYork;YO\n"
    digest = plan_area_import(text).digest
    Area.objects.create(name="Selby", postcodes="YO")

    answer = supervisor.post(PATH, {"content": text, "digest": digest})

    assert answer.status_code == 409
    assert areas() == {"Selby": "YO"}


def test_export_is_what_the_import_reads(supervisor: Client) -> None:
    Area.objects.create(name="Leeds", postcodes="LS BD1")
    text = supervisor.get("/board/people/areas/export.csv").content.decode("utf-8-sig")

    assert kinds(text) == ["unchanged"]
    assert (
        supervisor.get("/board/people/areas/import/template.csv").content.decode("utf-8-sig")
        == "name;postcodes\r\n"
    )
    assert "Import areas" in supervisor.get("/board/people/areas/").content.decode()


def test_file_without_postcodes_leaves_them() -> None:
    Area.objects.create(name="Leeds", postcodes="LS")

    assert kinds("name\nLeeds\nYork\n") == ["unchanged", "new"]
