"""queryAppointmentAvailability and reserveAppointment for repairs (Endpoints; field-names.md 4.1, 6.4)."""

from dataclasses import replace
from datetime import date, timedelta
from typing import Any

import pytest

from seller_sandbox import clock
from seller_sandbox.faults.wire.requests import RepairSlotsQuery, ReserveRepairRequest
from seller_sandbox.network.models import SlotCapacity
from seller_sandbox.orders.queries import list_appointments
from seller_sandbox.orders.wire.requests import AppointmentsQuery
from seller_sandbox.soap.text_formats import parse_slot_time
from seller_sandbox.tests.faults import samples

pytestmark = pytest.mark.usefixtures("network")


def query(**members: Any) -> dict[str, Any]:
    service = samples.service(members.pop("at", samples.UPRN))
    usual = {"uprn": service.location.uprn, "product_name": service.product.name}
    return samples.values(samples.send(RepairSlotsQuery(samples.order_header(), **{**usual, **members})))


def days(content: dict[str, Any]) -> list[date]:
    return [date.fromisoformat(slot["slot_date"]) for slot in content["slots"]]


def reservation(slot: dict[str, str], **members: Any) -> dict[str, Any]:
    service, day = samples.service(), date.fromisoformat(slot["slot_date"])
    start, end = (parse_slot_time(day, slot[name]) for name in ("slot_start", "slot_end"))
    usual = {"uprn": service.location.uprn, "product_name": service.product.name}
    message = ReserveRepairRequest(samples.order_header(), day, start, end, **{**usual, **members})
    return samples.values(samples.send(message))


def test_slots_from_tomorrow_on_in_order_with_saturdays_and_without_sundays() -> None:
    found = days(query())

    assert found == sorted(found)
    assert found[0] > clock.today()
    assert {day.weekday() for day in found} == set(range(6))


def test_orders_have_no_saturdays() -> None:
    service = samples.service("1002601")
    query_ = AppointmentsQuery(
        samples.order_header(), service.location.uprn, "Residential FTTH Local Access 1 Gbps"
    )
    found = list_appointments(query_, buyer=samples.buyer()).slots

    assert 5 not in {slot.day.weekday() for slot in found}


def test_timeframe_has_two_ends() -> None:
    first = clock.today() + timedelta(days=7)
    last = first + timedelta(days=6)
    found = days(query(appointments_from=first, appointments_to=last))

    assert found
    assert all(first <= day <= last for day in found)


def test_timeframe_without_a_slot_says_so() -> None:
    content = query(appointments_to=clock.today())

    assert content["status"] == "Rejected"
    assert "The next one is on" in content["reason"]["message"]


def test_timeframe_that_ends_before_it_begins_says_so() -> None:
    today = clock.today()
    content = query(appointments_from=today, appointments_to=today - timedelta(days=1))

    assert "appointmentsTo is before appointmentsFrom" in content["reason"]["message"]


@pytest.mark.parametrize(
    ("members", "text"),
    [
        ({"uprn": "999999999999"}, "There are no premises"),
        ({"product_name": "Nothing"}, "There is no product"),
        ({"product_name": "Residential FTTH National Access 1 Gbps"}, "You have no live"),
        ({"at": samples.FOREIGN_UPRN}, "You have no live"),
    ],
)
def test_only_a_live_service_of_ones_own_can_be_repaired(members: dict[str, str], text: str) -> None:
    content = query(**members)

    assert content["status"] == "Rejected"
    assert text in content["reason"]["message"]


def test_reservation_gives_the_key_and_until_when() -> None:
    slot = query()["slots"][0]
    content = reservation(slot)

    assert content["status"] == "Accepted"
    assert content["appointment"]["slot_date"] == slot["slot_date"]
    assert content["appointment"]["expires_at"] > clock.now()
    key = content["appointment"]["key"]
    assert samples.accepted(samples.outage(appointment_reservation_key=key)).state == "accepted"


def test_last_free_place_is_given_once() -> None:
    SlotCapacity.objects.filter(appointment_type="repair").update(capacity=1)
    slot = query()["slots"][0]
    first, second = reservation(slot), reservation(slot)

    assert (first["status"], second["status"]) == ("Accepted", "Rejected")
    assert "is not free" in second["reason"]["message"]


def test_slot_that_is_none_is_refused() -> None:
    slot = {"slot_date": clock.today().isoformat(), "slot_start": "08:00:00", "slot_end": "13:00:00"}

    assert reservation(slot)["status"] == "Rejected"


def test_message_for_another_seller_is_a_400_that_names_us() -> None:
    """Header of the two appointment calls (D18; FN 4): sellerIdentifier is the fixed name of the seller."""
    header = replace(samples.order_header(), seller_identifier="OTHER")

    answer = samples.send(RepairSlotsQuery(header, uprn=samples.UPRN))

    assert answer.status == 400
    text = samples.values(answer)["error_message"]
    assert text.startswith(
        "queryAppointmentAvailability/seller/sellerIdentifier: OTHER is not this seller. Send SANDBOX"
    )
