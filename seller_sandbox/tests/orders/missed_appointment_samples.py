"""What became of missed appointments: flags that were sent, and what is stored."""

from datetime import timedelta
from typing import Any

from seller_sandbox import clock
from seller_sandbox.orders.models import MissedAppointment
from seller_sandbox.tests.orders.appointed_orders import AppointedOrder, run_until

NONE_MISSED: list[Any] = []
DAY = timedelta(days=1)


def flags(example: AppointedOrder) -> list[dict[str, bool]]:
    """Those that are Y, of each notification."""
    return [
        {name for name, value in members["missed_appointment"].items() if value is True}
        for members in example.notifications("missedAppointment")
    ]


def settle(example: AppointedOrder) -> None:
    """A week later every flag is settled."""
    run_until(clock.now() + 7 * DAY)


def stored(example: AppointedOrder) -> MissedAppointment:
    return example.order.missed_appointments.get()
