"""Late Provision Notification of real orders (order-provisioning.md, Timing rules, Exclusions; D18 to D20)."""

import pytest
from lxml import etree

from seller_sandbox import clock, due_actions
from seller_sandbox.orders import limits, notifying
from seller_sandbox.orders.appointments import reappointments
from seller_sandbox.orders.late_orders import late_provision
from seller_sandbox.orders.models import LateProvision
from seller_sandbox.tests.orders.appointed_orders import AppointedOrder, local, morning, run_until
from seller_sandbox.tests.orders.late_provision_samples import (
    DAY,
    add,
    complete,
    entry,
    reappoint,
    run_to_notification,
)


# --- whether, and when --------------------------------------------------------------------------------------
def test_nothing_without_an_sla_failure(example: AppointedOrder) -> None:
    """Timing rules: "only when there was an SLA failure"; D19: completed on the agreed day."""
    complete(example)

    assert not due_actions.is_scheduled(late_provision.NOTIFY, subject=example.reference)


def test_nothing_for_an_order_that_was_cancelled_in_time(example: AppointedOrder) -> None:
    """Timing rules, only when there was an SLA failure."""
    example.cancel(example.at(9, days=-3))

    assert not due_actions.is_scheduled(late_provision.NOTIFY, subject=example.reference)


def test_generated_on_the_fifteenth_day_after_completion(example: AppointedOrder) -> None:
    """Timing rules: "on or after the 15th calendar day after KCI3", all by the 21st."""
    example.close(example.at(10), "FTA")
    reappoint(example, days=2)
    complete(example)
    ended_on = limits.local_day(example.order.ended_at)

    run_until(local(ended_on + 14 * DAY, 23, 59))
    assert example.notifications("lateProvision") == []

    run_until(limits.midnight(ended_on + 15 * DAY))
    assert len(example.notifications("lateProvision")) == 1
    notified_on = limits.local_day(LateProvision.objects.get().notified_at)
    assert (notified_on - ended_on).days in range(15, limits.LATE_PROVISION_LAST_DAY + 1)


def test_sent_after_a_cancellation_too(example: AppointedOrder) -> None:
    """Timing rules: "after KCI3 or the cancel notification"; the 30 days for a new appointment ended unused."""
    day = example.day
    example.close(example.at(10), "RNA/NA")
    run_until(limits.midnight(day + 31 * DAY))
    assert example.notifications("cancelled")

    sent = run_to_notification(example)

    assert sent == {
        "total_days": 31,
        "seller_days": 0,
        "other_days": 31,
        "exclusions": [entry("RC003", day, 31)],
    }


# --- the base day -------------------------------------------------------------------------------------------
def test_days_from_the_missed_appointment_are_the_sellers(example: AppointedOrder) -> None:
    """Fields: total, the seller's and other days; a reappointment after a failure is no base (D19)."""
    missed_on = example.day
    example.close(example.at(10), "FTA")
    reappoint(example, days=1)
    total = (example.day - missed_on).days
    complete(example)

    sent = run_to_notification(example)

    assert sent == {"total_days": total, "seller_days": total, "other_days": 0, "exclusions": []}
    assert LateProvision.objects.get().payable_days == total


@pytest.mark.parametrize(("days", "hour", "minute"), [(-1, 14, 0), (0, 12, 59)])
def test_late_change_by_the_buyer_makes_its_date_the_base(
    example: AppointedOrder, days: int, hour: int, minute: int
) -> None:
    """Rule: the total is from the latest appointment that was not amended late; D19.

    The second one is asked for in the last minute of the slot, and settled after it.
    """
    example.amend(example.at(hour, minute, days=days), morning(15))
    complete(example)

    assert not due_actions.is_scheduled(late_provision.NOTIFY, subject=example.reference)


@pytest.mark.parametrize(("hour", "is_late"), [(12, False), (14, True)])
def test_cabinet_slip(example: AppointedOrder, hour: int, is_late: bool) -> None:
    """D19: only a late change by the seller is a failure; after an early one the new appointment is the base."""
    run_until(example.at(hour, days=-1))
    release_on = example.day + DAY
    reappointments.move_release(example.order.location.cabinet, day=release_on)
    example.partner_cancels(clock.now())
    run_until(limits.midnight(release_on + DAY))
    complete(example)

    assert due_actions.is_scheduled(late_provision.NOTIFY, subject=example.reference) == is_late


def test_appointment_made_after_an_unused_slot_is_no_base(example: AppointedOrder) -> None:
    """D19: nobody came, nobody reported it, and the buyer books again after the slot."""
    passed_on = example.day
    run_until(example.at(14))
    reappoint(example, days=1)
    chosen = example.day
    complete(example)

    assert run_to_notification(example)["seller_days"] == (chosen - passed_on).days


# --- the message --------------------------------------------------------------------------------------------
def test_message_carries_its_fields(example: AppointedOrder) -> None:
    """Late Provision Notification fields, in the document's order."""
    missed_on = example.day
    example.close(example.at(10), "FTA")
    reappoint(example, days=4)
    add(example, code="RC002", first=missed_on, days=1)
    add(example, code="RC037", first=missed_on + DAY, days=40)
    complete(example)
    total = run_to_notification(example)["total_days"]
    order = example.order
    message = order.thread.outbound.get(members__kind="lateProvision")

    fields = etree.fromstring(notifying.compose(message).encode()).find(".//{*}lateProvision")

    names = ["buyerOrderReference", "sellerOrderReference", "serviceIdentifier"]
    names += ["totalDelayDays", "sellerDelayDays", "otherDelayDays", "exclusion", "exclusion"]
    assert [etree.QName(field).localname for field in fields] == names
    assert [field.text for field in fields[:6]] == [
        order.buyer_order_reference,
        order.seller_order_reference,
        order.service_identifier,
        str(total),
        "0",
        str(total),
    ]
    assert [[field.text for field in exclusion] for exclusion in fields[6:]] == [
        ["RC002", f"{missed_on}", f"{missed_on}", "1"],
        ["RC037", f"{missed_on + DAY}", f"{missed_on + (total - 1) * DAY}", str(total - 1)],
    ]
