"""The pages of areas: who works there, open jobs, and that a change is made once or refused with its reason."""

from collections.abc import Callable

import pytest
from django.test import Client

from dispatch.states import JobState
from engineers.models import Area, AuditEntry, Role, User
from tests import make
from tests.board.test_people import client_of

pytestmark = pytest.mark.django_db
AREAS = "/board/people/areas/"


@pytest.fixture
def supervisor() -> User:
    return make.dispatcher(username="ruth", role=Role.SUPERVISOR)


@pytest.fixture
def ruth(supervisor: User) -> Client:
    return client_of(supervisor)


@pytest.fixture
def north() -> Area:
    return Area.objects.create(name="North", postcodes="LS6 LS7")


def change_form(area: Area, **changed: str) -> dict[str, str]:
    """As the browser sends the form of the area's page."""
    seen = {"seen_name": area.name, "seen_postcodes": area.postcodes}
    return {"name": area.name, "postcodes": area.postcodes, **seen, **changed}


def actions() -> list[str]:
    return list(AuditEntry.objects.filter(action__startswith="area_").values_list("action", flat=True))


def test_list_counts_engineers_and_open_jobs(ruth: Client, north: Area) -> None:
    main, further, away = (make.engineer(name=name) for name in ("Ada", "Bea", "Cal"))
    for engineer in (main, away):
        engineer.area = north
        engineer.save()
    further.area = Area.objects.create(name="South")
    further.save()
    further.further_areas.add(north)
    away.user.is_active = False
    away.user.save()
    make.job()
    make.job(at_state=JobState.CANCELLED)

    page = ruth.get(AREAS).context["page"]

    assert [(line.name, line.engineers, line.open_jobs) for line in page.lines] == [
        ("North", 2, 1),
        ("South", 1, 0),
    ]
    members = ruth.get(f"{AREAS}{north.pk}/").context["page"].members
    assert [(member.name, member.is_main, member.is_active) for member in members] == [
        ("Ada", True, True),
        ("Bea", False, True),
        ("Cal", True, False),
    ]


def test_list_names_postcodes_that_no_area_has(ruth: Client) -> None:
    Area.objects.create(name="Bradford", postcodes="BD")
    make.job()

    assert "1 open job belongs to no area: LS6 3AB." in ruth.get(AREAS).content.decode()


@pytest.mark.parametrize("rows", [1, 3])
def test_list_costs_the_same_queries(
    ruth: Client, rows: int, django_assert_num_queries: Callable[[int], object]
) -> None:
    for number in range(rows):
        area = Area.objects.create(name=f"Area {number}")
        engineer = make.engineer()
        engineer.area = area
        engineer.save()

    with django_assert_num_queries(9):
        ruth.get(AREAS)


def test_supervisor_adds_an_area_once(ruth: Client, supervisor: User) -> None:
    sent = {"name": " Leeds   North ", "postcodes": "ls6, LS7;ls6"}
    answers = [ruth.post(f"{AREAS}new/", sent).status_code for _time in range(2)]

    area = Area.objects.get()
    assert (answers, area.name, area.postcodes) == ([302, 302], "Leeds North", "LS6 LS7")
    line = AuditEntry.objects.get(action="area_added")
    assert (line.actor, line.after) == (supervisor, {"name": "Leeds North", "postcodes": "LS6 LS7"})


@pytest.mark.parametrize(
    ("sent", "sentence"),
    [
        ({"name": ""}, "This field is required."),
        ({"name": "   "}, "This field is required."),
        ({"name": "x" * 61}, "at most 60 characters"),
        ({"name": "North; South"}, "Leave out the semicolon."),
        ({"name": "NORTH"}, "Another area has this name."),
        ({"name": "North", "postcodes": "LS8"}, "Another area has this name."),
        ({"name": "West", "postcodes": "LS8 LS7"}, "LS7 already belongs to North."),
        ({"name": "West", "postcodes": "123"}, "Enter a valid value."),
        ({"name": "West", "postcodes": "LS1 " * 300}, "at most 1000 characters"),
    ],
)
def test_wrong_area_is_refused(ruth: Client, north: Area, sent: dict[str, str], sentence: str) -> None:
    answer = ruth.post(f"{AREAS}new/", sent)

    assert (answer.status_code, sentence in answer.content.decode()) == (400, True)
    assert (list(Area.objects.all()), actions()) == ([north], [])


def test_area_is_renamed_once_and_its_engineers_stay(ruth: Client, north: Area) -> None:
    engineer = make.engineer()
    engineer.area = north
    engineer.save()
    sent = change_form(north, name="NORTH", postcodes="LS6")

    answers = [ruth.post(f"{AREAS}{north.pk}/change/", sent).status_code for _time in range(2)]

    north.refresh_from_db()
    engineer.refresh_from_db()
    assert (answers, north.name, north.postcodes) == ([302, 302], "NORTH", "LS6")
    assert (engineer.area, actions()) == (north, ["area_changed"])


@pytest.mark.parametrize("changed", [{"name": "south"}, {"postcodes": "LS6 LS8"}])
def test_area_cannot_take_what_another_has(ruth: Client, north: Area, changed: dict[str, str]) -> None:
    Area.objects.create(name="South", postcodes="LS8")

    assert ruth.post(f"{AREAS}{north.pk}/change/", change_form(north, **changed)).status_code == 400
    north.refresh_from_db()
    assert (north.name, north.postcodes, actions()) == ("North", "LS6 LS7", [])


def test_change_of_another_supervisor_is_not_overwritten(ruth: Client, north: Area) -> None:
    old = change_form(north, postcodes="LS6 LS7 LS9")
    ruth.post(f"{AREAS}{north.pk}/change/", change_form(north, postcodes="LS6 LS7 LS8"))

    answer = ruth.post(f"{AREAS}{north.pk}/change/", old)

    assert (answer.status_code, "Open it again" in answer.content.decode()) == (409, True)
    north.refresh_from_db()
    assert north.postcodes == "LS6 LS7 LS8"


@pytest.mark.parametrize("is_main", [True, False])
def test_area_with_engineers_stays_and_says_why(ruth: Client, north: Area, *, is_main: bool) -> None:
    engineer = make.engineer()
    engineer.area = north if is_main else Area.objects.create(name="South")
    engineer.save()
    engineer.further_areas.set([] if is_main else [north])

    page = ruth.post(f"{AREAS}{north.pk}/delete/", follow=True).content.decode()

    assert page.count("1 engineer works here. Give this engineer another area first.") == 2
    assert Area.objects.filter(pk=north.pk).exists()
    assert f'action="{AREAS}{north.pk}/delete/"' not in page


def test_empty_area_is_deleted_once(ruth: Client, north: Area) -> None:
    assert ruth.post(f"{AREAS}{north.pk}/delete/").headers["Location"] == AREAS
    again = ruth.post(f"{AREAS}{north.pk}/delete/", follow=True)

    assert "This area doesn&#x27;t exist any more." in again.content.decode()
    assert (Area.objects.count(), actions()) == (0, ["area_deleted"])


@pytest.mark.parametrize("pk", ["999", "9" * 30])
def test_area_that_is_gone_leads_to_the_list(ruth: Client, pk: str) -> None:
    assert ruth.get(f"{AREAS}{pk}/").headers["Location"] == AREAS
    answer = ruth.post(f"{AREAS}{pk}/change/", {"name": "North"}, follow=True)

    assert (answer.status_code, answer.request["PATH_INFO"]) == (200, AREAS)
    assert ruth.post(f"{AREAS}{pk}/delete/").headers["Location"] == AREAS


def test_dispatcher_reads_and_changes_nothing(north: Area) -> None:
    client = client_of(make.dispatcher())

    assert "Add area" not in client.get(AREAS).content.decode()
    assert "Delete area" not in client.get(f"{AREAS}{north.pk}/").content.decode()
    for path in ("new/", f"{north.pk}/change/", f"{north.pk}/delete/"):
        assert client.post(f"{AREAS}{path}", change_form(north, name="Other")).status_code == 403
    assert list(Area.objects.all()) == [north]
