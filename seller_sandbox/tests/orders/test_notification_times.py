"""When a notification says that it was sent: sandbox time (D21; order-provisioning.md, Timing rules)."""

from datetime import datetime

import pytest

from seller_sandbox.orders import limits, notifying
from seller_sandbox.orders.models import Order
from seller_sandbox.tests.orders import samples

pytestmark = pytest.mark.usefixtures("network")


def sent_at(order: Order) -> datetime:
    """Of the newest notification, delivered now."""
    text = notifying.compose(order.thread.outbound.order_by("seq").last())
    return datetime.fromisoformat(text.split("<sentAt>")[1].split("</sentAt>")[0])


def test_notification_of_a_moved_clock_has_the_time_at_which_it_fell_due() -> None:
    """It is delivered when the clock stands weeks later. D21."""
    order = samples.placed()
    end = limits.window_end(limits.APPOINTMENT_WINDOW_DAYS)

    order = samples.after(order, seconds=60 * samples.A_DAY)

    assert samples.kinds(order)[-1] == "cancelled"
    assert sent_at(order) == end
