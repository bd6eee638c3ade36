"""Appointments that the seller lets be missed, by a request of the control interface."""

import json
from typing import Any

import pytest
from django.test import Client

from seller_sandbox.messages.models import OutboundMessage
from seller_sandbox.orders.models import Order
from seller_sandbox.tests.orders import samples

pytestmark = pytest.mark.usefixtures("network")


def act(client: Client, order: Order, action: str, **body: Any) -> tuple[int, dict[str, Any]]:
    response = client.post(
        f"/api/orders/{order.seller_order_reference}/{action}",
        data=json.dumps(body),
        content_type="application/json",
        headers={"X-Sandbox-Control": "1"},
    )
    return response.status_code, response.json()


@pytest.mark.parametrize(
    ("code", "missed_by", "delay"), [("FTA", "seller", "239"), ("RNA/NA", "buyer", "237")]
)
def test_missed_appointment_is_recorded_and_its_job_cancelled(
    client: Client, code: str, missed_by: str, delay: str
) -> None:
    """Missed Appointment rules 6."""
    order = samples.appointed()
    samples.accepted(order)
    order = samples.until(order, order.appointment.starts_at)

    status, _ = act(client, order, "miss", code=code)

    order = samples.fresh(order)
    assert (status, order.delay_code, order.appointment) == (200, delay, None)
    assert order.missed_appointments.get().missed_by == missed_by
    assert OutboundMessage.objects.filter(operation="cancelJob").count() == 1


def test_appointment_is_not_missed_before_its_slot_or_without_a_visit(client: Client) -> None:
    """Events, Missed Appointment."""
    early = act(client, samples.appointed(), "miss", code="FTA")
    without = act(client, samples.placed(uprn=samples.uprn(1, 2)), "miss", code="FTA")

    assert (early[0], without[0]) == (409, 409)
    assert "The slot has not begun. Move the clock" in early[1]["error"]
    assert "No visit with an appointment is planned" in without[1]["error"]
