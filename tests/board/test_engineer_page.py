"""What the page of an engineer keeps from people of the office who need not know it."""

import pytest

from engineers import rota
from engineers.models import Engineer, Right, Role, RoleRights
from engineers.models.roles import SHIPPED_RIGHTS
from tests import make
from tests.board.test_people import client_of

pytestmark = pytest.mark.django_db
WITHOUT = [Role.SENIOR_DISPATCHER, Role.DISPATCHER, Role.PLANNER, Role.AUDITOR]


def page_for(role: Role, engineer: Engineer) -> str:
    return client_of(make.dispatcher(role=role)).get(f"/board/people/{engineer.pk}/").content.decode()


def absent_engineer() -> Engineer:
    engineer = make.engineer()
    rota.add_absence(
        engineer=engineer,
        starts_at=make.at("08:00"),
        ends_at=make.at("12:00"),
        reason="Dentist",
        by=make.dispatcher(),
    )
    return engineer


@pytest.mark.usefixtures("day_before")
@pytest.mark.parametrize("role", WITHOUT)
def test_reason_of_an_absence_is_for_supervisors(role: Role) -> None:
    engineer = absent_engineer()

    page = page_for(role, engineer)

    assert "Mon 23 Nov 08:00" in page
    assert "Dentist" not in page
    assert "Dentist" in page_for(Role.SUPERVISOR, engineer)


@pytest.mark.usefixtures("day_before")
def test_reason_is_for_whoever_may_change_engineers_too() -> None:
    rights = [*SHIPPED_RIGHTS[Role.PLANNER], Right.CHANGE_PEOPLE]
    RoleRights.objects.create(role=Role.PLANNER, rights=rights)

    assert "Dentist" in page_for(Role.PLANNER, absent_engineer())


@pytest.mark.parametrize("role", WITHOUT)
@pytest.mark.parametrize("address", ["1 High Street, Leeds", ""])
def test_home_of_an_engineer_is_for_supervisors(role: Role, address: str) -> None:
    engineer = make.engineer()
    Engineer.objects.filter(pk=engineer.pk).update(
        home_address=address, home_latitude=53.81234, home_longitude=-1.51234
    )

    page = page_for(role, engineer)

    assert "<dt>Home location</dt><dd>Entered</dd>" in page
    assert {text for text in ("High Street", "53.81", "1.51") if text in page} == set()
    assert f"<dt>Home location</dt><dd>{address or '53.81234, −1.51234'}</dd>" in page_for(
        Role.SUPERVISOR, engineer
    )


def test_missing_home_is_seen_by_everybody() -> None:
    engineer = make.engineer()
    Engineer.objects.filter(pk=engineer.pk).update(home_address="", home_latitude=None, home_longitude=None)

    assert "<dt>Home location</dt><dd>Not entered</dd>" in page_for(Role.PLANNER, engineer)
