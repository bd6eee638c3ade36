"""Steps towards a Late Provision Notification, and its parts."""

from datetime import timedelta
from typing import Any

from seller_sandbox import clock
from seller_sandbox.orders import lifecycle, limits
from seller_sandbox.orders.late_orders import late_provision
from seller_sandbox.tests.orders.appointed_orders import AppointedOrder, morning, run_until

DAY = timedelta(days=1)
HOUR = timedelta(hours=1)


def complete(example: AppointedOrder) -> None:
    """The visit of the day succeeds."""
    example.close(example.at(10), "SP")


def reappoint(example: AppointedOrder, *, days: int) -> None:
    """The buyer books the first morning so many days from now."""
    example.amend(clock.now() + HOUR, morning(days))


def run_to_notification(example: AppointedOrder) -> dict[str, Any]:
    """What the buyer is sent on the 15th day."""
    ended_on = limits.local_day(example.order.ended_at)
    run_until(limits.midnight(ended_on + limits.LATE_PROVISION_FIRST_DAY * DAY))
    return example.notifications("lateProvision")[0]["late_provision"]


def entry(reason: str, first: Any, days: int) -> dict[str, Any]:
    """An exclusion entry of so many days from a first one."""
    last = first + (days - 1) * DAY
    return {"reason": reason, "starts_on": f"{first}", "ends_on": f"{last}", "days": days}


def add(example: AppointedOrder, *, code: str, first: Any, days: int) -> None:
    late_provision.add_exclusion(
        lifecycle.lock(example.reference), code=code, starts_on=first, ends_on=first + (days - 1) * DAY
    )
