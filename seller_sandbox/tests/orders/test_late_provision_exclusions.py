"""Days of a delay that are not the seller's (order-provisioning.md, Exclusion reason codes; D18, D19)."""

import pytest

from seller_sandbox.jobs.exceptions import ActionNotPossible
from seller_sandbox.orders import lifecycle
from seller_sandbox.orders.appointments import missed_appointments
from seller_sandbox.orders.late_orders.exclusion_codes import ExclusionCode
from seller_sandbox.orders.models import LateProvision
from seller_sandbox.tests.orders.appointed_orders import AppointedOrder, morning
from seller_sandbox.tests.orders.late_provision_samples import (
    DAY,
    add,
    complete,
    entry,
    reappoint,
    run_to_notification,
)


# --- exclusions that follow from what happened --------------------------------------------------------------
@pytest.mark.parametrize(
    ("closure", "code"), [("RNA/NA", "RC003"), ("MBORC", "RC012"), ("HAZ", "RC043a"), ("FTA", "")]
)
def test_exclusion_by_closure_code(example: AppointedOrder, closure: str, code: str) -> None:
    """RC003, RC012, RC043a: from the failed day to the day before the next appointment, the earliest one.

    Exclusion reason codes, RC003, RC012, RC043a.
    """
    failed_on = example.day
    example.close(example.at(10), closure)
    reappoint(example, days=1)
    total = (example.day - failed_on).days
    complete(example)

    sent = run_to_notification(example)

    excluded = [entry(code, failed_on, total)] if code else []
    assert sent["exclusions"] == excluded
    assert (sent["total_days"], sent["seller_days"]) == (total, 0 if code else total)


def test_days_of_mborc_are_payable(example: AppointedOrder) -> None:
    """D18, D20: RC012 days are not the seller's, and stored as payable; also when a person declares MBORC."""
    appointment = example.appointment
    example.close(example.at(10), "FTA")
    missed_appointments.declare_mborc(lifecycle.lock(example.reference), appointment=appointment)
    reappoint(example, days=1)
    complete(example)

    sent = run_to_notification(example)

    assert [found["reason"] for found in sent["exclusions"]] == ["RC012"]
    assert sent["seller_days"] == 0
    assert LateProvision.objects.get().payable_days == sent["total_days"]


def test_buyer_did_not_choose_the_earliest_date(example: AppointedOrder) -> None:
    """RC037: the seller missed; the days after the earliest date that it offered are the buyer's (D19)."""
    missed_on = example.day
    example.close(example.at(10), "FTA")
    earliest = morning(1).day
    reappoint(example, days=9)
    chosen = example.day
    complete(example)

    sent = run_to_notification(example)

    assert sent == {
        "total_days": (chosen - missed_on).days,
        "seller_days": (earliest - missed_on).days,
        "other_days": (chosen - earliest).days,
        "exclusions": [entry("RC037", earliest, (chosen - earliest).days)],
    }


def test_buyer_amended_the_delivery_date(example: AppointedOrder) -> None:
    """RC036: after a failure the buyer moves the appointment that it had chosen (D19)."""
    missed_on = example.day
    example.close(example.at(10), "FTA")
    reappoint(example, days=1)
    first = example.day
    reappoint(example, days=8)
    second = example.day
    complete(example)

    sent = run_to_notification(example)

    assert sent["exclusions"] == [entry("RC036", first, (second - first).days)]
    assert sent["seller_days"] == (first - missed_on).days


# --- exclusions that the seller enters ----------------------------------------------------------------------
@pytest.mark.parametrize("code", ExclusionCode.values)
def test_each_exclusion_code_reaches_the_buyer(example: AppointedOrder, code: str) -> None:
    """Exclusion reason codes: all ten."""
    missed_on = example.day
    example.close(example.at(10), "FTA")
    reappoint(example, days=4)
    add(example, code=code, first=missed_on + DAY, days=2)
    complete(example)

    sent = run_to_notification(example)

    assert any(
        found["reason"] == code and found["starts_on"] == f"{missed_on + DAY}" and found["days"] >= 2
        for found in sent["exclusions"]
    )
    assert sent["seller_days"] + sent["other_days"] == sent["total_days"]


def test_entry_of_a_person_goes_before_what_follows_from_a_closure(example: AppointedOrder) -> None:
    """D19: no day twice."""
    missed_on = example.day
    example.close(example.at(10), "RNA/NA")
    reappoint(example, days=4)
    total = (example.day - missed_on).days
    complete(example)
    add(example, code="RC014", first=missed_on, days=2)

    sent = run_to_notification(example)

    assert sent["exclusions"][0] == entry("RC014", missed_on, 2)
    assert sent["other_days"] == total


def test_wrong_exclusion_is_refused(example: AppointedOrder) -> None:
    """Issue 13, 5a."""
    day = example.day

    with pytest.raises(ActionNotPossible, match="code: 'RC099' is none of RC001"):
        add(example, code="RC099", first=day, days=1)
    with pytest.raises(ActionNotPossible, match="ends_on: give the day of starts_on or a later one"):
        add(example, code="RC001", first=day, days=0)


def test_exclusion_after_the_notification_is_refused(example: AppointedOrder) -> None:
    """Timing rules, Late Provision."""
    day = example.day
    example.close(example.at(10), "FTA")
    reappoint(example, days=1)
    complete(example)
    run_to_notification(example)

    with pytest.raises(ActionNotPossible, match="has been sent"):
        add(example, code="RC001", first=day, days=1)
