"""The console's form that places an order as a buyer (issue 13, 5)."""

import re

import pytest
from django.test import Client

from seller_sandbox.messages.models import InboundMessage
from seller_sandbox.orders.models import Order
from seller_sandbox.tests.orders import samples
from seller_sandbox.tests.orders.console_client import fill, page, url

pytestmark = pytest.mark.usefixtures("network")


def test_form_leads_from_buyer_and_premises_to_products_and_slots(client: Client) -> None:
    assert "the rest of the form follows" in page(client, "/orders/new")
    first = page(client, f"/orders/new?buyer=BUYERA&uprn={samples.uprn(1)}")
    assert "RFS_1: Ready, no ONT" in first

    whole = page(
        client,
        f"/orders/new?buyer=BUYERA&uprn={samples.uprn(1)}&product={samples.LOCAL_160}&kind=alaNewInstall",
    )

    assert "2. The order" in whole
    assert "08:00–13:00" in whole
    assert "Battery" in whole
    assert "Place the order" in whole


def test_form_without_a_network_says_what_to_load(client: Client) -> None:
    assert "no premises with the UPRN 999" in page(client, "/orders/new?uprn=999")


def test_form_places_an_order_by_the_buyers_messages(client: Client) -> None:
    html = client.get(
        f"/orders/new?buyer=BUYERA&uprn={samples.uprn(1)}&product={samples.LOCAL_160}"
    ).content.decode()
    slot = re.findall(r'<option value="([\dT:/-]+/[\dT:-]+)">', html)[0]

    site = {"contact_name": "Jo Marsh", "wayleave_obtained": "yes"}
    text = fill(client, slot=slot, auxiliary_services=["BATTERY-BACKUP"], **site)

    assert "The order is placed." in text
    order = Order.objects.get()
    assert order.site["contact_name"] == "Jo Marsh"
    assert order.site["wayleave_obtained"] is True
    assert order.auxiliary_services == ["BATTERY-BACKUP"]
    operations = InboundMessage.objects.order_by("id").values_list("operation", flat=True)
    assert list(operations) == ["reserveAppointment", "order"]
    order = samples.after(order, seconds=60)
    assert order.state == "committed"


def test_form_can_place_what_a_message_can_and_is_rejected_likewise(client: Client) -> None:
    fill(client, uprn="999", buyer_order_reference="x" * 37)

    order = samples.after(Order.objects.get(), seconds=60)

    assert order.state == "rejected"
    assert "longer than 36 characters" in page(client, url(order))


def test_form_ceases_and_modifies_a_live_service(client: Client) -> None:
    service = samples.locations.find(samples.uprn(20)).services.get().service_identifier
    assert (
        service
        in client.get(f"/orders/new?buyer=BUYERA&kind=alaCease&uprn={samples.uprn(20)}").content.decode()
    )

    fill(client, kind="alaModify", service_identifier=service, line_profile="160-VLAN911")
    fill(client, kind="alaCease", service_identifier=service)

    samples.clock.move(seconds=60)
    assert list(Order.objects.values_list("kind", "state")) == [
        ("alaModify", "completed"),
        ("alaCease", "completed"),
    ]


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ({"buyer": "NOBODY"}, "Buyer: choose one of the list."),
        ({"slot": "tomorrow"}, "Slot: choose one of the list."),
        ({"requested_date": "soon"}, "Date: choose a day like 2026-11-23."),
        ({"slot": "2020-01-01T08:00/2020-01-01T13:00"}, "The seller rejected it: The slot"),
    ],
)
def test_form_that_cannot_be_sent_says_why(client: Client, fields: dict[str, str], sentence: str) -> None:
    text = fill(client, **fields)

    assert "No order was placed." in text
    assert sentence in text
    assert not Order.objects.exists()
