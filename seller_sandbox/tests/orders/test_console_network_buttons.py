"""Capacity, ONTs and projects by the console's forms, with the checks of the control requests (issue 13, 5)."""

from datetime import date

import pytest
from django.test import Client

from seller_sandbox.network import products, slots
from seller_sandbox.network.models import AppointmentType, Half, Location, Project, SlotCapacity
from seller_sandbox.network.slots import Team
from seller_sandbox.tests.orders import samples
from seller_sandbox.tests.orders.console_client import page, press

pytestmark = pytest.mark.usefixtures("network")


def location(situation: int) -> Location:
    return Location.objects.get(uprn=samples.uprn(situation))


def usual(area: str, half: Half) -> int:
    rows = SlotCapacity.objects.filter(area=area, day=None, half=half)
    return rows.get(appointment_type=AppointmentType.INSTALL).capacity


def test_usual_capacity_of_an_area_is_set_for_both_half_days(client: Client) -> None:
    area = location(1).area

    text = press(client, f"premises/{samples.uprn(1)}/capacity", capacity="7", appointment_type="install")

    assert f"{area} takes 7 visits in a half day usually" in text
    assert [usual(area, half) for half in Half] == [7, 7]
    assert f"Capacity of {area}" in text


def test_capacity_of_one_half_day_is_set(client: Client) -> None:
    """An area without a free visit on that morning offers no slot then."""
    slot = samples.appointments.list_slots(
        location=location(1),
        product=samples.products.find(samples.LOCAL_160),
        buyer=samples.buyer(),
        appointment_type=AppointmentType.INSTALL,
        appointments_from=None,
    )[0]
    day = samples.limits.local_day(slot.starts_at)
    half = next(half for half in Half if slots.slot_on(day, half) == slot)

    press(
        client,
        f"premises/{samples.uprn(1)}/capacity",
        capacity="0",
        appointment_type="install",
        half=half.value,
        day=day.isoformat(),
    )

    team = Team(location(1).area, AppointmentType.INSTALL)
    assert samples.reserve().starts_at != slot.starts_at
    assert SlotCapacity.objects.get(area=team.area, day=day, half=half).capacity == 0
    assert "0 of 0 taken" in page(client, f"/network/{samples.uprn(1)}")


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ({"capacity": ""}, "Visits: give a number"),
        ({"capacity": "-1"}, "Visits: give a number"),
        ({"capacity": "9" * 5_000}, "Visits: give a number"),
        ({"capacity": "99999"}, "capacity: must be"),
        ({"capacity": "1", "day": "2026-12-25"}, "Nobody works on 2026-12-25"),
    ],
)
def test_capacity_that_cannot_be_is_refused(client: Client, fields: dict[str, str], sentence: str) -> None:
    before = list(SlotCapacity.objects.order_by("pk").values_list("capacity", flat=True))

    text = press(client, f"premises/{samples.uprn(1)}/capacity", **fields)

    assert "Nothing was changed." in text
    assert sentence in text
    assert list(SlotCapacity.objects.order_by("pk").values_list("capacity", flat=True)) == before


def test_ont_is_installed_exchanged_and_removed(client: Client) -> None:
    uprn = samples.uprn(1)
    assert "None installed." in page(client, f"/network/{uprn}")

    text = press(client, f"premises/{uprn}/ont", model="Nokia XS-010X-Q", serialNumber="000000000042")
    assert "RFS_3" in text
    assert products.find_ont(location(1)).serial_number == "000000000042"

    text = press(client, f"premises/{uprn}/ont", model="Nokia XS-010X-Q", fsan="ALCL00000ABC")
    assert "The ONT ALCL00000ABC is installed." in text

    text = press(client, f"premises/{uprn}/remove-ont")
    assert "The ONT is removed." in text
    assert "RFS_1" in text


def test_ont_under_a_live_service_cannot_be_removed(client: Client) -> None:
    uprn = samples.uprn(20)
    assert "Remove the ONT" not in page(client, f"/network/{uprn}")

    assert "Nothing was changed. A service is live" in press(client, f"premises/{uprn}/remove-ont")


def test_wrong_fsan_says_what_it_should_be(client: Client) -> None:
    text = press(client, f"premises/{samples.uprn(1)}/ont", model="Nokia XS-010X-Q", fsan="XYZ")

    assert "Nothing was changed. The FSAN of a Nokia XS-010X-Q is ALCL" in text


def test_premises_that_are_not_ready_have_no_form_for_an_ont(client: Client) -> None:
    assert "Install an ONT" not in page(client, f"/network/{samples.uprn(40)}")


def test_project_is_agreed_and_its_days_change(client: Client) -> None:
    """What the service does, Project references."""
    days = {"starts_on": "2026-12-01", "ends_on": "2026-12-31"}
    text = press(
        client,
        "buyers/BUYERA/project",
        next="/network/buyers",
        projectReference="2026",
        name="Winter",
        requirements="One team",
        **days,
    )
    assert "Aire Broadband has the project 2026" in text
    assert "One team" in text

    press(
        client, "buyers/BUYERA/project", projectReference="2026", starts_on="2026-12-01", ends_on="2027-01-31"
    )

    project = Project.objects.get(reference="2026")
    assert (project.name, project.ends_on) == ("Winter", date(2027, 1, 31))


def test_project_that_ends_before_it_starts_is_refused(client: Client) -> None:
    text = press(
        client, "buyers/BUYERA/project", projectReference="P", starts_on="2026-12-02", ends_on="2026-12-01"
    )

    assert "Nothing was changed. ends_on: must not lie before starts_on" in text
    assert not Project.objects.filter(reference="P").exists()


def test_unknown_buyer_or_premises_is_not_found(client: Client) -> None:
    assert client.post("/do/buyers/NOBODY/project").status_code == 404
    assert client.post("/do/premises/999/capacity").status_code == 404
