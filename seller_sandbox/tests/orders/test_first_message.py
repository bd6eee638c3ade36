"""The steps of docs/order-messages.md (Send your first message), done as they are written there."""

import re
from uuid import uuid4

import pytest

from seller_sandbox.orders.management.commands.order_messages import PAGE
from seller_sandbox.orders.models import Order
from seller_sandbox.tests.orders import samples
from seller_sandbox.tests.orders.test_order_receiver import send, texts

pytestmark = pytest.mark.usefixtures("network")
TEXT = PAGE.read_text()
SLOT = ("appointmentDate", "appointmentStartTime", "appointmentEndTime")


def example(title: str, **texts_of: str) -> bytes:
    """The example of the page with a new messageId and these texts; an empty one leaves its element out."""
    [found] = re.findall(rf"^#### {title} \(.*?^```xml\n(.*?)^```$", TEXT, re.DOTALL | re.MULTILINE)
    for name, text in {"messageId": str(uuid4()), **texts_of}.items():
        element = f"<{name}>{text}</{name}>" if text else ""
        found, count = re.subn(rf"<{name}>.*?</{name}>", element, found)
        assert count == 1, name
    return found.encode()


def test_first_message_becomes_a_committed_order() -> None:
    """Endpoints; Transport and message rules 1 to 3."""
    slots = texts(send(example("Slots", appointmentsFrom="")))
    wanted = {name: slots[name][0] for name in SLOT}
    reserved = texts(send(example("Reservation", **wanted)))
    [key] = reserved["appointmentReservationKey"]

    send(example("New install", appointmentReservationKey=key, buyerOrderReference=str(uuid4())))

    order = samples.after(Order.objects.get(), seconds=samples.A_MINUTE)
    assert [kind for kind in samples.kinds(order) if kind != "enniReserved"] == [
        *("pending", "acknowledged", "committed"),
    ]


def test_steps_name_the_paths_in_their_order() -> None:
    """An order with the key of the example is rejected: it must be reserved first. Endpoints, Operations."""
    steps = TEXT.partition("## Send your first message")[2].partition("## Transport")[0]

    assert re.findall(r"\{base_url\}/(\w+)", steps) == [
        *("queryAppointmentAvailability", "reserveAppointment", "order"),
    ]
